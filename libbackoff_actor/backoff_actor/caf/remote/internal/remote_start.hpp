#pragma once

// One start of a child on another node.
//
//   dialing --> connecting --> [spawning] --> guarding
//      |             |              |             until the child, or its supervisor, is gone
//      +-------------+--------------+--> the next node, or the start has failed
//
// It is an actor of its own because the child's supervisor must not wait. For a spawned child, this
// actor lives as long as the child. The child's node watches this actor, and ends the child when
// this actor ends. So the child also ends if the answer of its node came too late for the
// supervisor. It tries nothing again by itself: what is lost or fails is started anew by the engine
// of the sender (engine/sender/sender_children.cpp), or of the supervisor.

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/remote/internal/remote_dial.hpp"
#include "backoff_actor/caf/remote/remote_child.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/node_id.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// The data that all starts of a factory share.
class BACKOFF_ACTOR_HIDDEN RemotePlan {
public:
  /// How many guards that have ended are remembered, the last ones.
  static constexpr std::size_t most_over = 32;

  /// Notes that a guard has ended, so that its worker is not wanted any more.
  ///
  /// @thread any
  void note_over(caf::actor_id guard);
  /// Returns the guards that have ended.
  ///
  /// @thread any
  std::vector<std::uint64_t> over() const;

  std::vector<NodeAddress> nodes;
  RemoteOptions options;
  std::optional<std::string> worker{}; ///< the worker to spawn; none: use the published actor
  caf::message arguments{};            ///< of the worker
  std::atomic<std::size_t> next = 0;   ///< the node that the next start tries first

private:
  mutable detail::Mutex mutex_;
  std::vector<std::uint64_t> over_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // the latest is the last
};

/// Returns a plan to use what is published at these nodes.
///
/// @errors throws `InvalidArgument` naming every invalid node and option.
BACKOFF_ACTOR_HIDDEN std::shared_ptr<RemotePlan> plan_for(std::vector<NodeAddress> nodes,
                                                          const RemoteOptions& options);

/// One start. Ends by itself.
class BACKOFF_ACTOR_HIDDEN RemoteStart final : public compat::RequestingActor {
public:
  /// For `supervisor`, which must be alive.
  RemoteStart(caf::actor_config& config, std::shared_ptr<RemotePlan> plan,
              const caf::actor& supervisor, ChildPromise child);

  /// Its name in CAF's logs.
  const char* name() const override { return "backoff_actor.remote_start"; }
  /// Is called by CAF; starts with the first node.
  caf::behavior make_behavior() override;
  /// Cancels the current step.
  void on_exit() override;

private:
  enum class Step : std::uint8_t { dialing, connecting, spawning, guarding };

  const NodeAddress& node() const;
  void dial();
  void on_dial(std::uint64_t number, const std::string& problem);
  void connect();
  void on_connected(const caf::message& answer);
  void spawn_worker(const caf::node_id& node);
  void on_spawned(const caf::message& answer);
  void fail(const std::string& problem);
  void deliver(const caf::actor& child, Ownership ownership);
  void begin(Step step);
  void ask(const caf::actor& whom, const caf::message& question);
  void on_late();
  bool is_over();
  void on_response(std::uint64_t number, caf::message&& content,
                   const caf::strong_actor_ptr& from) override;
  void on_down(const caf::actor_addr& who, const caf::error& reason) override;

  std::shared_ptr<RemotePlan> plan_;
  ChildPromise child_;
  caf::strong_actor_ptr keep_alive_; // this actor: no other actor holds a reference to it
  std::shared_ptr<Dial> dial_;
  std::size_t first_ = 0;    // the node that was tried first
  std::size_t tried_ = 0;    // how many nodes have failed
  bool has_asked_ = false;   // a node for a worker
  bool is_again_ = false;    // this node was dialed before, see `on_connected`
  std::uint64_t number_ = 0; // of the step; answers for an earlier number are stale
  Step step_ = Step::dialing;
  Instant due_{};        // when the step ends
  std::string problems_; // of the nodes tried
};

} // namespace backoff_actor
