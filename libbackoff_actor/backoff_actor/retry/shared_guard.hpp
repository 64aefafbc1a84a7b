#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/guard_status.hpp"
#include "backoff_actor/retry/steady_clock.hpp"
#include "backoff_actor/sinks/observatory.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace backoff_actor {

namespace detail {

struct GuardParts;

} // namespace detail

/// A handle to a guard that senders, calls of `retry`, requests and actors can share if they call
/// the same service. Copies refer to the same guard. A default-constructed handle refers to none.
///
///     SharedGuard guard{parse_guard("circuit_breaker(5 failures, open 5s)")};
///
/// What a hook for events captures must live as long as the guard: as long as the actor system, if
/// actors share the guard.
///
/// All users of a guard must be on the same time line: that of `SteadyClock`, which is also that of
/// actors, or one virtual time.
///
/// @range  on a default-constructed handle only `operator bool` may be called.
/// @thread safe from any thread. A hook may ask for the status.
class BACKOFF_ACTOR_EXPORT SharedGuard {
public:
  /// No guard.
  SharedGuard() = default;

  /// Makes a new guard, which lets everything through at first. Its draws come from the seed of
  /// this process and a stream of their own.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  explicit SharedGuard(const GuardOptions& options, GuardHook on_event = {});

  /// Makes a new guard with draws from `seed`.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  SharedGuard(const GuardOptions& options, std::uint64_t seed, GuardHook on_event = {});

  /// Whether there is a guard.
  explicit operator bool() const { return shared_ != nullptr; }

  /// Asks whether a call may be made now. A call that is held back does not count as a failure.
  Admission admit(Instant now, Call call) const;

  /// The same for a retry that takes `cost` from a retry budget, in place of 1.
  ///
  /// @range `cost`: 0 and above
  Admission admit_retry(Instant now, double cost) const;

  /// Reports that the service did what it was asked, or at least answered.
  void succeeded(Permit permit, Instant now) const;

  /// Reports that the service failed.
  void failed(Permit permit, Instant now) const;

  /// Reports that the outcome stays unknown. This makes room for another probe.
  void forgotten(Permit permit, Instant now) const;

  /// Lets nothing through until `close`.
  ///
  /// @errors throws `InvalidArgument` if the guard has no circuit breaker.
  void isolate(Instant now = SteadyClock{}.now()) const;

  /// Closes the circuit breaker, whatever its state. Waiting senders come back spread over its
  /// `spread`.
  ///
  /// @errors throws `InvalidArgument` if the guard has no circuit breaker.
  void close(Instant now = SteadyClock{}.now()) const;

  /// Returns the current status.
  GuardStatus status(Instant now = SteadyClock{}.now()) const;

  /// Returns the options that the guard was made with.
  GuardOptions options() const;

  /// Shows the guard's numbers to an observatory, under this name, and counts from now on. One
  /// observatory at a time sees it: the last.
  ///
  /// @range the name has 1 to 64 characters of `a-z`, `0-9`, `_`, `.` and `-`
  /// @errors throws `InvalidArgument` if the name is wrong.
  void observed_by(const Observatory& observatory, const std::string& name,
                   Instant now = SteadyClock{}.now()) const;

  /// Whether two are the same guard.
  friend bool operator==(const SharedGuard&, const SharedGuard&) = default;

private:
  friend struct detail::GuardParts;

  class Shared;

  std::shared_ptr<Shared> shared_;
};

} // namespace backoff_actor
