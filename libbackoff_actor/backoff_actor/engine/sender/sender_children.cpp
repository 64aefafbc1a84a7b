// The children's lives: how they are started, and what follows when they are down.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

// -- found -------------------------------------------------------------------------------

SenderEngine::Lane* SenderEngine::Step::lane_of(std::uint32_t incarnation) {
  if (work_.pool) {
    const auto& by_incarnation = work_.pool->by_incarnation;
    const auto found = by_incarnation.find(incarnation);
    if (found == by_incarnation.end())
      return nullptr;
    auto& worker = work_.lanes[found->second];
    mark_changed(worker);
    return &worker;
  }
  for (auto& lane : work_.lanes)
    if (lane.incarnation == incarnation)
      return &lane;
  return nullptr;
}

// -- started -----------------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Start& x) {
  if (is_closing())
    return;
  begin();
  work_.last_delivery = std::max(work_.last_delivery, x.last_delivery);
}

// Called in every step, for each lane that it may have changed. Starts the child that is missing.
void SenderEngine::Step::give_child(Lane& lane) {
  if (lane.child == Child::none && is_child_wanted(lane))
    start_child(lane);
}

bool SenderEngine::Step::is_child_wanted(const Lane& lane) const {
  if (!lane.is_wanted || is_closing())
    return false;
  if (work_.last_incarnation == 0)
    return is_first_wanted();
  if (lane.is_done && !is_needed(lane))
    return false;
  return !lane.delay_runs
         || (options_.restart == RestartTiming::at_once && lane.was_handed_something);
}

bool SenderEngine::Step::is_first_wanted() const {
  return self_.beginning_ != Beginning::not_told
         && (options_.child_start == FirstStart::at_once || self_.owed() > 0);
}

// Whether something is there for the lane's child: not what waits for its time nor, in a pool, what
// other workers hold.
bool SenderEngine::Step::is_needed(const Lane& lane) const {
  return work_.pool ? lane.in_flight.count > 0 || backlog_.size_ready() > 0
                    : self_.owed() > backlog_.size_scheduled();
}

// Makes the child at once, or when the guard of the service lets a call through.
void SenderEngine::Step::start_child(Lane& lane) {
  lane.start_is_put_off = is_guarded(lane) && !gate_.is_closed();
  if (!lane.start_is_put_off)
    make_child(lane);
}

void SenderEngine::Step::make_child(Lane& lane) {
  lane.start_is_put_off = false;
  if (!lane.is_fallback && lane.incarnation != 0)
    ++work_.restarts_so_far;
  if (++work_.last_incarnation == 0) // 0 is kept for "none yet"
    work_.last_incarnation = 1;
  if (work_.pool) {
    work_.pool->by_incarnation.erase(lane.incarnation);
    work_.pool->by_incarnation[work_.last_incarnation] = lane.index;
    mark_changed(lane);
  }
  lane.incarnation = work_.last_incarnation;
  lane.child = Child::starting;
  lane.was_handed_something = false;
  lane.is_done = false;
  lane.is_asked = false;
  lane.is_hung = false;
  emit(effect::StartChild{lane.incarnation, lane.kind, number_of(lane)});
}

void SenderEngine::Step::operator()(const input::ChildStarted& x) {
  auto* const lane = lane_of(x.incarnation);
  // This child is a fallback that is not needed any more, or the sender is closing.
  if (lane == nullptr || (is_closing() && lane->child == Child::none))
    return emit(effect::StopChild{x.incarnation});
  if (lane->child != Child::starting)
    return;
  lane->child = Child::alive;
  lane->last_progress = now_;
  observe_of(*lane, [&] { return event::ChildStarted{now_, x.incarnation}; });
}

void SenderEngine::Step::operator()(const input::StartFailed& x) {
  auto* const lane = lane_of(x.incarnation);
  if (lane == nullptr || lane->child != Child::starting)
    return;
  lane->child = Child::none;
  if (is_guarded(*lane))
    gate_.report_failed_start(now_);
  ++work_.counters.failed_starts;
  observe_of(*lane, [&] { return event::StartFailed{now_, x.incarnation, x.cause}; });
  const auto cause = shared(x.cause);
  if (x.verdict == Verdict::give_up || x.verdict == Verdict::escalate)
    give_up(x.verdict == Verdict::escalate, DeliverySlots::none, cause);
  else
    fail(*lane, cause, Failed::child, Decision::retry_as(x.reason));
}

// -- down ----------------------------------------------------------------------------------

// Whether the child of the lane, which was not told to end, ended as nobody could help it. A child
// that is lost with a suspect has crashed: a child ended with that delivery before.
bool SenderEngine::Step::is_nobodys_fault(const Lane& lane, input::ChildEnd end) const {
  const auto first = lane.in_flight.first;
  return end == input::ChildEnd::withdrawn
         || (end == input::ChildEnd::lost
             && (first == DeliverySlots::none || !backlog_[first].is_suspect));
}

void SenderEngine::Step::operator()(const input::ChildDown& x) {
  const auto abandoned =
    std::ranges::find(work_.abandoned, x.incarnation, &Work::Abandoned::incarnation);
  if (abandoned != work_.abandoned.end()) {
    const auto worker = abandoned->worker;
    work_.abandoned.erase(abandoned);
    observe([&] { return event_of(worker, event::AbandonedChildEnded{now_, x.incarnation}); });
    return;
  }
  auto* const lane = lane_of(x.incarnation);
  if (lane == nullptr || lane->child == Child::none)
    return;
  const auto is_expected = lane->child == Child::leaving || is_ending() || holds_cancelled(*lane)
                           || is_nobodys_fault(*lane, x.end);
  if (lane->child == Child::starting && is_guarded(*lane))
    x.end == input::ChildEnd::own ? gate_.report_failed_start(now_) : gate_.return_unused(now_);
  lane->child = Child::none;
  const auto is_lost = is_expected && x.end == input::ChildEnd::lost;
  if (is_lost)
    suspect_unanswered(*lane);
  const auto unanswered = oldest_unanswered(*lane);
  const auto settled = is_lost ? drop_answers(*lane) : settle_held(*lane, x.cause, is_expected);
  if (is_expected || is_ending()) { // a held error may have ended the sender
    take_back_from_leaving(*lane);
    heed(*lane, settled.retry_after);
    observe_of(*lane, [&] { return event::ChildDown{now_, x.incarnation, x.cause, false}; });
    return;
  }
  const auto is_failure = x.cause.is_error() || is_needed(*lane);
  observe_of(*lane, [&] { return event::ChildDown{now_, x.incarnation, x.cause, is_failure}; });
  if (!is_failure) {
    heed(*lane, settled.retry_after);
    take_back(*lane);
    lane->is_done = true;
    if (work_.pool && lane->is_wanted && is_above_least(*lane))
      retire(*lane, true);
    return;
  }
  ++work_.counters.crashes;
  const auto cause = shared(x.cause);
  const auto culprit = culprit_in(*lane, settled.named, unanswered);
  const auto waits = alone(culprit, x.decision.reason);
  blame(*lane, culprit, cause, x.decision);
  auto decision = x.decision;
  decision.retry_after = std::max(settled.retry_after, decision.retry_after);
  fail(*lane, cause, Failed::child, decision, waits);
}

} // namespace backoff_actor
