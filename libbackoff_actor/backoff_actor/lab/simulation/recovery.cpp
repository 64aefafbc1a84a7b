#include "backoff_actor/lab/simulation/internal/recovery.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace backoff_actor {

namespace {

constexpr auto share = 0.95;
constexpr std::size_t seconds_at_first = 10;
constexpr std::size_t seconds_to_stay = 60;
constexpr std::size_t least_seconds = shortest_stay / std::chrono::seconds{1};
constexpr auto deviations_of_windows = 4.0; // one of hundreds of counts falls far short by chance
constexpr auto deviations_of_all = 2.0;

// Returns the first whole second at or after `time_s`.
std::size_t second_from(double time_s) {
  return static_cast<std::size_t>(std::ceil(std::max(time_s, 0.0)));
}

struct Before {
  std::size_t seconds;
  double rate;
};

Before before(const std::vector<OutageSecond>& seconds, const OutageTimes& times) {
  const auto first = second_from(times.warm_s);
  const auto end =
    std::min(static_cast<std::size_t>(std::max(times.stopped_s, 0.0)), seconds.size());
  if (first >= end)
    return {0, 0};
  double count = 0;
  for (auto i = first; i < end; ++i)
    count += static_cast<double>(seconds[i].ok);
  return {end - first, count / static_cast<double>(end - first)};
}

// Returns how many answers in `seconds` are enough to count as the normal rate, except for noise.
double bar(const Before& usual, std::size_t seconds, double deviations = deviations_of_windows) {
  const auto window = static_cast<double>(seconds);
  const auto variance = usual.rate * window * (1 + window / static_cast<double>(usual.seconds));
  return share * usual.rate * window - deviations * std::sqrt(variance);
}

} // namespace

double rate_before(const std::vector<OutageSecond>& seconds, const OutageTimes& times) {
  return before(seconds, times).rate;
}

Recovery judge_recovery(const std::vector<OutageSecond>& seconds, const OutageTimes& times) {
  const auto usual = before(seconds, times);
  const auto first = second_from(times.back_s);
  const auto end = seconds.size();
  if (usual.rate <= 0 || first + least_seconds > end)
    return {};
  std::vector<double> answers(end + 1, 0); // sums of the answers before each second
  for (std::size_t i = 0; i < end; ++i)
    answers[i + 1] = answers[i] + static_cast<double>(seconds[i].ok);
  const auto answers_in = [&](std::size_t begin, std::size_t length) {
    return answers[begin + length] - answers[begin];
  };
  const auto is_as_before = [&](std::size_t begin, std::size_t length) {
    return answers_in(begin, length) >= bar(usual, length);
  };
  std::optional<std::size_t> at_95_percent; // the earliest so far; the loop goes backwards
  std::optional<std::size_t> but_for_noise;
  for (auto i = end; i-- > first;) {
    const auto left = end - i;
    if (seconds[i].timed_out > 0)
      break;
    if (left < least_seconds)
      continue; // too few seconds to judge
    if (!is_as_before(i, left < seconds_to_stay ? least_seconds : seconds_to_stay))
      break;
    if (seconds[i].ok == 0 || !is_as_before(i, 1) || !is_as_before(i, seconds_at_first)
        || answers_in(i, left) < bar(usual, left, deviations_of_all))
      continue;
    but_for_noise = i;
    if (answers_in(i, seconds_at_first)
        >= share * usual.rate * static_cast<double>(seconds_at_first))
      at_95_percent = i;
  }
  if (!but_for_noise)
    return {};
  return {true, static_cast<double>(at_95_percent.value_or(*but_for_noise)) - times.back_s};
}

} // namespace backoff_actor
