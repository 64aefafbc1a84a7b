#include "outage.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"
#include "pictures/curves.hpp"
#include "pictures/line_ends.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace backoffctl {

namespace {

using backoff_actor::OutageSecond;

// All pixels.
constexpr auto outage_panel_height = 220;
constexpr auto between_outage_panels = 45;

constexpr auto longest_before_s = 30.0; // the stop, that is shown
constexpr auto nothing = std::numeric_limits<double>::quiet_NaN();

double attempts_of(const OutageSecond& second) { return static_cast<double>(second.attempts); }
double concurrency_of(const OutageSecond& second) { return second.concurrency; }
double latency_of(const OutageSecond& second) {
  return second.ok == 0 ? nothing : second.latency_s;
}

struct OutagePanel {
  const char* title;
  double (*value)(const OutageSecond&);
};

// From above.
constexpr std::array<OutagePanel, 3> outage_panels{
  {{"calls that begin in each second", attempts_of},
   {"requests at once in the service, mean of each second", concurrency_of},
   {"mean latency of the answers, seconds", latency_of}}};

double first_shown_s(const OutageRun& run) {
  return -std::min(longest_before_s, run.times.stopped_s);
}

// In the middle of each second. A logarithmic axis has no place for 0.
std::vector<pictures::Point> points(const OutageRun& run, const OutagePanel& panel,
                                    bool is_logarithmic) {
  std::vector<pictures::Point> result;
  for (std::size_t i = 0; i < run.seconds.size(); ++i) {
    const auto at_s = static_cast<double>(i) + 0.5 - run.times.stopped_s;
    const auto value = panel.value(run.seconds[i]);
    if (at_s >= first_shown_s(run))
      result.push_back({at_s, is_logarithmic && value <= 0 ? nothing : value});
  }
  return result;
}

// Given, not left to gnuplot, whose choice depends on its version.
pictures::Scale scale(const OutageRuns& runs, const OutagePanel& panel, bool is_logarithmic) {
  double most = 0;
  for (const auto& run : runs)
    for (const auto& second : run.seconds)
      most = std::max(most, panel.value(second)); // not NaN's
  return is_logarithmic ? pictures::Scale{1, std::max(most, 10.0) * 1.5, true}
                        : pictures::Scale{0, most > 0 ? most * 1.05 : 1};
}

// As in the table: a number if there are several.
std::string label(const OutageRuns& runs, std::size_t run) {
  return runs.size() == 1 ? "" : numbered_label(run + 1);
}

std::string legend(const OutageRuns& runs, std::size_t run) {
  return label(runs, run) + (runs.size() == 1 ? "" : " ") + runs[run].title();
}

// The legend is drawn with the lowest panel.
std::string panel_curves(const OutageRuns& runs, const pictures::Page& page,
                         const pictures::Place& place, const OutagePanel& panel,
                         bool is_logarithmic, bool is_lowest) {
  const auto vertical = scale(runs, panel, is_logarithmic);
  pictures::Curves curves{runs.size()};
  std::vector<pictures::LineEnd> ends;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto look = pictures::look(i);
    const auto curve = points(runs[i], panel, is_logarithmic);
    curves.add(curve, look);
    if (runs.size() > 1 && !curve.empty())
      ends.push_back({curve.back().y, label(runs, i), look.colour});
    if (is_lowest)
      curves.add_legend(look, legend(runs, i));
  }
  return vertical.script() + line_ends_script(page, place, vertical, std::move(ends))
         + curves.script();
}

std::string title_of(const OutageRuns& runs) {
  const auto& times = runs.front().times;
  return "A simulated outage of " + rounded(times.back_s - times.stopped_s) + " s"
         + (runs.size() == 1 ? "" : ", " + std::to_string(runs.size()) + " kinds of clients");
}

std::string description(const OutageRuns& runs) {
  std::string result =
    "From above: calls that begin in each second, requests at once in the service, "
    "and mean latency of the answers, over the seconds since the service was "
    "stopped. The lines:";
  for (std::size_t i = 0; i < runs.size(); ++i)
    result += (i == 0 ? " " : "; ") + legend(runs, i);
  return result + ".";
}

} // namespace

pictures::Picture outage_plot(const OutageRuns& runs, const PlotRequest& plot) {
  const auto page = plot.page(3 * outage_panel_height + 2 * between_outage_panels, runs.size());
  const auto& times = runs.front().times;
  const auto last_s = static_cast<double>(runs.front().seconds.size()) - times.stopped_s;
  auto script = page_script(page) + "set xrange [" + shortest(first_shown_s(runs.front())) + ":"
                + shortest(last_s) + "]\n" + pictures::shaded(0, times.back_s - times.stopped_s)
                + "set multiplot\n";
  for (std::size_t i = 0; i < outage_panels.size(); ++i) {
    const auto& panel = outage_panels[i];
    const auto from_below = static_cast<int>(outage_panels.size() - 1 - i);
    const auto bottom = page.bottom() + from_below * (outage_panel_height + between_outage_panels);
    const pictures::Place place{bottom, bottom + outage_panel_height};
    const auto is_lowest = from_below == 0;
    const auto is_logarithmic = plot.is_logarithmic && panel.value == concurrency_of;
    script += panel_script(page, place, panel.title, is_lowest);
    if (i == 0)
      script += heading_script(page, title_of(runs), "Shaded: the service is stopped");
    if (is_lowest)
      script += pictures::horizontal_title("seconds since the service was stopped");
    script += panel_curves(runs, page, place, panel, is_logarithmic, is_lowest);
  }
  return {title_of(runs), description(runs), script + "unset multiplot\n"};
}

} // namespace backoffctl
