// What comes in: whether a message is accepted, and what is dropped to make room for it.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Submit& x) {
  if (work_.mode >= Mode::forwarding)
    return !is_closing() ? pass_on(x)
                         : refuse(x.is_unusable ? Refusal::unusable : Refusal::draining);
  if (x.is_unusable || work_.is_draining || !make_room(x))
    return refuse(x.is_unusable       ? Refusal::unusable
                  : work_.is_draining ? Refusal::draining
                                      : Refusal::outbox_full);
  auto& serving = work_.serving_lane();
  if (backlog_.empty() && serving.child == Child::alive && !serving.delay_runs)
    serving.is_failing = false; // what fails now fails for the first time in a row
  if (take_in(x) && serving.child == Child::none && !serving.delay_runs)
    start_child(serving); // the last one stopped normally, with nothing owed
}

// A join brings no new work, so no delivery is dropped for it: it finds room, or is refused.
void SenderEngine::Step::operator()(const input::Join& x) {
  if (!backlog_.holds(x.slot, x.delivery) || backlog_[x.slot].is_ghost)
    return;
  if (is_closing() || backlog_.owed().deliveries >= options_.capacity)
    return refuse(is_closing() ? Refusal::draining : Refusal::outbox_full);
  backlog_.join(x.slot, x.until_stored);
  emit(effect::Join{x.slot, x.until_stored});
}

void SenderEngine::Step::refuse(Refusal reason) {
  ++work_.counters.refused;
  emit(effect::Refuse{reason});
  observe([&] { return event::NotAccepted{now_, reason}; });
}

// Whether the submission is accepted, even if it is then dropped at once.
bool SenderEngine::Step::make_room(const input::Submit& x) {
  if (!backlog_.has_slot())
    return false;
  if (!is_full(backlog_.owed(), x.weight) || options_.overflow == Overflow::drop_newest)
    return true;
  if (options_.overflow == Overflow::drop_oldest && x.deadline <= now_)
    return true; // it is gone at once
  if (options_.overflow == Overflow::refuse || is_full(backlog_.in_flight(), x.weight))
    return false;
  while (is_full(backlog_.owed(), x.weight)) {
    const auto slot = backlog_.oldest_waiting();
    bury(slot, DeadLetterReason::dropped, last_failure_of(slot, work_.last_failure));
  }
  return true;
}

} // namespace backoff_actor
