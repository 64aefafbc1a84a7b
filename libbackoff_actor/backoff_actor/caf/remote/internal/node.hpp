#pragma once

#include "backoff_actor/caf/door/internal/door.hpp"
#include "backoff_actor/caf/remote/network.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/node_id.hpp>

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace backoff_actor {

/// The network of an actor system: its options, and its door.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_HIDDEN NetworkNode {
public:
  /// Has every actor system that is made from this configuration find these options.
  static void set_up(caf::actor_system_config& config, const NetworkOptions& options);

  /// Returns the node of an actor system.
  ///
  /// @errors throws `std::runtime_error` if the system was not set up with `init_network`.
  static std::shared_ptr<NetworkNode> of(caf::actor_system& system);

  explicit NetworkNode(NetworkOptions options) : options_(std::move(options)) {}

  const NetworkOptions& options() const { return options_; }

  /// Returns the door, which is made when it is needed first.
  ///
  /// @errors throws as the constructor of `door::Door`.
  door::Door& door();

  /// Takes one of the places for workers that another node has here. The place is free again when
  /// the result has gone.
  ///
  /// @errors throws `std::runtime_error` if no place is left, and tells it.
  std::shared_ptr<void> place_for_worker_of(const caf::node_id& peer);

private:
  const NetworkOptions options_;
  struct Places {
    detail::Mutex mutex;
    std::unordered_map<caf::node_id, std::uint32_t>
      taken BACKOFF_ACTOR_GUARDED_BY(mutex); // by another node; 1 and above
  };

  detail::Mutex mutex_;
  std::unique_ptr<door::Door> door_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  const std::shared_ptr<Places> places_ = std::make_shared<Places>();
};

} // namespace backoff_actor
