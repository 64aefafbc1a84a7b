#include "contention_plot.hpp"

#include "number_text.hpp"
#include "plot_style.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace backoffctl {

namespace {

// All pixels.
constexpr auto contention_panel_height = 300;
constexpr auto between_contention_panels = 50;

double calls_of(const ContentionMeans& means) { return means.calls; }

double completion_of(const ContentionMeans& means) {
  return means.completion_ns.value_or(std::numeric_limits<double>::quiet_NaN()) / 1e9;
}

using ContentionValue = double (*)(const ContentionMeans&);

// Which rows, by the number of clients.
std::vector<std::size_t> by_clients(const ContentionQuestion& question) {
  std::vector<std::size_t> result(question.clients.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = i;
  std::stable_sort(result.begin(), result.end(),
                   [&](auto a, auto b) { return question.clients[a] < question.clients[b]; });
  return result;
}

std::string name_of_contender(std::size_t contender) {
  return "$policy" + std::to_string(contender + 1);
}

std::string data(const ContentionAnswer& answer, std::size_t contender) {
  auto result = name_of_contender(contender) + " << end_of_data\n";
  for (const auto row : by_clients(answer.question)) {
    const auto& means = answer.means[row][contender];
    result += std::to_string(answer.question.clients[row]) + " " + shortest(calls_of(means)) + " "
              + (means.completion_ns ? shortest(*means.completion_ns / 1e9) : "NaN") + "\n";
  }
  return result + "end_of_data\n";
}

// Given, not left to gnuplot, whose choice depends on its version.
std::string value_range(const ContentionAnswer& answer, ContentionValue value,
                        bool is_logarithmic) {
  auto least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const auto& row : answer.means)
    for (const auto& means : row) {
      least = std::min(least, value(means)); // neither is NaN's
      most = std::max(most, value(means));
    }
  if (most == 0) // nothing was completed
    return "set yrange [0:1]\n";
  return is_logarithmic ? "set logscale y\nset yrange [" + rounded(least / 1.5, 3) + ":"
                            + rounded(most * 1.5, 3) + "]\n"
                        : "set yrange [0:" + rounded(most * 1.05, 3) + "]\n";
}

std::string lines(const ContentionQuestion& question, int column, bool is_titled) {
  std::string result = "plot ";
  for (std::size_t i = 0; i < question.contenders.size(); ++i) {
    const auto look = plot_look(i);
    const auto& contender = question.contenders[i];
    const auto description = contender.description();
    result += (i == 0 ? "" : ", \\\n") + name_of_contender(i) + " using 1:" + std::to_string(column)
              + " with linespoints pointsize 0.6 pointtype " + std::to_string(look.mark)
              + " linewidth 2 dashtype " + std::to_string(look.dashes) + " linecolor rgb '"
              + look.colour + "' ";
    if (!is_titled)
      result += "notitle";
    else if (contender.name == description)
      result += "title '" + description + "'";
    else
      result += "title '" + contender.name + ": " + description + "'";
  }
  return result + "\n";
}

} // namespace

std::string contention_plot(const ContentionAnswer& answer, const PlotRequest& plot) {
  const auto& question = answer.question;
  const auto legend_lines = question.contenders.size();
  const auto height =
    plot_height(2 * contention_panel_height + between_contention_panels, legend_lines);
  const auto bottom = plot_legend_height(legend_lines) + plot_below_panel;
  const PlotPlace below{bottom, bottom + contention_panel_height};
  const PlotPlace above{below.top + between_contention_panels,
                        below.top + between_contention_panels + contention_panel_height};
  const auto most = *std::max_element(question.clients.begin(), question.clients.end());
  auto script = plot_frame(plot, height, legend_lines)
                + "set format '%g'\nset xrange [0:" + rounded(most * 1.02, 6) + "]\n";
  for (std::size_t i = 0; i < question.contenders.size(); ++i)
    script += data(answer, i);
  return script + "set multiplot\n" + plot_panel(above, height, "calls")
         + plot_headline("Calls, and the time until all are done, by the number of clients that "
                         "write the same row at once",
                         height)
         + value_range(answer, calls_of, plot.is_logarithmic) + lines(question, 2, false)
         + "unset label 2\n" + plot_panel(below, height, "all done after, s")
         + "set xlabel 'clients' textcolor rgb '#444444'\n"
         + value_range(answer, completion_of, plot.is_logarithmic) + lines(question, 3, true)
         + "unset multiplot\n";
}

} // namespace backoffctl
