#include "picture_script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <ostream>

namespace http_guard {

namespace {

// What can still be told apart in the width of the picture.
constexpr std::size_t progress_points = 400;
constexpr double failure_columns = 150;

// The axis of the delays is logarithmic and in milliseconds.
constexpr auto ms = 1000.0;
constexpr auto delay_floor = 1.6;
constexpr auto no_delay = 2.2; // where no delay at all is drawn

constexpr auto preamble = R"(
set terminal svg size 1000,600 font 'Helvetica,Arial,sans-serif,14' enhanced background rgb 'white'
set encoding utf8
set multiplot
set lmargin at screen 0.105
set rmargin at screen 0.91
set border 3 linewidth 1 linecolor rgb '#999999'
set tics nomirror out scale 0.6 textcolor rgb '#444444'
set grid xtics ytics linetype 1 linewidth 0.6 linecolor rgb '#e6e6e6'
set style fill solid 1 noborder
set key noenhanced Left reverse samplen 1.8 textcolor rgb '#222222'
)";

constexpr auto upper_panel = R"(
set tmargin at screen 0.845
set bmargin at screen 0.545
set format x ''
set border 11
set label 'acknowledged' at screen 0.022,0.695 center rotate textcolor rgb '#0060a0'
set label 'handed over again' at screen 0.984,0.695 center rotate textcolor rgb '#c06000'
set y2tics nomirror out scale 0.6 textcolor rgb '#444444'
set yrange [0:*]
set y2range [0:*]
set key top left
plot $progress using 1:2 with filledcurves y1=0 linecolor rgb '#d5e8f7' notitle, \
     $progress using 1:2 with lines linewidth 2.5 linecolor rgb '#0072b2' \
       title 'acknowledged', \
     $progress using 1:3 axes x1y2 with lines linewidth 1.8 linecolor rgb '#e07b00' \
       title 'handed over again'
unset y2tics
unset label
)";

constexpr auto lower_panel = R"(
set tmargin at screen 0.5
set bmargin at screen 0.2
set border 3
set format x '%g'
set ytics auto
set xlabel 'seconds' textcolor rgb '#444444' offset screen 0,0.012
set label 'delay after a failure' at screen 0.022,0.35 center rotate textcolor rgb '#444444'
set logscale y
set key at screen 0.5075,0.05 center center vertical maxrows 2 width 1
)";

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

// A gnuplot string, in which only the quote itself is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const auto c : text)
    result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
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
void write_progress(std::ostream& script, const std::vector<Timeline::Progress>& progress) {
  script << "$progress << end_of_data\n";
  Timeline::Progress drawn{};
  const auto step_to = [&](const Timeline::Progress& x) {
    script << x.at << ' ' << drawn.acknowledged << ' ' << drawn.resends << '\n'
           << x.at << ' ' << x.acknowledged << ' ' << x.resends << '\n';
    drawn = x;
  };
  for (std::size_t i = 0; i < progress.size(); i += progress.size() / progress_points + 1)
    step_to(progress[i]);
  step_to(progress.back());
  script << "end_of_data\nset ytics "
         << tick_step(static_cast<double>(progress.back().acknowledged)) << "\nset y2tics "
         << tick_step(static_cast<double>(progress.back().resends)) << '\n';
}

void write_outages(std::ostream& script, const std::vector<Timeline::Outage>& outages) {
  for (const auto& outage : outages)
    script << "set object rectangle from " << outage.from << ", graph 0 to " << outage.to
           << ", graph 1 behind fillcolor rgb '#f8dcdc' fillstyle solid noborder\n"
           << "set label \"service\\nkilled\" at " << (outage.from + outage.to) / 2
           << ", graph 0.9 center front textcolor rgb '#a03030' font ',12'\n";
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

void write_delays(std::ostream& script, const Timeline& timeline) {
  auto longest = 75.0;
  std::string bars;
  std::string marks;
  const auto failures = visible(timeline);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (failures[i].empty())
      continue;
    const auto data = "$kind" + std::to_string(i);
    script << data << " << end_of_data\n";
    for (const auto& [column, failure] : failures[i]) {
      script << failure.at << ' ' << std::max(failure.delay * ms, no_delay) << ' '
             << failure.at + failure.delay << '\n';
      longest = std::max(longest, failure.delay * ms);
    }
    script << "end_of_data\n";
    const auto colour = std::string{" linecolor rgb '"} + kinds[i].colour + "' ";
    bars += data
            + " using ($3 - $1 < thinnest ? NaN : $1):2:1:3:(delay_floor):2 with boxxyerror"
              " fillstyle transparent solid 0.3 noborder"
            + colour + "notitle, " + data + " using 1:2 with impulses linewidth 0.9" + colour
            + "notitle, ";
    marks += data + " using 1:2 with points pointsize 0.6 pointtype "
             + std::to_string(kinds[i].mark) + colour + "title '" + kinds[i].label + "', ";
  }
  script << "delay_floor = " << delay_floor << "\nthinnest = " << timeline.end / 500 << '\n'
         << lower_panel << "set yrange [delay_floor:" << longest * 1.8 << "]\n"
         << "set ytics ('none' " << no_delay;
  for (auto exponent = 1; exponent <= 8; ++exponent) {
    const auto delay = 5 * ((1 << exponent) - 1); // what the backoff may say
    script << ", '" << delay << " ms' " << delay;
  }
  script << ")\n";
  if (marks.empty())
    marks = "1/0 notitle"; // an empty panel: no failure
  script << "plot " << bars << marks << '\n';
}

} // namespace

void write_picture_script(std::ostream& script, const Timeline& timeline,
                          const std::string& title) {
  script
    << preamble << "set xrange [0:" << timeline.end << "]\n"
    << "set label " << quoted(title)
    << " at screen 0.105, 0.945 left noenhanced font ',20' textcolor rgb '#111111'\n"
    << "set label 'A service that fails by plan, and is killed for a while; a worker without a "
       "line of retry code; one BackOffSender.' at screen 0.105, 0.893 left textcolor rgb "
       "'#666666'\n";
  write_outages(script, timeline.outages);
  write_progress(script, timeline.progress);
  script << upper_panel;
  write_delays(script, timeline);
}

} // namespace http_guard
