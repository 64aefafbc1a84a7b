#include "live.hpp"

#include "backoffctl/text/number_text.hpp"
#include "pictures/curves.hpp"
#include "pictures/line_ends.hpp"

#include "backoff_actor/lab/simulation/internal/recovery.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace backoffctl {

namespace {

using backoff_actor::OutageSecond;

// All pixels.
constexpr auto live_panel_height = 200;
constexpr auto between_live_panels = 55;
constexpr auto above_live_panel = 17; // the middle of its legend

constexpr auto no_latency = std::numeric_limits<double>::quiet_NaN();

struct LiveLine {
  const char* title;
  double (*value)(const OutageSecond&);
  pictures::Look look;
};

struct LivePanel {
  const char* title;
  std::vector<LiveLine> lines;
};

double attempts_of(const OutageSecond& x) { return static_cast<double>(x.attempts); }
double answered_of(const OutageSecond& x) { return static_cast<double>(x.ok); }
double failed_of(const OutageSecond& x) { return static_cast<double>(x.timed_out); }
double peak_of(const OutageSecond& x) { return static_cast<double>(x.peak_concurrency); }
double at_the_end_of(const OutageSecond& x) { return x.concurrency; }
double latency_of(const OutageSecond& x) { return x.ok == 0 ? no_latency : x.latency_s; }

// From above. A pale band lies under a solid line, and that under a dashed one, so that all are
// seen where they are one upon the other.
std::vector<LivePanel> live_panels() {
  return {{"calls in each second",
           {{"attempts", attempts_of, {"#b4b4b4", 7, "1", 6}},
            {"answered", answered_of, {"#0072b2", 5, "1", 2}},
            {"failed", failed_of, {"#b3261e", 9, "(6,4)", 2}}}},
          {"requests in the server",
           {{"most in each second", peak_of, {"#e0a458", 7, "1", 5}},
            {"at the end of each second", at_the_end_of, {"#5b3a1a", 9, "(6,4)", 2}}}},
          {"mean latency of the answers of each second, in seconds",
           {{"", latency_of, {"#16803c", 7, "1", 2}}}}};
}

// In the middle of each second.
std::vector<pictures::Point> points(const std::vector<OutageSecond>& seconds,
                                    double (*value)(const OutageSecond&)) {
  std::vector<pictures::Point> result;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    result.push_back({static_cast<double>(i) + 0.5, value(seconds[i])});
  return result;
}

// Above the panel, at the right, where no curve is.
std::string legend_place(const pictures::Page& page, const pictures::Place& place) {
  return "set key at screen " + page.x(pictures::page_width - page.right_margin) + ", screen "
         + page.y(place.top + above_live_panel)
         + " right center horizontal maxcols auto maxrows 1 Left reverse samplen 4 width 1\n";
}

std::string curves_of(const LivePanel& panel, const std::vector<OutageSecond>& seconds) {
  double most = 0;
  pictures::Curves curves{panel.lines.size()};
  for (const auto& line : panel.lines) {
    for (const auto& second : seconds)
      most = std::max(most, line.value(second)); // not NaN's
    curves.add(points(seconds, line.value), line.look);
    if (*line.title != 0)
      curves.add_legend(line.look, line.title);
  }
  return pictures::Scale{0, most > 0 ? most * 1.05 : 1}.script() + curves.script();
}

std::string live_description(const OutageRun& run) {
  return "Clients: " + run.title()
         + ". From above, for each second: calls (attempts, answered, failed); requests in the "
           "server "
           "(the most, and those at the end of the second); mean latency of the answers.";
}

} // namespace

std::string verdict(const OutageRun& run) {
  if (const auto after_s = run.summary.recovery.recover_s)
    return "recovered after " + rounded(*after_s, 3) + " s";
  const auto watched_s = static_cast<double>(run.seconds.size()) - std::ceil(run.times.back_s);
  const auto stay_s = seconds_of(backoff_actor::shortest_stay);
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

pictures::Picture live_outage_plot(const OutageRun& run, const PlotRequest& plot) {
  const auto panels = live_panels();
  const auto count = static_cast<int>(panels.size());
  auto page = plot.page(count * live_panel_height + (count - 1) * between_live_panels);
  page.right_margin = 30; // there is nothing at the ends of the lines
  const auto& times = run.times;
  const auto title =
    "A real outage of " + rounded(times.back_s - times.stopped_s, 3) + " s: " + verdict(run);
  auto script = page_script(page)
                + "set xrange [0:" + std::to_string(std::max<std::size_t>(run.seconds.size(), 1))
                + "]\n" + pictures::shaded(times.stopped_s, times.back_s) + "set multiplot\n";
  for (auto i = 0; i < count; ++i) {
    const auto from_below = count - 1 - i;
    const auto bottom = page.bottom() + from_below * (live_panel_height + between_live_panels);
    const pictures::Place place{bottom, bottom + live_panel_height};
    const auto& panel = panels[static_cast<std::size_t>(i)];
    script += panel_script(page, place, panel.title, from_below == 0) + legend_place(page, place);
    if (i == 0)
      script += heading_script(page, title, run.title() + "; shaded: the server is stopped");
    if (from_below == 0)
      script += pictures::horizontal_title("seconds since the start");
    script += curves_of(panel, run.seconds);
  }
  return {title, live_description(run), script + "unset multiplot\n"};
}

} // namespace backoffctl
