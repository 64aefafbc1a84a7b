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
    silence,          ///< never answer, and live
    stop,             ///< stop normally without an answer
  };

  Kind kind = Kind::answer; ///< which of the ways
  Duration delay{0};        ///< of `answer_later`
  std::string text{};       ///< of `crash` and `error`
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
