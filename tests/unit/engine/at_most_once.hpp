#pragma once

#include "engine_driver.hpp"

#include <utility>

namespace backoff_actor::engine_test {

/// Options of a sender that forwards and forgets.
inline EngineOptions at_most_once(EngineOptions options = {}) {
  options.guarantee = Guarantee::at_most_once;
  return options;
}

/// The same, with children that are made after the delay, as in Akka.
inline EngineOptions akkas(EngineOptions options = {}) {
  options.restart = RestartTiming::at_tick;
  return at_most_once(std::move(options));
}

/// How a sender stands now.
inline SenderStatus status(const EngineDriver& sender) { return sender.engine->status(sender.now); }

} // namespace backoff_actor::engine_test
