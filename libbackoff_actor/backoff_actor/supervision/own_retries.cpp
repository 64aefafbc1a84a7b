#include "backoff_actor/supervision/own_retries.hpp"

#include "backoff_actor/backoff/internal/text_parser.hpp"
#include "backoff_actor/core/text/internal/context_line.hpp"

#include <algorithm>

// own_retries := [ part { ',' part } ]
// part := 'max_attempts' whole | 'backoff' policy

namespace backoff_actor {

namespace {

constexpr std::string_view name_of_retries = "retries: ";

constexpr std::uint32_t most_attempts = 1'000'000'000;

class OwnRetriesParser : public detail::PolicyParser {
public:
  using PolicyParser::PolicyParser;

  OwnRetries own_retries() {
    OwnRetries result;
    if (is_at_end())
      return result;
    do
      part(result);
    while (accept(","));
    if (!is_at_end())
      fail("a comma or the end");
    return result;
  }

private:
  void part(OwnRetries& result) {
    if (!result.max_attempts && accept("max_attempts"))
      return max_attempts(result);
    if (!result.backoff && accept("backoff")) {
      result.backoff = policy(Extent::part);
      return;
    }
    fail(result.max_attempts ? "backoff POLICY"
         : result.backoff    ? "max_attempts N"
                             : "max_attempts N or backoff POLICY");
  }

  void max_attempts(OwnRetries& result) {
    const auto column = next_column();
    int count = 0;
    if (!accept_whole(count))
      fail("a whole number from 1 to 1000000000");
    result.max_attempts = static_cast<std::uint32_t>(count);
    raise_if_any(check(result), column, take_columns());
  }
};

} // namespace

Problems check(const OwnRetries& retries) {
  Problems problems;
  if (retries.max_attempts && (*retries.max_attempts < 1 || *retries.max_attempts > most_attempts))
    problems.add("max_attempts", std::to_string(*retries.max_attempts), "1..1000000000");
  return problems;
}

std::string to_string(const OwnRetries& retries) {
  std::string result;
  if (retries.max_attempts)
    result = "max_attempts " + std::to_string(*retries.max_attempts);
  if (retries.backoff)
    result += (result.empty() ? "backoff " : ", backoff ") + to_string(*retries.backoff);
  return result;
}

OwnRetries parse_own_retries(std::string_view text) { return OwnRetriesParser{text}.own_retries(); }

std::string context_of(const OwnRetries& retries) {
  const auto text = to_string(retries);
  return text.empty() ? text : std::string{name_of_retries} + text;
}

std::string_view retries_in(std::string_view context) {
  return detail::value_in(context, name_of_retries);
}

} // namespace backoff_actor
