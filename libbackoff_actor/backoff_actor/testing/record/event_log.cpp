#include "backoff_actor/testing/record/event_log.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <ostream>
#include <utility>

namespace backoff_actor::testing {

struct EventLog::State {
  explicit State(std::size_t most) : limit(most) {}

  void add(LogEntry entry) {
    const std::lock_guard lock{mutex};
    if (!origin)
      origin = entry.at;
    if (entries.size() == limit) {
      entries.pop_front();
      ++forgotten;
    }
    entries.push_back(std::move(entry));
  }

  const std::size_t limit;
  std::mutex mutex;
  std::deque<LogEntry> entries;
  std::uint64_t forgotten = 0;
  std::uint64_t shown = 0;       // how many entries were shown, forgotten ones included
  std::optional<Instant> origin; // the time of the first entry ever
};

namespace {

// Pads all texts with spaces to the length of the longest.
void align(std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const auto& text : texts)
    width = std::max(width, text.size());
  for (auto& text : texts)
    text.resize(width, ' ');
}

} // namespace

std::string to_string(const LogEntry& entry) {
  using backoff_actor::detail::one_line;
  if (const auto* note = std::get_if<std::string>(&entry.what))
    return one_line("(" + *note + ")");
  const auto event = entry.event() ? text_of(*entry.event()) : text_of(*entry.supervisor_event());
  return entry.sender.empty() ? event : one_line(entry.sender) + ": " + event;
}

EventLog::EventLog() : EventLog(all_lines) {}

EventLog::EventLog(std::size_t limit) : state_(std::make_shared<State>(limit)) {}

EventLog EventLog::keeping_last(std::size_t count) {
  Problems problems;
  if (count == 0)
    problems.add("count", "0", "1 and above");
  problems.raise_if_any();
  return EventLog{count};
}

EventHook EventLog::hook(std::string sender) const {
  return [state = state_, sender = std::move(sender)](const Event& event) {
    state->add({time_of(event), sender, event});
  };
}

SupervisorEventHook EventLog::supervisor_hook(std::string supervisor) const {
  return [state = state_, supervisor = std::move(supervisor)](const SupervisorEvent& event) {
    state->add({time_of(event), supervisor, event});
  };
}

void EventLog::note(Instant at, std::string text) const { state_->add({at, {}, std::move(text)}); }

std::vector<LogEntry> EventLog::entries() const {
  const std::lock_guard lock{state_->mutex};
  return {state_->entries.begin(), state_->entries.end()};
}

std::vector<Event> EventLog::events() const {
  std::vector<Event> result;
  for_each([&result](const LogEntry& entry) {
    if (entry.event())
      result.push_back(*entry.event());
  });
  return result;
}

void EventLog::for_each(const std::function<void(const LogEntry&)>& visit) const {
  const std::lock_guard lock{state_->mutex};
  for (const auto& entry : state_->entries)
    visit(entry);
}

std::uint64_t EventLog::forgotten() const {
  const std::lock_guard lock{state_->mutex};
  return state_->forgotten;
}

EventLog EventLog::of(const std::string& sender) const {
  auto result = snapshot();
  std::erase_if(result.state_->entries, [&sender](const auto& x) {
    return !std::holds_alternative<std::string>(x.what) && x.sender != sender;
  });
  return result;
}

EventLog EventLog::snapshot() const {
  EventLog result;
  const std::lock_guard lock{state_->mutex};
  result.state_->entries = state_->entries;
  result.state_->forgotten = state_->forgotten;
  result.state_->origin = state_->origin;
  return result;
}

std::string EventLog::timeline(std::size_t last, const std::vector<std::size_t>& marked) const {
  const std::lock_guard lock{state_->mutex};
  const auto& entries = state_->entries;
  const auto first = entries.size() - std::min(last, entries.size());
  std::vector<std::string> times;
  for (auto i = first; i < entries.size(); ++i)
    times.emplace_back("+").append(to_string(entries[i].at - *state_->origin));
  align(times);

  std::string result;
  if (const auto left_out = state_->forgotten + first; left_out > 0)
    result.append("... ")
      .append(std::to_string(left_out))
      .append(left_out == 1 ? " earlier line left out\n" : " earlier lines left out\n");
  for (auto i = first; i < entries.size(); ++i) {
    if (!marked.empty())
      result.append(std::binary_search(marked.begin(), marked.end(), i) ? "> " : "  ");
    result.append(times[i - first]).append("  ").append(to_string(entries[i])).append("\n");
  }
  return result;
}

Duration EventLog::since_start(Instant at) const {
  const std::lock_guard lock{state_->mutex};
  return state_->origin ? at - *state_->origin : Duration::zero();
}

void EventLog::set_shown() const {
  const std::lock_guard lock{state_->mutex};
  state_->shown = state_->forgotten + state_->entries.size();
}

bool EventLog::is_shown() const {
  const std::lock_guard lock{state_->mutex};
  return state_->shown == state_->forgotten + state_->entries.size();
}

std::ostream& operator<<(std::ostream& out, const EventLog& log) {
  const auto count = log.forgotten() + log.entries().size();
  return out << "a log of " << count << (count == 1 ? " entry" : " entries");
}

} // namespace backoff_actor::testing
