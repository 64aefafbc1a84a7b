#include "backoff_actor/observe/log_line.hpp"

#include "backoff_actor/core/event/internal/event_record.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace backoff_actor {

namespace {

using detail::EventRecord;

// Renders a time as `2026-11-23T07:21:10.123456Z`.
std::string utc_text(std::chrono::sys_time<Duration> at) {
  using namespace std::chrono;
  const auto midnight = floor<days>(at);
  const year_month_day date{midnight};
  const hh_mm_ss time{floor<microseconds>(at - midnight)};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02ld:%02ld:%02ld.%06ldZ", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()}, long{time.hours().count()},
                long{time.minutes().count()}, long{time.seconds().count()},
                long{time.subseconds().count()});
  return text;
}

// A value of logfmt ends at a space.
bool needs_quotes(std::string_view text) {
  return text.empty() || std::ranges::any_of(text, [](unsigned char c) {
           return c <= ' ' || c == '"' || c == '=' || c == '\\' || c >= 0x7F;
         });
}

template <class AnyEvent>
std::string log_line_of(const AnyEvent& event, std::chrono::sys_time<Duration> at,
                        LogFormat format) {
  if (format != LogFormat::text)
    return detail::line_of_record(EventRecord{EventRecord::Part::fields, event}, at, format);
  return detail::head_of_line(severity_of(event), at) + to_string(event);
}

} // namespace

std::string detail::head_of_line(Severity severity, std::chrono::sys_time<Duration> at) {
  return utc_text(at).append(" ").append(to_string(severity)).append(" ");
}

std::string detail::line_of_record(const EventRecord& record, std::chrono::sys_time<Duration> at,
                                   LogFormat format) {
  const auto is_json = format == LogFormat::json;
  std::string result{is_json ? "{" : ""};
  const auto* separator = "";
  const auto add = [&](std::string_view key, std::string_view value, bool is_text) {
    result.append(std::exchange(separator, is_json ? "," : " "));
    if (is_json)
      result.append("\"").append(key).append("\":");
    else
      result.append(key).append("=");
    if (is_text && (is_json || needs_quotes(value)))
      result.append(json_string(value));
    else
      result.append(value);
  };
  add("ts", utc_text(at), true);
  add("level", to_string(record.severity()), true);
  add("event", record.name(), true);
  for (const auto& field : record.fields())
    add(field.key, field.value, field.is_text);
  return result.append(is_json ? "}" : "");
}

std::string_view to_string(LogFormat format) {
  constexpr auto names = detail::enum_names<LogFormat>({"text", "logfmt", "json"});
  return names.of(format);
}

std::string line_of(const Event& event, std::chrono::sys_time<Duration> at, LogFormat format) {
  return log_line_of(event, at, format);
}

std::string line_of(const SupervisorEvent& event, std::chrono::sys_time<Duration> at,
                    LogFormat format) {
  return log_line_of(event, at, format);
}

std::string event::line_of(const GuardEvent& event, std::chrono::sys_time<Duration> at,
                           LogFormat format) {
  return log_line_of(event, at, format);
}

std::string detail::line_of_left_out(std::uint64_t count, std::chrono::sys_time<Duration> at,
                                     LogFormat format) {
  if (format == LogFormat::text)
    return head_of_line(Severity::warning, at) + "log: lines left out: " + std::to_string(count);
  EventRecord record{EventRecord::Part::fields};
  record.is(Severity::warning, "lines_left_out");
  record.has("count", count);
  return line_of_record(record, at, format);
}

} // namespace backoff_actor
