#include "outage_plot.hpp"

#include "number_text.hpp"
#include "plot_style.hpp"

#include <algorithm>
#include <cstddef>

namespace backoffctl {

namespace {

using backoff_actor::OutageSecond;

// All pixels.
constexpr auto panel_height = 220;
constexpr auto between_panels = 40;

constexpr auto longest_before_s = 30.0; // the stop, that is shown

using Value = double (*)(const OutageSecond&);

double attempts_of(const OutageSecond& second) { return static_cast<double>(second.attempts); }
double concurrency_of(const OutageSecond& second) { return second.concurrency; }
double latency_of(const OutageSecond& second) { return second.latency_s; }

std::string name_of(std::size_t run) { return "$run" + std::to_string(run + 1); }

double first_shown_s(const OutageRun& run) {
  return -std::min(longest_before_s, run.times.stopped_s);
}

// In the middle of each second. Where nothing was answered there is no latency.
std::string data(const OutageRun& run, std::size_t number, bool is_logarithmic) {
  auto result = name_of(number) + " << end_of_data\n";
  for (std::size_t i = 0; i < run.seconds.size(); ++i) {
    const auto& second = run.seconds[i];
    const auto at_s = static_cast<double>(i) + 0.5 - run.times.stopped_s;
    if (at_s < first_shown_s(run))
      continue;
    result += shortest(at_s) + " " + std::to_string(second.attempts) + " "
              + (is_logarithmic && second.concurrency <= 0 ? "NaN" : rounded(second.concurrency, 6))
              + " " + (second.ok == 0 ? "NaN" : rounded(second.latency_s, 6)) + "\n";
  }
  return result + "end_of_data\n";
}

double most_of(const OutageRuns& runs, Value value) {
  double result = 0;
  for (const auto& run : runs)
    for (const auto& second : run.seconds)
      result = std::max(result, value(second));
  return result > 0 ? result : 1;
}

// Given, not left to gnuplot, whose choice depends on its version.
std::string range(const OutageRuns& runs, Value value) {
  return "set yrange [0:" + rounded(most_of(runs, value) * 1.05, 3) + "]\n";
}

std::string concurrency_range(const OutageRuns& runs, bool is_logarithmic) {
  return is_logarithmic
           ? "set logscale y\nset yrange [1:"
               + rounded(std::max(most_of(runs, concurrency_of), 10.0) * 1.5, 3) + "]\n"
           : range(runs, concurrency_of);
}

// Under its number in the table, too, where another one's title is the same: their options differ.
std::string legend(const OutageRuns& runs, std::size_t run) {
  const auto title = runs[run].title();
  const auto is_alike = [&](const OutageRun& other) { return other.title() == title; };
  return std::count_if(runs.begin(), runs.end(), is_alike) == 1
           ? title
           : std::string{"["}.append(std::to_string(run + 1)).append("] ").append(title);
}

std::string lines(const OutageRuns& runs, int column, bool is_titled) {
  std::string result = "plot ";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto look = plot_look(i);
    result += (i == 0 ? "" : ", \\\n") + name_of(i) + " using 1:" + std::to_string(column)
              + " with lines linewidth 1.5 dashtype " + std::to_string(look.dashes)
              + " linecolor rgb '" + look.colour + "' ";
    result += is_titled ? "title '" + legend(runs, i) + "'" : "notitle";
  }
  return result + "\n";
}

} // namespace

std::string outage_plot(const OutageRuns& runs, const PlotRequest& plot) {
  const auto height = plot_height(3 * panel_height + 2 * between_panels, runs.size());
  const auto bottom = plot_legend_height(runs.size()) + plot_below_panel;
  const auto place = [&](int panel) {
    const auto begin = bottom + panel * (panel_height + between_panels);
    return PlotPlace{begin, begin + panel_height};
  };
  const auto& times = runs.front().times;
  const auto last_s = static_cast<double>(runs.front().seconds.size()) - times.stopped_s;
  const auto is_logarithmic = plot.is_logarithmic;
  auto script = plot_frame(plot, height, runs.size()) + "set format '%g'\nset xrange ["
                + shortest(first_shown_s(runs.front())) + ":" + shortest(last_s)
                + "]\nset object 1 rectangle from 0, graph 0 to "
                + shortest(times.back_s - times.stopped_s)
                + ", graph 1 behind fillcolor rgb '#eeeeee' fillstyle solid noborder\n";
  for (std::size_t i = 0; i < runs.size(); ++i)
    script += data(runs[i], i, is_logarithmic);
  return script + "set multiplot\n" + plot_panel(place(2), height, "requests per second")
         + plot_headline("An outage: requests, concurrency and latency in each second; shaded: the "
                         "service is stopped",
                         height)
         + range(runs, attempts_of) + lines(runs, 2, false) + "unset label 2\n"
         + plot_panel(place(1), height, "concurrency") + concurrency_range(runs, is_logarithmic)
         + lines(runs, 3, false) + "unset logscale\n" + plot_panel(place(0), height, "latency, s")
         + "set xlabel 'time since the service was stopped, s' textcolor rgb '#444444'\n"
         + range(runs, latency_of) + lines(runs, 4, true) + "unset multiplot\n";
}

} // namespace backoffctl
