#include "backoff_actor/backoff/by_reason.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/backoff/internal/text_parser.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

// by_reason := [ row { ';' row } ]
// row := name ':' part { ',' part }
// part := 'max_attempts' whole | 'backoff' policy | 'cost' number

namespace backoff_actor {

namespace {

constexpr std::size_t longest_name = 64;
constexpr double largest_cost = 1000;
constexpr std::uint32_t most_failures = 1000;

bool is_name_of_class(const std::string& text) {
  return !text.empty() && text.size() <= longest_name
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
            });
}

Problems check_row(const ReasonRetries& row) {
  Problems problems;
  if (!is_name_of_class(row.reason))
    problems.add("reason", std::string{"'"}.append(row.reason).append("'"),
                 "1 to 64 characters of a-z, 0-9 and _");
  if (!row.max_attempts && !row.backoff && !row.cost)
    problems.add("max_attempts", "nothing", "one of max_attempts, backoff and cost");
  detail::check_count(problems, "max_attempts", row.max_attempts, 1);
  if (row.cost && !(*row.cost >= 0 && *row.cost <= largest_cost))
    problems.add("cost", detail::decimal(*row.cost), "0..1000");
  return problems;
}

class ByReasonParser : public detail::PolicyParser {
public:
  using PolicyParser::PolicyParser;

  ByReason by_reason() {
    std::vector<ReasonRetries> rows;
    if (is_at_end())
      return {};
    do {
      const auto column = next_column();
      rows.push_back(row());
      raise_if_any(check(rows), column, {});
    } while (accept(";"));
    if (!is_at_end())
      fail("a comma, a semicolon or the end");
    return ByReason{std::move(rows)};
  }

private:
  ReasonRetries row() {
    ReasonRetries result;
    result.reason = name("the name of a class of failures");
    if (!accept(":"))
      fail("':'");
    do
      part(result);
    while (accept(","));
    return result;
  }

  void part(ReasonRetries& result) {
    int count = 0;
    double cost = 0;
    if (!result.max_attempts && accept("max_attempts")) {
      next_column();
      if (!accept_whole(count))
        fail("a whole number from 1 to 1000000000");
      result.max_attempts = static_cast<std::uint32_t>(count);
    } else if (!result.backoff && accept("backoff")) {
      result.backoff = policy(Extent::part);
    } else if (!result.cost && accept("cost")) {
      next_column();
      if (!accept_number(cost, "", ""))
        fail("a number from 0 to 1000");
      result.cost = cost;
    } else {
      fail_at_part(result);
    }
  }

  [[noreturn]] void fail_at_part(const ReasonRetries& result) {
    std::string expected;
    const auto add = [&](bool is_there, const char* text) {
      if (!is_there)
        expected.append(expected.empty() ? "" : ", or ").append(text);
    };
    add(result.max_attempts.has_value(), "max_attempts N");
    add(result.backoff.has_value(), "backoff POLICY");
    add(result.cost.has_value(), "cost N");
    fail(expected.empty() ? "a semicolon or the end" : expected);
  }
};

} // namespace

Problems check(const std::vector<ReasonRetries>& rows) {
  Problems problems;
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    problems.add_nested("by_reason[" + std::to_string(row - rows.begin()) + "]", check_row(*row));
    const auto same = std::find_if(rows.begin(), row, [&](const ReasonRetries& other) {
      return FailureReason{other.reason} == FailureReason{row->reason};
    });
    if (same != row)
      problems.add("by_reason[" + std::to_string(row - rows.begin()) + "].reason",
                   std::string{"'"}.append(row->reason).append("'"),
                   "another name than '" + same->reason + "', or one with another hash");
  }
  return problems;
}

ByReason::ByReason(std::vector<ReasonRetries> rows) {
  check(rows).raise_if_any();
  if (!rows.empty())
    rows_ = std::make_shared<const std::vector<ReasonRetries>>(std::move(rows));
}

ByReason ByReason::of_text(std::string_view text) { return parse_by_reason(text); }

const ReasonRetries* ByReason::found(FailureReason reason) const {
  for (const auto& row : *rows_)
    if (FailureReason{row.reason} == reason)
      return &row;
  return nullptr;
}

const std::vector<ReasonRetries>& ByReason::rows() const {
  static const std::vector<ReasonRetries> none;
  return rows_ ? *rows_ : none;
}

bool ByReason::has_max_attempts() const {
  return std::any_of(rows().begin(), rows().end(),
                     [](const ReasonRetries& row) { return row.max_attempts.has_value(); });
}

bool operator==(const ByReason& a, const ByReason& b) { return a.rows() == b.rows(); }

std::string to_string(const ByReason& by_reason) {
  std::string result;
  for (const auto& row : by_reason.rows()) {
    result += (result.empty() ? "" : "; ") + row.reason;
    const char* separator = ": ";
    const auto add = [&](const std::string& text) {
      result += std::exchange(separator, ", ") + text;
    };
    if (row.max_attempts)
      add("max_attempts " + std::to_string(*row.max_attempts));
    if (row.backoff)
      add("backoff " + to_string(*row.backoff));
    if (row.cost)
      add("cost " + detail::decimal(*row.cost));
  }
  return result;
}

ByReason parse_by_reason(std::string_view text) { return ByReasonParser{text}.by_reason(); }

void detail::check_costs(Problems& problems, const ByReason& by_reason, double most) {
  for (const auto& row : by_reason.rows())
    if (row.cost && *row.cost > most)
      problems.add("by_reason." + row.reason + ".cost", decimal(*row.cost),
                   "at most " + decimal(most) + ", what the retry budget holds after a rest");
}

BackOffState detail::state_after(const Policy& policy, std::uint64_t seed, std::uint64_t stream,
                                 std::uint32_t next_draw, std::uint32_t failures) {
  const auto steps = std::min({failures, most_failures, next_draw + std::uint32_t{1}});
  BackOffState result{policy.start()};
  result.progress.draws = next_draw + 1 - steps;
  for (std::uint32_t i = 0; i < steps; ++i)
    result = next(policy, result, unit_random(seed, stream, result.progress.draws));
  return result;
}

} // namespace backoff_actor
