#pragma once

// Inside of the engine; not for its users. An object of this class carries out one step. It
// decides; the backlog (delivery/internal/backlog.hpp) and the guard gate
// (guard/internal/guard_gate.hpp) keep their own books. Its parts have a file each:
//
//  sender_intake.cpp         decides whether a message is accepted, and drops others for it
//  sender_hand_over.cpp      ends every step: hands over what it can, asks for the next wake-up
//  sender_answers.cpp        handles acknowledgements, errors, refusals and signs of life
//  sender_dead_letters.cpp   ends deliveries: failed too often, at their deadlines, as ghosts
//  sender_children.cpp       starts children, and handles their ends
//  sender_hangs.cpp          tells hanging children to end, and abandons them after their grace
//  sender_blame.cpp          decides which delivery is charged with the failure of a child
//  sender_delays.cpp         counts failures, and decides on the next delay
//  sender_fallback.cpp       decides on the limits, the change to the fallback, and back
//  sender_guard.cpp          asks the guard gate, and does what its answer means for the lanes
//  sender_storing.cpp        confirms, refuses, restores and suspends stored deliveries
//  sender_at_most_once.cpp   forwards messages that are delivered at most once
//  sender_wake_up.cpp        handles everything that is due
//  sender_commands.cpp       handles an operator's commands
//  sender_end.cpp            ends the sender: lets the children finish, asks them to end, gives up
//                            what is owed

#include "backoff_actor/engine/sender/internal/sender_work.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace backoff_actor {

class BACKOFF_ACTOR_HIDDEN SenderEngine::Step {
public:
  Step(SenderEngine& engine, Instant now, Effects& effects)
    : self_(engine), options_(*engine.options_), work_(*engine.work_), backlog_(work_.backlog),
      gate_(work_.gate), now_(now), effects_(effects) {}

  void operator()(const input::Start& x);
  void operator()(const input::Submit& x);
  void operator()(const input::Join& x);
  void operator()(const input::Persisted& x);
  void operator()(const input::NotPersisted& x);
  void operator()(const input::StoreBehind& x);
  void operator()(const input::StoreNotice& x);
  void operator()(const input::Restore& x);
  void operator()(const input::ChildStarted& x);
  void operator()(const input::StartFailed& x);
  void operator()(const input::ChildDown& x);
  void operator()(const input::Acknowledged& x);
  void operator()(const input::ErrorAnswer& x);
  void operator()(const input::ChildAlive& x);
  void operator()(const input::Nacked& x);
  void operator()(const input::Rejected& x);
  void operator()(const input::Working& x);
  void operator()(const input::Wake&);
  void operator()(const input::GuardClosed& x);
  void operator()(const input::RetryNow&);
  void operator()(const input::Reset&);
  void operator()(const input::Pause&);
  void operator()(const input::Resume&);
  void operator()(const input::Drain& x);
  void operator()(const input::Finish& x);
  void operator()(const input::Stop& x);
  void operator()(const input::Kill&);

  // Calls the hook. There must be one.
  static void tell(const EngineOptions& options, const Event& event) {
    try {
      options.on_event(event);
    } catch (...) {
      // A hook must not throw. If it does, no delivery must suffer.
    }
  }

  // Ends every step: does whatever has become possible.
  void finish();

private:
  using Slot = DeliverySlots::Slot;
  using Child = Lane::Child;
  using Mode = Work::Mode;
  using SharedCause = std::shared_ptr<const Cause>;

  template <class T>
  void emit(T effect) {
    effects_.emplace_back(std::move(effect));
  }

  // Without a hook, events cost nothing: they are not even made.
  template <class MakeEvent>
  void observe(MakeEvent make_event) {
    if (options_.on_event)
      tell(options_, Event{make_event()});
  }

  template <class Visit>
  void for_each_lane(Visit visit) {
    visit(work_.primary);
    if (!self_.stopped_ && work_.fallback)
      visit(*work_.fallback);
  }

  // -- lanes ----------------------------------------------------------------------

  Lane* lane_of(std::uint32_t incarnation) {
    if (incarnation == work_.primary.incarnation)
      return &work_.primary;
    if (work_.fallback && incarnation == work_.fallback->incarnation)
      return work_.fallback.get();
    return nullptr;
  }

  bool is_primary(const Lane& lane) const { return &lane == &work_.primary; }
  bool serves(const Lane& lane) const;

  // -- deliveries -----------------------------------------------------------------

  bool make_room(const input::Submit& x);
  void refuse(Refusal reason);
  bool is_full(const Backlog::Fill& fill, std::uint32_t weight) const {
    return fill.deliveries >= options_.capacity
           || (options_.capacity_bytes && fill.bytes + weight > *options_.capacity_bytes);
  }

  Slot put_in(const Backlog::NewDelivery& x);
  Slot push(const input::Submit& x);
  void note_accepted(std::uint64_t delivery);
  bool take_in(const input::Submit& x);
  void hand_over_waiting();
  void hand_over_to(Lane& lane);
  void hand_over(Lane& lane, Slot slot);
  Slot next_in_time();
  Slot next_fresh_in_time();
  bool hand_over_fresh(Lane& lane);
  bool has_room(const Lane& lane) const;
  bool may_take(const Lane& lane, Slot slot) const;
  void take_back(Lane& lane);
  void give_back(Lane& lane, Slot slot);
  void note_given_back(Slot slot);
  void remove(Slot slot);
  void tell_dead_letter(Slot slot, DeadLetterReason reason, const SharedCause& cause);
  void bury(Slot slot, DeadLetterReason reason, const SharedCause& cause);
  void reject(Slot slot, const SharedCause& cause);
  bool is_exhausted(Slot slot) const;
  bool charge_or_bury(Slot slot, const SharedCause& cause);
  void note_failure(Slot slot, const SharedCause& cause);
  bool suspect_or_bury(Slot slot, std::uint32_t hand_overs);
  SharedCause last_failure_of(Slot slot, const SharedCause& otherwise) const;
  void expire(Slot slot);
  void vanish(Lane& lane, Slot ghost);

  // -- forwarding -------------------------------------------------------------------

  void pass_on(const input::Submit& x);
  void pass_on_last(const input::Submit& x);
  bool may_forward(const Lane& lane) const;
  void forward(Slot slot, bool is_final_stop = false);
  void forward_waiting();
  void reset_if_well();
  bool is_done_with(const input::ChildDown& x) const;
  void end_normally();

  // -- answers ----------------------------------------------------------------------

  struct Target { // the delivery that an answer is about
    Slot slot;
    Lane* lane;
  };
  std::optional<Target> target_of(HandOverId id);
  Lane* leaving_holder_of(HandOverId id);
  void heed(Lane& lane, std::optional<Duration> retry_after);
  void note_unknown(std::uint64_t said);
  void send_probe(Lane& lane);
  void settle(Lane& lane, const Lane::Held& answer);
  void refuse(Lane& lane, Slot slot, const SharedCause& cause, const Decision& decision);
  Duration longest_wish(const std::vector<Lane::Held>& held) const;
  Duration wait_of_all(std::optional<Duration> retry_after) const;
  void note_refusal(Slot slot, const SharedCause& cause, const Decision& decision);
  void drop_held(Lane& lane, Slot slot) {
    if (backlog_[slot].held)
      forget_held(lane, slot);
  }

  void forget_held(Lane& lane, Slot slot);
  void drop_all_held(Lane& lane);
  struct Settled {
    Slot named;           // the delivery whose error stems from the crash
    Duration retry_after; // the longest that was asked for
  };
  Settled settle_held(Lane& lane, const Cause& reason, bool was_told_to);

  // -- children ---------------------------------------------------------------------

  void start_child(Lane& lane);
  void make_child(Lane& lane);
  void revive(Lane& lane);
  Slot culprit_in(Lane& lane, Slot named, Slot unanswered);
  static std::vector<Lane::Held>::const_iterator error_of_crash(const std::vector<Lane::Held>& held,
                                                                const Cause& reason);
  Slot oldest_unanswered(const Lane& lane) const;
  bool has_meant_to_answer(const Lane& lane, Slot slot) const;
  Slot suspect_all(Lane& lane);
  void blame(Lane& lane, Slot slot, const SharedCause& cause, Verdict verdict);
  void pause_deferred();
  Duration own_delay(Slot slot);

  // -- hangs ------------------------------------------------------------------------

  // When the ack timeout of the child's deliveries runs out.
  Instant ack_due(const Lane& lane) const {
    if (!options_.ack_timeout || lane.child != Child::alive || lane.in_flight.count == 0
        || is_ending())
      return Instant::never();
    const auto start = backlog_[lane.in_flight.first].clock_start;
    return (options_.works_on == WorksOn::one ? std::max(start, lane.last_progress) : start)
           + *options_.ack_timeout;
  }

  void check_for_hang(Lane& lane);
  void hang(Lane& lane);
  void check_grace(Lane& lane);
  void end_grace(Lane& lane);

  // -- guard ------------------------------------------------------------------------

  bool is_guarded(const Lane& lane) const { return options_.guard && is_primary(lane); }
  bool is_held_back(const Lane& lane) const;
  bool is_retry(Slot slot) const;
  bool is_held_retry(Slot slot) const { return gate_.retries_are_held_back() && is_retry(slot); }
  bool is_admitted(Lane& lane, Slot slot);
  void forgive_hold(Duration held_back);
  void start_what_was_put_off();

  // -- clock ------------------------------------------------------------------------

  Instant next_due();
  void end_late_drains();
  void end_delay(Lane& lane);
  void ask_for_wake_up();

  // -- limits -----------------------------------------------------------------------

  enum class Failed { child, refusal };

  SharedCause shared(const Cause& cause) const;
  void fail(Lane& lane, const SharedCause& cause, Failed what, Duration at_least = {});
  void delay(Lane& lane, Duration span);
  bool is_over_limit(Lane& lane, Failed what);
  void fall_back(const SharedCause& cause);
  void stay_on_fallback();
  void begin_return_from_fallback(const Lane& lane);
  void come_back_if_fallback_is_done();
  void come_back();
  void reset_backoff(Lane& lane) {
    if (lane.is_failing || lane.backoff.is_started() || work_.last_failure)
      end_failures(lane);
    else
      ++lane.backoff.resets; // nothing else would change
  }

  void end_failures(Lane& lane);
  BackOff backoff_of(const Lane& lane) const;

  // -- the end ----------------------------------------------------------------------

  bool is_finishing() const { return work_.mode == Mode::finishing; }
  bool is_ending() const { return work_.mode == Mode::ending; }
  bool is_closing() const { return work_.mode >= Mode::finishing; } // either of the two
  bool is_finished() const { return backlog_.size_in_flight() == 0 && backlog_.unstored() == 0; }
  void give_up(bool escalates, Slot slot, const SharedCause& cause);
  void halt(Lane& lane);
  void end_finishing();
  void go_on_closing();
  void begin_end(DeadLetterReason reason, const SharedCause& cause);
  void limit_end(Instant at);
  void limit_end() { limit_end(now_ + options_.kill_grace); }
  void press_children();
  void end_without_children();
  void end(DeadLetterReason reason, const SharedCause& cause);

  void suspend(Slot slot);

  // -- control ----------------------------------------------------------------------

  void answer_drains(std::size_t left);

  struct Deferred { // to pause, once the delay of its lane is known
    Slot slot;
    const Lane* lane;
    Duration at_least;
  };

  SenderEngine& self_;
  const EngineOptions& options_;
  Work& work_;
  Backlog& backlog_;
  GuardGate& gate_;
  Instant now_;
  Effects& effects_;
  std::vector<Deferred> deferred_;
};

// -- taken in: here, so that every message is spared two calls ---------------------------------

// There must be a slot.
[[gnu::always_inline]] inline DeliverySlots::Slot
SenderEngine::Step::put_in(const Backlog::NewDelivery& x) {
  const auto slot = backlog_.push(x);
  emit(effect::Accept{slot, x.id});
  return slot;
}

[[gnu::always_inline]] inline void SenderEngine::Step::note_accepted(std::uint64_t delivery) {
  ++work_.counters.accepted;
  observe([&] { return event::Accepted{now_, delivery}; });
}

// Turns a submission into a delivery. There must be a slot.
[[gnu::always_inline]] inline DeliverySlots::Slot SenderEngine::Step::push(const input::Submit& x) {
  const auto id = ++work_.last_delivery;
  const auto slot = put_in({id, now_, x.key, x.weight, 0, !options_.persist});
  if (options_.persist) {
    emit(effect::Persist{slot, id});
  } else {
    note_accepted(id);
  }
  return slot;
}

// Called after room was made. Returns whether the delivery is still owed afterwards.
[[gnu::always_inline]] inline bool SenderEngine::Step::take_in(const input::Submit& x) {
  const auto has_no_room = is_full(backlog_.owed(), x.weight);
  const auto slot = push(x);
  const auto is_late = x.deadline <= now_;
  if (is_late || has_no_room) {
    bury(slot, is_late ? DeadLetterReason::expired : DeadLetterReason::dropped, work_.last_failure);
    return false;
  }
  if (x.deadline != Instant::never())
    backlog_.set_deadline(slot, x.deadline);
  return true;
}

} // namespace backoff_actor
