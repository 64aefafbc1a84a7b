#include "backoff_actor/engine/sender_engine.hpp"

#include "backoff_actor/delivery/outbox.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace backoff_actor {

// What the engine does about failures, below, is what the default decider says.
static_assert(default_decider(FailureKind::child_down) == Verdict::retry);
static_assert(default_decider(FailureKind::start_failed) == Verdict::retry);
static_assert(default_decider(FailureKind::error_answer) == Verdict::reject);

struct SenderEngine::Work {
  explicit Work(const ExponentialBackOff& initial) : backoff(initial) {}

  // An error answer of which it is not yet known whether the child survived it.
  struct Held {
    Outbox::Slot slot;
    std::uint32_t probe; // the first that was sent after the answer came
    bool is_bounce;
    Cause cause;
  };

  Outbox outbox;
  ExponentialBackOff backoff;
  std::uint64_t last_delivery = 0;
  Outbox::Slot waiting = Outbox::none; // the oldest not handed to this incarnation
  std::uint32_t epoch = 0;
  std::uint32_t probe = 0; // the last sent
  bool probe_is_out = false;
  std::vector<Held> held; // in the order in which the answers came
  Cause last_failure;
};

// -- one step -----------------------------------------------------------------

class SenderEngine::Step {
public:
  Step(SenderEngine& engine, Instant now, Effects& effects)
    : self_(engine), now_(now), effects_(effects) {}

  void operator()(const input::Start&) {
    if (self_.incarnation_ == 0)
      start_child();
  }

  void operator()(const input::Submit&) {
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

  void operator()(const input::Persisted& x) {
    auto& outbox = work().outbox;
    if (!outbox.holds(x.slot, x.delivery))
      return;
    outbox[x.slot].stored = true;
    hand_over_waiting();
  }

  void operator()(const input::ChildStarted& x) {
    if (self_.child_ != Child::starting || x.incarnation != self_.incarnation_)
      return;
    self_.child_ = Child::alive;
    observe([&] { return event::ChildStarted{now_, x.incarnation}; });
    hand_over_waiting();
  }

  void operator()(const input::StartFailed& x) {
    if (self_.child_ != Child::starting || x.incarnation != self_.incarnation_)
      return;
    self_.child_ = Child::none;
    observe([&] { return event::StartFailed{now_, x.incarnation, x.cause}; });
    fail(x.cause);
  }

  void operator()(const input::ChildDown& x) {
    if (self_.child_ == Child::none || x.incarnation != self_.incarnation_)
      return;
    self_.child_ = Child::none;
    if (self_.work_)
      settle_after_down(x.cause);
    const auto is_failure = x.cause.is_error() || self_.owed() > 0;
    observe([&] { return event::ChildDown{now_, x.incarnation, x.cause, is_failure}; });
    if (!is_failure)
      return;
    fail(x.cause);
    if (self_.options_->restart == RestartTiming::at_once && self_.was_handed_something_)
      start_child();
  }

  void operator()(const input::Acknowledged& x) {
    auto& work = this->work();
    const auto slot = work.outbox.find(x.hand_over);
    if (slot == Outbox::none) {
      observe([&] { return event::UnknownAcknowledgement{now_, x.hand_over.value}; });
      return;
    }
    const auto delivery = work.outbox[slot];
    const auto is_present = work.outbox.is_latest(slot, x.hand_over) && delivery.epoch == work.epoch;
    if (delivery.held)
      std::erase_if(work.held, [&](const Work::Held& held) { return held.slot == slot; });
    if (x.from_child)
      reject_all_held_before(slot);
    emit(effect::Acknowledge{slot});
    remove(slot);
    observe([&] {
      return event::Acknowledged{now_, delivery.id, delivery.incarnation, delivery.attempts,
                                 now_ - delivery.submitted_at};
    });
    if (is_present)
      reset_backoff();
  }

  void operator()(const input::ErrorAnswer& x) {
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

  void operator()(const input::ChildAlive& x) {
    if (!self_.work_ || self_.child_ != Child::alive || x.incarnation != self_.incarnation_)
      return;
    auto& work = *self_.work_;
    if (!work.probe_is_out || x.probe != work.probe)
      return;
    work.probe_is_out = false;
    const auto first_later = std::find_if(work.held.begin(), work.held.end(),
                                          [&](const Work::Held& held) { return held.probe > x.probe; });
    reject_held(static_cast<std::size_t>(first_later - work.held.begin()));
    if (!work.held.empty())
      send_probe();
  }

  void operator()(const input::Wake&) {
    self_.wake_at_ = Instant::never();
    if (!self_.delay_runs_)
      return;
    if (now_ < self_.due_) {
      ask_for_wake_up();
      return;
    }
    self_.delay_runs_ = false;
    observe([&] { return event::DelayEnded{now_}; });
    if (self_.child_ == Child::none)
      start_child();
    else
      hand_over_waiting();
  }

  void operator()(const input::Stop&) {
    self_.stopped_ = true;
    self_.delay_runs_ = false;
    if (self_.child_ != Child::none)
      emit(effect::StopChild{self_.incarnation_});
    self_.child_ = Child::none;
    if (self_.work_) {
      auto& work = *self_.work_;
      while (!work.outbox.empty())
        bury(work.outbox.front(), DeadLetterReason::stopped, work.last_failure);
    }
    observe([&] { return event::SenderStopped{now_}; });
  }

private:
  template <class T>
  void emit(T effect) {
    effects_.emplace_back(effect);
  }

  // Events cost nothing, not even their making, where nobody listens.
  template <class MakeEvent>
  void observe(MakeEvent make_event) {
    if (!self_.options_->on_event)
      return;
    try {
      self_.options_->on_event(Event{make_event()});
    } catch (...) {
      // A hook is told not to throw; one that does must not cost a delivery.
    }
  }

  Work& work() {
    if (!self_.work_)
      self_.work_ = std::make_unique<Work>(self_.options_->backoff);
    return *self_.work_;
  }

  // -- child and delay --------------------------------------------------------

  void start_child() {
    self_.child_ = Child::starting;
    self_.was_handed_something_ = false;
    if (++self_.incarnation_ == 0) // 0 is kept for "none yet"
      self_.incarnation_ = 1;
    emit(effect::StartChild{self_.incarnation_});
  }

  void fail(const Cause& cause) {
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

  // One wake-up is out at a time. It may come before the delay's end, if that was put off meanwhile, and
  // is then asked for anew.
  void ask_for_wake_up() {
    if (self_.wake_at_ <= self_.due_)
      return;
    self_.wake_at_ = self_.due_;
    emit(effect::WakeAt{self_.due_});
  }

  void reset_backoff() {
    auto& backoff = work().backoff;
    const auto was_started = backoff.is_started();
    backoff = backoff.reset();
    if (was_started)
      observe([&] { return event::BackOffReset{now_, backoff}; });
  }

  // -- deliveries -------------------------------------------------------------

  void hand_over_waiting() {
    if (self_.child_ != Child::alive || self_.delay_runs_ || !self_.work_)
      return;
    auto& work = *self_.work_;
    auto& outbox = work.outbox;
    while (work.waiting != Outbox::none && outbox[work.waiting].stored) {
      const auto slot = std::exchange(work.waiting, outbox.next(work.waiting));
      const auto again = outbox[slot].incarnation != 0;
      emit(effect::HandOver{slot, outbox.hand_over(slot, self_.incarnation_, work.epoch)});
      self_.was_handed_something_ = true;
      observe([&] {
        return event::HandedOver{now_, outbox[slot].id, self_.incarnation_, again};
      });
    }
  }

  void remove(Outbox::Slot slot) {
    auto& work = *self_.work_;
    if (work.waiting == slot)
      work.waiting = work.outbox.next(slot);
    work.outbox.erase(slot);
  }

  void bury(Outbox::Slot slot, DeadLetterReason reason, const Cause& cause) {
    const auto delivery = (*self_.work_).outbox[slot];
    emit(effect::DeadLetter{slot, reason});
    remove(slot);
    observe([&] {
      return event::DeadLettered{now_, delivery.id, reason, delivery.attempts, cause};
    });
  }

  // -- error answers ----------------------------------------------------------

  void send_probe() {
    auto& work = *self_.work_;
    ++work.probe;
    work.probe_is_out = true;
    emit(effect::Probe{self_.incarnation_, work.probe});
  }

  // The child lives, and this is what it answered: final.
  void reject(Outbox::Slot slot, const Cause& cause) {
    ++(*self_.work_).outbox[slot].attempts;
    bury(slot, DeadLetterReason::rejected, cause);
  }

  void reject_held(std::size_t count) {
    auto& held = self_.work_->held;
    const auto end = held.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<Work::Held> decided{std::make_move_iterator(held.begin()),
                                          std::make_move_iterator(end)};
    held.erase(held.begin(), end);
    for (const auto& answer : decided)
      reject(answer.slot, answer.cause);
  }

  // The child has answered for `slot`, so it had survived what it answered before.
  void reject_all_held_before(Outbox::Slot slot) {
    auto& work = *self_.work_;
    if (work.held.empty() || self_.child_ != Child::alive || slot == Outbox::none
        || work.outbox[slot].incarnation != self_.incarnation_)
      return;
    reject_held(work.held.size());
  }

  void settle_after_down(const Cause& reason) {
    auto& work = *self_.work_;
    work.probe_is_out = false;
    auto held = std::exchange(work.held, {});
    auto culprit = Outbox::none;
    for (const auto& answer : held) {
      work.outbox[answer.slot].held = false;
      if (answer.is_bounce)
        continue;
      if (reason.is_error() && answer.cause.code == reason.code)
        culprit = answer.slot;
      else
        reject(answer.slot, answer.cause);
    }
    auto& outbox = work.outbox;
    if (culprit == Outbox::none && self_.was_handed_something_) {
      const auto oldest = outbox.front();
      if (oldest != Outbox::none && outbox[oldest].incarnation == self_.incarnation_)
        culprit = oldest;
    }
    if (culprit != Outbox::none)
      ++outbox[culprit].attempts;
    work.waiting = outbox.front();
  }

  SenderEngine& self_;
  Instant now_;
  Effects& effects_;
};

// -- the engine ---------------------------------------------------------------

SenderEngine::SenderEngine(std::shared_ptr<const EngineOptions> options)
  : options_(std::move(options)) {}

SenderEngine::~SenderEngine() = default;
SenderEngine::SenderEngine(SenderEngine&&) noexcept = default;
SenderEngine& SenderEngine::operator=(SenderEngine&&) noexcept = default;

void SenderEngine::step(Instant now, const Input& input, Effects& effects) {
  if (!stopped_) {
    std::visit(Step{*this, now, effects}, input);
  } else if (std::holds_alternative<input::Submit>(input)) {
    effects.emplace_back(effect::Refuse{Refusal::stopped});
  } else if (const auto* late = std::get_if<input::ChildStarted>(&input)) {
    effects.emplace_back(effect::StopChild{late->incarnation});
  }
}

Phase SenderEngine::phase() const {
  if (stopped_)
    return Phase::stopped;
  if (delay_runs_)
    return Phase::waiting;
  return child_ == Child::alive ? Phase::running : Phase::starting;
}

std::size_t SenderEngine::owed() const { return work_ ? work_->outbox.size() : 0; }

const ExponentialBackOff& SenderEngine::backoff() const {
  return work_ ? work_->backoff : options_->backoff;
}

std::string_view to_string(Phase phase) {
  switch (phase) {
  case Phase::starting:
    return "starting";
  case Phase::running:
    return "running";
  case Phase::waiting:
    return "waiting";
  case Phase::stopped:
    return "stopped";
  }
  return "unknown";
}

} // namespace backoff_actor
