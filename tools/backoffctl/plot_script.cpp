#include "plot_script.hpp"

#include "number_text.hpp"
#include "plot_axis.hpp"
#include "plot_style.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace backoffctl {

namespace {

constexpr auto plan_panel_height = 440; // pixels

// More points cannot be told apart; fewer are marked one by one.
constexpr std::size_t most_points = 1000;
constexpr std::size_t most_marks = 40;
constexpr std::size_t most_ticks = 30;

std::string retry_axis(std::size_t attempts) {
  const auto last = std::to_string(attempts);
  return "set format x '%g'\nset xlabel 'retry' textcolor rgb '#444444'\nset xrange ["
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

std::string headline(const std::vector<PlannedPolicy>& policies, bool is_logarithmic, int height) {
  std::string result = "Mean delay before each retry";
  if (any_of(policies, [](const auto& policy) { return policy.is_random(); }))
    result += "; shaded: from the shortest to the longest";
  if (any_of(policies, [](const auto& policy) {
        return policy.is_random()
               && std::holds_alternative<backoff_actor::Seed002>(policy.formula());
      }))
    result += ", of seed002: the middle 99.7 %";
  if (is_logarithmic && any_row_is_zero(policies))
    result += "; delays of 0 are not on this axis";
  return plot_headline(result, height);
}

// On a logarithmic axis there is no 0: an area ends at the axis, a line is interrupted.
std::string point(double retry, double min_s, double mean_s, double max_s, const DelayAxis& axis) {
  const auto edge = [&](double delay_s) {
    return shortest(std::clamp(delay_s / axis.unit_s, axis.bottom, axis.top));
  };
  return shortest(retry) + " " + edge(min_s) + " "
         + (axis.is_logarithmic && mean_s <= 0 ? "NaN" : shortest(mean_s / axis.unit_s)) + " "
         + edge(max_s) + "\n";
}

std::string data(const std::string& name, const std::vector<backoff_actor::PlanRow>& rows,
                 const DelayAxis& axis) {
  const auto at_once = (rows.size() + most_points - 1) / most_points;
  auto result = name + " << end_of_data\n";
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
    const auto middle = (rows[i].attempt + rows[end - 1].attempt) / 2.0;
    result += point(middle, min_s, sum_s / static_cast<double>(end - i), max_s, axis);
  }
  return result + "end_of_data\n";
}

std::string area(const std::string& name, const PlotLook& look, std::size_t points) {
  const auto colour = std::string{" linecolor rgb '"} + look.colour + "' notitle";
  if (points == 1)
    return name + " using 1:3:2:4 with yerrorbars pointtype 0 linewidth 1.5" + colour;
  return name + " using 1:2:4 with filledcurves fillstyle transparent solid 0.15 noborder" + colour;
}

std::string line(const std::string& name, const PlotLook& look, const PlannedPolicy& planned) {
  const auto is_marked = planned.rows.size() <= most_marks;
  return name + " using 1:3 with "
         + (is_marked ? "linespoints pointsize 0.6 pointtype " + std::to_string(look.mark)
                      : std::string{"lines"})
         + " linewidth 2 dashtype " + std::to_string(look.dashes) + " linecolor rgb '" + look.colour
         + "' title '" + to_string(planned.policy) + "'";
}

} // namespace

std::string plot_script(const PlanAnswer& answer, const PlotRequest& plot) {
  const auto& policies = answer.policies;
  const auto height = plot_height(plan_panel_height, policies.size());
  const auto bottom = plot_legend_height(policies.size()) + plot_below_panel;
  const auto axis = delay_axis(policies, plot.is_logarithmic);
  auto script = plot_frame(plot, height, policies.size())
                + plot_panel({bottom, bottom + plan_panel_height}, height, axis.title)
                + retry_axis(policies.front().rows.size()) + axis.script + "set yrange ["
                + shortest(axis.bottom) + ":" + shortest(axis.top) + "]\n"
                + headline(policies, plot.is_logarithmic, height);
  std::string areas;
  std::string lines;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto name = "$policy" + std::to_string(i + 1);
    const auto look = plot_look(i);
    script += data(name, policies[i].rows, axis);
    if (policies[i].policy.is_random())
      areas += area(name, look, policies[i].rows.size()) + ", \\\n";
    lines += (i == 0 ? "" : ", \\\n") + line(name, look, policies[i]);
  }
  return script + "plot " + areas + lines + "\n";
}

} // namespace backoffctl
