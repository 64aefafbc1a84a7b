#include "journal.hpp"

#include "backoff_actor/core/event/severity.hpp"

#include <cstdio>
#include <utility>

namespace supervised_service {

backoff_actor::SupervisorEventHook Journal::hook() {
  return [this](const backoff_actor::SupervisorEvent& event) { write(to_string(event)); };
}

backoff_actor::EventHook Journal::hook_of_sender() {
  return [this](const backoff_actor::Event& event) {
    if (severity_of(event) >= backoff_actor::Severity::info)
      write(to_string(event));
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
