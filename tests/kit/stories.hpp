#pragma once

#include <backoff_actor/testing/record/event_log.hpp>

#include <chrono>

namespace backoff_actor::kit_test {

using namespace std::chrono_literals;

inline Instant at(Duration span) { return Instant{span}; }

/// A log whose hook was told of one crash, by a sender with or without a name: the first delivery
/// reaches the second child and is acknowledged 10 ms after the crash.
inline testing::EventLog one_crash(const std::string& sender = {}) {
  const testing::EventLog log;
  const auto tell = log.hook(sender);
  tell(event::ChildStarted{at(5s), 1});
  tell(event::Accepted{at(5s), 1});
  tell(event::HandedOver{at(5s), 1, 1, false});
  tell(event::ChildDown{at(5s), 1, {7, "High Voltage"}, true});
  tell(event::ChildStarted{at(5s), 2});
  tell(event::DelayEnded{at(5010ms)});
  tell(event::HandedOver{at(5010ms), 1, 2, true});
  tell(event::Acknowledged{at(5012ms), 1, 2, 1, 12ms});
  return log;
}

} // namespace backoff_actor::kit_test
