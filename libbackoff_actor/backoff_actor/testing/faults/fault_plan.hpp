#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/testing/faults/basic_fault_plan.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace backoff_actor::testing {

// -- what goes wrong with one message or call -----------------------------------------

/// What goes wrong with one message to a worker, or one call of a function.
struct Fault {
  /// The kinds of faults.
  enum class Kind : std::uint8_t {
    ok,               ///< nothing goes wrong
    slow,             ///< the normal outcome, but `delay` later
    silence,          ///< no answer; the worker lives, and takes the next message
    hang,             ///< no answer to this message or any later one, as if the work never ended
    crash,            ///< an exception with the text `text`
    stop,             ///< the worker stops normally, without an answer
    error,            ///< an error; the worker lives
    crash_like_error, ///< the error code of a crash, `caf::sec::runtime_error`; the worker lives
    nack,             ///< `Nack`: not now; the worker lives
    reject,           ///< `Reject`: never; the worker lives
  };

  /// The kind of fault.
  Kind kind = Kind::ok;

  /// Of `error`: the code that the service answers, such as 503; 0: none.
  std::uint32_t code = 0;

  /// Of `slow`: how much later; of `error` and `nack`: the retry-after, 0: none.
  Duration delay{0};

  /// Of `slow`: until then, the worker says that it works each time that this span has passed; 0:
  /// never.
  Duration working{0};

  /// Of `crash`, `error`, `nack` and `reject`: the text. Empty: see `message_of`. Of `slow`: the
  /// note of the worker, see `Working::note`; empty: none.
  std::string text{};

  /// Whether two faults are the same.
  friend bool operator==(const Fault&, const Fault&) = default;
};

/// Returns the text of the fault: its code and text, or, if it has neither, `Danger, High Voltage!`
/// for a crash, `no` for an error, `not now` for a nack, `never` for a reject.
BACKOFF_ACTOR_EXPORT std::string message_of(const Fault& fault);

/// Renders a fault as plans write it: `ok`, `slow(500ms)`, `slow(500ms, working 100ms)`,
/// `slow(500ms, working 100ms, "row 7")`, `silence`, `hang`, `crash`, `crash("no voltage")`,
/// `stop`, `error(503, "busy", retry_after 2s)`, `crash_like_error`,
/// `nack("not now", retry_after 2s)`, `reject("never")`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Fault& fault);

/// A plan for messages or calls. It reads the text that `to_string` writes. Optional arguments can
/// be left out, and `slow 500ms` needs no brackets.
using FaultPlan = BasicFaultPlan<Fault>;

extern template class BACKOFF_ACTOR_EXPORT BasicFaultPlan<Fault>;

/// Returns the same fault or plan `count` times.
///
/// @errors as `BasicFaultPlan::repeated`
inline FaultPlan times(std::uint64_t count, const FaultPlan& plan) {
  return FaultPlan::repeated(count, plan);
}

/// Nothing goes wrong.
inline Fault ok() { return {}; }
/// The normal outcome, but `delay` later. Until then, if the message comes from a sender, the
/// worker says that it works each time that the span `working` has passed, with this note.
inline Fault slow(Duration delay, Duration working = {}, std::string note = {}) {
  return {Fault::Kind::slow, 0, delay, working, std::move(note)};
}
/// No answer; the worker lives, and takes the next message.
inline Fault silence() { return {Fault::Kind::silence}; }
/// No answer to this message or any later one.
inline Fault hang() { return {Fault::Kind::hang}; }
/// An exception with the text `text`.
inline Fault crash(std::string text = {}) {
  return {Fault::Kind::crash, 0, {}, {}, std::move(text)};
}
/// A normal end without an answer.
inline Fault stop() { return {Fault::Kind::stop}; }
/// An error with the text `text`, and a retry-after unless that is 0.
inline Fault error(std::string text = {}, Duration retry_after = {}) {
  return {Fault::Kind::error, 0, retry_after, {}, std::move(text)};
}
/// An error with the code `code`, and a retry-after unless that is 0.
inline Fault error(std::uint32_t code, Duration retry_after = {}) {
  return {Fault::Kind::error, code, retry_after};
}
/// An error with the code of a crash; the worker lives.
inline Fault crash_like_error() { return {Fault::Kind::crash_like_error}; }
/// `Nack`, with a retry-after unless that is 0. If the message is no `TrackedMsg`, an error with
/// that retry-after.
inline Fault nack(Duration retry_after = {}, std::string text = {}) {
  return {Fault::Kind::nack, 0, retry_after, {}, std::move(text)};
}
/// `Reject`. If the message is no `TrackedMsg`, an error.
inline Fault reject(std::string text = {}) {
  return {Fault::Kind::reject, 0, {}, {}, std::move(text)};
}

// -- what goes wrong when a child is made ---------------------------------------------

/// What goes wrong at the start of one child.
enum class Birth : std::uint8_t {
  healthy,        ///< nothing goes wrong
  factory_throws, ///< no child: the factory throws
  no_actor,       ///< no child: the factory returns an invalid handle
  dies_at_birth,  ///< the child throws before it takes its first message
};

/// Renders a birth as plans write it: `healthy`, `factory_throws`, `no_actor`, `dies_at_birth`.
BACKOFF_ACTOR_EXPORT std::string to_string(Birth birth);

/// A plan for the starts of children.
using BirthPlan = BasicFaultPlan<Birth>;

extern template class BACKOFF_ACTOR_EXPORT BasicFaultPlan<Birth>;

} // namespace backoff_actor::testing
