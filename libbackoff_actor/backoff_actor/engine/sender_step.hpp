#pragma once

// Inside of the engine; not for its users. One step is carried out by an object of this class,
// whose parts are in a file each: sender_child.cpp, sender_deliveries.cpp, sender_answers.cpp.

#include "backoff_actor/delivery/outbox.hpp"
#include "backoff_actor/engine/sender_engine.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace backoff_actor {

// What the engine does about failures is what the default decider says.
static_assert(default_decider(FailureKind::child_down) == Verdict::retry);
static_assert(default_decider(FailureKind::start_failed) == Verdict::retry);
static_assert(default_decider(FailureKind::error_answer) == Verdict::reject);

struct SenderEngine::Work {
  explicit Work(const ExponentialBackOff& initial) : backoff(initial) {}

  // An error answer of which it is not yet known whether the child survived it.
  struct Held {
    Outbox::Slot slot;
    bool is_bounce;
    Cause cause;
  };

  Outbox outbox;
  ExponentialBackOff backoff;
  std::uint64_t last_delivery = 0;
  Outbox::Slot waiting = Outbox::none; // the oldest not handed to this incarnation
  std::uint32_t epoch = 0;
  std::vector<Held> held;  // in the order in which the answers came
  std::size_t asked = 0;   // how many of them, from the front, had come when the probe was sent
  std::uint32_t probe = 0; // the last sent; counts modulo 2^31, like the tags of hand-overs
  bool probe_is_out = false;
  Cause last_failure;
};

class BACKOFF_ACTOR_HIDDEN SenderEngine::Step {
public:
  Step(SenderEngine& engine, Instant now, Effects& effects)
    : self_(engine), now_(now), effects_(effects) {}

  // -- child and delay ----------------------------------------------------------

  void operator()(const input::Start&);
  void operator()(const input::ChildStarted& x);
  void operator()(const input::StartFailed& x);
  void operator()(const input::ChildDown& x);
  void operator()(const input::Wake&);
  void operator()(const input::Stop&);

  // -- deliveries ---------------------------------------------------------------

  void operator()(const input::Submit&);
  void operator()(const input::Persisted& x);
  void operator()(const input::Acknowledged& x);

  // -- error answers ------------------------------------------------------------

  void operator()(const input::ErrorAnswer& x);
  void operator()(const input::ChildAlive& x);

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

  void start_child();
  void fail(const Cause& cause);
  void ask_for_wake_up();
  void charge_culprit(Outbox::Slot named);

  void hand_over_waiting();
  void remove(Outbox::Slot slot);
  void bury(Outbox::Slot slot, DeadLetterReason reason, const Cause& cause);
  void reset_backoff();

  void send_probe();
  void reject(Outbox::Slot slot, const Cause& cause);
  void reject_held(std::size_t count);
  void drop_held(Outbox::Slot slot);
  Outbox::Slot settle_held(const Cause& reason);

  SenderEngine& self_;
  Instant now_;
  Effects& effects_;
};

} // namespace backoff_actor
