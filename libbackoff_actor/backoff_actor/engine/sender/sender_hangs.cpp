// Hangs: a child that has not acknowledged in time, and its grace. When the time to acknowledge
// runs out is decided by `ack_due` in internal/sender_step.hpp: every step asks it, so it is
// inline.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <memory>

namespace backoff_actor {

void SenderEngine::Step::check_for_hang(Lane& lane) {
  if (ack_due(lane) <= now_)
    hang(lane);
}

void SenderEngine::Step::hang(Lane& lane) {
  const auto culprit = culprit_in(lane, DeliverySlots::none, oldest_unanswered(lane));
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

void SenderEngine::Step::check_grace(Lane& lane) {
  if (lane.child == Child::leaving && !lane.is_overdue && lane.end_of_grace <= now_)
    end_grace(lane);
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
