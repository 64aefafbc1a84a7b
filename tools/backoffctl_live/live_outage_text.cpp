#include "live_outage_text.hpp"

#include "backoffctl/number_text.hpp"
#include "backoffctl/plot_style.hpp"

#include "backoff_actor/lab/simulation/recovery.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace backoffctl {

namespace {

// All pixels.
constexpr auto panel_height = 170;
constexpr auto between_panels = 35;

struct Line {
  int column;
  const char* title;
  const char* colour;
};

struct Panel {
  const char* title;
  std::array<Line, 3> lines; // those without a title are none
};

// Columns: 1 the middle of the second, 2 attempts, 3 ok, 4 failed, 5 concurrency, 6 its peak, 7 latency.
constexpr std::array<Panel, 3> panels{
  {{"calls per second",
    {{{2, "attempts", "#999999"}, {3, "answered", "#0072b2"}, {4, "failed", "#d62728"}}}},
   {"requests in the server",
    {{{6, "at the most", "#e07b00"}, {5, "at the end of the second", "#7a4a21"}, {}}}},
   {"latency of what is answered, s", {{{7, "mean", "#2a9d3a"}, {}, {}}}}}};

std::string data(const std::vector<backoff_actor::OutageSecond>& seconds) {
  std::string result = "$seconds << end_of_data\n";
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto& x = seconds[i];
    result.append(fixed(static_cast<double>(i) + 0.5, 1))
      .append(" ")
      .append(std::to_string(x.attempts))
      .append(" ")
      .append(std::to_string(x.ok))
      .append(" ")
      .append(std::to_string(x.timed_out))
      .append(" ")
      .append(rounded(x.concurrency))
      .append(" ")
      .append(std::to_string(x.peak_concurrency))
      .append(" ")
      .append(x.ok == 0 ? "NaN" : rounded(x.latency_s))
      .append("\n");
  }
  return result.append("end_of_data\n");
}

std::string panel_script(const Panel& panel, int bottom, int height) {
  auto result = plot_panel({bottom, bottom + panel_height}, height, panel.title) + "plot ";
  std::string separator;
  for (const auto& line : panel.lines) {
    if (!line.title)
      continue;
    result.append(separator)
      .append("$seconds using 1:")
      .append(std::to_string(line.column))
      .append(" with lines linewidth 2 linecolor rgb '")
      .append(line.colour)
      .append("' title '")
      .append(line.title)
      .append("'");
    separator = ", ";
  }
  return result.append("\n");
}

} // namespace

std::string verdict(const OutageRun& run) {
  if (const auto after_s = run.summary.recovery.recover_s)
    return "recovered after " + rounded(*after_s, 3) + " s";
  const auto watched_s = static_cast<double>(run.seconds.size()) - std::ceil(run.times.back_s);
  const auto stay_s = std::chrono::duration<double>{backoff_actor::shortest_stay}.count();
  return "not recovered within " + rounded(std::max(watched_s - stay_s, 0.0)) + " s";
}

std::string live_outage_text(const OutageRun& run) {
  const auto& summary = run.summary;
  const auto& times = run.times;
  return "policy             " + run.policy + "\nguard              " + run.guard
         + "\nclient             " + run.client + "\nrate before        "
         + fixed(summary.rate_before, 1) + " answers/s" + "\nstopped for        "
         + fixed(times.back_s - times.stopped_s, 1) + " s, "
         + std::to_string(summary.attempts_during_outage) + " attempts meanwhile"
         + "\npeak concurrency   " + std::to_string(summary.peak_concurrency)
         + "\nlost work          " + std::to_string(summary.lost_work) + " requests\n"
         + verdict(run) + "\n";
}

std::string live_outage_plot(const OutageRun& run, const PlotRequest& plot) {
  constexpr auto count = static_cast<int>(panels.size());
  const auto height = plot_height(count * panel_height + (count - 1) * between_panels, 0);
  auto script =
    plot_frame(plot, height, 0) + data(run.seconds)
    + "set key top right inside horizontal\nset multiplot\nset yrange [0:*]\nset xrange [0:"
    + std::to_string(std::max<std::size_t>(run.seconds.size(), 1))
    + "]\nset object 1 rectangle from " + rounded(run.times.stopped_s) + ", graph 0 to "
    + rounded(run.times.back_s)
    + ", graph 1 behind fillcolor rgb '#f8dcdc' fillstyle solid noborder\n"
    + plot_headline(run.title() + ": " + verdict(run), height);
  auto bottom = height - plot_above_panel - panel_height;
  for (const auto& panel : panels) {
    if (&panel == &panels.back())
      script.append(
        "set xlabel 'seconds; shaded: the server is stopped' textcolor rgb '#444444'\n");
    script.append(panel_script(panel, bottom, height)).append("unset label 2\n");
    bottom -= panel_height + between_panels;
  }
  return script.append("unset multiplot\n");
}

} // namespace backoffctl
