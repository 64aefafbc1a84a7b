#include "backoff_actor/net/network_event.hpp"

#include "backoff_actor/core/event/internal/event_record.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"

namespace backoff_actor {

using Kind = NetworkEvent::Kind;

std::string_view to_string(Kind kind) {
  constexpr auto names = detail::enum_names<Kind>(
    {"listening", "open_to_anybody", "connected", "ended", "refused", "broken_off",
     "no_descriptors", "paused", "files_reread", "files_not_usable"});
  return names.of(kind);
}

Severity severity_of(Kind kind) {
  switch (kind) {
  case Kind::listening:
  case Kind::connected:
  case Kind::ended:
  case Kind::files_reread:
    return Severity::info;
  case Kind::open_to_anybody:
  case Kind::refused:
  case Kind::broken_off:
    return Severity::warning;
  case Kind::no_descriptors:
  case Kind::paused:
  case Kind::files_not_usable:
    break;
  }
  return Severity::error;
}

Severity severity_of(const NetworkEvent& event) { return severity_of(event.kind); }

std::string to_string(const NetworkEvent& event) {
  std::string result{to_string(event.kind)};
  if (!event.peer.empty())
    result.append(" ").append(event.peer);
  if (!event.subject.empty())
    result.append(" (").append(event.subject).append(")");
  if (!event.text.empty())
    result.append(": ").append(event.text);
  return result;
}

std::string line_of(const NetworkEvent& event, std::chrono::sys_time<Duration> at,
                    LogFormat format) {
  const auto severity = severity_of(event);
  if (format == LogFormat::text)
    return detail::head_of_line(severity, at) + "network: " + to_string(event);
  using detail::if_any;
  detail::EventRecord record{detail::EventRecord::Part::fields};
  record.is(severity, to_string(event.kind));
  record.has("peer", if_any(event.peer), "subject", if_any(event.subject), "text",
             if_any(event.text));
  return detail::line_of_record(record, at, format);
}

} // namespace backoff_actor
