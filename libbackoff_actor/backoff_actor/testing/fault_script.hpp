#pragma once

#include "backoff_actor/core/time.hpp"

#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::testing {

/// What a dangerous actor does with one message.
struct Act {
  /// The ways to take a message.
  enum class Kind {
    answer,           ///< answer with the message's own text
    answer_later,     ///< the same after `delay`, by a response promise
    crash,            ///< throw an exception that says `text`
    error,            ///< answer with an error and live; `text` is its context
    crash_like_error, ///< answer with the very error of a crash, `runtime_error`, and live
    busy,             ///< answer with an error that says to come back after `delay`, and live
    nack,             ///< say `Nack`, with `delay` as the time to come back, and live
    reject,           ///< say `Reject`, and live
    silence,          ///< never answer, and live: this is how a child hangs
    stop,             ///< stop normally without an answer
  };

  Kind kind = Kind::answer; ///< which of the ways
  Duration delay{0};        ///< of `answer_later`, `busy` and `nack`
  std::string text{};       ///< of `crash`, `error`, `busy`, `nack` and `reject`
  Duration interval{0};     ///< of `answer_later`: say `Working` this often until then; 0: do not
};

/// Answers with the message's own text.
inline Act answer() { return {}; }
/// Answers with the message's own text after `delay`, by a response promise.
inline Act answer_later(Duration delay) { return {Act::Kind::answer_later, delay}; }
/// Throws an exception that says `text`.
inline Act crash(std::string text = "Danger, High Voltage!") {
  return {Act::Kind::crash, {}, std::move(text)};
}
/// Answers with `caf::sec::invalid_argument`, its context `text`, and lives.
inline Act error(std::string text = "no") { return {Act::Kind::error, {}, std::move(text)}; }
/// Answers with the very error of a crash, and lives.
inline Act crash_like_error() { return {Act::Kind::crash_like_error}; }
/// Answers with `caf::sec::invalid_argument` that says to come back after `span`, and lives.
inline Act busy(Duration span, std::string text = "busy") {
  return {Act::Kind::busy, span, std::move(text)};
}
/// Says `Nack` with `caf::sec::invalid_argument`, its context `text`, and lives. `span` is when to
/// come back; 0: it does not say. Without a `TrackedMsg` to speak of it is `busy`.
inline Act nack(Duration span = Duration{0}, std::string text = "not now") {
  return {Act::Kind::nack, span, std::move(text)};
}
/// Says `Reject` with `caf::sec::invalid_argument`, its context `text`, and lives. Without a
/// `TrackedMsg` to speak of it is `error`.
inline Act reject(std::string text = "never") { return {Act::Kind::reject, {}, std::move(text)}; }
/// Answers with the message's own text after `delay`, and until then says `Working` after every
/// `interval`, if it has a `TrackedMsg` to speak of.
inline Act work(Duration delay, Duration interval) {
  return {Act::Kind::answer_later, delay, {}, interval};
}
/// Never answers, and lives.
inline Act silence() { return {Act::Kind::silence}; }
/// Stops normally without an answer.
inline Act stop() { return {Act::Kind::stop}; }

/// How one child comes into the world.
enum class Birth {
  healthy,        ///< nothing is wrong
  factory_throws, ///< no child: the factory throws
  no_actor,       ///< no child: the factory returns an invalid handle
  dies_at_birth,  ///< the child throws before it takes its first message
};

/// What the children of one sender do, one after the other: births per incarnation, acts per
/// message whichever incarnation gets it. When a list has run out, births are healthy and acts
/// answer.
struct FaultScript {
  std::vector<Act> acts{};     ///< the n-th is for the n-th message that any child is given
  std::vector<Birth> births{}; ///< the n-th is for the n-th call of the factory
};

/// Returns `count` times the same act, for a script.
inline std::vector<Act> times(std::size_t count, const Act& act) {
  return std::vector<Act>(count, act);
}

} // namespace backoff_actor::testing
