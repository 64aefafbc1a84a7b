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
    if (const auto& y = *find(held.delivery); y.is_owed && y.is_cancelled) {
      end_cancelled(held.delivery);
      return put_off(lane, held.decision.verdict == Verdict::retry ? held.decision.retry_after
                                                                   : std::nullopt);
    }
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

  // Returns the delivery whose error was the crash's, 0 if none was. `wish`: the longest
  // wait that was asked for.
  std::uint64_t settle_what_was_meant(Lane& lane, const Cause& reason, bool was_told_to_end,
                                      std::optional<Duration>& wish) {
    wish = longest_wish(lane);
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
      const auto& it = *find(x->delivery);
      if (x->decision.verdict == Verdict::retry && it.is_owed && it.is_cancelled) {
        end_cancelled(x->delivery);
        continue;
      }
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
    return Decision::retry_as(x.reason, x.retry_after, x.blame);
  }

  void refuse_for_now(Lane& lane, std::uint64_t id, const Cause& cause, const Decision& decision) {
    const auto is_present = find(id)->hand_overs.back().epoch == lane.epoch;
    const auto waits = is_present ? alone(id, decision.reason) : std::nullopt;
    charge_refusal(lane, id, cause, decision);
    if (is_present)
      fail(lane, cause, false, decision.reason, decision.retry_after, waits);
    else
      put_off(lane, decision.retry_after);
  }

  void put_off(Lane& lane, std::optional<Duration> wish) const {
    if (options.ordering != Ordering::strict || !wish || is_closing())
      return;
    const auto span = obeyed(*wish, lane.backoff.wait_time());
    if (span > Duration::zero())
      lane.due = std::max(lane.due.value_or(now), now + span);
  }

  void charge_refusal(Lane& lane, std::uint64_t id, const Cause& cause, const Decision& decision) {
    const auto asked = decision.retry_after.value_or(Duration::zero());
    const auto was_tried = decision.blame != Blame::nobody;
    const auto fault = blame_of(lane, id, decision.blame); // which may end others
    auto& x = *find(id);
    ++counters.nacks;
    tell(event::Refused{now, id, cause, decision.retry_after});
    if (!x.is_owed) {
      lane.last_progress = now;
      narrow(lane);
      return erase(id);
    }
    x.is_in_flight = false;
    x.is_suspect = false;
    lane.last_progress = now;
    narrow(lane);
    if (was_tried && decision.blame != Blame::service
        && options.retry_after.rule == RetryAfterReading::Rule::give_up
        && asked > options.retry_after.bound) {
      ReferenceState::charge(x);
      return bury(id, DeadLetterReason::retry_after_too_long, &cause);
    }
    if (was_tried && !charge_with(id, cause, fault, decision.reason))
      return;
    x.reason = decision.reason;
    if (options.ordering != Ordering::strict)
      pause_on_its_own(lane, x, decision.retry_after);
  }

  void narrow(Lane& lane) const {
    if (options.narrows_when_refused && options.ordering == Ordering::strict) {
      lane.max_window = 1;
      lane.window = 1;
    }
  }

  static std::optional<Duration> longest_wish(const Lane& lane) {
    std::optional<Duration> result;
    for (const auto& held : lane.held)
      result = std::max(result, held.decision.retry_after);
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
    put_off(*lane, retry_after);
    return true;
  }

  void note_unknown(std::uint64_t said) {
    if (is_stopped)
      return;
    ++counters.late_answers;
    tell(event::UnknownAcknowledgement{now, said});
  }

  // -- failures and successes ------------------------------------------------------------

  void fail_unless_fatal(Lane& lane, const Cause& cause, Verdict verdict, FailureReason reason,
                         std::optional<Duration> wish = std::nullopt,
                         const std::optional<Alone>& waits = std::nullopt) {
    if (is_fatal(verdict) && !finishing)
      give_up(verdict == Verdict::escalate, 0, cause);
    else
      fail(lane, cause, true, reason, wish, waits);
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
