#pragma once

// One start of a child on another node.
//
//   knocking --> connecting --> [spawning] --> guarding
//      |             |              |             until the child, or its supervisor, is gone
//      +-------------+--------------+--> the next node, or the start has failed
//
// It is an actor of its own because the child's supervisor must not wait. For a child that was spawned it lives as long
// as that: the child's node watches it, and ends the child with it. So a child ends whose supervisor never
// came to know of it, since the word that it was spawned came too late.

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/remote/internal/remote_knock.hpp"
#include "backoff_actor/caf/remote/remote_child.hpp"

#include <caf/node_id.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// What all starts of a factory have in common.
struct RemotePlan {
  std::vector<NodeAddress> nodes;
  RemoteOptions options;
  std::optional<std::string> worker{}; ///< to be spawned; none: what is published
  caf::message arguments{};            ///< of the worker
  std::atomic<std::size_t> next = 0;   ///< the node with which a start begins
};

/// One start. Ends by itself.
class BACKOFF_ACTOR_HIDDEN RemoteStart final : public seam::RequestingActor {
public:
  /// For `supervisor`, which must be alive.
  RemoteStart(caf::actor_config& config, std::shared_ptr<RemotePlan> plan,
              const caf::actor& supervisor, ChildPromise child);

  /// Its name in CAF's logs.
  const char* name() const override { return "backoff_actor.remote_start"; }
  /// Is called by CAF; begins.
  caf::behavior make_behavior() override;
  /// Calls off what is under way.
  void on_exit() override;

private:
  enum class Step : std::uint8_t { knocking, connecting, spawning, guarding };

  const NodeAddress& node() const;
  void knock();
  void on_knock(std::uint64_t number, const std::string& problem);
  void connect();
  void on_connected(const caf::message& answer);
  void spawn_worker(const caf::node_id& node);
  void on_spawned(const caf::message& answer);
  void fail(const std::string& problem);
  void deliver(const caf::actor& child, Ownership ownership);
  void begin(Step step);
  void ask(const caf::message& question);
  void on_late();
  bool is_over();
  void on_response(std::uint64_t number, caf::message&& content,
                   const caf::strong_actor_ptr& from) override;
  void on_down(const caf::actor_addr& who, const caf::error& reason) override;

  std::shared_ptr<RemotePlan> plan_;
  ChildPromise child_;
  caf::strong_actor_ptr keep_alive_; // of this actor: nobody else holds it
  std::shared_ptr<Knock> knock_;
  std::size_t first_ = 0;    // the node with which it began
  std::size_t tried_ = 0;    // nodes that were tried to no avail
  std::uint64_t number_ = 0; // of the step; news of an earlier one is stale
  Step step_ = Step::knocking;
  Instant due_{};        // when the step ends
  std::string address_;  // which answered the knock
  std::string problems_; // of the nodes tried
};

} // namespace backoff_actor
