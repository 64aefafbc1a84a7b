#pragma once

#include "backoff_actor/core/time.hpp"

#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::testing {

/// What a dangerous actor does with one message.
struct Act {
  enum class Kind {
    answer,           ///< answer with the message's own text
    answer_later,     ///< the same after `delay`, by a response promise
    crash,            ///< throw an exception that says `text`
    error,            ///< answer with an error and live; `text` is its context
    crash_like_error, ///< answer with the very error of a crash, `runtime_error`, and live
    silence,          ///< never answer, and live
    stop,             ///< stop normally without an answer
  };

  Kind kind = Kind::answer;
  Duration delay{0};
  std::string text{};
};

inline Act answer() { return {}; }
inline Act answer_later(Duration delay) { return {Act::Kind::answer_later, delay}; }
inline Act crash(std::string text = "Danger, High Voltage!") {
  return {Act::Kind::crash, {}, std::move(text)};
}
inline Act error(std::string text = "no") { return {Act::Kind::error, {}, std::move(text)}; }
inline Act crash_like_error() { return {Act::Kind::crash_like_error}; }
inline Act silence() { return {Act::Kind::silence}; }
inline Act stop() { return {Act::Kind::stop}; }

/// How one child comes into the world.
enum class Birth {
  healthy,
  factory_throws, ///< no child: the factory throws
  no_actor,       ///< no child: the factory returns an invalid handle
  dies_at_birth,  ///< the child throws before it takes its first message
};

/// What the children of one sender do, one after the other: births per incarnation, acts per
/// message whichever incarnation gets it. When a list has run out, births are healthy and acts
/// answer.
struct FaultScript {
  std::vector<Act> acts{};
  std::vector<Birth> births{};
};

/// Returns `count` times the same.
inline std::vector<Act> times(std::size_t count, const Act& act) {
  return std::vector<Act>(count, act);
}

} // namespace backoff_actor::testing
