#include "backoff_actor/core/event/internal/event_record.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <cstdlib>
#include <utility>

namespace backoff_actor::detail {

namespace {

// Returns a span as a decimal number of seconds, without zeros at its end.
std::string seconds_text(Duration span) {
  constexpr std::int64_t second = 1'000'000'000;
  const auto [whole, rest] = std::lldiv(span.count(), second);
  std::string result{span.count() < 0 ? "-" : ""};
  result += std::to_string(std::abs(whole));
  if (rest != 0) {
    auto digits = std::to_string(std::abs(rest));
    digits.insert(0, 9 - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    result.append(".").append(digits);
  }
  return result;
}

struct AddToText {
  std::string& to;

  void operator()(std::monostate) const {}
  void operator()(std::string_view text) const { to += text; }
  void operator()(std::uint64_t number) const { to += std::to_string(number); }
  void operator()(bool flag) const { to += flag ? "true" : "false"; }
  void operator()(Duration span) const { to += to_string(span); }
  void operator()(const Cause& cause) const {
    if (!cause.text.empty())
      to.append(": ").append(cause.text);
  }
};

struct AddToFields {
  std::vector<EventField>& to;
  std::string_view key;

  void operator()(std::monostate) const {}
  void operator()(std::string_view text) const { add(std::string{text}, true); }
  void operator()(std::uint64_t number) const { add(std::to_string(number)); }
  void operator()(bool flag) const { add(flag ? "true" : "false"); }
  void operator()(Duration span) const { add(seconds_text(span)); }
  void operator()(const Cause& cause) const {
    if (cause.is_error() || !cause.text.empty())
      add(cause.text, true);
  }

private:
  void add(std::string value, bool is_text = false) const {
    to.push_back({key, std::move(value), is_text});
  }
};

} // namespace

std::string EventRecord::text() const { return one_line(text_); }

void EventRecord::add_text(std::initializer_list<EventValue> values) {
  for (const auto& value : values)
    std::visit(AddToText{text_}, value);
}

void EventRecord::add_fields(std::initializer_list<EventValue> keys_and_values) {
  for (auto at = keys_and_values.begin(); at != keys_and_values.end(); at += 2)
    std::visit(AddToFields{fields_, std::get<std::string_view>(at[0])}, at[1]);
}

} // namespace backoff_actor::detail
