#pragma once

// Inside of the fault plans; not for their users. The text form:
//
// plan := [ part { ',' part } ]
// part := ( fault | '(' plan ')' | random ) [ '*' count | '...' ]
// random := 'random' '(' [ 'seed' number ] { ',' fault percentage } ')'
//
// `...` can only come at the end. Each kind of fault has its own text form.

#include "backoff_actor/backoff/internal/text_parser.hpp"
#include "backoff_actor/testing/faults/basic_fault_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::testing::detail {

// The part of the parser that is the same for all plans, and knows no faults.
class BACKOFF_ACTOR_HIDDEN PlanTextParser : public backoff_actor::detail::TextParser {
protected:
  using TextParser::TextParser;
  using Argument = backoff_actor::detail::Argument;
  using Other = Argument::Other;

  // Reads a whole number, or fails.
  std::uint64_t whole(std::uint64_t smallest, std::uint64_t largest);

  // Reads a text in quotation marks, or fails. A `\` in the text stands before each quotation mark
  // and each `\`.
  std::string quoted();
  bool is_at_quote() { return is_at("\""); }
  bool is_at_bracket() { return is_at("("); }

  // An argument that is a text in quotation marks.
  Argument text_argument(std::string& target);

private:
  bool is_at(std::string_view token);
};

template <class F>
class BACKOFF_ACTOR_HIDDEN PlanParser : public PlanTextParser {
public:
  using PlanTextParser::PlanTextParser;

  BasicFaultPlan<F> whole_text() {
    BasicFaultPlan<F> result;
    if (!is_at_end())
      result.parts_ = plan(0);
    if (!is_at_end())
      fail(Plan::end_of(result.parts_) == Plan::for_ever
             ? "the end, for what is before never ends"
             : "',' and another fault, '*' and a number of times, '...', or the end");
    return result;
  }

private:
  using Plan = BasicFaultPlan<F>;
  using Parts = typename Plan::Parts;
  using Part = typename Plan::Part;

  // Reads one fault. Each kind of plan defines it.
  F fault();

  static Parts only(Part part) {
    Parts result;
    result.push_back(std::move(part));
    return result;
  }

  Parts plan(std::size_t depth) {
    Parts result;
    do {
      const auto column = next_column();
      for (auto& next : part(depth)) {
        if (const auto* const allowed = Plan::problem_of(result, next))
          refuse(column, Plan::text_of(only(next)), allowed);
        Plan::append(result, std::move(next));
      }
    } while (Plan::end_of(result) != Plan::for_ever && accept(","));
    return result;
  }

  Parts part(std::size_t depth) {
    const auto column = next_column();
    auto inner = unit(depth);
    const auto is_random = inner.size() == 1
                           && std::holds_alternative<typename Plan::Random>(inner.front().what)
                           && Plan::end_of(inner) == Plan::for_ever;
    std::uint64_t count = is_random ? Plan::for_ever : 1;
    if (accept("..."))
      count = Plan::for_ever;
    else if (accept("*"))
      count = times();
    if (is_random) {
      inner.front().count = count;
      return inner;
    }
    if (count == 1)
      return inner;
    if (const auto* const allowed = Plan::problem_of(count, inner))
      refuse(column, Plan::text_of(inner), allowed);
    return only(Plan::times(count, std::move(inner)));
  }

  std::uint64_t times() {
    next_column();
    return whole(1, Plan::max_length);
  }

  Parts unit(std::size_t depth) {
    if (accept("(")) {
      if (depth + 1 == Plan::max_depth)
        refuse(next_column(), "a deeper one", "plans in plans at most 16 deep");
      auto result = plan(depth + 1);
      if (!accept(")"))
        fail(Plan::end_of(result) == Plan::for_ever ? "')', for what is before never ends"
                                                    : "',' and another fault, or ')'");
      return result;
    }
    const auto begin = position();
    if (accept("random") && accept("("))
      return only({random(), 1, 0, Plan::for_ever});
    go_to(begin);
    Parts result;
    result.emplace_back().what.template emplace<F>(fault()); // see `BasicFaultPlan(F)`
    return result;
  }

  typename Plan::Random random() {
    typename Plan::Random result;
    const auto column = next_column();
    auto is_first = true;
    do {
      next_column();
      if (is_first && accept("seed")) {
        next_column();
        result.seed = whole(0, std::numeric_limits<std::uint64_t>::max());
      } else {
        typename Plan::Chance chance;
        chance.fault = fault();
        next_column();
        if (!accept_number(chance.probability, "e-2", "%"))
          fail("a percentage such as 10%");
        result.chances.push_back(std::move(chance));
      }
      is_first = false;
    } while (accept(","));
    if (!accept(")"))
      fail("',' and another fault with its percentage, or ')'");
    raise_if_any(Plan::check(result.chances), column, {});
    return result;
  }

  [[noreturn]] void refuse(std::size_t column, std::string given, const char* allowed) {
    constexpr std::size_t longest = 60;
    if (given.size() > longest)
      given.replace(longest, std::string::npos, "...");
    Problems problems;
    problems.add("plan", std::move(given), allowed);
    raise_if_any(problems, column, {});
    std::abort();
  }
};

} // namespace backoff_actor::testing::detail
