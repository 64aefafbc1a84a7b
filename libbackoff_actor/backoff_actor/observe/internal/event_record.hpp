#pragma once

// An event as a name and fields, which every format of a log line is made of.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/observe/log_line.hpp"
#include "backoff_actor/observe/severity.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::detail {

/// One part of an event.
struct EventField {
  std::string_view key; ///< letters and underscores; a span of time ends in `_s`
  std::string value;    ///< a number, `true` or `false`; or any text
  bool is_text;         ///< whether it is any text
};

/// An event, taken apart.
class BACKOFF_ACTOR_EXPORT EventRecord {
public:
  /// Begins with the name of the event, such as `child_down`.
  explicit EventRecord(std::string_view name) : name_(name) {}

  /// Adds a part, and returns this.
  /// @{
  EventRecord& text(std::string_view key, std::string_view value);
  EventRecord& number(std::string_view key, std::uint64_t value);
  EventRecord& flag(std::string_view key, bool value);
  EventRecord& seconds(std::string_view key, Duration value);
  EventRecord& cause(const Cause& value);
  /// @}

  /// Adds in front whose event it is: its kind under this key, and its number; nothing without a
  /// kind.
  void set_owner(std::string_view key, const ActorName& name);

  std::string_view name() const { return name_; }
  const std::vector<EventField>& fields() const { return fields_; }

private:
  std::string_view name_;
  std::vector<EventField> fields_;
};

/// Returns what an event consists of, without its time.
/// @{
EventRecord record_of(const Event& event);
EventRecord record_of(const SupervisorEvent& event);
EventRecord record_of(const GuardEvent& event);
/// @}

/// Renders the head of a line that is for people: time and severity.
BACKOFF_ACTOR_EXPORT std::string head_of_line(Severity severity,
                                              std::chrono::sys_time<Duration> at);

/// Renders a line of parts, as logfmt or as JSON.
BACKOFF_ACTOR_EXPORT std::string line_of_record(const EventRecord& record, Severity severity,
                                                std::chrono::sys_time<Duration> at,
                                                LogFormat format);

} // namespace backoff_actor::detail
