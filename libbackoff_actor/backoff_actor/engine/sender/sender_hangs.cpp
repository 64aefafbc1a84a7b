// Children that hang: they do not acknowledge a delivery within `ack_timeout`, and are told to end.
// What follows if one has not ended within `kill_grace`. When the time to acknowledge runs out is
// decided by `ack_due` (internal/sender_step_inline.hpp): every step asks it.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

#include <memory>
#include <utility>

namespace backoff_actor {

void SenderEngine::Step::check_for_hang(Lane& lane) {
  if (ack_due(lane) <= now_)
    hang(lane);
}

void SenderEngine::Step::hang(Lane& lane) {
  if (holds_cancelled(lane))
    return end_child_of_cancelled(lane);
  const auto culprit = culprit_in(lane, DeliverySlots::none, oldest_unanswered(lane));
  const auto late = options_.works_on == WorksOn::one ? culprit : lane.in_flight.first;
  observe_of(lane, [&] { return event::AckTimedOut{now_, backlog_[late].id, lane.incarnation}; });
  ++work_.counters.hangs;
  emit(effect::TellToEnd{lane.incarnation});
  lane.child = Child::leaving;
  lane.end_of_grace = now_ + options_.kill_grace;
  lane.is_overdue = false;
  const auto cause = cause_of_hang();
  const auto charged = has_meant_to_answer(lane, culprit) ? DeliverySlots::none : culprit;
  const auto waits = alone(charged, options_.on_hang.reason);
  const auto goes_on =
    options_.on_hang.verdict == Verdict::retry || options_.on_hang.verdict == Verdict::reject;
  if (work_.pool && goes_on) {
    // Another worker is alive: it must not get what this one may still work on.
    lane.is_hung = true;
    lane.hung_on = charged == DeliverySlots::none ? 0 : backlog_[charged].id;
    if (charged != DeliverySlots::none)
      gate_.report(charged, CallOutcome::failed, now_);
  } else {
    blame(lane, charged, cause, options_.on_hang);
  }
  fail(lane, cause, Failed::child, options_.on_hang, waits);
}

SenderEngine::Step::SharedCause SenderEngine::Step::cause_of_hang() const {
  return std::make_shared<const Cause>(
    Cause{1, "no acknowledgement within " + to_string(*options_.ack_timeout)});
}

// A child that was told to end is gone, or left to itself: what it held is owed again. In a pool,
// the culprit of its hang is charged only now.
void SenderEngine::Step::take_back_from_leaving(Lane& lane) {
  if (!std::exchange(lane.is_hung, false) || is_closing())
    return take_back(lane);
  auto culprit = lane.in_flight.first;
  while (culprit != DeliverySlots::none && backlog_[culprit].id != lane.hung_on)
    culprit = backlog_.after_in_list(culprit);
  blame(lane, culprit, cause_of_hang(), options_.on_hang);
}

// -- the grace ------------------------------------------------------------------------

void SenderEngine::Step::check_grace(Lane& lane) {
  if (lane.child != Child::leaving || lane.is_overdue || now_ < lane.end_of_grace)
    return;
  if (!std::exchange(lane.is_asked, false))
    return end_grace(lane);
  emit(effect::TellToEnd{lane.incarnation}); // it was only asked to, because its pool shrinks
  lane.end_of_grace = now_ + options_.kill_grace;
}

void SenderEngine::Step::end_grace(Lane& lane) {
  const auto is_abandoned = options_.after_grace == AfterGrace::abandon;
  lane.is_overdue = true;
  observe_of(lane, [&] { return event::ChildOverdue{now_, lane.incarnation, is_abandoned}; });
  if (!is_abandoned)
    return;
  emit(effect::Abandon{lane.incarnation});
  heed(lane, longest_wish(lane.held));
  drop_all_held(lane);
  take_back_from_leaving(lane);
  work_.abandoned.push_back({lane.incarnation, number_of(lane)});
  lane.child = Child::none;
}

} // namespace backoff_actor
