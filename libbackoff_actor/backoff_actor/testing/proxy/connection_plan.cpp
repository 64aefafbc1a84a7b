#include "backoff_actor/testing/proxy/connection_plan.hpp"

#include "backoff_actor/testing/faults/internal/basic_fault_plan_parts.hpp"
#include "backoff_actor/testing/faults/internal/plan_parser.hpp"

#include <array>
#include <limits>
#include <string_view>

namespace backoff_actor::testing {

namespace {

using ConnectionKind = ConnectionFault::Kind;

constexpr std::array<std::string_view, 5> connection_kinds{
  {"ok", "refuse", "drop", "cut", "corrupt"}};

constexpr std::string_view slow_name = "slow";

} // namespace

std::string to_string(const ConnectionFault& fault) {
  const auto delay = backoff_actor::to_string(fault.delay);
  const auto is_slow = fault.delay > Duration::zero();
  std::string arguments;
  switch (fault.kind) {
  case ConnectionKind::ok:
    return is_slow ? std::string{slow_name}.append("(").append(delay).append(")") : "ok";
  case ConnectionKind::refuse:
  case ConnectionKind::drop:
    return std::string{connection_kinds.at(static_cast<std::size_t>(fault.kind))};
  case ConnectionKind::cut:
    if (fault.time > Duration::zero())
      arguments.append("after ").append(backoff_actor::to_string(fault.time));
    else if (fault.bytes != 0)
      arguments.append("after ").append(std::to_string(fault.bytes));
    break;
  case ConnectionKind::corrupt:
    if (fault.bytes != 1)
      arguments.append("every ").append(std::to_string(fault.bytes));
    break;
  }
  if (is_slow)
    arguments.append(arguments.empty() ? "slow " : ", slow ").append(delay);
  std::string result{connection_kinds.at(static_cast<std::size_t>(fault.kind))};
  return arguments.empty() ? result : result.append("(").append(arguments).append(")");
}

namespace detail {

template <>
ConnectionFault PlanParser<ConnectionFault>::fault() {
  const std::string names =
    "what becomes of a connection: ok, slow, refuse, drop, cut, corrupt or random(...)";
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const auto name = this->name(names);
  ConnectionFault result;
  const auto delay = Argument{"delay", slow_name, Form::span, &result.delay};
  if (name == slow_name) {
    next_column();
    if (is_at_bracket())
      arguments({{"delay", "", Form::span, &result.delay, true}});
    else if (!accept_span(result.delay))
      fail_at_span("a span such as 50ms");
  } else if (name == "refuse") {
    result.kind = ConnectionKind::refuse;
  } else if (name == "drop") {
    result.kind = ConnectionKind::drop;
  } else if (name == "cut") {
    result.kind = ConnectionKind::cut;
    const auto read = [&] {
      const auto begin = position();
      if (!accept_span(result.time)) {
        result.bytes = whole(1, most);
      } else if (result.time == Duration::zero()) {
        go_to(begin);
        fail("a span above 0");
      }
    };
    arguments({{"after", "after", Form::other,
                Other{"a number of bytes or a span, such as 100 or 2s", {}, read}},
               delay});
  } else if (name == "corrupt") {
    result = ConnectionFault::corrupt_every(1);
    arguments({{"every", "every", Form::other,
                Other{"a number of bytes such as 100", {}, [&] { result.bytes = whole(1, most); }}},
               delay});
  } else if (name != "ok") {
    fail_at_name(names);
  }
  take_columns();
  return result;
}

} // namespace detail

template class BasicFaultPlan<ConnectionFault>;

} // namespace backoff_actor::testing
