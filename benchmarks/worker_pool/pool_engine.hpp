#pragma once

#include <backoff_actor/engine/sender/sender_engine.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace worker_pool {

/// A message that a worker was given.
struct HandedOver {
  std::uint64_t message;
  std::uint32_t worker; ///< from 0
};

/// The engine of a sender with a pool, without actors. Each worker holds one message, and all are
/// alive at first.
class PoolEngine {
public:
  /// @range `1 <= workers <= 1000`
  explicit PoolEngine(std::uint32_t workers);

  /// Submits a message. Returns what the workers get for it.
  const std::vector<HandedOver>& submit(backoff_actor::Instant now, std::uint64_t message);

  /// A worker has done a message. Returns what the workers get next.
  const std::vector<HandedOver>& acknowledge(backoff_actor::Instant now, std::uint64_t message);

  /// A worker crashes, and is made again when its delay is over. Returns when.
  backoff_actor::Instant crash(backoff_actor::Instant now, std::uint32_t worker);

private:
  const std::vector<HandedOver>& carry_out();

  std::unique_ptr<backoff_actor::SenderEngine> engine_;
  backoff_actor::Effects effects_;
  std::vector<HandedOver> handed_over_;
  std::vector<std::uint64_t> message_in_;               // by slot
  std::vector<backoff_actor::HandOverId> hand_over_of_; // by message
  std::vector<std::uint32_t> worker_of_;                // by incarnation
  std::vector<std::uint32_t> incarnation_of_;           // by worker
  backoff_actor::Instant wake_at_ = backoff_actor::Instant::never();
};

} // namespace worker_pool
