#pragma once

// What an event is. Each type of event is described once, in the source file of its header: from
// that come its severity, its text and its lines of a log.

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/event/severity.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace backoff_actor::detail {

/// A part of the text of an event, or a field of it; nothing: it is left out. A cause is `: ` and
/// its text in a text, and left out in both if there is none.
using EventValue = std::variant<std::monostate, std::string_view, std::uint64_t, bool, Duration,
                                std::reference_wrapper<const Cause>>;

/// Returns the value; nothing if it is 0 or empty.
/// @{
inline EventValue if_any(std::uint64_t number) {
  return number == 0 ? EventValue{} : EventValue{number};
}
inline EventValue if_any(std::string_view text) {
  return text.empty() ? EventValue{} : EventValue{text};
}
/// @}

/// One field of an event.
struct EventField {
  std::string_view key; ///< letters and underscores; a span of time ends in `_s`
  std::string value;    ///< a number, `true` or `false`; or any text
  bool is_text;         ///< whether it is any text
};

/// An event, taken apart, without its time. Only what is asked for is made.
class BACKOFF_ACTOR_EXPORT EventRecord {
public:
  /// What is made, besides severity and name.
  enum class Part : std::uint8_t { severity, text, fields };

  /// Is of no event yet.
  explicit EventRecord(Part wanted) : wanted_(wanted) {}

  /// Is of an event, as `describe(event, record)` says.
  template <class AnyEvent>
  EventRecord(Part wanted, const AnyEvent& event) : wanted_(wanted) {
    describe(event, *this);
  }

  /// Says how much attention it needs, its name such as `child_down`, and the beginning of its
  /// text. Of each value, see `EventValue`.
  template <class... Values>
  void is(Severity severity, std::string_view name, const Values&... text) {
    severity_ = severity;
    name_ = name;
    says(text...);
  }

  /// Adds to the text.
  template <class... Values>
  void says(const Values&... text) {
    if (wanted_ == Part::text)
      add_text({EventValue{text}...});
  }

  /// Adds fields: key, value, key, value and so on.
  template <class... Values>
  void has(const Values&... keys_and_values) {
    static_assert(sizeof...(keys_and_values) % 2 == 0, "each key has a value");
    if (wanted_ == Part::fields)
      add_fields({EventValue{keys_and_values}...});
  }

  /// Adds whose event it is, as fields: its kind under this key, and its number; nothing without a
  /// kind.
  void has_owner(std::string_view key, std::string_view kind, std::uint64_t number) {
    has(key, if_any(kind), "instance", if_any(kind.empty() ? 0 : number));
  }

  Severity severity() const { return severity_; }
  std::string_view name() const { return name_; }
  std::string text() const; ///< one line
  const std::vector<EventField>& fields() const { return fields_; }

private:
  void add_text(std::initializer_list<EventValue> values);
  void add_fields(std::initializer_list<EventValue> keys_and_values);

  Part wanted_;
  Severity severity_ = Severity::debug;
  std::string_view name_;
  std::string text_;
  std::vector<EventField> fields_;
};

} // namespace backoff_actor::detail
