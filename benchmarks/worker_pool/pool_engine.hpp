#pragma once

#include <backoff_actor/engine/sender/sender_engine.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
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
  explicit PoolEngine(std::uint32_t workers) : incarnation_of_(workers) {
    backoff_actor::EngineOptions options;
    options.ordering = backoff_actor::Ordering::unordered;
    options.capacity = std::numeric_limits<std::uint32_t>::max() / 2;
    options.pool.kinds = {{{workers, workers}, 1}};
    engine_ = std::make_unique<backoff_actor::SenderEngine>(
      std::make_shared<const backoff_actor::EngineOptions>(std::move(options)));
    step({}, backoff_actor::input::Start{});
    for (const auto incarnation : incarnation_of_)
      step({}, backoff_actor::input::ChildStarted{incarnation});
  }

  /// Submits a message. Returns what the workers get for it.
  const std::vector<HandedOver>& submit(backoff_actor::Instant now, std::uint64_t message) {
    if (hand_over_of_.size() <= message)
      hand_over_of_.resize(2 * message + 1);
    submitted_ = message;
    return step(now, backoff_actor::input::Submit{});
  }

  /// A worker has done a message. Returns what the workers get next.
  const std::vector<HandedOver>& acknowledge(backoff_actor::Instant now, std::uint64_t message) {
    return step(now, backoff_actor::input::Acknowledged{hand_over_of_[message]});
  }

  /// A worker crashes, and is made again when its delay is over. Returns when.
  backoff_actor::Instant crash(backoff_actor::Instant now, std::uint32_t worker) {
    step(now, backoff_actor::input::ChildDown{incarnation_of_[worker], {7, "crash"}});
    step(now, backoff_actor::input::ChildStarted{incarnation_of_[worker]});
    now = std::exchange(wake_at_, backoff_actor::Instant::never());
    step(now, backoff_actor::input::Wake{});
    return now;
  }

private:
  template <class Input>
  const std::vector<HandedOver>& step(backoff_actor::Instant now, const Input& input) {
    namespace effect = backoff_actor::effect;
    engine_->step(now, input, effects_);
    handed_over_.clear();
    for (const auto& effect : effects_) {
      if (const auto* accept = std::get_if<effect::Accept>(&effect)) {
        if (message_in_.size() <= accept->slot)
          message_in_.resize(2 * std::size_t{accept->slot} + 1);
        message_in_[accept->slot] = submitted_;
      } else if (const auto* start = std::get_if<effect::StartChild>(&effect)) {
        if (worker_of_.size() <= start->incarnation)
          worker_of_.resize(2 * std::size_t{start->incarnation} + 1);
        worker_of_[start->incarnation] = start->worker - 1U;
        incarnation_of_[start->worker - 1U] = start->incarnation;
      } else if (const auto* hand_over = std::get_if<effect::HandOver>(&effect)) {
        const auto message = message_in_[hand_over->slot];
        hand_over_of_[message] = hand_over->hand_over;
        handed_over_.push_back({message, worker_of_[hand_over->incarnation]});
      } else if (const auto* wake = std::get_if<effect::WakeAt>(&effect)) {
        wake_at_ = wake->at;
      }
    }
    effects_.clear();
    return handed_over_;
  }

  std::unique_ptr<backoff_actor::SenderEngine> engine_;
  backoff_actor::Effects effects_;
  std::vector<HandedOver> handed_over_;
  std::uint64_t submitted_ = 0;                         // the last message
  std::vector<std::uint64_t> message_in_;               // by slot
  std::vector<backoff_actor::HandOverId> hand_over_of_; // by message
  std::vector<std::uint32_t> worker_of_;                // by incarnation
  std::vector<std::uint32_t> incarnation_of_;           // by worker
  backoff_actor::Instant wake_at_ = backoff_actor::Instant::never();
};

} // namespace worker_pool
