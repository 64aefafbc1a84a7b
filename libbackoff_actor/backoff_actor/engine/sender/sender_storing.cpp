// Stored deliveries: confirmed, refused by the store, restored, suspended.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <utility>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Persisted& x) {
  if (!backlog_.holds(x.slot, x.delivery) || !backlog_.mark_stored(x.slot))
    return;
  note_accepted(x.delivery);
  backlog_.end_joins_until_stored(x.slot);
  emit(effect::Confirm{x.slot, x.delivery});
}

void SenderEngine::Step::operator()(const input::NotPersisted& x) {
  if (backlog_.holds(x.slot, x.delivery) && !backlog_[x.slot].stored)
    bury(x.slot, DeadLetterReason::not_stored, std::make_shared<const Cause>(x.cause));
}

void SenderEngine::Step::operator()(const input::StoreBehind& x) {
  work_.is_store_behind = x.is_behind;
  if (x.is_behind && x.cause.is_error() && !std::exchange(work_.is_store_failing, true))
    observe([&] { return event::StoreFellBehind{now_, x.cause}; });
  else if (!x.is_behind && std::exchange(work_.is_store_failing, false))
    observe([&] { return event::StoreCaughtUp{now_}; });
}

void SenderEngine::Step::operator()(const input::StoreNotice& x) {
  observe([&] { return event::StoreNotice{now_, x.text}; });
}

// Ignores the capacity limits, because an earlier sender has already accepted the delivery.
void SenderEngine::Step::operator()(const input::Restore& x) {
  if (!options_.persist || x.delivery <= work_.last_delivery || !backlog_.has_slot())
    return;
  work_.last_delivery = x.delivery;
  const auto slot =
    put_in({x.delivery, x.submitted_at, x.key, x.weight, x.attempts, /*is_stored=*/true});
  if (x.deadline != Instant::never())
    backlog_.set_deadline(slot, x.deadline);
  ++work_.counters.restored;
  observe([&] { return event::Restored{now_, x.delivery, x.attempts}; });
  if (options_.max_hand_overs && x.hand_overs > 0 && !suspect_or_bury(slot, x.hand_overs))
    return;
  const auto has_begun = self_.beginning_ != Beginning::not_told || work_.last_incarnation != 0;
  // A delivery should be restored before the sender begins. If it comes later, it may need a child.
  if (auto& serving = work_.serving_lane();
      has_begun && !is_closing() && serving.child == Child::none && !serving.delay_runs)
    start_child(serving); // told of too late, but nothing that is owed is left lying
}

void SenderEngine::Step::suspend(Slot slot) {
  const auto& delivery = backlog_[slot];
  ++work_.counters.suspended;
  emit(effect::Suspend{slot, delivery.id, delivery.attempts, delivery.submitted_at,
                       backlog_.deadline_of(slot)});
  observe([&] { return event::Suspended{now_, delivery.id, delivery.attempts}; });
}

} // namespace backoff_actor
