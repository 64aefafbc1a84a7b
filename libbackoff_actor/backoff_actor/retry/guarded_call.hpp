#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace backoff_actor::detail {

/// One call after the other of a service that may have a guard: asks it before each, and tells it
/// what became of each. A call of which nothing was said by the next one, or by the end of this
/// object, is forgotten. Without a guard everything goes.
///
/// @range  the guard must outlive this object.
/// @thread one at a time.
class GuardedCalls {
public:
  /// Of the service that `guard` guards.
  explicit GuardedCalls(const SharedGuard& guard) : guard_(&guard) {}

  GuardedCalls(const GuardedCalls&) = delete;
  GuardedCalls& operator=(const GuardedCalls&) = delete;

  ~GuardedCalls() { forget(); }

  /// Asks whether a call may be made now. Nothing: it may, and is being made.
  std::optional<HeldBack> begin(Instant now, Call call) {
    if (!*guard_)
      return std::nullopt;
    forget();
    const auto answer = guard_->admit(now, call);
    if (const auto* held_back = std::get_if<HeldBack>(&answer))
      return *held_back;
    permit_ = std::get<Permit>(answer);
    began_ = now;
    return std::nullopt;
  }

  /// Tells how the call ended: what is worth another attempt is a failure of the service. Anything
  /// else it answered.
  void end(Instant now, Assessment::Kind kind) {
    if (!permit_)
      return;
    const auto permit = std::exchange(permit_, {});
    if (kind == Assessment::Kind::retryable)
      guard_->failed(permit, now);
    else
      guard_->succeeded(permit, now);
  }

  /// Tells that nobody will know how the call ended.
  void forget() {
    if (permit_)
      guard_->forgotten(std::exchange(permit_, {}), began_);
  }

private:
  const SharedGuard* guard_;
  Permit permit_{};
  Instant began_{};
};

} // namespace backoff_actor::detail
