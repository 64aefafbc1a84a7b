#include "plan.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"
#include "pictures/curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <variant>
#include <vector>

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

DelayAxis linear_axis(const Extent& extent) {
  const auto longest_s = extent.longest_s > 0 ? extent.longest_s : 1;
  const auto unit =
    *std::find_if(time_units.rbegin(), time_units.rend() - 1,
                  [&](const auto& candidate) { return longest_s >= candidate.axis_from_s; });
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

std::vector<Tick> ticks_within(double bottom_s, double top_s, const std::vector<double>& factors) {
  std::vector<Tick> result;
  for (const auto& unit : time_units)
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

// -- the picture --------------------------------------------------------------------------

constexpr auto plan_panel_height = 440; // pixels

// More points cannot be told apart, nor more marks.
constexpr std::size_t most_points = 1000;
constexpr std::size_t most_marks = 40;
constexpr std::size_t most_ticks = 30;

std::string retry_axis(std::size_t attempts) {
  const auto last = std::to_string(attempts);
  return pictures::horizontal_title("retry") + "set xrange ["
         + (attempts <= most_ticks ? "0.5:" + last + ".5]\nset xtics 1\n" : "0:" + last + "]\n");
}

template <class F>
bool any_of(const std::vector<PlannedPolicy>& policies, F condition) {
  return std::any_of(policies.begin(), policies.end(),
                     [&](const PlannedPolicy& planned) { return condition(planned.policy); });
}

bool any_row_is_zero(const std::vector<PlannedPolicy>& policies) {
  return std::any_of(policies.begin(), policies.end(), [](const PlannedPolicy& planned) {
    return std::any_of(planned.rows.begin(), planned.rows.end(),
                       [](const auto& row) { return row.mean_s <= 0; });
  });
}

std::string subtitle(const std::vector<PlannedPolicy>& policies, bool is_logarithmic) {
  std::string result = "Lines: the mean";
  if (any_of(policies, [](const auto& policy) { return policy.is_random(); }))
    result += "; shaded: from the shortest to the longest";
  if (any_of(policies, [](const auto& policy) {
        return policy.is_random()
               && std::holds_alternative<backoff_actor::Seed002>(policy.formula());
      }))
    result += " (of seed002: 99.7 of 100 delays)";
  if (is_logarithmic && any_row_is_zero(policies))
    result += "; delays of 0 are not on this axis";
  return result;
}

// On a logarithmic axis there is no 0: an area ends at the axis, a line is interrupted.
struct Band {
  double retry;
  double bottom;
  double mean;
  double top;
};

// In the units of the axis.
std::vector<Band> bands(const std::vector<backoff_actor::PlanRow>& rows, const DelayAxis& axis) {
  const auto at_once = (rows.size() + most_points - 1) / most_points;
  const auto edge = [&](double delay_s) {
    return std::clamp(delay_s / axis.unit_s, axis.scale.bottom, axis.scale.top);
  };
  std::vector<Band> result;
  for (std::size_t i = 0; i < rows.size(); i += at_once) {
    const auto end = std::min(i + at_once, rows.size());
    auto min_s = rows[i].min_s;
    auto max_s = rows[i].max_s;
    double sum_s = 0;
    for (auto j = i; j < end; ++j) {
      min_s = std::min(min_s, rows[j].min_s);
      max_s = std::max(max_s, rows[j].max_s);
      sum_s += rows[j].mean_s;
    }
    const auto mean_s = sum_s / static_cast<double>(end - i);
    result.push_back({(rows[i].attempt + rows[end - 1].attempt) / 2.0, edge(min_s),
                      axis.scale.is_logarithmic && mean_s <= 0
                        ? std::numeric_limits<double>::quiet_NaN()
                        : mean_s / axis.unit_s,
                      edge(max_s)});
  }
  return result;
}

void add_area(pictures::Curves& curves, const std::vector<Band>& bands,
              const pictures::Look& look) {
  std::string rows;
  for (const auto& x : bands)
    rows += shortest(x.retry) + " " + shortest(x.bottom) + " " + shortest(x.top) + "\n";
  const auto colour = std::string{" linecolor rgb '"} + look.colour + "' notitle";
  curves.add_plot(curves.add_data(rows)
                  + (bands.size() == 1
                       ? " using 1:2:2:3 with yerrorbars pointtype 0 linewidth 1.5"
                       : " using 1:2:3 with filledcurves fillstyle transparent solid 0.15 noborder")
                  + colour);
}

void add_line(pictures::Curves& curves, const std::vector<Band>& bands,
              const pictures::Look& look) {
  std::vector<pictures::Point> points;
  for (const auto& x : bands)
    points.push_back({x.retry, x.mean});
  curves.add(points, look);
}

// As in the table: a number if there are several.
std::string legend(const std::vector<PlannedPolicy>& policies, std::size_t policy) {
  const auto text = to_string(policies[policy].policy);
  return policies.size() == 1 ? text : numbered_label(policy + 1) + " " + text;
}

std::string description(const std::vector<PlannedPolicy>& policies, const std::string& subtitle) {
  auto result = subtitle + ". The policies:";
  for (std::size_t i = 0; i < policies.size(); ++i)
    result += (i == 0 ? " " : "; ") + legend(policies, i);
  return result + ".";
}

} // namespace

DelayAxis delay_axis(const std::vector<PlannedPolicy>& policies, bool is_logarithmic) {
  const auto extent = extent_of(policies);
  return is_logarithmic ? logarithmic_axis(extent) : linear_axis(extent);
}

pictures::Picture plot_script(const PlanAnswer& answer, const PlotRequest& plot) {
  constexpr auto title = "Delay before each retry";
  const auto& policies = answer.policies;
  const auto page = plot.page(plan_panel_height, policies.size());
  const pictures::Place place{page.bottom(), page.bottom() + plan_panel_height};
  const auto axis = delay_axis(policies, plot.is_logarithmic);
  const auto explained = subtitle(policies, plot.is_logarithmic);
  pictures::Curves curves{policies.size(), most_marks};
  std::vector<std::vector<Band>> drawn;
  std::vector<pictures::LineEnd> ends;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto look = pictures::look(i);
    drawn.push_back(bands(policies[i].rows, axis));
    if (policies[i].policy.is_random())
      add_area(curves, drawn[i], look);
    if (policies.size() > 1)
      ends.push_back({drawn[i].back().mean, numbered_label(i + 1), look.colour});
  }
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto look = pictures::look(i);
    add_line(curves, drawn[i], look);
    curves.add_legend(look, legend(policies, i));
  }
  return {title, description(policies, explained),
          page_script(page) + panel_script(page, place, axis.title)
            + heading_script(page, title, explained) + retry_axis(policies.front().rows.size())
            + axis.scale.script() + axis.ticks
            + line_ends_script(page, place, axis.scale, std::move(ends)) + curves.script()};
}

} // namespace backoffctl
