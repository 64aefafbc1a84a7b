#include "tune.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace backoffctl {

namespace {

using backoff_actor::RetryPoint;

class Text {
public:
  // As many decimals as show three digits of the first delay, and three at least.
  explicit Text(double first_s)
    : decimals_(std::max(3, 2 - static_cast<int>(std::floor(std::log10(first_s))))) {}

  std::string operator()(const BeginningAnswer& answer) const {
    return parameters(answer.tuned) + "\n" + table(first_rows_of(answer.tuned.series));
  }

  std::string operator()(const PositionAnswer& answer) const {
    const auto& position = answer.position;
    const auto& before = position.before;
    const auto at = "at " + given(position.elapsed_s) + ": ";
    auto result = parameters(answer.tuned);
    if (position.at_retry)
      result += at + attempt(before);
    else if (before.attempt == 0)
      result += at + "before attempt 1";
    else
      result += at + "between attempts " + std::to_string(before.attempt) + " and "
                + std::to_string(position.after.attempt);
    result += before.attempt == 0 ? ", no previous delay"
                                  : ", previous delay " + seconds(before.previous_s);
    result += ", next delay " + seconds(position.after.previous_s) + "\n";
    if (!position.at_retry && position.formula.previous_s)
      result += "if a retry were due at exactly " + given(position.elapsed_s) + ": attempt "
                + fixed(position.formula.attempt, 3) + ", previous delay "
                + seconds(*position.formula.previous_s) + ", next delay "
                + seconds(position.formula.next_s) + "\n";
    return result + "\n"
           + table(rows_of(answer.tuned.series, before.attempt, position.after.attempt));
  }

  std::string operator()(const DiscoveryAnswer& answer) const {
    const auto& before = answer.discovery.before;
    const auto& finds_out = answer.discovery.finds_out;
    auto result = parameters(answer.tuned);
    if (before)
      result +=
        "last failure:       " + attempt(*before) + " at " + seconds(before->elapsed_s) + "\n";
    result += "service works from: " + given(answer.succeeds_at_s) + "\n";
    result += "first success:      " + attempt(finds_out) + " at " + seconds(finds_out.elapsed_s)
              + (finds_out.attempt == 0 ? "" : ", previous delay " + seconds(finds_out.previous_s))
              + "\n";
    result += "waited for nothing: " + seconds(answer.discovery.wasted_s) + "\n";
    return result + "\n"
           + table(rows_of(answer.tuned.series, before ? before->attempt : 0, finds_out.attempt));
  }

  std::string operator()(const GrowthAnswer& answer) const {
    const auto& change = answer.change;
    const auto& growth = answer.growth;
    const auto from = fixed(growth.from.formula.attempt, 3);
    const auto to = fixed(growth.to.formula.attempt, 3);
    auto result = "first delay " + given(change.first_s)
                  + (change.cap_s ? ", cap " + given(*change.cap_s) : "") + ", elapsed "
                  + given(change.elapsed_s) + "\n\n";
    Table factors{{"factor", "ratio", "retries", "as a real number"}};
    factors.add({rounded(change.from_factor), rounded(change.from_factor - 1),
                 std::to_string(growth.from.before.attempt), from});
    factors.add({rounded(change.to_factor), rounded(change.to_factor - 1),
                 std::to_string(growth.to.before.attempt), to});
    result += factors.text() + "\n";
    result += "real growth:  " + fixed(growth.real, 3) + " (" + to + " / " + from + ")\n";
    result += "rough growth: ";
    result += growth.rough ? fixed(*growth.rough, 3) + " (log " + rounded(change.from_factor)
                               + " / log " + rounded(change.to_factor) + ")\n"
                           : "none, for the logarithm of 1 is 0\n";
    return result;
  }

private:
  std::string seconds(double value) const { return number(value) + " s"; }

  // No more digits than a double has.
  std::string number(double value) const {
    const auto before_point = value < 1 ? 1 : static_cast<int>(std::log10(value)) + 1;
    return fixed(value, std::clamp(15 - before_point, 0, decimals_));
  }

  static std::string given(double span_s) { return rounded(span_s) + " s"; }

  static std::string attempt(const RetryPoint& retry) {
    return retry.attempt == 0 ? "the first call" : "attempt " + std::to_string(retry.attempt);
  }

  static std::string parameters(const TunedSeries& tuned) {
    const auto& series = tuned.series;
    auto result = "first delay " + given(series.first_s) + ", factor " + rounded(series.factor)
                  + ", ratio " + rounded(tuned.ratio);
    if (series.cap_s) {
      const auto capped = first_capped_attempt(series);
      result += ", cap " + given(*series.cap_s)
                + (capped ? " from attempt " + std::to_string(*capped) + " on" : " never reached");
    }
    return result + "\n";
  }

  std::string table(const std::vector<RetryPoint>& rows) const {
    Table result{{"attempt", "delay before it, s", "elapsed, s"}};
    std::uint64_t next = 0;
    for (const auto& row : rows) {
      if (row.attempt != next)
        result.add({"..."});
      next = row.attempt + 1;
      result.add({std::to_string(row.attempt), row.attempt == 0 ? "-" : number(row.previous_s),
                  number(row.elapsed_s)});
    }
    result.add({"..."});
    return result.text();
  }

  int decimals_;
};

template <class Answer>
double first_s_of(const Answer& answer) {
  return answer.tuned.series.first_s;
}

double first_s_of(const GrowthAnswer& answer) { return answer.change.first_s; }

} // namespace

std::vector<backoff_actor::RetryPoint> rows_of(const backoff_actor::DelaySeries& series,
                                               std::uint64_t from, std::uint64_t to) {
  std::vector<backoff_actor::RetryPoint> result;
  for (std::uint64_t n = 0; n <= 3 && n < from; ++n)
    result.push_back(retry_of(series, n));
  for (auto n = from; n <= to; ++n)
    result.push_back(retry_of(series, n));
  return result;
}

std::string tune_text(const TuneAnswer& answer) {
  return std::visit([](const auto& kind) { return Text{first_s_of(kind)}(kind); }, answer);
}

} // namespace backoffctl
