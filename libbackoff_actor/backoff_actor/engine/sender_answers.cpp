// Error answers: held until it is known whether the child survived them.

#include "backoff_actor/engine/sender_step.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::ErrorAnswer& x) {
  auto& work = this->work();
  const auto slot = work.outbox.find(x.hand_over);
  const auto is_current = slot != Outbox::none && work.outbox.is_latest(slot, x.hand_over)
                          && work.outbox[slot].incarnation == self_.incarnation_
                          && self_.child_ == Child::alive;
  if (!is_current || work.outbox[slot].held)
    return;
  if (x.from_child && !x.is_bounce)
    reject_all_held_before(slot);
  emit(effect::HoldAnswer{slot});
  if (x.is_settled) {
    reject(slot, x.cause);
    return;
  }
  work.outbox[slot].held = true;
  work.held.push_back({slot, work.probe + 1, x.is_bounce, x.cause});
  if (!work.probe_is_out)
    send_probe();
}

void SenderEngine::Step::operator()(const input::ChildAlive& x) {
  if (!self_.work_ || self_.child_ != Child::alive || x.incarnation != self_.incarnation_)
    return;
  auto& work = *self_.work_;
  if (!work.probe_is_out || x.probe != work.probe)
    return;
  work.probe_is_out = false;
  const auto first_later =
    std::find_if(work.held.begin(), work.held.end(),
                 [&](const Work::Held& held) { return held.probe > x.probe; });
  reject_held(static_cast<std::size_t>(first_later - work.held.begin()));
  if (!work.held.empty())
    send_probe();
}

void SenderEngine::Step::send_probe() {
  auto& work = *self_.work_;
  ++work.probe;
  work.probe_is_out = true;
  emit(effect::Probe{self_.incarnation_, work.probe});
}

// The child lives, and this is what it answered: final.
void SenderEngine::Step::reject(Outbox::Slot slot, const Cause& cause) {
  ++self_.work_->outbox[slot].attempts;
  bury(slot, DeadLetterReason::rejected, cause);
}

void SenderEngine::Step::reject_held(std::size_t count) {
  auto& held = self_.work_->held;
  const auto end = held.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<Work::Held> rejected{std::make_move_iterator(held.begin()),
                                         std::make_move_iterator(end)};
  held.erase(held.begin(), end);
  for (const auto& answer : rejected)
    reject(answer.slot, answer.cause);
}

// The child has answered for `slot`, so it had survived what it answered before.
void SenderEngine::Step::reject_all_held_before(Outbox::Slot slot) {
  auto& work = *self_.work_;
  if (work.held.empty() || self_.child_ != Child::alive
      || work.outbox[slot].incarnation != self_.incarnation_)
    return;
  reject_held(work.held.size());
}

// The child went down for `reason`. Returns the slot of the delivery that an error named as the
// culprit.
Outbox::Slot SenderEngine::Step::settle_held(const Cause& reason) {
  auto& work = *self_.work_;
  work.probe_is_out = false;
  auto culprit = Outbox::none;
  const auto held = std::exchange(work.held, {});
  for (const auto& answer : held) {
    work.outbox[answer.slot].held = false;
    if (answer.is_bounce)
      continue;
    if (reason.is_error() && answer.cause.code == reason.code)
      culprit = answer.slot;
    else
      reject(answer.slot, answer.cause);
  }
  return culprit;
}

} // namespace backoff_actor
