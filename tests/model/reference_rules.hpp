#pragma once

#include "reference_ending.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace backoff_actor::model_test {

/// What is accepted, what follows from a failure, and when a delivery is handed over: the part of
/// the reference sender that is the same whatever came in.
class ReferenceRules : public ReferenceEnding {
public:
  using ReferenceEnding::ReferenceEnding;

protected:
  // -- submissions -----------------------------------------------------------------------

  void refuse(Refusal why) {
    taken.push_back(refuse_line(why));
    if (is_stopped)
      return;
    ++counters.refused;
    tell(event::NotAccepted{now, why});
  }

  bool has_room_for(std::uint32_t weight, std::size_t count, std::uint64_t bytes) const {
    return count < options.capacity
           && (!options.capacity_bytes || bytes + weight <= *options.capacity_bytes);
  }

  /// Clients that wait for what others have submitted.
  std::size_t joined() const {
    std::size_t result = 0;
    for (const auto& x : deliveries)
      if (x.is_owed)
        result += x.joined + x.joined_until_stored;
    return result;
  }

  /// All who joined are counted as if they would stay.
  bool make_room_for(std::uint32_t weight) {
    std::size_t held = joined();
    std::uint64_t held_bytes = 0;
    for (const auto& x : deliveries)
      if (x.is_owed && x.is_in_flight) {
        ++held;
        held_bytes += x.weight;
      }
    if (!has_room_for(weight, held, held_bytes))
      return false;
    std::vector<std::uint64_t> dropped;
    auto count = owed().size() + joined();
    auto bytes = owed_bytes();
    for (const auto id : owed())
      if (const auto& x = *find(id); !x.is_in_flight && !has_room_for(weight, count, bytes)) {
        dropped.push_back(id);
        count -= 1 + x.joined + x.joined_until_stored;
        bytes -= x.weight;
      }
    for (const auto id : dropped)
      bury(id, DeadLetterReason::dropped, last_failure_of(*find(id)));
    return true;
  }

  /// `x`: a submission, or what an earlier sender has left.
  template <class Given>
  Delivery& take_in(const Given& x, std::uint64_t id, Instant submitted_at) {
    last_id_ = id;
    taken.push_back(accept_line(id));
    auto& result = deliveries.emplace_back(Delivery{
      .id = id,
      .submitted_at = submitted_at,
      .deadline = x.deadline,
      .key = x.key,
      .weight = x.weight,
      .is_stored = false,
      .own_backoff = in_stream(options.backoff, detail::mix(options.backoff.stream() ^ id))});
    result.place = next_place();
    return result;
  }

  std::uint64_t accept(const input::Submit& x) {
    const auto id = last_id_ + 1;
    auto& delivery = take_in(x, id, now);
    delivery.is_stored = !options.persist;
    delivery.has_source = x.has_source;
    if (options.persist)
      taken.push_back(persist_line(id));
    else
      count_accepted(id);
    return id;
  }

  // -- children --------------------------------------------------------------------------

  void start_child(Lane& lane) {
    lane.child = Child::starting;
    lane.was_handed_something = false;
    lane.is_done = false;
    lane.incarnation = ++incarnation;
    if (!lane.is_fallback && incarnation > 1)
      ++restarts;
    taken.push_back(start_line(lane.incarnation, lane.is_fallback));
  }

  /// Who serves and has no child gets one, as soon as one may be made.
  void start_who_is_wanted() {
    for (auto* lane : lanes())
      if (serves(*lane) && lane->child == Child::none && is_wanted(*lane))
        start_child(*lane);
  }

  bool is_wanted(const Lane& lane) const {
    if (incarnation == 0)
      return has_begun && (options.child_start == FirstStart::at_once || !owed().empty());
    if (lane.is_done && !is_anything_due())
      return false;
    return !lane.due || (options.restart == RestartTiming::at_once && lane.was_handed_something);
  }

  void end_delay(Lane& lane) {
    lane.due.reset();
    tell(event::DelayEnded{now});
  }

  // -- failures --------------------------------------------------------------------------

  using List = std::vector<Delivery*>;

  /// The one of these that the child fell over; 0 if nobody knows, and then they are suspects.
  std::uint64_t culprit_among(const List& list, bool was_alone) const {
    if (list.empty())
      return 0;
    if (options.works_on == WorksOn::one || was_alone)
      return list.front()->is_owed ? list.front()->id : 0;
    for (auto* x : list)
      x->is_suspect = true;
    return 0;
  }

  /// From the end of the lane's delay, which is known when the step is over.
  void pause_on_its_own(const Lane& lane, Delivery& x, std::optional<Duration> wish) {
    x.pause_asked = std::max(wish.value_or(Duration::zero()), Duration::zero()); // less is no wish
    to_pause.push_back(x.id);
    x.pauses_after_fallback = lane.is_fallback;
  }

  /// `fault`: whose it was, as it was judged while the child still had the culprit.
  void charge(const Lane& lane, std::uint64_t culprit, const Cause& cause, const Decision& decision,
              Blame fault) {
    if (find(culprit) == nullptr) // nobody knows, or it was a ghost
      return;
    auto& x = *find(culprit);
    if (is_fatal(decision.verdict) || decision.verdict == Verdict::reject)
      ReferenceState::charge(x);
    if (is_fatal(decision.verdict))
      return note_failure(x, cause);
    if (decision.verdict == Verdict::reject)
      return bury(culprit, DeadLetterReason::rejected, &cause);
    if (fault != Blame::nobody && !charge_with(culprit, cause, fault, decision.reason))
      return;
    x.reason = decision.reason;
    if (options.works_on == WorksOn::many)
      x.is_suspect = true;
    if (options.ordering != Ordering::strict)
      pause_on_its_own(lane, x, decision.retry_after);
  }

  static bool is_fatal(Verdict verdict) {
    return verdict == Verdict::give_up || verdict == Verdict::escalate;
  }

  void take_back(const List& list) {
    std::vector<std::uint64_t> over;
    for (auto* x : list) {
      x->is_in_flight = false;
      if (!x->is_owed || x->is_cancelled)
        over.push_back(x->id);
    }
    for (const auto id : over)
      find(id)->is_owed ? end_cancelled(id) : erase(id);
  }

  /// The child is gone, and with it all that it had and may have meant.
  void take_all_back(Lane& lane) {
    lane.held.clear();
    lane.probe_is_out = false;
    take_back(in_flight(lane));
  }

  /// That a delivery waits and its lane does not; in strict order, where the others wait for the
  /// delivery, how long.
  struct Alone {
    std::optional<Duration> delay;
    std::uint64_t delivery;
    BackOff backoff;
  };

  std::optional<Alone> alone(std::uint64_t id, FailureReason reason) {
    auto* x = find(id);
    if (x == nullptr || !x->is_owed || !waits_alone(*x))
      return std::nullopt;
    if (options.ordering != Ordering::strict)
      return Alone{std::nullopt, id, x->own_backoff};
    const auto own = step_own_backoff(*x, reason);
    return Alone{own.wait_time(), id, own};
  }

  /// Takes the next step of the lane's backoff. Returns the one that counts: that of the failure's
  /// class, if it has one.
  BackOff step_backoff(Lane& lane, FailureReason reason) const {
    const auto before = std::exchange(lane.backoff, lane.backoff.next());
    const auto* own = options.by_reason.find(reason);
    return own != nullptr && own->backoff
             ? as_far(*own->backoff, before, static_cast<std::uint32_t>(lane.failures_in_series))
             : lane.backoff;
  }

  /// `wish`: the wait that the service asked for.
  void fail(Lane& lane, const Cause& given, bool is_restart, FailureReason reason,
            std::optional<Duration> wish = std::nullopt,
            const std::optional<Alone>& alone = std::nullopt) {
    if (ending)
      return;
    const auto cause = given; // it may be the lane's own
    const auto goes_on = alone && !alone->delay;
    lane.last_failure = cause;
    if (!goes_on || is_restart)
      lane.epoch = ++epochs_;
    if (!goes_on) {
      lane.failures_in_series = lane.series_began ? lane.failures_in_series + 1 : 1;
      lane.series_began = lane.series_began.value_or(now);
      lane.window = 1;
    }
    if (finishing)
      return; // nothing is tried again
    auto counted = lane.backoff;
    if (!alone) {
      counted = step_backoff(lane, reason);
      auto state = lane.backoff.state();
      state.wait_time = counted.wait_time();
      lane.backoff = {lane.backoff.policy(), lane.backoff.seed(), lane.backoff.stream(), state};
    }
    const auto own = alone ? alone->delay.value_or(Duration::zero()) : lane.backoff.wait_time();
    const auto delay = options.ordering == Ordering::strict ? with_wish(own, wish) : own;
    if (!goes_on || delay > Duration::zero())
      lane.due = std::max(lane.due.value_or(now), now + delay);
    const auto is_over =
      !lane.is_fallback && mode == Mode::normal && is_too_much(lane, is_restart, goes_on);
    if (is_over && !options.has_fallback)
      return give_up(false, 0, cause);
    if (!goes_on) {
      tell(event::RetryScheduled{now, delay, *lane.due, alone ? alone->backoff : counted,
                                 alone ? alone->delivery : 0});
      hint_if_endless(lane);
    }
    if (is_over)
      fall_back(cause);
    else if (!lane.is_fallback && mode == Mode::returning)
      mode = Mode::on_fallback;
  }

  void hint_if_endless(const Lane& lane) {
    if (options.ordering != Ordering::strict || owed().size() < 2 || lane.failures_in_series != 10)
      return;
    const auto& first = *find(owed().front());
    if (!limit_of(first) && first.deadline == Instant::never())
      hint(event::Hint::About::endless_retries, first.id, owed().size() - 1);
  }

  bool is_too_much(const Lane& lane, bool is_restart, bool lane_goes_on) {
    auto result =
      !lane_goes_on && options.max_elapsed && *lane.due - *lane.series_began > *options.max_elapsed;
    if (is_restart && options.restart_limit) {
      failures_.push_back(now);
      const auto count = std::count_if(failures_.begin(), failures_.end(), [&](Instant at) {
        return now - at < options.restart_limit->within;
      });
      result = result || count > std::int64_t{options.restart_limit->max_restarts};
    }
    return result;
  }

  void forget_failures() { failures_.clear(); }

  void fall_back(const Cause& cause) {
    tell(event::FellBack{now, cause});
    mode = Mode::on_fallback;
    const auto stream = detail::mix(options.backoff.stream() ^ 0x66616c6c6261636bULL);
    fallback = Lane{.is_fallback = true,
                    .backoff = in_stream(options.backoff, stream),
                    .epoch = ++epochs_,
                    .max_window = options.max_in_flight,
                    .window = options.max_in_flight};
  }

  void come_back() {
    tell(event::CameBack{now});
    if (fallback->child != Child::none)
      taken.push_back(stop_line(fallback->incarnation));
    fallback.reset();
    mode = Mode::normal;
    primary.series_began.reset();
    forget_failures();
  }

  // -- handing over ----------------------------------------------------------------------

  /// The delivery whose turn it is.
  Delivery* next_in_turn() {
    for (auto& x : deliveries) {
      if (holds_up_all(x))
        return nullptr;
      if (x.is_waiting() && !is_put_off(x) && !is_behind_its_key(x))
        return x.is_stored && !x.is_unwritten && !x.scheduled_for ? &x : nullptr;
    }
    return nullptr;
  }

  bool has_room(const Lane& lane) {
    return lane.child == Child::alive && !lane.due && in_flight(lane).size() < lane.window;
  }

  /// Suspects go alone.
  bool may_join(const Lane& lane, const Delivery& x) {
    const auto list = in_flight(lane);
    return list.empty() || (!x.is_suspect && !list.front()->is_suspect);
  }

  void give(Lane& lane, Delivery& x) {
    const auto again = !x.hand_overs.empty();
    x.is_in_flight = true;
    x.turn = next_turn();
    x.clock_start = now;
    x.hand_overs.push_back({HandOverId{}, lane.incarnation, lane.epoch});
    lane.was_handed_something = true;
    ++counters.hand_overs;
    counters.resends += again ? 1u : 0u;
    taken.push_back(hand_over_line(x.id, lane.incarnation, x.note));
    tell(event::HandedOver{now, x.id, lane.incarnation, again});
  }

  void hand_over_what_can_be() {
    while (!is_paused && !is_store_behind && now < sure_until && !is_closing()
           && mode != Mode::returning && hand_over_one())
      ;
  }

  bool hand_over_one() {
    const auto starts_primary =
      mode == Mode::on_fallback && primary.child == Child::none && !primary.due;
    if (!starts_primary && !has_room(primary) && !(fallback && has_room(*fallback)))
      return false;
    auto* x = next_in_turn();
    if (x == nullptr)
      return false;
    if (x->deadline <= now) {
      bury(x->id, DeadLetterReason::expired, last_failure_of(*x));
      return true;
    }
    if (starts_primary)
      start_child(primary);
    for (auto* lane : lanes())
      if (has_room(*lane) && may_join(*lane, *x)) {
        give(*lane, *x);
        return true;
      }
    return false;
  }

  std::uint64_t next_turn() { return ++turns_; }

  /// Of any delivery so far, also in earlier senders.
  std::uint64_t last_id_ = 0;

private:
  std::uint32_t epochs_ = 0;
  std::uint64_t turns_ = 0;
  std::vector<Instant> failures_;
};

} // namespace backoff_actor::model_test
