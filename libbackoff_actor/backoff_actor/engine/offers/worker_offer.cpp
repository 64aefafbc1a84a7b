#include "backoff_actor/engine/offers/worker_offer.hpp"

#include <algorithm>

namespace backoff_actor {

WorkerOffer::Acts WorkerOffer::begin() {
  phase_ = Phase::searching;
  due_ = Instant::never();
  return {Act::find_owner};
}

WorkerOffer::Acts WorkerOffer::found(Instant now) {
  if (phase_ != Phase::searching)
    return {};
  phase_ = Phase::asking;
  due_ = now + answer_limit;
  return {Act::offer};
}

WorkerOffer::Acts WorkerOffer::not_found(Instant now) {
  return phase_ == Phase::searching ? try_later(now) : Acts{};
}

void WorkerOffer::taken(Instant now) {
  if (phase_ == Phase::asking)
    backoff_ = backoff_.reset();
  else if (phase_ != Phase::working)
    return;
  phase_ = Phase::working;
  due_ = now + renewal;
}

WorkerOffer::Acts WorkerOffer::refused(Instant now) { return owner_gone(now); }

WorkerOffer::Acts WorkerOffer::owner_gone(Instant now) {
  if (phase_ == Phase::leaving)
    return has_workers() ? Acts{Act::end_workers} : end();
  if (phase_ != Phase::asking && phase_ != Phase::working)
    return {};
  auto result = try_later(now);
  if (has_workers())
    result.push_back(Act::end_workers);
  return result;
}

WorkerOffer::Acts WorkerOffer::stop(Instant now, Duration grace) {
  if (phase_ == Phase::ended)
    return {};
  const auto was_told = phase_ == Phase::leaving;
  const auto knows_owner = phase_ == Phase::asking || phase_ == Phase::working;
  const auto until = now + std::max(grace, Duration::zero());
  due_ = was_told ? std::min(due_, until) : until;
  phase_ = Phase::leaving;
  Acts result;
  if (knows_owner)
    result.push_back(Act::withdraw);
  if (has_workers() && due_ > now)
    return result;
  if (has_workers())
    result.push_back(Act::kill_workers);
  for (const auto act : end())
    result.push_back(act);
  return result;
}

WorkerOffer::Acts WorkerOffer::wake(Instant now) {
  if (now < due_)
    return {};
  due_ = Instant::never();
  if (phase_ == Phase::waiting)
    return begin();
  if (phase_ == Phase::asking)
    return owner_gone(now);
  if (phase_ == Phase::working)
    return {Act::offer};
  if (phase_ != Phase::leaving)
    return {};
  auto result = end();
  result.insert(result.begin(), Act::kill_workers);
  return result;
}

bool WorkerOffer::may_make(std::uint32_t place) const {
  return (phase_ == Phase::asking || phase_ == Phase::working) && place < places_.size();
}

WorkerOffer::Acts WorkerOffer::note_gone(std::uint32_t place) {
  places_[place] = false;
  return phase_ == Phase::leaving && !has_workers() ? end() : Acts{};
}

bool WorkerOffer::has_workers() const { return std::ranges::find(places_, true) != places_.end(); }

WorkerOffer::Acts WorkerOffer::try_later(Instant now) {
  backoff_ = backoff_.next();
  phase_ = Phase::waiting;
  due_ = now + backoff_.wait_time();
  return {};
}

WorkerOffer::Acts WorkerOffer::end() {
  phase_ = Phase::ended;
  due_ = Instant::never();
  return {Act::quit};
}

} // namespace backoff_actor
