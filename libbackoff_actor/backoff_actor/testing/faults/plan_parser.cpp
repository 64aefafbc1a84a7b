#include "backoff_actor/testing/faults/internal/plan_parser.hpp"

#include <charconv>

namespace backoff_actor::testing::detail {

std::uint64_t PlanTextParser::whole(std::uint64_t smallest, std::uint64_t largest) {
  const auto begin = position();
  const auto digits = number();
  std::uint64_t result = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, result);
  if (error == std::errc{} && last == end && result >= smallest && result <= largest)
    return result;
  go_to(begin);
  fail(std::string{"a whole number, "}
         .append(std::to_string(smallest))
         .append("..")
         .append(std::to_string(largest)));
}

bool PlanTextParser::is_at(std::string_view token) {
  const auto begin = position();
  const auto result = accept(token);
  go_to(begin);
  return result;
}

std::string PlanTextParser::quoted() {
  if (!accept("\""))
    fail("a text such as \"no voltage\"");
  std::string result;
  for (auto next = character(); next != '"'; next = character()) {
    if (next == '\\')
      next = character();
    if (!next)
      fail("'\"'");
    result += *next;
  }
  return result;
}

PlanTextParser::Argument PlanTextParser::text_argument(std::string& target) {
  return {"text", "", Form::other,
          Other{"a text such as \"no voltage\"", [this] { return is_at_quote(); },
                [&] { target = quoted(); }}};
}

} // namespace backoff_actor::testing::detail
