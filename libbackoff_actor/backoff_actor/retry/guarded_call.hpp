#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace backoff_actor::detail {

/// Asks the guard of a service before each of several calls, which come one after the other, and
/// reports the outcome after each call. If a call's outcome is not reported before the next call
/// begins or this object ends, the guard forgets that call. Without a guard every call may be made.
///
/// @range  the guard must outlive this object.
/// @thread one at a time.
class GuardedCalls {
public:
  /// For calls to the service that `guard` guards.
  explicit GuardedCalls(const SharedGuard& guard) : guard_(&guard) {}

  GuardedCalls(const GuardedCalls&) = delete;
  GuardedCalls& operator=(const GuardedCalls&) = delete;

  ~GuardedCalls() { forget(); }

  /// Asks whether a call may be made now. Returns nothing if it may; it then counts as begun.
  /// `cost`: what a retry takes from a retry budget.
  std::optional<HeldBack> begin(Instant now, Call call, double cost = 1) {
    if (!*guard_)
      return std::nullopt;
    forget();
    const auto answer =
      call == Call::retry ? guard_->admit_retry(now, cost) : guard_->admit(now, call);
    if (const auto* held_back = std::get_if<HeldBack>(&answer))
      return *held_back;
    permit_ = std::get<Permit>(answer);
    began_ = now;
    return std::nullopt;
  }

  /// Reports how the call ended. A retryable outcome counts as a failure of the service. Any other
  /// counts as a success, because the service answered.
  void end(Instant now, Assessment::Kind kind) {
    if (!permit_)
      return;
    const auto permit = std::exchange(permit_, {});
    if (kind == Assessment::Kind::retryable)
      guard_->failed(permit, now);
    else
      guard_->succeeded(permit, now);
  }

  /// Reports that the outcome of the call will stay unknown.
  void forget() {
    if (permit_)
      guard_->forgotten(std::exchange(permit_, {}), began_);
  }

private:
  const SharedGuard* guard_;
  Permit permit_{};
  Instant began_{};
};

/// A guarded call that this thread is making, as long as the object lives. A call to the same
/// service inside of it is a part of it: it would wait for the permit that this one holds.
///
/// @thread make and destroy it in one thread, in order. The guard must outlive it.
class CallUnderWay {
public:
  BACKOFF_ACTOR_EXPORT explicit CallUnderWay(const SharedGuard& guard);
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;
  BACKOFF_ACTOR_EXPORT ~CallUnderWay();

  /// Whether this thread is making a call to the service that `guard` guards.
  BACKOFF_ACTOR_EXPORT static bool is_within(const SharedGuard& guard);

private:
  const SharedGuard& guard_;
  const CallUnderWay* outer_;
};

} // namespace backoff_actor::detail
