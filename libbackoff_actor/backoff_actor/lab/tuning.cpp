#include "backoff_actor/lab/internal/tuning.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/text/internal/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace backoff_actor {

namespace {

// -- arguments -----------------------------------------------------------------

std::string seconds(double value) {
  return detail::number_text(value) + (std::isfinite(value) ? "s" : "");
}

std::string range(double from, double to) { return seconds(from) + ".." + seconds(to); }

bool is_within(double value, double from, double to) { return value >= from && value <= to; }

// Each function checks one argument alone, and returns whether it can be used.

bool check_span(const std::string& field, double span_s, double shortest_s, Problems& problems) {
  if (is_within(span_s, shortest_s, tuning_longest_s))
    return true;
  problems.add(field, seconds(span_s), range(shortest_s, tuning_longest_s));
  return false;
}

bool check_factor(const std::string& field, double factor, Problems& problems) {
  if (is_within(factor, 1, tuning_largest_factor))
    return true;
  problems.add(field, detail::number_text(factor),
               "1.." + detail::number_text(tuning_largest_factor));
  return false;
}

bool check_first_and_cap(double first_s, std::optional<double> cap_s, Problems& problems) {
  const auto first_ok = check_span("first_s", first_s, tuning_shortest_delay_s, problems);
  if (!cap_s)
    return first_ok;
  const auto cap_ok = check_span("cap_s", *cap_s, tuning_shortest_delay_s, problems);
  if (first_ok && cap_ok && *cap_s < first_s) {
    problems.add("cap_s", seconds(*cap_s), "at least the first delay, " + seconds(first_s));
    return false;
  }
  return first_ok && cap_ok;
}

bool check_after_first(double elapsed_s, double first_s, bool first_ok, Problems& problems) {
  if (!check_span("elapsed_s", elapsed_s, 0, problems))
    return false;
  if (first_ok && elapsed_s < first_s) {
    problems.add("elapsed_s", seconds(elapsed_s), "at least the first delay, " + seconds(first_s));
    return false;
  }
  return true;
}

// -- the series ----------------------------------------------------------------

// A series whose parameters were checked.
class Series {
public:
  explicit Series(const DelaySeries& series)
    : a_(series.first_s), r_(series.factor), cap_(series.cap_s) {
    if (cap_)
      capped_from_ = find_first_capped();
  }

  std::optional<std::uint64_t> capped_from() const { return capped_from_; }

  RetryPoint retry(std::uint64_t n) const {
    return {n, n == 0 ? 0.0 : delay(static_cast<double>(n)), elapsed(n)};
  }

  double attempts(double elapsed_s) const {
    if (capped_from_ && elapsed_s >= elapsed(*capped_from_ - 1))
      return static_cast<double>(*capped_from_ - 1)
             + (elapsed_s - elapsed(*capped_from_ - 1)) / *cap_;
    // `log1p` keeps its precision for factors close to 1.
    return r_ > 1 ? std::log1p((r_ - 1) * elapsed_s / a_) / std::log1p(r_ - 1) : elapsed_s / a_;
  }

  FormulaPoint formula(double elapsed_s) const {
    FormulaPoint result{attempts(elapsed_s), std::nullopt, a_ + (r_ - 1) * elapsed_s};
    auto previous = result.next_s / r_;
    if (cap_ && result.next_s > *cap_) {
      previous = delay(result.attempt);
      result.next_s = *cap_;
    }
    if (result.attempt >= 1)
      result.previous_s = previous;
    return result;
  }

private:
  double delay(double n) const {
    const auto uncapped = a_ * std::pow(r_, n - 1);
    return cap_ ? std::min(*cap_, uncapped) : uncapped;
  }

  // 1 + r + ... + r^(n-1)
  double geometric_sum(std::uint64_t n) const {
    if (n <= 64) { // exact if the powers of the factor are exact in a double
      double sum = 0;
      for (std::uint64_t i = 0; i < n; ++i)
        sum = 1 + r_ * sum;
      return sum;
    }
    const auto count = static_cast<double>(n);
    if (r_ <= 1)
      return count;
    const auto power = std::pow(r_, count);
    return (power < 2 ? std::expm1(count * std::log1p(r_ - 1)) : power - 1) / (r_ - 1);
  }

  double elapsed(std::uint64_t n) const {
    if (!capped_from_ || n < *capped_from_)
      return a_ * geometric_sum(n);
    const auto uncapped = *capped_from_ - 1;
    return a_ * geometric_sum(uncapped) + static_cast<double>(n - uncapped) * *cap_;
  }

  std::optional<std::uint64_t> find_first_capped() const {
    if (*cap_ <= a_)
      return 1;
    const auto estimate = r_ > 1 ? std::log(*cap_ / a_) / std::log1p(r_ - 1) : INFINITY;
    if (estimate >= static_cast<double>(tuning_last_attempt))
      return std::nullopt;
    // Rounding may put the estimate off by one. So the delays themselves decide.
    auto n = static_cast<std::uint64_t>(estimate) + 1;
    while (n > 1 && delay(static_cast<double>(n - 1)) >= *cap_)
      --n;
    while (delay(static_cast<double>(n)) < *cap_)
      ++n;
    return n;
  }

  double a_;
  double r_;
  std::optional<double> cap_;
  std::optional<std::uint64_t> capped_from_;
};

// Allows for rounding: decimal fractions are not exact in doubles.
bool is_same_time(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(a, b); }

bool is_in_reach(double attempts) { return attempts <= static_cast<double>(tuning_last_attempt); }

void add_out_of_reach(const std::string& field, double elapsed_s, Problems& problems) {
  problems.add(field, seconds(elapsed_s),
               "a time within the first "
                 + detail::number_text(static_cast<double>(tuning_last_attempt)) + " retries");
}

SeriesPosition find(const Series& series, double elapsed_s) {
  SeriesPosition result{elapsed_s, false, {}, {}, series.formula(elapsed_s)};
  const auto nearest =
    series.retry(static_cast<std::uint64_t>(std::llround(result.formula.attempt)));
  if (is_same_time(nearest.elapsed_s, elapsed_s)) {
    result.at_retry = true;
    result.before = nearest;
    result.after = series.retry(nearest.attempt + 1);
    result.formula.attempt = static_cast<double>(nearest.attempt);
    result.formula.next_s = result.after.previous_s;
    result.formula.previous_s = std::nullopt;
    if (nearest.attempt > 0)
      result.formula.previous_s = nearest.previous_s;
    return result;
  }
  auto n = static_cast<std::uint64_t>(result.formula.attempt);
  while (n > 0 && series.retry(n).elapsed_s > elapsed_s)
    --n;
  while (series.retry(n + 1).elapsed_s <= elapsed_s)
    ++n;
  result.before = series.retry(n);
  result.after = series.retry(n + 1);
  return result;
}

SeriesPosition checked_position(const DelaySeries& parameters, const std::string& field,
                                double elapsed_s) {
  auto problems = check(parameters);
  check_span(field, elapsed_s, 0, problems);
  problems.raise_if_any();
  const Series series{parameters};
  if (!is_in_reach(series.attempts(elapsed_s)))
    add_out_of_reach(field, elapsed_s, problems);
  problems.raise_if_any();
  return find(series, elapsed_s);
}

// `longest_s` is the delay with the largest factor.
void check_wanted(const WantedDelay& wanted, const std::string& field, double longest_s,
                  Problems& problems) {
  const auto to = std::min(longest_s, wanted.cap_s.value_or(tuning_longest_s));
  if (!is_within(wanted.delay_s, wanted.first_s, to))
    problems.add(field, seconds(wanted.delay_s), range(wanted.first_s, to));
}

} // namespace

Problems check(const DelaySeries& series) {
  Problems problems;
  check_first_and_cap(series.first_s, series.cap_s, problems);
  check_factor("factor", series.factor, problems);
  return problems;
}

RetryPoint retry_of(const DelaySeries& series, std::uint64_t attempt) {
  auto problems = check(series);
  detail::check_count(problems, "attempt", attempt, 0, tuning_last_attempt + 1);
  problems.raise_if_any();
  return Series{series}.retry(attempt);
}

std::optional<std::uint64_t> first_capped_attempt(const DelaySeries& series) {
  check(series).raise_if_any();
  return Series{series}.capped_from();
}

SeriesPosition position_at(const DelaySeries& series, double elapsed_s) {
  return checked_position(series, "elapsed_s", elapsed_s);
}

double factor_for_ratio(double ratio) {
  if (!is_within(ratio, 0, tuning_largest_factor - 1)) {
    Problems problems;
    problems.add("ratio", detail::number_text(ratio),
                 "0.." + detail::number_text(tuning_largest_factor - 1));
    problems.raise_if_any();
  }
  return 1 + ratio;
}

double factor_for_next(const WantedDelay& wanted) {
  Problems problems;
  const auto others_ok = check_first_and_cap(wanted.first_s, wanted.cap_s, problems);
  const auto elapsed_ok = check_after_first(wanted.elapsed_s, wanted.first_s, others_ok, problems);
  if (!others_ok || !elapsed_ok)
    check_span("next_s", wanted.delay_s, tuning_shortest_delay_s, problems);
  else
    check_wanted(wanted, "next_s", wanted.first_s + (tuning_largest_factor - 1) * wanted.elapsed_s,
                 problems);
  problems.raise_if_any();
  return 1 + (wanted.delay_s - wanted.first_s) / wanted.elapsed_s;
}

double factor_for_previous(const WantedDelay& wanted) {
  Problems problems;
  const auto others_ok = check_first_and_cap(wanted.first_s, wanted.cap_s, problems);
  auto elapsed_ok = check_after_first(wanted.elapsed_s, wanted.first_s, others_ok, problems);
  // The delay before the first retry is `first_s`, whatever the factor.
  const auto after_first_s = wanted.elapsed_s - wanted.first_s;
  if (others_ok && elapsed_ok && after_first_s <= 0) {
    problems.add("elapsed_s", seconds(wanted.elapsed_s),
                 "more than the first delay, " + seconds(wanted.first_s));
    elapsed_ok = false;
  }
  if (!others_ok || !elapsed_ok)
    check_span("previous_s", wanted.delay_s, tuning_shortest_delay_s, problems);
  else
    check_wanted(wanted, "previous_s", wanted.elapsed_s - after_first_s / tuning_largest_factor,
                 problems);
  problems.raise_if_any();
  return after_first_s / (wanted.elapsed_s - wanted.delay_s);
}

Discovery discovery_of(const DelaySeries& series, double succeeds_at_s) {
  const auto position = checked_position(series, "succeeds_at_s", succeeds_at_s);
  if (!position.at_retry)
    return {position.before, position.after, position.after.elapsed_s - succeeds_at_s};
  if (position.before.attempt == 0)
    return {std::nullopt, position.before, 0};
  return {Series{series}.retry(position.before.attempt - 1), position.before, 0};
}

RetryGrowth growth_of(const FactorChange& change) {
  Problems problems;
  const auto first_ok = check_first_and_cap(change.first_s, change.cap_s, problems);
  check_factor("from_factor", change.from_factor, problems);
  check_factor("to_factor", change.to_factor, problems);
  check_after_first(change.elapsed_s, change.first_s, first_ok, problems);
  problems.raise_if_any();
  const Series from{DelaySeries{change.first_s, change.from_factor, change.cap_s}};
  const Series to{DelaySeries{change.first_s, change.to_factor, change.cap_s}};
  if (!is_in_reach(from.attempts(change.elapsed_s)) || !is_in_reach(to.attempts(change.elapsed_s)))
    add_out_of_reach("elapsed_s", change.elapsed_s, problems);
  problems.raise_if_any();
  RetryGrowth result{find(from, change.elapsed_s), find(to, change.elapsed_s), 0, std::nullopt};
  result.real = result.to.formula.attempt / result.from.formula.attempt;
  if (change.from_factor > 1 && change.to_factor > 1)
    result.rough = std::log(change.from_factor) / std::log(change.to_factor);
  return result;
}

} // namespace backoff_actor
