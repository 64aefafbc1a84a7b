#include "journal.hpp"

#include <cstdio>
#include <utility>
#include <variant>

namespace supervised_service {

namespace {

namespace event = backoff_actor::event;

bool is_news(const backoff_actor::Event& event) {
  return std::holds_alternative<event::ChildStarted>(event)
         || std::holds_alternative<event::ChildDown>(event)
         || std::holds_alternative<event::StartFailed>(event)
         || std::holds_alternative<event::AckTimedOut>(event)
         || std::holds_alternative<event::ChildOverdue>(event)
         || std::holds_alternative<event::DeadLettered>(event);
}

} // namespace

backoff_actor::SupervisorEventHook Journal::hook_of(const std::string& supervisor) {
  return [this, supervisor](const backoff_actor::SupervisorEvent& event) {
    write(supervisor + ": " + to_string(event));
  };
}

backoff_actor::EventHook Journal::hook_of_sender(const std::string& sender) {
  return [this, sender](const backoff_actor::Event& event) {
    if (is_news(event))
      write(sender + ": " + to_string(event));
  };
}

std::vector<std::string> Journal::take() {
  const std::lock_guard lock{mutex_};
  return std::exchange(lines_, {});
}

void Journal::write(const std::string& line) {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
  char time[32];
  std::snprintf(time, sizeof time, "%8.3f  ", since.count());
  const std::lock_guard lock{mutex_};
  lines_.push_back(time + line);
}

} // namespace supervised_service
