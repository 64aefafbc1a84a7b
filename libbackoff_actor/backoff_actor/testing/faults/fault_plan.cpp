#include "backoff_actor/testing/faults/fault_plan.hpp"

#include "backoff_actor/testing/faults/internal/basic_fault_plan_parts.hpp"
#include "backoff_actor/testing/faults/internal/plan_parser.hpp"

#include <array>
#include <string_view>

namespace backoff_actor::testing {

namespace {

using Kind = Fault::Kind;

struct KindName {
  Kind kind;
  std::string_view name;
  std::string_view says; // the default text
};

constexpr std::array<KindName, 10> kinds{{
  {Kind::ok, "ok", ""},
  {Kind::slow, "slow", ""},
  {Kind::silence, "silence", ""},
  {Kind::hang, "hang", ""},
  {Kind::crash, "crash", "Danger, High Voltage!"},
  {Kind::stop, "stop", ""},
  {Kind::error, "error", "no"},
  {Kind::crash_like_error, "crash_like_error", ""},
  {Kind::nack, "nack", "not now"},
  {Kind::reject, "reject", "never"},
}};

const KindName& row_of(Kind kind) { return kinds.at(static_cast<std::size_t>(kind)); }

constexpr std::array<std::string_view, 4> births{
  {"healthy", "factory_throws", "no_actor", "dies_at_birth"}};

std::string quoted(const std::string& text) {
  std::string result{"\""};
  for (const auto c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

} // namespace

std::string message_of(const Fault& fault) {
  auto result = fault.code == 0 ? std::string{} : std::to_string(fault.code);
  if (!fault.text.empty())
    result.append(result.empty() ? "" : " ").append(fault.text);
  return result.empty() ? std::string{row_of(fault.kind).says} : result;
}

std::string to_string(const Fault& fault) {
  std::string arguments;
  const auto add = [&](const std::string& argument) {
    arguments.append(arguments.empty() ? "" : ", ").append(argument);
  };
  if (fault.code != 0)
    add(std::to_string(fault.code));
  if (!fault.text.empty() && fault.kind != Kind::slow)
    add(quoted(fault.text));
  if (fault.kind == Kind::slow)
    add(backoff_actor::to_string(fault.delay));
  else if (fault.delay != Duration::zero())
    add(std::string{"retry_after "}.append(backoff_actor::to_string(fault.delay)));
  if (fault.working != Duration::zero())
    add(std::string{"working "}.append(backoff_actor::to_string(fault.working)));
  if (!fault.text.empty() && fault.kind == Kind::slow)
    add(quoted(fault.text));
  std::string result{row_of(fault.kind).name};
  return arguments.empty() ? result : result.append("(").append(arguments).append(")");
}

std::string to_string(Birth birth) {
  return std::string{births.at(static_cast<std::size_t>(birth))};
}

namespace detail {

template <>
Fault PlanParser<Fault>::fault() {
  const std::string names =
    "a fault: ok, slow, silence, hang, crash, stop, error, crash_like_error, nack, reject or "
    "random(...)";
  const auto name = this->name(names);
  Fault result;
  auto is_known = false;
  for (const auto& row : kinds)
    if (row.name == name) {
      is_known = true;
      result.kind = row.kind;
    }
  if (!is_known)
    fail_at_name(names);
  const auto retry_after = Argument{"retry_after", "retry_after", Form::span, &result.delay};
  switch (result.kind) {
  case Kind::slow: {
    const auto column = next_column();
    if (is_at_bracket())
      arguments({{"delay", "", Form::span, &result.delay, true},
                 {"working", "working", Form::span, &result.working},
                 text_argument(result.text)});
    else if (!accept_span(result.delay))
      fail_at_span("a span such as 500ms");
    if (!result.text.empty() && result.working == Duration::zero())
      refuse(column, "a note that is never said", "one with working: (3s, working 1s, \"row 7\")");
    break;
  }
  case Kind::error:
    arguments({{"code", "", Form::other,
                Other{"a number such as 503", [this] { return is_at_digit(); },
                      [&] { result.code = static_cast<std::uint32_t>(whole(1, 999'999)); }}},
               text_argument(result.text),
               retry_after});
    break;
  case Kind::nack:
    arguments({text_argument(result.text), retry_after});
    break;
  case Kind::crash:
  case Kind::reject:
    arguments({text_argument(result.text)});
    break;
  case Kind::ok:
  case Kind::silence:
  case Kind::hang:
  case Kind::stop:
  case Kind::crash_like_error:
    break;
  }
  take_columns();
  return result;
}

template <>
Birth PlanParser<Birth>::fault() {
  const std::string names =
    "a birth: healthy, factory_throws, no_actor, dies_at_birth or random(...)";
  const auto name = this->name(names);
  for (std::size_t i = 0; i != births.size(); ++i)
    if (births.at(i) == name)
      return static_cast<Birth>(i);
  fail_at_name(names);
}

} // namespace detail

template class BasicFaultPlan<Fault>;
template class BasicFaultPlan<Birth>;

} // namespace backoff_actor::testing
