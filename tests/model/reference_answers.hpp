#pragma once

#include "reference_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace backoff_actor::model_test {

/// What children say, and what is made of it: the part of the reference sender that decides what an
/// answer means.
class ReferenceAnswers : public ReferenceRules {
public:
  using ReferenceRules::ReferenceRules;

protected:
  // What a living child has answered that may still say something about it.
  Delivery* answered(HandOverId name) {
    auto* x = is_stopped ? nullptr : find(name);
    if (x == nullptr || !is_latest(*x, name))
      return nullptr;
    const auto* lane = lane_of(*x);
    return lane != nullptr && lane->child == Child::alive ? x : nullptr;
  }

  void end_ghost(Delivery& x) {
    lane_of(x)->last_progress = now;
    erase(x.id);
  }

  void send_probe(Lane& lane) {
    lane.probe_is_out = true;
    for (auto& held : lane.held)
      held.is_probed = true;
    taken.push_back(probe_line(lane.incarnation));
  }

  // The child lives, or meant it before it went down.
  void settle_answer(Lane& lane, const Held& held) {
    lane.last_progress = now;
    if (held.decision.verdict != Verdict::retry && held.decision.blame != Blame::nobody)
      note_answer(lane, held.delivery);
    if (auto& x = *find(held.delivery); !x.is_owed && held.decision.verdict != Verdict::retry)
      return erase(x.id);
    switch (held.decision.verdict) {
    case Verdict::retry:
      return refuse_for_now(lane, held.delivery, held.cause, held.decision);
    case Verdict::reject:
      return reject(lane, held.delivery, held.cause);
    case Verdict::give_up:
    case Verdict::escalate:
      ReferenceState::charge(*find(held.delivery));
      note_failure(*find(held.delivery), held.cause);
      take_back({find(held.delivery)});
      return give_up(held.decision.verdict == Verdict::escalate, held.delivery, held.cause);
    }
  }

  // Returns the delivery whose error was the crash's, 0 if none was. `at_least`: how long the lane
  // has to wait because of what was refused.
  std::uint64_t settle_what_was_meant(Lane& lane, const Cause& reason, bool was_told_to_end,
                                      Duration& at_least) {
    at_least = longest_wish(lane);
    const auto held = std::exchange(lane.held, {});
    auto end = held.end();
    std::uint64_t culprit = 0;
    if (reason.is_error()) {
      end = std::find_if(held.begin(), held.end(), [&](const Held& x) {
        return !x.is_bounce && x.cause.code == reason.code;
      });
      if (end != held.end())
        culprit = end->delivery;
      else if (!was_told_to_end) // otherwise it is known why it ended
        end = held.begin();
    }
    for (auto x = held.begin(); x != end; ++x) {
      if (x->is_bounce)
        continue;
      if (x->decision.verdict == Verdict::retry && x->decision.blame == Blame::nobody)
        take_back({find(x->delivery)});
      else if (x->decision.verdict == Verdict::retry)
        charge_refusal(lane, x->delivery, x->cause, x->decision);
      else
        settle_answer(lane, *x);
    }
    return culprit;
  }

  void reject(Lane& lane, std::uint64_t id, const Cause& cause) {
    lane.last_progress = now;
    ReferenceState::charge(*find(id));
    bury(id, DeadLetterReason::rejected, &cause);
  }

  static Decision decision_in(const input::Nacked& x) {
    return {Verdict::retry, x.retry_after, x.blame};
  }

  void refuse_for_now(Lane& lane, std::uint64_t id, const Cause& cause, const Decision& decision) {
    const auto is_present = find(id)->hand_overs.back().epoch == lane.epoch;
    const auto waits = is_present ? alone(id) : std::nullopt;
    const auto at_least = charge_refusal(lane, id, cause, decision);
    if (is_present)
      fail(lane, cause, false, at_least, waits);
    else
      put_off(lane, at_least);
  }

  void put_off(Lane& lane, Duration at_least) const {
    if (at_least > Duration::zero() && !is_closing())
      lane.due = std::max(lane.due.value_or(now), now + at_least);
  }

  // Returns how long the lane has to wait for it at the least.
  Duration charge_refusal(Lane& lane, std::uint64_t id, const Cause& cause,
                          const Decision& decision) {
    const auto at_least = decision.retry_after.value_or(Duration::zero());
    const auto for_all = wish_to_all(decision.retry_after);
    const auto was_tried = decision.blame != Blame::nobody;
    const auto fault = blame_of(lane, id, decision.blame); // which may end others
    auto& x = *find(id);
    ++counters.nacks;
    tell(event::Refused{now, id, cause, decision.retry_after});
    if (!x.is_owed) {
      lane.last_progress = now;
      narrow(lane);
      erase(id);
      return for_all;
    }
    x.is_in_flight = false;
    x.is_suspect = false;
    lane.last_progress = now;
    narrow(lane);
    if (was_tried && decision.blame != Blame::service && at_least > options.retry_after_ceiling) {
      ReferenceState::charge(x);
      bury(id, DeadLetterReason::retry_after_too_long, &cause);
      return for_all;
    }
    if (was_tried && !charge_with(id, cause, fault))
      return for_all;
    if (options.ordering != Ordering::strict)
      pause_on_its_own(lane, x, std::min(at_least, options.retry_after_ceiling));
    return for_all;
  }

  void narrow(Lane& lane) const {
    if (options.narrows_when_refused && options.ordering == Ordering::strict) {
      lane.max_window = 1;
      lane.window = 1;
    }
  }

  // How long everything waits because a service asked for it.
  Duration wish_to_all(std::optional<Duration> retry_after) const {
    return options.ordering == Ordering::strict
             ? std::min(retry_after.value_or(Duration::zero()), options.retry_after_ceiling)
             : Duration::zero();
  }

  Duration longest_wish(const Lane& lane) const {
    auto result = Duration::zero();
    for (const auto& held : lane.held)
      result = std::max(result, wish_to_all(held.decision.retry_after));
    return result;
  }

  // A child that was told to end speaks of what it was the last to have: only its wish counts.
  // Returns whether it is one.
  bool heed_the_leaving(HandOverId name, std::optional<Duration> retry_after) {
    auto* x = is_stopped ? nullptr : find(name);
    if (x == nullptr || !is_latest(*x, name))
      return false;
    auto* lane = lane_with(x->hand_overs.back().incarnation);
    if (lane == nullptr || lane->child != Child::leaving)
      return false;
    put_off(*lane, wish_to_all(retry_after));
    return true;
  }

  void note_unknown(std::uint64_t said) {
    if (is_stopped)
      return;
    ++counters.late_answers;
    tell(event::UnknownAcknowledgement{now, said});
  }

  // -- failures and successes ------------------------------------------------------------

  void fail_unless_fatal(Lane& lane, const Cause& cause, Verdict verdict,
                         Duration at_least = Duration::zero(),
                         const std::optional<Alone>& waits = std::nullopt) {
    if (is_fatal(verdict) && !finishing)
      give_up(verdict == Verdict::escalate, 0, cause);
    else
      fail(lane, cause, true, at_least, waits);
  }

  void reset_backoff(Lane& lane) {
    const auto was_started = lane.backoff.is_started();
    lane.backoff = lane.backoff.reset();
    lane.series_began.reset();
    lane.last_failure.reset();
    if (was_started)
      tell(event::BackOffReset{now, lane.backoff});
  }

  void is_well(Lane& lane) {
    lane.window = std::min(lane.window + 1, lane.max_window);
    reset_backoff(lane);
    if (!lane.is_fallback && mode == Mode::on_fallback)
      mode = Mode::returning;
  }
};

} // namespace backoff_actor::model_test
