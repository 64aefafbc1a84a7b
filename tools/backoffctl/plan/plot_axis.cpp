#include "plan.hpp"

#include "backoffctl/text/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace backoffctl {

namespace {

struct Extent {
  double least_s = std::numeric_limits<double>::infinity(); // above 0
  double least_mean_s = std::numeric_limits<double>::infinity();
  double longest_s = 0;
};

Extent extent_of(const std::vector<PlannedPolicy>& policies) {
  Extent result;
  const auto lower = [](double& least, double x) {
    if (x > 0)
      least = std::min(least, x);
  };
  for (const auto& planned : policies)
    for (const auto& row : planned.rows) {
      lower(result.least_s, row.min_s);
      lower(result.least_s, row.mean_s);
      lower(result.least_mean_s, row.mean_s);
      result.longest_s = std::max(result.longest_s, row.max_s);
    }
  return result;
}

// -- linear -----------------------------------------------------------------------------

struct AxisUnit {
  const char* word;
  double length_s;
  double from_s;
};

constexpr std::array<AxisUnit, 8> axis_units{{{"nanoseconds", 1e-9, 0},
                                              {"microseconds", 1e-6, 2e-6},
                                              {"milliseconds", 1e-3, 2e-3},
                                              {"seconds", 1, 2},
                                              {"minutes", 60, 20 * 60},
                                              {"hours", 3600, 10 * 3600},
                                              {"days", 86'400, 10 * 86'400},
                                              {"years", 31'536'000, 2 * 31'536'000}}};

DelayAxis linear_axis(const Extent& extent) {
  const auto longest_s = extent.longest_s > 0 ? extent.longest_s : 1;
  const auto unit =
    *std::find_if(axis_units.rbegin(), axis_units.rend() - 1,
                  [&](const auto& candidate) { return longest_s >= candidate.from_s; });
  return {.title = std::string{"delay, "} + unit.word,
          .unit_s = unit.length_s,
          .scale = {0, longest_s / unit.length_s * 1.05},
          .ticks = "set ytics auto\n"};
}

// -- logarithmic --------------------------------------------------------------------------

struct Tick {
  double at_s;
  std::string label;
};

struct TickUnit {
  const char* name;
  double length_s;
  int decades;
};

constexpr std::array<TickUnit, 8> tick_units{{{"ns", 1e-9, 3},
                                              {"us", 1e-6, 3},
                                              {"ms", 1e-3, 3},
                                              {"s", 1, 2},
                                              {"min", 60, 2},
                                              {"h", 3600, 2},
                                              {"d", 86'400, 3},
                                              {"y", 31'536'000, 4}}};

std::vector<Tick> ticks_within(double bottom_s, double top_s, const std::vector<double>& factors) {
  std::vector<Tick> result;
  for (const auto& unit : tick_units)
    for (auto decade = 0; decade < unit.decades; ++decade)
      for (const auto factor : factors) {
        const auto count = factor * std::pow(10, decade);
        const auto at_s = count * unit.length_s;
        if (at_s >= bottom_s && at_s <= top_s && (result.empty() || at_s > result.back().at_s))
          result.push_back({at_s, rounded(count) + " " + unit.name});
      }
  return result;
}

DelayAxis logarithmic_axis(const Extent& extent) {
  constexpr auto least_range = 10.0;
  constexpr auto below_means = 100.0; // what is deeper says nothing
  auto bottom_s = 1e-3;
  auto top_s = 1.0;
  if (extent.longest_s > 0) {
    bottom_s = std::max(extent.least_s, extent.least_mean_s / below_means) / 1.5;
    top_s = extent.longest_s * 1.5;
    const auto missing = std::sqrt(std::max(1.0, least_range * bottom_s / top_s));
    bottom_s /= missing;
    top_s *= missing;
  }
  constexpr std::size_t enough = 3;
  auto ticks = ticks_within(bottom_s, top_s, {1});
  if (ticks.size() < enough)
    ticks = ticks_within(bottom_s, top_s, {1, 2, 5});
  std::string list;
  for (const auto& tick : ticks)
    list += (list.empty() ? "'" : ", '") + tick.label + "' " + shortest(tick.at_s);
  return {.title = "delay",
          .unit_s = 1,
          .scale = {bottom_s, top_s, true},
          .ticks = "set ytics (" + list + ")\n"};
}

} // namespace

DelayAxis delay_axis(const std::vector<PlannedPolicy>& policies, bool is_logarithmic) {
  const auto extent = extent_of(policies);
  return is_logarithmic ? logarithmic_axis(extent) : linear_axis(extent);
}

} // namespace backoffctl
