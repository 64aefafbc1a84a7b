#include "growth.hpp"

#include <algorithm>
#include <cstddef>

namespace backoff_actor::soak {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

Growth judge_growth(const std::vector<double>& samples_mb) {
  constexpr std::size_t fewest = 8;
  if (samples_mb.size() < fewest)
    return {};
  const auto quarter = static_cast<std::ptrdiff_t>(samples_mb.size() / 4);
  const auto begin = samples_mb.begin();
  Growth result{.is_known = true};
  result.earlier_mb = median({begin + quarter, begin + 2 * quarter});
  result.later_mb = median({samples_mb.end() - quarter, samples_mb.end()});
  result.has_grown = result.later_mb > result.earlier_mb * 1.1 + Growth::slack_mb;
  return result;
}

} // namespace backoff_actor::soak
