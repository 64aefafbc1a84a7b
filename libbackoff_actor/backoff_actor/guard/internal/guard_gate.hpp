#pragma once

// Inside of the library; not for its users.

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/guard/internal/guard_port.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

/// How a call ended, as far as a guard wants to know.
enum class CallOutcome : std::uint8_t { succeeded, failed, forgotten };

/// Asks the guard about the calls of one sender, and reports their outcomes to the guard.
///
///     admits --> permit in hand --keep--> permit of a slot --report--> (none)
///        |              +-------return_unused-------------------------^
///        +--> held back until the time that the guard named, or until a hold is ended or
///             shortened; only the end of the sender ends a hold by the rate
///
/// Between any two calls:
///  - The guard is told the outcome of each permit exactly once, at the latest by `retire`.
///  - While everything is held back, the gate does not ask the guard. While only retries are held
///    back, it asks the guard about other calls, but not about retries.
///
/// A call is made with a permit of its own moment: one for the start of a child is given back when
/// the child is to be called, and the guard is asked again. So a rate counts calls when they are
/// made, and what happened to the guard meanwhile counts.
///
/// @errors none but `std::bad_alloc`
/// @thread one at a time.
class GuardGate {
public:
  /// The place of a delivery in the outbox.
  using Slot = std::uint32_t;

  /// Asks `guard`, which must live until `retire`; null: there is none, and nothing is held back.
  /// With `budget_holds_all`, an empty retry budget holds back first attempts too.
  GuardGate(GuardPort* guard, bool budget_holds_all)
    : guard_(guard), budget_holds_all_(budget_holds_all) {}

  /// Whether work that leads to calls may begin.
  bool is_closed() const { return guard_ == nullptr || guard_->is_closed(); }

  // -- held back ----------------------------------------------------------------------

  bool is_held_back() const { return is_held_back_; }
  HeldBackBy held_back_by() const { return reason_; } // if it is held back
  Instant held_back_until() const { return held_back_until_; }
  bool retries_are_held_back() const { return retries_are_held_back_; }
  Instant retries_held_back_until() const { return retries_held_back_until_; }

  /// When the guard is to be asked again; `Instant::never()` if nothing is held back.
  [[gnu::always_inline]] Instant next_due() const {
    return std::min(is_held_back_ ? held_back_until_ : Instant::never(),
                    retries_are_held_back_ ? retries_held_back_until_ : Instant::never());
  }

  /// Ends the holds that are over at `now`. Returns how long everything was held back, if that has
  /// ended now; otherwise 0.
  Duration end_holds(Instant now) {
    if (retries_held_back_until_ <= now)
      retries_are_held_back_ = false;
    if (!is_held_back_ || now < held_back_until_)
      return Duration::zero();
    is_held_back_ = false;
    return now - held_back_since_;
  }

  /// Ends every hold: the sender ends. Returns how long everything was held back.
  Duration end_all_holds(Instant now) {
    retries_are_held_back_ = false;
    return std::exchange(is_held_back_, false) ? now - held_back_since_ : Duration::zero();
  }

  /// Somebody wants the guard to be asked again. Ends every hold but one by the rate, because that
  /// does not depend on the health of the service. Returns how long everything was held back, if
  /// that has ended now; otherwise 0.
  Duration end_holds_by_hand(Instant now) {
    retries_are_held_back_ = false;
    return waits_for_rate() ? Duration::zero() : end_all_holds(now);
  }

  /// Somebody closed the guard by hand. Shortens the hold to a random part of `spread`, so that
  /// not all senders come at once. A hold by the rate stays, because the rate is as it was.
  void shorten_hold(Instant now, Duration spread, std::uint64_t seed, std::uint64_t stream) {
    if (!is_held_back_ || waits_for_rate())
      return;
    const auto u = unit_random(seed, stream, draws_++);
    const Duration wait{static_cast<Duration::rep>(u * static_cast<double>(spread.count()))};
    held_back_until_ = std::min(held_back_until_, now + wait);
  }

  // -- asked --------------------------------------------------------------------------

  /// Whether the call may be made now. If so, and there is a guard, a permit is in hand. No empty
  /// budget holds a retry back that costs nothing.
  ///
  /// @param on_hold called when a hold begins, as `on_hold(answer, goes_on)`. `goes_on`: it only
  ///        continues an earlier hold. Holds by the rate do if less than a second lies between
  ///        them, because each delivery may begin one.
  /// @param cost what a retry takes from a retry budget
  template <class OnHold>
  bool admits(Call call, Instant now, OnHold on_hold, double cost = 1) {
    if (guard_ == nullptr)
      return true;
    if (is_held_back_ || (retries_are_held_back_ && call == Call::retry && cost > 0))
      return false;
    if (in_hand_ && (call == Call::start || !is_for_start_))
      return true;
    return_unused(now);
    const auto answer =
      call == Call::retry ? guard_->admit_retry(now, cost) : guard_->admit(now, call);
    if (const auto* const permit = std::get_if<Permit>(&answer)) {
      in_hand_ = *permit;
      is_for_start_ = call == Call::start;
      return true;
    }
    const auto& held_back = std::get<HeldBack>(answer);
    const auto goes_on = held_back.reason == HeldBackBy::rate && was_held_back_by_rate(now);
    hold_back(held_back, now);
    on_hold(held_back, goes_on);
    return false;
  }

  bool has_permit_in_hand() const { return static_cast<bool>(in_hand_); }
  bool has_permit_to_start() const { return in_hand_ && is_for_start_; }

  // -- told ---------------------------------------------------------------------------

  /// The permit in hand is that of the delivery in `slot`, which is handed over.
  void keep_permit(Slot slot) {
    if (permits_.size() <= slot)
      permits_.resize(slot + std::size_t{1});
    permits_[slot] = std::exchange(in_hand_, {});
  }

  /// Reports the outcome of the delivery in `slot`. Only the first report of a hand-over counts.
  void report(Slot slot, CallOutcome outcome, Instant now) {
    if (slot < permits_.size())
      report(std::exchange(permits_[slot], {}), outcome, now);
  }

  /// Reports a failed start of a child: an unhealthy service may be its reason.
  void report_failed_start(Instant now) {
    if (in_hand_)
      return report(std::exchange(in_hand_, {}), CallOutcome::failed, now);
    if (guard_ == nullptr || !guard_->is_closed())
      return; // the service counts as unhealthy already: this is no news
    const auto answer = guard_->admit(now, Call::start);
    if (const auto* const permit = std::get_if<Permit>(&answer))
      report(*permit, CallOutcome::failed, now);
  }

  /// Returns the permit in hand, which nothing needs.
  void return_unused(Instant now) {
    report(std::exchange(in_hand_, {}), CallOutcome::forgotten, now);
  }

  /// The sender has ended: returns all permits, and lets go of the guard.
  void retire(Instant now) {
    return_unused(now);
    for (auto& permit : permits_)
      report(std::exchange(permit, {}), CallOutcome::forgotten, now);
    guard_ = nullptr;
  }

  // -- what others made of it ---------------------------------------------------------

  /// How many calls of others, who share the guard, have succeeded so far; 0 if nobody counts them.
  std::uint64_t answers_of_others() const {
    const auto all = guard_ == nullptr ? 0 : guard_->answers();
    return all - std::min(all, own_answers_);
  }

  // -- remembered while the sender is idle ----------------------------------------------

  bool is_idle() const { return !is_held_back_ && !retries_are_held_back_ && !in_hand_; }
  std::uint32_t draws() const { return draws_; }
  void set_draws(std::uint32_t draws) { draws_ = draws; }

  /// When the last hold ended, if it was one by the rate: in whole seconds, rounded up, so that it
  /// takes little room. 0: there is nothing to remember.
  std::uint32_t last_second_of_rate() const {
    using std::chrono::seconds;
    const auto end = std::chrono::ceil<seconds>(held_back_until_.since_origin).count();
    return reason_ == HeldBackBy::rate && end > 0 && end < UINT32_MAX
             ? static_cast<std::uint32_t>(end)
             : 0;
  }
  void set_last_second_of_rate(std::uint32_t second) {
    if (second == 0)
      return;
    reason_ = HeldBackBy::rate;
    held_back_until_ = Instant{std::chrono::seconds{second}};
  }

private:
  bool waits_for_rate() const { return is_held_back_ && reason_ == HeldBackBy::rate; }

  bool was_held_back_by_rate(Instant now) const {
    return reason_ == HeldBackBy::rate && now - held_back_until_ < std::chrono::seconds{1};
  }

  void hold_back(const HeldBack& answer, Instant now) {
    if (answer.reason == HeldBackBy::retry_budget && !budget_holds_all_) {
      retries_are_held_back_ = true;
      retries_held_back_until_ = answer.until;
      return;
    }
    is_held_back_ = true;
    reason_ = answer.reason;
    held_back_since_ = now;
    held_back_until_ = answer.until;
  }

  void report(Permit permit, CallOutcome outcome, Instant now) {
    if (!permit || guard_ == nullptr)
      return;
    switch (outcome) {
    case CallOutcome::succeeded:
      ++own_answers_;
      return guard_->succeeded(permit, now);
    case CallOutcome::failed:
      return guard_->failed(permit, now);
    case CallOutcome::forgotten:
      return guard_->forgotten(permit, now);
    }
  }

  GuardPort* guard_;
  std::vector<Permit> permits_{}; // of what the child holds, by slot
  Permit in_hand_{};              // got, and not used yet
  Instant held_back_since_{};
  Instant held_back_until_{};
  Instant retries_held_back_until_{};
  std::uint64_t own_answers_ = 0; // reported as succeeded
  std::uint32_t draws_ = 0;
  HeldBackBy reason_ = HeldBackBy::open_breaker; // of the hold of everything, or of the last
  bool budget_holds_all_;
  bool is_held_back_ = false;
  bool retries_are_held_back_ = false; // first attempts go on
  bool is_for_start_ = false;          // the permit in hand
};

} // namespace backoff_actor
