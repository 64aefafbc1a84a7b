#include "backoff_actor/net/network_event.hpp"

#include "backoff_actor/core/event/internal/event_record.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace backoff_actor {

using detail::EventRecord;

void detail::describe(const NetworkEvent& event, EventRecord& record) {
  using Kind = NetworkEvent::Kind;
  using enum Severity;
  struct Description {
    Severity severity;
    std::string_view name;
  };
  static constexpr Description kinds[] = {{info, "listening"},       {warning, "open_to_anybody"},
                                          {info, "connected"},       {info, "ended"},
                                          {warning, "refused"},      {warning, "broken_off"},
                                          {error, "no_descriptors"}, {error, "paused"},
                                          {info, "files_reread"},    {error, "files_not_usable"},
                                          {error, "unknown"}};
  constexpr auto count = std::size(kinds) - 1;
  static_assert(name_in_source<Kind{count}>().empty(), "each kind is described, in order");
  const auto [severity, name] = kinds[std::min(static_cast<std::size_t>(event.kind), count)];
  record.is(severity, name, name);
  if (!event.peer.empty())
    record.says(" ", event.peer);
  if (!event.subject.empty())
    record.says(" (", event.subject, ")");
  if (!event.text.empty())
    record.says(": ", event.text);
  record.has("peer", if_any(event.peer), "subject", if_any(event.subject), "text",
             if_any(event.text));
}

Severity severity_of(const NetworkEvent& event) {
  return EventRecord{EventRecord::Part::severity, event}.severity();
}

std::string to_string(const NetworkEvent& event) {
  return EventRecord{EventRecord::Part::text, event}.text();
}

std::string line_of(const NetworkEvent& event, std::chrono::sys_time<Duration> at,
                    LogFormat format) {
  if (format != LogFormat::text)
    return detail::line_of_record(EventRecord{EventRecord::Part::fields, event}, at, format);
  return detail::head_of_line(severity_of(event), at) + "network: " + to_string(event);
}

} // namespace backoff_actor
