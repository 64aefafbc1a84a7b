// The children's lives.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>

namespace backoff_actor {

// -- started -----------------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Start& x) {
  if (is_ending())
    return;
  if (self_.beginning_ == Beginning::not_told)
    self_.beginning_ = Beginning::told;
  work_.last_delivery = std::max(work_.last_delivery, x.last_delivery);
  // What is to be forwarded starts the child by itself, unless the sender is paused.
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
  // Of a fallback that is not needed any more, or of a sender that is to end.
  if (lane == nullptr || (is_ending() && lane->child == Child::none))
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
  auto culprit = settled.culprit;
  if (culprit == DeliverySlots::none)
    culprit = options_.works_on == WorksOn::one && unanswered != DeliverySlots::none
                ? unanswered
                : culprit_in(*lane);
  blame(*lane, culprit, cause, x.verdict);
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

// The delivery to charge: the oldest unanswered, or the oldest if all were answered. A child that
// works on many is charged only if it held exactly one; otherwise its deliveries become suspects.
DeliverySlots::Slot SenderEngine::Step::culprit_in(Lane& lane) {
  if (options_.works_on == WorksOn::many && lane.in_flight.count > 1)
    return suspect_all(lane);
  const auto slot = oldest_unanswered(lane);
  return slot != DeliverySlots::none ? slot : lane.in_flight.first;
}

DeliverySlots::Slot SenderEngine::Step::oldest_unanswered(const Lane& lane) const {
  auto slot = lane.in_flight.first;
  while (slot != DeliverySlots::none && backlog_[slot].held)
    slot = backlog_.after_in_list(slot);
  return slot;
}

// Marks all unanswered deliveries of the child as suspects, or all if it has answered all.
DeliverySlots::Slot SenderEngine::Step::suspect_all(Lane& lane) {
  const auto all_are_held = lane.held.size() == lane.in_flight.count;
  for (auto slot = lane.in_flight.first; slot != DeliverySlots::none;
       slot = backlog_.after_in_list(slot))
    if (all_are_held || !backlog_[slot].held)
      backlog_.set_suspect(slot, true);
  return DeliverySlots::none;
}

// Charges the culprit, if it is still owed. The child's other deliveries become owed again, and so
// does the culprit unless it ends.
void SenderEngine::Step::blame(Lane& lane, Slot slot, const SharedCause& cause, Verdict verdict) {
  // This is one failure of the service, however many calls were in flight.
  if (const auto failed = slot != DeliverySlots::none ? slot : lane.in_flight.first;
      failed != DeliverySlots::none)
    gate_.report(failed, CallOutcome::failed, now_);
  if (slot != DeliverySlots::none && backlog_[slot].is_ghost)
    slot = DeliverySlots::none;
  else if (slot != DeliverySlots::none)
    drop_held(lane, slot);
  take_back(lane);
  if (slot != DeliverySlots::none) {
    backlog_.charge(slot);
    if (options_.works_on == WorksOn::many)
      backlog_.set_suspect(slot, true); // otherwise it stays one, if its process has ended before
  }
  if (verdict == Verdict::give_up || verdict == Verdict::escalate) {
    if (slot != DeliverySlots::none)
      note_failure(slot, cause);
    return give_up(verdict == Verdict::escalate, DeliverySlots::none, cause);
  }
  if (slot == DeliverySlots::none)
    return;
  if (verdict == Verdict::reject)
    return bury(slot, DeadLetterReason::rejected, cause);
  if (is_exhausted(slot))
    return bury(slot, DeadLetterReason::attempts_exhausted, cause);
  note_failure(slot, cause);
  if (options_.ordering != Ordering::strict)
    deferred_.push_back({slot, &lane, Duration::zero()});
}

// A failed delivery waits for its own backoff after the delay of its lane, so that the others go
// first.
void SenderEngine::Step::pause_deferred() {
  for (const auto& x : deferred_) {
    const auto others_go = x.lane->delay_runs ? x.lane->due : now_;
    backlog_.pause(x.slot, std::max(others_go + own_delay(x.slot), now_ + x.at_least));
  }
}

// The next delay of a delivery's own backoff, drawn from its own random stream.
Duration SenderEngine::Step::own_delay(Slot slot) {
  const auto id = backlog_[slot].id;
  const auto& policy = options_.backoff.policy();
  auto& own_backoff = backlog_.own_backoff_of(slot);
  const auto own = own_backoff.value_or(policy.start());
  const auto stream = detail::mix(self_.stream_ ^ id);
  const auto u = unit_random(options_.backoff.seed(), stream, own.draws);
  const auto [progress, delay] = policy.next(own, u);
  own_backoff = progress;
  return delay;
}

// -- hanging -------------------------------------------------------------------------------

void SenderEngine::Step::hang(Lane& lane) {
  const auto culprit = culprit_in(lane);
  const auto late = options_.works_on == WorksOn::one ? culprit : lane.in_flight.first;
  observe([&] { return event::AckTimedOut{now_, backlog_[late].id, lane.incarnation}; });
  ++work_.counters.hangs;
  emit(effect::TellToEnd{lane.incarnation});
  lane.child = Child::leaving;
  lane.end_of_grace = now_ + options_.kill_grace;
  lane.is_overdue = false;
  const auto cause = std::make_shared<const Cause>(
    Cause{1, "no acknowledgement within " + to_string(*options_.ack_timeout)});
  blame(lane, has_meant_to_answer(lane, culprit) ? DeliverySlots::none : culprit, cause,
        options_.on_hang);
  fail(lane, cause, Failed::child);
}

// Whether an error of the child itself, not a bounce, is held for the delivery.
bool SenderEngine::Step::has_meant_to_answer(const Lane& lane, Slot slot) const {
  return std::any_of(lane.held.begin(), lane.held.end(), [&](const Lane::Held& answer) {
    return answer.slot == slot && !answer.is_bounce;
  });
}

void SenderEngine::Step::end_grace(Lane& lane) {
  const auto is_abandoned = options_.after_grace == AfterGrace::abandon;
  lane.is_overdue = true;
  observe([&] { return event::ChildOverdue{now_, lane.incarnation, is_abandoned}; });
  if (!is_abandoned)
    return;
  emit(effect::Abandon{lane.incarnation});
  if (const auto wish = longest_wish(lane.held); wish > Duration::zero())
    delay(lane, wish);
  drop_all_held(lane);
  take_back(lane);
  work_.abandoned.push_back(lane.incarnation);
  lane.child = Child::none;
  revive(lane);
}

} // namespace backoff_actor
