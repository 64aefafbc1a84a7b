// What is owed: taken in, handed over, acknowledged, given up.

#include "backoff_actor/engine/sender_step.hpp"

#include <utility>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Submit&) {
  auto& work = this->work();
  if (work.outbox.size() == Outbox::max_size) {
    emit(effect::Refuse{Refusal::outbox_full});
    return;
  }
  const auto id = ++work.last_delivery;
  const auto slot = work.outbox.push(id, now_);
  emit(effect::Accept{slot, id});
  observe([&] { return event::Accepted{now_, id}; });
  if (work.waiting == Outbox::none)
    work.waiting = slot;
  if (self_.options_->persist)
    emit(effect::Persist{slot, id});
  else
    work.outbox[slot].stored = true;
  if (self_.child_ == Child::none && !self_.delay_runs_)
    start_child(); // the last one stopped normally, with nothing owed
  else
    hand_over_waiting();
}

void SenderEngine::Step::operator()(const input::Persisted& x) {
  auto& outbox = work().outbox;
  if (!outbox.holds(x.slot, x.delivery))
    return;
  outbox[x.slot].stored = true;
  hand_over_waiting();
}

void SenderEngine::Step::operator()(const input::Acknowledged& x) {
  auto& work = this->work();
  const auto slot = work.outbox.find(x.hand_over);
  if (slot == Outbox::none) {
    observe([&] { return event::UnknownAcknowledgement{now_, x.hand_over.value}; });
    return;
  }
  const auto delivery = work.outbox[slot];
  const auto is_present = work.outbox.is_latest(slot, x.hand_over) && delivery.epoch == work.epoch;
  if (delivery.held)
    drop_held(slot);
  emit(effect::Acknowledge{slot});
  remove(slot);
  observe([&] {
    return event::Acknowledged{now_, delivery.id, delivery.incarnation, delivery.attempts,
                               now_ - delivery.submitted_at};
  });
  if (is_present)
    reset_backoff();
}

void SenderEngine::Step::hand_over_waiting() {
  if (self_.child_ != Child::alive || self_.delay_runs_ || !self_.work_)
    return;
  auto& work = *self_.work_;
  auto& outbox = work.outbox;
  while (work.waiting != Outbox::none && outbox[work.waiting].stored) {
    const auto slot = std::exchange(work.waiting, outbox.next(work.waiting));
    const auto again = outbox[slot].incarnation != 0;
    emit(effect::HandOver{slot, outbox.hand_over(slot, self_.incarnation_, work.epoch)});
    self_.was_handed_something_ = true;
    observe([&] { return event::HandedOver{now_, outbox[slot].id, self_.incarnation_, again}; });
  }
}

void SenderEngine::Step::remove(Outbox::Slot slot) {
  auto& work = *self_.work_;
  if (work.waiting == slot)
    work.waiting = work.outbox.next(slot);
  work.outbox.erase(slot);
}

void SenderEngine::Step::bury(Outbox::Slot slot, DeadLetterReason reason, const Cause& cause) {
  const auto delivery = self_.work_->outbox[slot];
  emit(effect::DeadLetter{slot, reason});
  remove(slot);
  observe([&] { return event::DeadLettered{now_, delivery.id, reason, delivery.attempts, cause}; });
}

void SenderEngine::Step::reset_backoff() {
  auto& backoff = work().backoff;
  const auto was_started = backoff.is_started();
  backoff = backoff.reset();
  if (was_started)
    observe([&] { return event::BackOffReset{now_, backoff}; });
}

} // namespace backoff_actor
