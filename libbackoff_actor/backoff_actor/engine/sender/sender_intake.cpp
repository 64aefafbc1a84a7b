// What comes in: whether a message is accepted, and what is dropped to make room for it. Then what
// the store says of it.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Submit& x) {
  if (x.refused)
    return refuse(*x.refused);
  if (is_closing() || work_.is_draining)
    return refuse(Refusal::draining);
  if (!make_room(x))
    return refuse(Refusal::outbox_full);
  if (backlog_.empty())
    begin_busy_time();
  if (take_in(x))
    begin();
}

// Something is owed again. What fails now fails for the first time in a row.
void SenderEngine::Step::begin_busy_time() {
  if (work_.pool) {
    work_.pool->busy_since = now_;
    return;
  }
  for (auto& lane : work_.lanes)
    if (lane.is_wanted && lane.child == Child::alive && !lane.delay_runs)
      lane.is_failing = false;
}

void SenderEngine::Step::operator()(const input::Unreadable& x) {
  if (!options_.persist || is_closing() || !backlog_.has_slot())
    return refuse(is_closing() ? Refusal::draining : Refusal::outbox_full);
  bury(push(input::Submit{}), DeadLetterReason::unreadable, std::make_shared<const Cause>(x.cause));
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

// Whether the submission is accepted, even if it is then dropped at once. Which deliveries go for
// it, `Backlog::oldest_waiting` says.
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

// -- stored deliveries ----------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Persisted& x) {
  if (!backlog_.holds(x.slot, x.delivery) || !backlog_.mark_stored(x.slot))
    return;
  note_accepted(x.delivery);
  backlog_.end_joins_until_stored(x.slot);
  emit(effect::Confirm{x.slot, x.delivery});
}

void SenderEngine::Step::operator()(const input::NotPersisted& x) {
  if (backlog_.holds(x.slot, x.delivery) && backlog_[x.slot].is_unstored)
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
  const auto since = x.own && x.own->not_before <= now_
                       ? std::max(x.submitted_at, x.own->not_before)
                       : x.submitted_at;
  const auto slot = put_in({x.delivery, since, x.key, x.weight, x.attempts, /*is_stored=*/true});
  if (x.deadline != Instant::never())
    backlog_.set_deadline(slot, x.deadline);
  if (x.own)
    note_own(slot, *x.own);
  ++work_.counters.restored;
  observe([&] { return event::Restored{now_, x.delivery, x.attempts}; });
  if (x.own && x.own->is_cancelled) {
    backlog_.set_cancelled(slot, x.own->wants_letter);
    tell_cancelled(slot);
    return remove(slot); // it is stored that it is to end
  }
  if (options_.max_hand_overs && x.hand_overs > 0)
    suspect_or_bury(slot, x.hand_overs);
}

void SenderEngine::Step::note_own(Slot slot, const input::OwnTerms& own) {
  if (own.retries) {
    backlog_.set_own_retries(slot, own.retries);
    work_.has_own_limits = work_.has_own_limits || own.retries->max_attempts;
  }
  if (own.has_note)
    backlog_.set_has_note(slot);
  if (own.not_before > now_) {
    backlog_.schedule(slot, own.not_before);
    observe([&] { return event::Scheduled{now_, backlog_[slot].id, own.not_before}; });
  }
}

void SenderEngine::Step::suspend(Slot slot) {
  const auto& delivery = backlog_[slot];
  if (backlog_.mark_stored(slot))
    note_accepted(delivery.id); // it stays owed, here or where it came from
  ++work_.counters.suspended;
  emit(effect::Suspend{slot, delivery.id, delivery.attempts, delivery.submitted_at,
                       backlog_.deadline_of(slot)});
  observe([&] { return event::Suspended{now_, delivery.id, delivery.attempts}; });
}

} // namespace backoff_actor
