#pragma once

// Inside of the engine; not for its users. An object of this class carries out one step. It
// decides; the backlog (delivery/internal/backlog.hpp) and the guard gate
// (guard/internal/guard_gate.hpp) keep their own books. Its parts have a file each:
//
//  sender_intake.cpp         accepts messages, drops others for them, restores stored deliveries
//  sender_hand_over.cpp      ends every step: hands over what it can, asks for the next wake-up
//  sender_answers.cpp        handles acknowledgements, errors, refusals and signs of life
//  sender_dead_letters.cpp   ends deliveries: failed too often, at their deadlines, as ghosts
//  sender_children.cpp       starts children, and handles their ends
//  sender_hangs.cpp          ends children that hang, and decides what follows if they do not end
//  sender_blame.cpp          decides which delivery failed with a child, and whose fault it is
//  sender_delays.cpp         counts failures, decides on the next delay, and ends delays by hand
//  sender_wake_up.cpp        handles what is due
//  sender_limits.cpp         decides on the limits, the change to the fallback, and back
//  sender_guard.cpp          asks the guard gate, and does what its answer means for the lanes
//  sender_cancel.cpp         cancels deliveries, also those that a child has, and replaces payloads
//  sender_end.cpp            pauses, drains and ends the sender: lets the children finish, asks
//                            them to end, gives up what is owed
//  sender_pool.cpp           chooses the worker for a delivery, and decides how many there are

#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/engine/sender/internal/sender_work.hpp"
#include "backoff_actor/engine/sender/internal/worker_pool.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace backoff_actor {

class BACKOFF_ACTOR_HIDDEN SenderEngine::Step {
public:
  Step(SenderEngine& engine, Instant now, Effects& effects, std::uint64_t number)
    : self_(engine), options_(*engine.options_), work_(*engine.work_), backlog_(work_.backlog),
      gate_(work_.gate), now_(now), effects_(effects), number_(number) {}

  void operator()(const input::Start& x);
  void operator()(const input::Submit& x);
  void operator()(const input::Join& x);
  void operator()(const input::Persisted& x);
  void operator()(const input::NotPersisted& x);
  void operator()(const input::StoreBehind& x);
  void operator()(const input::Unreadable& x);
  void operator()(const input::SureUntil& x) { work_.sure_until = x.until; }
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
  void operator()(const input::Cancel& x);
  void operator()(const input::CancelStored& x);
  void operator()(const input::Replace& x);
  void operator()(const input::Replaced& x);
  void operator()(const input::Wake&);
  void operator()(const input::GuardClosed& x);
  void operator()(const input::RetryNow&);
  void operator()(const input::Reset&);
  void operator()(const input::Pause&);
  void operator()(const input::Resume&);
  void operator()(const input::Resize& x);
  void operator()(const input::RetireWorker& x);
  void operator()(const input::Drain& x);
  void operator()(const input::Finish& x);
  void operator()(const input::Stop& x);
  void operator()(const input::Kill&);

  // Calls the hook. There must be one. No delivery suffers if it throws.
  static void tell(const EngineOptions& options, std::uint64_t number, Event event,
                   Effects& effects) {
    event.of = {options.name, number};
    try {
      options.on_event(event);
    } catch (...) {
      effects.emplace_back(effect::HookFailed{detail::thrown_text(std::current_exception())});
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
      tell(options_, number_, Event{make_event()}, effects_);
  }

  // Gives a hint, once. `waiting`: how many others wait.
  void hint(event::Hint::About about, std::uint64_t delivery, std::uint64_t waiting = 0) {
    const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(about));
    if ((self_.hints_ & bit) != 0)
      return;
    self_.hints_ |= bit;
    observe([&] { return event::Hint{now_, about, delivery, waiting}; });
  }

  // The same, of the worker if there is a pool.
  template <class MakeEvent>
  void observe_of(const Lane& lane, MakeEvent make_event) {
    observe([&] { return event_of(number_of(lane), make_event()); });
  }

  // The same, of the worker that last had the delivery.
  template <class MakeEvent>
  void observe_of(const Delivery& delivery, MakeEvent make_event) {
    observe([&] { return event_of(worker_of_delivery(delivery), make_event()); });
  }

  static Event event_of(std::uint16_t worker, Event event) {
    event.worker = worker;
    return event;
  }

  std::uint16_t number_of(const Lane& lane) const {
    return static_cast<std::uint16_t>(work_.pool ? lane.index + 1 : 0);
  }

  // Of the worker that last had the delivery; 0: there is no pool, or none had it.
  std::uint16_t worker_of_delivery(const Delivery& x) const {
    return static_cast<std::uint16_t>(work_.pool && x.incarnation != 0 ? x.worker + 1 : 0);
  }

  template <class Visit>
  void for_each_lane(Visit visit) {
    for (auto& lane : work_.lanes) {
      mark_changed(lane);
      visit(lane);
    }
  }

  // Those lanes, at the least, that have something due (sender_wake_up.cpp).
  template <class Visit>
  void for_each_due_lane(Visit visit);

  // -- lanes ----------------------------------------------------------------------

  Lane* lane_of(std::uint32_t incarnation);
  Lane* holder_of(Slot slot);

  // -- the pool -------------------------------------------------------------------

  // The books of the pool are brought up to date for it at the end of the step.
  void mark_changed(Lane& lane) {
    if (work_.pool && !std::exchange(lane.is_changed, true))
      work_.pool->changed.push_back(lane.index);
  }

  void place(Lane& lane);
  void place_changed();
  std::uint16_t count_of(const Lane& lane) const;
  void take_due_workers();
  Lane* free_worker(bool is_to_be_alone) const;
  bool is_alone_in_process(Slot next);
  void hold_back_kind(const Lane& lane, Duration wait);
  void tend_pool();
  void fill_pool();
  void wake_resting_workers();
  void scale_pool();
  bool may_scale() const;
  void note_what_holds_back();
  bool add_worker(std::uint16_t kind);
  Lane* worker_that_may_stay(std::uint16_t kind);
  Lane& new_worker(std::uint16_t kind);
  bool is_above_least(const Lane& worker) const;
  void retire(Lane& worker, bool may_stay);
  void go_on_retiring(Lane& worker);
  void note_emptied(const Lane& last);
  Lane* least_missed(std::uint16_t kind, bool is_idle);

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
  void begin_busy_time();
  void do_what_is_possible();
  void hand_over_waiting();
  void hand_over_to(Lane& lane);
  void hand_over_by_choice();
  bool has_free_lane() const;
  Lane* lane_for(Slot slot, bool is_ahead);
  bool hand_over_to_one(Slot slot, bool is_ahead = false);
  void hand_over(Lane& lane, Slot slot);
  Slot next_in_time();
  Slot next_to_try();
  Slot next_fresh_in_time();
  bool has_room(const Lane& lane) const;
  bool may_take(const Lane& lane, Slot slot) const;
  void take_back(Lane& lane);
  void give_back(Lane& lane, Slot slot);
  void note_given_back(Slot slot);
  void remove(Slot slot);
  void remove_from(Lane& lane, Slot slot);
  void tell_dead_letter(Slot slot, DeadLetterReason reason, const SharedCause& cause);
  void bury(Slot slot, DeadLetterReason reason, const SharedCause& cause);
  void reject(Slot slot, const SharedCause& cause);
  std::optional<std::uint32_t> limit_of(Slot slot) const;
  bool is_exhausted(Slot slot) const;
  void charge(Slot slot);
  bool charge_or_bury(Slot slot, const SharedCause& cause, Blame blame, FailureReason reason);
  const ReasonRetries* retries_for(Slot slot) const;
  double cost_of(Slot slot) const;
  void note_reason(Slot slot, FailureReason reason) {
    if (!options_.by_reason.empty())
      backlog_.set_reason(slot, reason);
  }
  void note_failure(Slot slot, const SharedCause& cause);
  void count_attempts(Slot slot);
  void suspect_or_bury(Slot slot, std::uint32_t hand_overs);
  SharedCause last_failure_of(Slot slot, const SharedCause& otherwise) const;
  void expire(Slot slot);
  void vanish(Lane& lane, Slot ghost);

  // -- cancelled --------------------------------------------------------------------

  void end_cancelled(Slot slot);
  void tell_cancelled(Slot slot);
  bool is_cancelled(Slot slot) const {
    return backlog_[slot].is_cancelled && !backlog_[slot].is_ghost;
  }
  bool ends_instead(Slot slot);
  bool holds_cancelled(const Lane& lane) const;
  void end_child_of_cancelled(Lane& lane);

  // -- replaced ---------------------------------------------------------------------

  void begin_anew(Slot slot);

  // -- answers ----------------------------------------------------------------------

  struct Target { // the delivery that an answer is about
    Slot slot;
    Lane* lane;
  };
  std::optional<Target> target_of(HandOverId id);
  Lane* leaving_holder_of(HandOverId id);
  void heed(Lane& lane, std::optional<Duration> retry_after);
  void note_unknown(std::uint64_t said);
  bool keep_note(const input::Working& x);
  void send_probe(Lane& lane);
  void settle(Lane& lane, const Lane::Held& answer);
  void note_final(const Lane& lane, const Lane::Held& answer);
  void refuse(Lane& lane, Slot slot, const SharedCause& cause, const Decision& decision);
  static std::optional<Duration> longest_wish(const std::vector<Lane::Held>& held);
  std::optional<Duration> wish_to_all(std::optional<Duration> retry_after) const;
  void note_refusal(Slot slot, const SharedCause& cause, const Decision& decision);
  void drop_held(Lane& lane, Slot slot) {
    if (backlog_[slot].held)
      forget_held(lane, slot);
  }

  void forget_held(Lane& lane, Slot slot);
  void drop_all_held(Lane& lane);
  struct Settled {
    Slot named;                          // the delivery whose error stems from the crash
    std::optional<Duration> retry_after; // the longest that was asked for
  };
  Settled settle_held(Lane& lane, const Cause& reason, bool was_told_to);
  Settled drop_answers(Lane& lane);

  // -- children ---------------------------------------------------------------------

  void begin() {
    if (self_.beginning_ == Beginning::not_told)
      self_.beginning_ = Beginning::told;
  }
  void give_child(Lane& lane);
  bool is_child_wanted(const Lane& lane) const;
  bool is_first_wanted() const;
  bool is_needed(const Lane& lane) const;
  void start_child(Lane& lane);
  void make_child(Lane& lane);
  Slot culprit_in(Lane& lane, Slot named, Slot unanswered);
  static std::vector<Lane::Held>::const_iterator error_of_crash(const std::vector<Lane::Held>& held,
                                                                const Cause& reason);
  Slot oldest_unanswered(const Lane& lane) const;
  bool has_meant_to_answer(const Lane& lane, Slot slot) const;
  Slot suspect_all(Lane& lane);
  void suspect_unanswered(const Lane& lane);
  bool is_nobodys_fault(const Lane& lane, input::ChildEnd end) const;
  void blame(Lane& lane, Slot slot, const SharedCause& cause, const Decision& decision);

  // -- whose fault --------------------------------------------------------------------

  bool finds_fault() const {
    return (options_.max_attempts || work_.has_own_limits || options_.by_reason.has_max_attempts())
           && options_.charging.rule == Charging::Rule::by_evidence;
  }
  void forget_evidence();
  FailureEvidence& evidence_of(const Lane& lane);
  FailureEvidence& evidence_now(const Lane& lane);
  void tell_if_nothing_succeeds(const Lane& lane, FailureEvidence& evidence, std::uint64_t failed);
  Blame blame_of(const Lane& lane, Slot slot, Blame said);
  void report_failure(Slot slot, Blame said, Blame found);
  void note_answer(const Lane& lane, std::uint64_t id);
  void charge_open(const FailureEvidence::Failed& failed);
  void take_back_charges(const FailureEvidence::Failed& failed);
  std::optional<Duration> fails_for_too_long(Slot slot);
  void pause_deferred();
  // A delay of a delivery's own backoff.
  struct OwnDelay {
    std::uint64_t delivery;
    Duration delay;
    BackOff backoff; // after the step
  };
  OwnDelay own_delay(Slot slot, FailureReason reason);
  bool waits_alone(Slot slot) const;

  // That a delivery waits instead of its lane. `own`: in strict order, its delay.
  struct Alone {
    std::optional<OwnDelay> own{};
  };
  std::optional<Alone> alone(Slot slot, FailureReason reason);
  void note_own(Slot slot, const input::OwnTerms& own);

  // -- hangs ------------------------------------------------------------------------

  Instant ack_due(const Lane& lane) const;
  Instant due_of(const Lane& lane) const;
  void check_for_hang(Lane& lane);
  void hang(Lane& lane);
  SharedCause cause_of_hang() const;
  void take_back_from_leaving(Lane& lane);
  void check_grace(Lane& lane);
  void end_grace(Lane& lane);

  // -- guard ------------------------------------------------------------------------

  bool is_child_starting() const {
    return work_.lanes.any(
      [](const Lane& lane) { return lane.child == Child::starting && !lane.is_fallback; });
  }

  bool is_guarded(const Lane& lane) const { return options_.guard && !lane.is_fallback; }
  bool is_held_back(const Lane& lane) const { return gate_.is_held_back() && !lane.is_fallback; }
  bool is_retry(Slot slot) const;
  bool is_held_retry(Slot slot) const {
    return gate_.retries_are_held_back() && is_retry(slot) && cost_of(slot) > 0;
  }
  bool is_admitted(const Lane& lane, Slot slot);
  bool may_start_one();
  bool is_let_through(Call call, double cost = 1);
  void forgive_hold(Duration held_back);
  void start_what_was_put_off();

  // -- clock ------------------------------------------------------------------------

  Instant next_due() const;
  void end_late_drains();
  void end_delay(Lane& lane);
  void ask_for_wake_up(Instant due);

  // -- limits -----------------------------------------------------------------------

  enum class Failed { child, refusal };

  SharedCause shared(const Cause& cause) const;
  void fail(Lane& lane, const SharedCause& cause, Failed what, const Decision& decision,
            const std::optional<Alone>& alone = {});
  static constexpr std::uint32_t many_failures = 10;
  void hint_at_endless_retries();
  const BackOff* backoff_for(FailureReason reason, std::uint64_t stream, std::uint32_t next_draw,
                             std::uint32_t failures, std::optional<BackOff>& room) const;
  void tell_delay(const Lane& lane, Duration span, const std::optional<Alone>& alone,
                  const BackOff* of_class);
  void delay(Lane& lane, Duration span);
  RestartLimit restart_limit() const;
  bool is_over_limit(const Lane& lane, Failed what, bool lane_goes_on);
  void fall_back(const SharedCause& cause);
  void want_fallback(Lane& lane, bool is_wanted);
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
  void answer_drains(std::size_t left);

  struct Deferred { // to pause, once the delay of its lane is known
    Slot slot;
    const Lane* lane;
    std::optional<Duration> retry_after;
  };

  SenderEngine& self_;
  const EngineOptions& options_;
  Work& work_;
  Backlog& backlog_;
  GuardGate& gate_;
  const Instant now_;
  Effects& effects_;
  const std::uint64_t number_; // of the sender, for its events
  std::vector<Deferred> deferred_;
};

} // namespace backoff_actor
