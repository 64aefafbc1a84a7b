// The child's life and the delay.

#include "backoff_actor/engine/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Start&) {
  if (self_.incarnation_ == 0)
    start_child();
}

void SenderEngine::Step::operator()(const input::ChildStarted& x) {
  if (self_.child_ != Child::starting || x.incarnation != self_.incarnation_)
    return;
  self_.child_ = Child::alive;
  observe([&] { return event::ChildStarted{now_, x.incarnation}; });
  hand_over_waiting();
}

void SenderEngine::Step::operator()(const input::StartFailed& x) {
  if (self_.child_ != Child::starting || x.incarnation != self_.incarnation_)
    return;
  self_.child_ = Child::none;
  observe([&] { return event::StartFailed{now_, x.incarnation, x.cause}; });
  fail(x.cause);
}

void SenderEngine::Step::operator()(const input::ChildDown& x) {
  if (self_.child_ == Child::none || x.incarnation != self_.incarnation_)
    return;
  self_.child_ = Child::none;
  if (self_.work_) {
    charge_culprit(settle_held(x.cause));
    self_.work_->waiting = self_.work_->outbox.front();
  }
  const auto is_failure = x.cause.is_error() || self_.owed() > 0;
  observe([&] { return event::ChildDown{now_, x.incarnation, x.cause, is_failure}; });
  if (!is_failure) {
    self_.child_is_done_ = true;
    return;
  }
  fail(x.cause);
  if (self_.options_->restart == RestartTiming::at_once && self_.was_handed_something_)
    start_child();
}

void SenderEngine::Step::operator()(const input::Wake&) {
  self_.wake_at_ = Instant::never();
  if (!self_.delay_runs_)
    return;
  if (now_ < self_.due_) {
    ask_for_wake_up();
    return;
  }
  self_.delay_runs_ = false;
  observe([&] { return event::DelayEnded{now_}; });
  if (self_.child_ != Child::none)
    hand_over_waiting();
  else if (!self_.child_is_done_ || self_.owed() > 0)
    start_child();
}

void SenderEngine::Step::operator()(const input::Stop&) {
  self_.stopped_ = true;
  self_.delay_runs_ = false;
  if (self_.child_ != Child::none)
    emit(effect::StopChild{self_.incarnation_});
  self_.child_ = Child::none;
  auto& work = this->work();
  while (!work.outbox.empty())
    bury(work.outbox.front(), DeadLetterReason::stopped, work.last_failure);
  observe([&] { return event::SenderStopped{now_}; });
  self_.options_ = nullptr; // the hook may hold handles that lead back to the driver
}

void SenderEngine::Step::start_child() {
  self_.child_ = Child::starting;
  self_.was_handed_something_ = false;
  self_.child_is_done_ = false;
  if (++self_.incarnation_ == 0) // 0 is kept for "none yet"
    self_.incarnation_ = 1;
  emit(effect::StartChild{self_.incarnation_});
}

void SenderEngine::Step::fail(const Cause& cause) {
  auto& work = this->work();
  ++work.epoch;
  work.last_failure = cause;
  work.backoff = work.backoff.next();
  const auto delay = work.backoff.wait_time();
  const auto due = now_ + delay;
  self_.due_ = self_.delay_runs_ ? std::max(self_.due_, due) : due;
  self_.delay_runs_ = true;
  observe([&] { return event::RetryScheduled{now_, delay, self_.due_, work.backoff}; });
  ask_for_wake_up();
}

// One wake-up is out at a time. It may come before the delay's end, if that was put off meanwhile,
// and is then asked for anew.
void SenderEngine::Step::ask_for_wake_up() {
  if (self_.wake_at_ <= self_.due_)
    return;
  self_.wake_at_ = self_.due_;
  emit(effect::WakeAt{self_.due_});
}

// An attempt is charged to the delivery that an error answer named; else to the oldest in flight,
// which is the one that a child works on that takes one at a time.
void SenderEngine::Step::charge_culprit(Outbox::Slot named) {
  auto& outbox = self_.work_->outbox;
  auto culprit = named;
  if (culprit == Outbox::none && self_.was_handed_something_) {
    const auto oldest = outbox.front();
    if (oldest != Outbox::none && outbox[oldest].incarnation == self_.incarnation_)
      culprit = oldest;
  }
  if (culprit != Outbox::none)
    ++outbox[culprit].attempts;
}

} // namespace backoff_actor
