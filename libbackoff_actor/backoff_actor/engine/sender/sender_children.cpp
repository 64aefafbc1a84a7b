// The children's lives: how they are started, and what follows when they are down. Hangs are in
// sender_hangs.cpp.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

// -- started -----------------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Start& x) {
  if (is_closing())
    return;
  if (self_.beginning_ == Beginning::not_told)
    self_.beginning_ = Beginning::told;
  work_.last_delivery = std::max(work_.last_delivery, x.last_delivery);
  // A message that waits to be forwarded starts the child elsewhere, unless the sender is paused.
  const auto is_used = work_.mode != Mode::forwarding && self_.owed() > 0;
  const auto is_wanted = options_.child_start == FirstStart::at_once || is_used;
  if (work_.last_incarnation == 0 && is_wanted)
    start_child(work_.primary);
}

// Makes the child at once, or when the guard of the service lets a call through.
void SenderEngine::Step::start_child(Lane& lane) {
  if (is_guarded(lane) && !gate_.is_closed())
    work_.start_is_put_off = true;
  else
    make_child(lane);
}

void SenderEngine::Step::make_child(Lane& lane) {
  if (is_primary(lane))
    work_.start_is_put_off = false;
  if (++work_.last_incarnation == 0) // 0 is kept for "none yet"
    work_.last_incarnation = 1;
  lane.incarnation = work_.last_incarnation;
  lane.child = Child::starting;
  lane.was_handed_something = false;
  lane.is_done = false;
  if (is_primary(lane))
    ++work_.primary_starts;
  emit(effect::StartChild{lane.incarnation, !is_primary(lane)});
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
  observe([&] { return event::ChildStarted{now_, x.incarnation}; });
}

void SenderEngine::Step::operator()(const input::StartFailed& x) {
  auto* const lane = lane_of(x.incarnation);
  if (lane == nullptr || lane->child != Child::starting)
    return;
  lane->child = Child::none;
  if (is_guarded(*lane))
    gate_.report_failed_start(now_);
  ++work_.counters.failed_starts;
  observe([&] { return event::StartFailed{now_, x.incarnation, x.cause}; });
  const auto cause = shared(x.cause);
  if (x.verdict == Verdict::give_up || x.verdict == Verdict::escalate)
    give_up(x.verdict == Verdict::escalate, DeliverySlots::none, cause);
  else
    fail(*lane, cause, Failed::child);
}

// -- down ----------------------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::ChildDown& x) {
  const auto abandoned = std::find(work_.abandoned.begin(), work_.abandoned.end(), x.incarnation);
  if (abandoned != work_.abandoned.end()) {
    work_.abandoned.erase(abandoned);
    observe([&] { return event::AbandonedChildEnded{now_, x.incarnation}; });
    return;
  }
  auto* const lane = lane_of(x.incarnation);
  if (lane == nullptr || lane->child == Child::none)
    return;
  if (work_.mode == Mode::forwarding)
    reset_if_well();
  const auto was_told_to = lane->child == Child::leaving || is_ending();
  if (lane->child == Child::starting && is_guarded(*lane))
    gate_.report_failed_start(now_);
  lane->child = Child::none;
  const auto unanswered = oldest_unanswered(*lane);
  const auto settled = settle_held(*lane, x.cause, was_told_to);
  if (was_told_to || is_ending()) {
    take_back(*lane);
    if (settled.retry_after > Duration::zero())
      delay(*lane, settled.retry_after);
    observe([&] { return event::ChildDown{now_, x.incarnation, x.cause, false}; });
    revive(*lane);
    return;
  }
  if (is_done_with(x)) {
    observe([&] { return event::ChildDown{now_, x.incarnation, x.cause, false}; });
    return end_normally();
  }
  const auto is_failure = x.cause.is_error() || self_.owed() > 0
                          || options_.after_normal_stop == AfterNormalStop::restart;
  observe([&] { return event::ChildDown{now_, x.incarnation, x.cause, is_failure}; });
  if (!is_failure) {
    take_back(*lane);
    lane->is_done = true;
    return;
  }
  ++work_.counters.crashes;
  const auto cause = shared(x.cause);
  blame(*lane, culprit_in(*lane, settled.named, unanswered), cause, x.verdict);
  fail(*lane, cause, Failed::child, settled.retry_after);
  if (serves(*lane) && options_.restart == RestartTiming::at_once && lane->was_handed_something)
    start_child(*lane);
}

// Starts the next child if one is wanted. The lane has no child, and the failure is already
// counted.
void SenderEngine::Step::revive(Lane& lane) {
  if (!serves(lane))
    return;
  const auto is_wanted = lane.delay_runs
                           ? options_.restart == RestartTiming::at_once && lane.was_handed_something
                           : !lane.is_done || self_.owed() > 0;
  if (is_wanted)
    start_child(lane);
}

} // namespace backoff_actor
