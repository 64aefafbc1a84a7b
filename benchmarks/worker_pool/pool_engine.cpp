#include "worker_pool/pool_engine.hpp"

#include <limits>
#include <utility>
#include <variant>

namespace worker_pool {

using namespace backoff_actor;

PoolEngine::PoolEngine(std::uint32_t workers) : incarnation_of_(workers) {
  EngineOptions options;
  options.ordering = Ordering::unordered;
  options.capacity = std::numeric_limits<std::uint32_t>::max() / 2;
  options.pool.kinds = {{{workers, workers}, 1}};
  engine_ =
    std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(std::move(options)));
  engine_->step({}, input::Start{}, effects_);
  carry_out();
  for (const auto incarnation : incarnation_of_) {
    engine_->step({}, input::ChildStarted{incarnation}, effects_);
    carry_out();
  }
}

const std::vector<HandedOver>& PoolEngine::submit(Instant now, std::uint64_t message) {
  if (hand_over_of_.size() <= message)
    hand_over_of_.resize(2 * message + 1);
  engine_->step(now, input::Submit{}, effects_);
  if (const auto* accepted = std::get_if<effect::Accept>(&effects_.front())) {
    if (message_in_.size() <= accepted->slot)
      message_in_.resize(2 * std::size_t{accepted->slot} + 1);
    message_in_[accepted->slot] = message;
  }
  return carry_out();
}

const std::vector<HandedOver>& PoolEngine::acknowledge(Instant now, std::uint64_t message) {
  engine_->step(now, input::Acknowledged{hand_over_of_[message]}, effects_);
  return carry_out();
}

Instant PoolEngine::crash(Instant now, std::uint32_t worker) {
  engine_->step(now, input::ChildDown{incarnation_of_[worker], {7, "crash"}}, effects_);
  carry_out();
  engine_->step(now, input::ChildStarted{incarnation_of_[worker]}, effects_);
  carry_out();
  now = std::exchange(wake_at_, Instant::never());
  engine_->step(now, input::Wake{}, effects_);
  carry_out();
  return now;
}

const std::vector<HandedOver>& PoolEngine::carry_out() {
  handed_over_.clear();
  for (const auto& effect : effects_) {
    if (const auto* start = std::get_if<effect::StartChild>(&effect)) {
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

} // namespace worker_pool
