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
  emit(effect::HoldAnswer{slot});
  if (x.is_settled) {
    reject(slot, x.cause);
    return;
  }
  work.outbox[slot].held = true;
  work.held.push_back({slot, x.is_bounce, x.cause});
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
  reject_held(std::exchange(work.asked, 0));
  if (!work.held.empty())
    send_probe();
}

void SenderEngine::Step::send_probe() {
  auto& work = *self_.work_;
  work.probe = (work.probe + 1) & HandOverId::tag_mask;
  work.probe_is_out = true;
  work.asked = work.held.size();
  emit(effect::Probe{self_.incarnation_, work.probe});
}

// The child lives, and this is what it answered: final.
void SenderEngine::Step::reject(Outbox::Slot slot, const Cause& cause) {
  ++self_.work_->outbox[slot].attempts;
  bury(slot, DeadLetterReason::rejected, cause);
}

// The child survived the first `count` of the held answers.
void SenderEngine::Step::reject_held(std::size_t count) {
  auto& held = self_.work_->held;
  const auto end = held.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<Work::Held> rejected{std::make_move_iterator(held.begin()),
                                         std::make_move_iterator(end)};
  held.erase(held.begin(), end);
  for (const auto& answer : rejected)
    reject(answer.slot, answer.cause);
}

// The delivery was acknowledged after all.
void SenderEngine::Step::drop_held(Outbox::Slot slot) {
  auto& work = *self_.work_;
  const auto answer = std::find_if(work.held.begin(), work.held.end(),
                                   [&](const Work::Held& held) { return held.slot == slot; });
  if (static_cast<std::size_t>(answer - work.held.begin()) < work.asked)
    --work.asked;
  work.held.erase(answer);
}

// The child went down for `reason`. What it said before the error that carries this reason was meant as an
// answer. That error is the crash's, and what came after it the dying child's, which answers for nobody. Without
// such an error nobody knows where the dying began, so nothing is taken for an answer. A child that stops
// normally means what it said.
//
// Returns the slot of the delivery that the crash's error names as the culprit.
Outbox::Slot SenderEngine::Step::settle_held(const Cause& reason) {
  auto& work = *self_.work_;
  work.probe_is_out = false;
  work.asked = 0;
  const auto held = std::exchange(work.held, {});
  for (const auto& answer : held)
    work.outbox[answer.slot].held = false;
  auto answers_end = held.end();
  auto culprit = Outbox::none;
  if (reason.is_error()) {
    const auto crash = std::find_if(held.begin(), held.end(), [&](const Work::Held& answer) {
      return !answer.is_bounce && answer.cause.code == reason.code;
    });
    if (crash != held.end())
      culprit = crash->slot;
    answers_end = crash != held.end() ? crash : held.begin();
  }
  for (auto answer = held.begin(); answer != answers_end; ++answer)
    if (!answer->is_bounce)
      reject(answer->slot, answer->cause);
  return culprit;
}

} // namespace backoff_actor
