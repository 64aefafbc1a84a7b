#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/testing/faults/basic_fault_plan.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace backoff_actor::testing {

// -- what goes wrong with one message or call -----------------------------------------

/// What becomes of one message to a worker, or of one call of a function.
struct Fault {
  /// The ways to take it.
  enum class Kind : std::uint8_t {
    ok,               ///< as if there were no plan
    slow,             ///< the same, but `delay` later
    silence,          ///< no answer; the worker lives, and takes the next
    hang,             ///< no answer, nor to anything after it, as if the work never ended
    crash,            ///< an exception that says `text`
    stop,             ///< the worker stops normally, without an answer
    error,            ///< an error; the worker lives
    crash_like_error, ///< the very error of a crash, `caf::sec::runtime_error`; the worker lives
    nack,             ///< `Nack`: not now; the worker lives
    reject,           ///< `Reject`: never; the worker lives
  };

  /// Which of the ways.
  Kind kind = Kind::ok;

  /// Of `error`: what the service says, such as 503; 0: it says no number.
  std::uint32_t code = 0;

  /// Of `slow`: how much later; of `error` and `nack`: when to come back, 0: it does not say.
  Duration delay{0};

  /// Of `slow`: how often it says `Working` until then; 0: never.
  Duration working{0};

  /// Of `crash`, `error`, `nack` and `reject`: what it says. Empty: see `message_of`.
  std::string text{};

  /// Whether the same becomes of it.
  friend bool operator==(const Fault&, const Fault&) = default;
};

/// Returns what the fault says: code and text, or else `Danger, High Voltage!` for a crash, `no`
/// for an error, `not now` for a nack, `never` for a reject.
BACKOFF_ACTOR_EXPORT std::string message_of(const Fault& fault);

/// Renders a fault as plans write it: `ok`, `slow(500ms)`, `slow(500ms, working 100ms)`, `silence`,
/// `hang`, `crash`, `crash("no voltage")`, `stop`, `error(503, "busy", retry_after 2s)`,
/// `crash_like_error`, `nack("not now", retry_after 2s)`, `reject("never")`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Fault& fault);

/// What becomes of messages or calls. Besides what `to_string` writes, arguments that are not needed
/// can be left out, and `slow 500ms` goes without brackets.
using FaultPlan = BasicFaultPlan<Fault>;

extern template class BACKOFF_ACTOR_EXPORT BasicFaultPlan<Fault>;

/// Returns the same fault or plan `count` times.
///
/// @errors as `BasicFaultPlan::repeated`
inline FaultPlan times(std::uint64_t count, const FaultPlan& plan) {
  return FaultPlan::repeated(count, plan);
}

/// All is well.
inline Fault ok() { return {}; }
/// All is well, but `delay` later; until then it says `Working` after every `working`, if there is
/// a `TrackedMsg` to speak of.
inline Fault slow(Duration delay, Duration working = {}) {
  return {Fault::Kind::slow, 0, delay, working};
}
/// No answer; the worker lives, and takes the next.
inline Fault silence() { return {Fault::Kind::silence}; }
/// No answer, nor to anything that comes after it.
inline Fault hang() { return {Fault::Kind::hang}; }
/// An exception that says `text`.
inline Fault crash(std::string text = {}) {
  return {Fault::Kind::crash, 0, {}, {}, std::move(text)};
}
/// A normal end without an answer.
inline Fault stop() { return {Fault::Kind::stop}; }
/// An error that says `text`, and when to come back, unless that is 0.
inline Fault error(std::string text = {}, Duration retry_after = {}) {
  return {Fault::Kind::error, 0, retry_after, {}, std::move(text)};
}
/// An error that says `code`, and when to come back, unless that is 0.
inline Fault error(std::uint32_t code, Duration retry_after = {}) {
  return {Fault::Kind::error, code, retry_after};
}
/// The very error of a crash.
inline Fault crash_like_error() { return {Fault::Kind::crash_like_error}; }
/// `Nack`, which says when to come back, unless that is 0. Without a `TrackedMsg` to speak of it is
/// an error that says to come back.
inline Fault nack(Duration retry_after = {}, std::string text = {}) {
  return {Fault::Kind::nack, 0, retry_after, {}, std::move(text)};
}
/// `Reject`. Without a `TrackedMsg` to speak of it is an error.
inline Fault reject(std::string text = {}) {
  return {Fault::Kind::reject, 0, {}, {}, std::move(text)};
}

// -- what goes wrong when a child is made ---------------------------------------------

/// How one child comes into the world.
enum class Birth : std::uint8_t {
  healthy,        ///< nothing is wrong
  factory_throws, ///< no child: the factory throws
  no_actor,       ///< no child: the factory returns an invalid handle
  dies_at_birth,  ///< the child throws before it takes its first message
};

/// Renders a birth as plans write it: `healthy`, `factory_throws`, `no_actor`, `dies_at_birth`.
BACKOFF_ACTOR_EXPORT std::string to_string(Birth birth);

/// How children come into the world, one after the other.
using BirthPlan = BasicFaultPlan<Birth>;

extern template class BACKOFF_ACTOR_EXPORT BasicFaultPlan<Birth>;

} // namespace backoff_actor::testing
