// Stored deliveries: confirmed, refused by the store, restored, suspended.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Persisted& x) {
  if (!work_.outbox.holds(x.slot, x.delivery) || work_.outbox[x.slot].stored)
    return;
  work_.outbox[x.slot].stored = true;
  --work_.unstored;
  note_accepted(x.delivery);
  if (const auto found = work_.extras.find(x.delivery); found != work_.extras.end()) {
    const auto told = std::exchange(found->second.joined_until_stored, 0U);
    found->second.joined -= told;
    work_.joined -= told;
  }
  emit(effect::Confirm{x.slot, x.delivery});
}

void SenderEngine::Step::operator()(const input::NotPersisted& x) {
  if (work_.outbox.holds(x.slot, x.delivery) && !work_.outbox[x.slot].stored)
    bury(x.slot, DeadLetterReason::not_stored, std::make_shared<const Cause>(x.cause));
}

void SenderEngine::Step::operator()(const input::StoreBehind& x) {
  if (std::exchange(work_.is_store_behind, x.is_behind) == x.is_behind)
    return;
  if (x.is_behind)
    observe([&] { return event::StoreFellBehind{now_, x.cause}; });
  else
    observe([&] { return event::StoreCaughtUp{now_}; });
}

void SenderEngine::Step::operator()(const input::StoreNotice& x) {
  observe([&] { return event::StoreNotice{now_, x.text}; });
}

// Ignores the capacity limits, because an earlier sender has already accepted the delivery.
void SenderEngine::Step::operator()(const input::Restore& x) {
  if (!options_.persist || x.delivery <= work_.last_delivery || !work_.outbox.has_room())
    return;
  work_.last_delivery = x.delivery;
  const auto slot = put_in(x, x.delivery, x.submitted_at);
  auto& delivery = work_.outbox[slot];
  delivery.attempts = x.attempts;
  delivery.stored = true;
  if (x.attempts != 0 && delivery.place == Place::fresh) { // a retry, for the guard's budget
    work_.turns.take(slot);
    work_.turns.give_back(slot);
  }
  if (x.deadline != Instant::never())
    work_.deadlines.push(slot, {x.deadline, x.delivery});
  ++work_.counters.restored;
  observe([&] { return event::Restored{now_, x.delivery, x.attempts}; });
  if (options_.max_hand_overs && x.hand_overs > 0) {
    delivery.is_suspect = true; // it goes alone, so that no other pays for it
    if (x.hand_overs >= *options_.max_hand_overs)
      return bury(slot, DeadLetterReason::hand_overs_exhausted,
                  std::make_shared<const Cause>(Cause{
                    0, "the process ended " + std::to_string(x.hand_overs)
                         + (x.hand_overs == 1 ? " time" : " times") + " while a child had it"}));
  }
  const auto has_begun = self_.youth_ != Youth::unborn || work_.last_incarnation != 0;
  if (auto& serving = work_.serving_lane();
      has_begun && !is_ending() && serving.child == Child::none && !serving.delay_runs)
    start_child(serving); // told of too late, but nothing that is owed is left lying
}

// The delivery was charged for `cause`, and stays owed.
void SenderEngine::Step::note_failure(Slot slot, const SharedCause& cause) {
  extra_of(slot).last_failure = cause;
  const auto& delivery = work_.outbox[slot];
  if (options_.persist)
    emit(effect::CountAttempts{slot, delivery.id, delivery.attempts});
}

void SenderEngine::Step::suspend(Slot slot) {
  const auto& delivery = work_.outbox[slot];
  const auto deadline =
    work_.deadlines.contains(slot) ? work_.deadlines.key_of(slot).first : Instant::never();
  ++work_.counters.suspended;
  emit(effect::Suspend{slot, delivery.id, delivery.attempts, delivery.submitted_at, deadline});
  observe([&] { return event::Suspended{now_, delivery.id, delivery.attempts}; });
}

} // namespace backoff_actor
