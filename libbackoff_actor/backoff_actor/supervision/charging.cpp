#include "backoff_actor/supervision/charging.hpp"

#include "backoff_actor/backoff/internal/text_parser.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"

// charging := 'every_failure' | 'by_evidence' [ '(' [ 'give_up_after' ( span | 'never' ) ] ')' ]

namespace backoff_actor {

namespace {

class ChargingParser : public detail::TextParser {
public:
  using TextParser::TextParser;

  Charging charging() {
    const std::string names = "a rule: by_evidence or every_failure";
    Charging result;
    const auto column = next_column();
    const auto rule = name(names);
    if (rule == "by_evidence")
      by_evidence(result);
    else if (rule == "every_failure")
      result = Charging::every_failure();
    else
      fail_at_name(names);
    if (!is_at_end())
      fail("the end");
    raise_if_any(check(result), column, take_columns());
    return result;
  }

private:
  void by_evidence(Charging& result) {
    const auto span = [&] {
      Duration bound{0};
      if (accept("never"))
        result.give_up_after.reset();
      else if (accept_span(bound))
        result.give_up_after = bound;
      else
        fail_at_span("a span such as 72h, or never");
    };
    arguments({{"give_up_after", "give_up_after", Form::other,
                detail::Argument::Other{"a span such as 72h, or never", {}, span}}});
  }
};

} // namespace

std::string_view to_string(Charging::Rule rule) {
  constexpr auto names = detail::enum_names<Charging::Rule>({"by_evidence", "every_failure"});
  return names.of(rule);
}

Problems check(const Charging& charging) {
  Problems problems;
  if (charging.give_up_after)
    detail::check_time(problems, "give_up_after", *charging.give_up_after);
  return problems;
}

std::string to_string(const Charging& charging) {
  std::string result{to_string(charging.rule)};
  if (charging.rule == Charging::Rule::every_failure)
    return result;
  return result + "(give_up_after "
         + (charging.give_up_after ? to_string(*charging.give_up_after) : "never") + ")";
}

Charging parse_charging(std::string_view text) { return ChargingParser{text}.charging(); }

} // namespace backoff_actor
