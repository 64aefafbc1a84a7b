#include "picture_script.hpp"

#include "pictures/line_ends.hpp"
#include "pictures/look.hpp"
#include "pictures/page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

namespace http_guard {

namespace {

using pictures::number;

// What can still be told apart in the width of the picture.
constexpr std::size_t progress_points = 400;
constexpr double failure_columns = 150;

// The axis of the delays is logarithmic and in milliseconds.
constexpr auto ms = 1000.0;
constexpr auto delay_floor = 1.6;
constexpr auto no_delay = 2.2; // where no delay at all is drawn

// All pixels.
constexpr pictures::Page page{
  .panels = 445, .legend_lines = 2, .left_margin = 95, .right_margin = 90};
constexpr auto delays_height = 190;
constexpr auto progress_height = 200;

constexpr auto subtitle =
  "A service that fails by plan, and is killed for a while; a worker without "
  "retry code; one BackOffSender.";

constexpr pictures::Look acknowledged_look{"#0072b2", 7, "1", 2.5};
constexpr pictures::Look redelivered{"#b45309", 5, "(6,3)", 2};

// A kind of failure. In the order of the legend.
struct Kind {
  const char* part; // of the cause, for a crash: the first that occurs in it
  const char* label;
  const char* colour;
  int mark; // gnuplot's number of it
};

constexpr std::array<Kind, 7> kinds{{
  {"HTTP 500", "HTTP 500", "#d62728", 7},
  {"HTTP 429", "HTTP 429", "#c49a6c", 4},
  {"Timeout", "timeout", "#7b4fb5", 9},
  {"reset", "connection reset", "#0a8f6c", 13},
  {"refused", "connection refused", "#1f3b73", 11},
  {"", "other", "#8c8c8c", 15},
  {"", "HTTP 429, nack", "#e69f00", 5},
}};
constexpr std::size_t nack = kinds.size() - 1;

std::size_t kind_of(const Timeline::Failure& failure, const std::string& cause) {
  const auto is_it = [&](const Kind& kind) { return cause.find(kind.part) != std::string::npos; };
  if (failure.is_nack)
    return nack;
  return static_cast<std::size_t>(std::find_if(kinds.begin(), kinds.end(), is_it) - kinds.begin());
}

// About four ticks, at round numbers.
double tick_step(double range) {
  const auto power = std::pow(10, std::floor(std::log10(std::max(range, 4.0) / 4)));
  for (const auto factor : {1.0, 2.0, 2.5, 5.0})
    if (range <= 4.5 * factor * power)
      return factor * power;
  return 10 * power;
}

// Both ends of each step, because gnuplot's own steps would be a shape of their own each.
std::string progress_data(const std::vector<Timeline::Progress>& progress) {
  std::string result = "$progress << end_of_data\n";
  Timeline::Progress drawn{};
  const auto row = [&](double at, const Timeline::Progress& x) {
    result +=
      number(at) + " " + std::to_string(x.acknowledged) + " " + std::to_string(x.resends) + "\n";
  };
  const auto step_to = [&](const Timeline::Progress& x) {
    row(x.at, drawn);
    row(x.at, x);
    drawn = x;
  };
  for (std::size_t i = 0; i < progress.size(); i += progress.size() / progress_points + 1)
    step_to(progress[i]);
  step_to(progress.back());
  return result + "end_of_data\n";
}

std::string shaded_outages(const Timeline& timeline) {
  std::string result;
  for (const auto& outage : timeline.outages)
    result += pictures::shaded(outage.from, outage.to);
  return result;
}

// Below the upper panel, where no curve is.
std::string outage_labels(const Timeline& timeline, const pictures::Place& place) {
  std::string result;
  for (const auto& outage : timeline.outages)
    result += "set label 'service killed' at first " + number((outage.from + outage.to) / 2)
              + ", screen " + page.y(place.bottom - 14) + " center textcolor rgb '#444444'\n";
  return result;
}

// With an axis for each of its lines.
std::string progress_panel(const Timeline& timeline, const std::string& title,
                           const pictures::Place& place) {
  const auto& last = timeline.progress.back();
  const auto right = page.x(pictures::page_width - page.right_margin);
  const auto above = page.y(place.top + 17);
  return panel_script(page, place, "", false) + heading_script(page, title, subtitle)
         + outage_labels(timeline, place) + progress_data(timeline.progress)
         + "set border 11\nset yrange [0:*]\nset y2range [0:*]\nset ytics "
         + number(tick_step(static_cast<double>(last.acknowledged)))
         + "\nset y2tics nomirror out scale 0.6 textcolor rgb '#444444' "
         + number(tick_step(static_cast<double>(last.resends))) + "\nset key at screen "
         + page.x(page.left_margin) + ", screen " + above
         + " left center horizontal maxcols auto maxrows 1 Left reverse samplen 4\n"
           "plot $progress using 1:2 with filledcurves y1=0 linecolor rgb '#d5e8f7' notitle, \\\n"
           "  $progress using 1:2 with lines "
         + line_words(acknowledged_look) + " title 'acknowledged, left axis', \\\n"
         + "  $progress using 1:3 axes x1y2 with lines " + line_words(redelivered)
         + " title 'redelivered, right axis'\nunset y2tics\n";
}

// Returns, for each kind, which failures to draw: where they are too dense to be told apart, the
// one with the longest delay stands for all.
std::array<std::map<int, Timeline::Failure>, kinds.size()> visible(const Timeline& timeline) {
  std::array<std::map<int, Timeline::Failure>, kinds.size()> result;
  for (const auto& failure : timeline.failures) {
    const auto column = static_cast<int>(failure.at / timeline.end * failure_columns);
    auto& of_kind = result[kind_of(failure, timeline.causes[failure.cause])];
    const auto [entry, is_new] = of_kind.try_emplace(column, failure);
    if (!is_new && failure.delay > entry->second.delay)
      entry->second = failure;
  }
  return result;
}

std::string delay_ticks() {
  auto result = "set ytics ('none' " + number(no_delay);
  for (auto exponent = 1; exponent <= 8; ++exponent) {
    const auto delay = std::to_string(5 * ((1 << exponent) - 1)); // what the backoff may say
    result += ", '" + delay + " ms' " + delay;
  }
  return result + ")\n";
}

// A mark where a failure was. The box beside it is as wide as the delay was long.
std::string delay_panel(const Timeline& timeline, const pictures::Place& place) {
  auto longest = 75.0;
  std::string data;
  std::string bars;
  std::string marks;
  const auto failures = visible(timeline);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (failures[i].empty())
      continue;
    const auto name = "$kind" + std::to_string(i);
    data += name + " << end_of_data\n";
    for (const auto& [column, failure] : failures[i]) {
      data += number(failure.at) + " " + number(std::max(failure.delay * ms, no_delay)) + " "
              + number(failure.at + failure.delay) + "\n";
      longest = std::max(longest, failure.delay * ms);
    }
    data += "end_of_data\n";
    const auto colour = std::string{" linecolor rgb '"} + kinds[i].colour + "' ";
    bars += name
            + " using ($3 - $1 < thinnest ? NaN : $1):2:1:3:(delay_floor):2 with boxxyerror"
              " fillstyle transparent solid 0.3 noborder"
            + colour + "notitle, \\\n" + name + " using 1:2 with impulses linewidth 0.9" + colour
            + "notitle, \\\n";
    marks += (marks.empty() ? "" : ", \\\n") + name
             + " using 1:2 with points pointsize 0.7 pointtype " + std::to_string(kinds[i].mark)
             + colour + "title " + pictures::quoted(kinds[i].label);
  }
  if (marks.empty())
    marks = "1/0 notitle"; // an empty panel: no failure
  return panel_script(page, place,
                      "delay after each failure, logarithmic; the boxes show how long it lasts")
         + "set border 3\ndelay_floor = " + number(delay_floor)
         + "\nthinnest = " + number(timeline.end / 500) + "\n"
         + pictures::Scale{delay_floor, longest * 1.8, true}.script() + delay_ticks()
         + pictures::horizontal_title("seconds since the start") + "set key at screen "
         + page.x(page.left_margin) + ", screen " + page.legend_top()
         + " left top vertical maxcols auto maxrows 2 Left reverse samplen 1.8 width 2\n" + data
         + "plot " + bars + marks + "\n";
}

std::string describe(const Timeline& timeline) {
  std::string result =
    std::string{subtitle}
    + " Above, over the seconds since the start: the requests that are acknowledged, "
      "and those that are redelivered. Below: each failure, its kind and the delay "
      "after it.";
  for (const auto& outage : timeline.outages)
    result += " The service is killed from second " + number(std::round(outage.from * 10) / 10)
              + " to second " + number(std::round(outage.to * 10) / 10) + ".";
  return result;
}

} // namespace

pictures::Picture picture_of(const Timeline& timeline, const std::string& title) {
  const pictures::Place below{page.bottom(), page.bottom() + delays_height};
  const pictures::Place above{page.bottom() + page.panels - progress_height,
                              page.bottom() + page.panels};
  return {title, describe(timeline),
          page_script(page)
            + "set style fill solid 1 noborder\nset xrange [0:" + number(timeline.end) + "]\n"
            + shaded_outages(timeline) + "set multiplot\n" + progress_panel(timeline, title, above)
            + delay_panel(timeline, below) + "unset multiplot\n"};
}

} // namespace http_guard
