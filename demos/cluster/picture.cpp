#include "picture.hpp"

#include "cluster.hpp"

#include "pictures/gnuplot.hpp"
#include "pictures/line_ends.hpp"
#include "pictures/look.hpp"
#include "pictures/page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <stdexcept>

namespace cluster {

namespace {

using pictures::number;

// All pixels.
constexpr pictures::Page page{.panels = 400, .legend_lines = 2, .left_margin = 95};
constexpr auto owners_height = 130;
constexpr auto calls_height = 200;

std::string subtitle(const Run& run) {
  const auto hands = run.workers - 2;
  if (hands == 0)
    return "Two processes share an outbox in PostgreSQL. The owner is killed, or frozen for longer "
           "than its lease.";
  return "Two processes share an outbox in PostgreSQL, " + std::to_string(hands)
         + (hands == 1 ? " offers" : " offer")
         + " workers. The owner and these are killed, or frozen.";
}

constexpr auto owner_colour = "#0072b2";
constexpr auto joined_colour = "#56b4e9";
constexpr auto killed_colour = "#d62728";
constexpr auto frozen_colour = "#7b4fb5";
constexpr auto calls_colour = "#0a8f6c";
constexpr auto bin = 0.1; // seconds

// Of one run, in seconds since its beginning.
class Script {
public:
  Script(const Run& run, const std::vector<Note>& notes, const std::vector<Call>& calls)
    : run_(run), notes_(notes), calls_(calls) {}

  double end() const { return std::max(seconds(run_.end), 1.0); }

  // A bar for each worker where it owns, and a thinner one where it is dead or frozen.
  std::string owners(const pictures::Place& place, const std::string& title) const {
    std::array<std::string, 3> data;
    for (const auto& x : ownerships(notes_, run_.faults, run_.end))
      data[0] += bar(row(x.node), x.from, x.to);
    for (const auto& fault : run_.faults)
      data[fault.kind == Fault::Kind::kill ? 1 : 2] +=
        bar(row(Cluster::node(fault.worker)), fault.at, std::min(fault.until, run_.end));
    return panel_script(page, place, "who owns the outbox", false)
           + heading_script(page, title, subtitle(run_)) + block("$owns", data[0])
           + block("$killed", data[1]) + block("$frozen", data[2]) + block("$joined", joined())
           + "set border 1\nset yrange [0.4:" + number(static_cast<double>(run_.workers) + 0.6)
           + "]\nset ytics (" + names() + ")\nunset key\nplot " + boxes("$owns", owner_colour, 0.32)
           + ", \\\n  " + boxes("$joined", joined_colour, 0.32) + ", \\\n  "
           + boxes("$killed", killed_colour, 0.1) + ", \\\n  "
           + boxes("$frozen", frozen_colour, 0.1) + "\n";
  }

  std::string rates(const pictures::Place& place) const {
    const auto bins = static_cast<std::size_t>(std::ceil(end() / bin)) + 1;
    std::vector<double> done(bins);
    std::string refused;
    for (const auto& call : calls_)
      if (call.is_refused)
        refused += number(seconds(call.at)) + " 0\n";
      else if (const auto at = seconds(call.at); at >= 0)
        done[std::min(static_cast<std::size_t>(at / bin), bins - 1)] += 1 / bin;
    std::string data;
    for (std::size_t i = 0; i < bins; ++i)
      data += number(static_cast<double>(i) * bin) + " " + number(done[i]) + "\n";
    return panel_script(page, place, "jobs done a second, in steps of 100 ms")
           + block("$done", data) + block("$refused", refused)
           + "set border 3\nset yrange [0:*]\nset ytics autofreq\n"
           + pictures::horizontal_title("seconds since the first owner") + "set key at screen "
           + page.x(page.left_margin) + ", screen " + page.legend_top()
           + " left top horizontal maxcols auto maxrows 2 Left reverse samplen 1.8 width 2\nplot "
             "$done using 1:2 with fillsteps linecolor rgb '"
           + calls_colour + "' title 'jobs done', \\\n  " + legend_box(owner_colour, "owns")
           + (run_.workers > 2 ? legend_box(joined_colour, "works for the owner") : std::string{})
           + legend_box(killed_colour, "killed") + legend_box(frozen_colour, "frozen")
           + "$refused using 1:2 with points pointtype 9 pointsize 0.8 linecolor rgb '#b45309'"
             " title 'stale call, refused'\n";
  }

private:
  double seconds(Micros at) const { return static_cast<double>(at - run_.begin) / 1e6; }

  int row(const std::string& node) const {
    return static_cast<int>(run_.workers) - (node.at(0) - 'a');
  }

  std::string names() const {
    std::string result;
    for (std::size_t worker = 0; worker < run_.workers; ++worker)
      result += (result.empty() ? "'worker " : ", 'worker ") + Cluster::node(worker) + "' "
                + std::to_string(row(Cluster::node(worker)));
    return result;
  }

  // A bar for each time that a process which offers workers has an owner.
  std::string joined() const {
    std::map<std::string, Micros> since;
    std::string result;
    const auto end = [&](const std::string& node, Micros at) {
      if (const auto found = since.extract(node))
        result += bar(row(node), found.mapped(), at);
    };
    for (const auto& note : notes_)
      if (note.word == "joined")
        since.emplace(note.node, note.at);
      else if (note.word == "alone" || note.word == "up" || note.word == "stopped")
        end(note.node, note.at);
    while (!since.empty())
      end(std::string{since.begin()->first}, run_.end);
    return result;
  }

  std::string bar(int row, Micros from, Micros to) const {
    return number(std::max(seconds(from), 0.0)) + " " + number(seconds(to)) + " "
           + std::to_string(row) + "\n";
  }

  static std::string block(const std::string& name, const std::string& data) {
    return name + " << end_of_data\n" + (data.empty() ? "-1 -1 -1\n" : data) + "end_of_data\n";
  }

  static std::string boxes(const std::string& data, const std::string& colour, double half) {
    return data + " using 1:3:1:2:($3 - " + number(half) + "):($3 + " + number(half)
           + ") with boxxyerror fillstyle solid 1 noborder linecolor rgb '" + colour + "' notitle";
  }

  static std::string legend_box(const std::string& colour, const std::string& title) {
    return "NaN with points pointtype 5 pointsize 1.2 linecolor rgb '" + colour + "' title "
           + pictures::quoted(title) + ", \\\n  ";
  }

  const Run& run_;
  const std::vector<Note>& notes_;
  const std::vector<Call>& calls_;
};

std::string describe(const Run& run) {
  std::string result = subtitle(run)
                       + " Above, over the seconds since the first owner: which worker owns the "
                         "outbox, and where it is dead or frozen. Below: the jobs done a second.";
  for (const auto& fault : run.faults)
    result += std::string{" Second "}
              + number(std::round(static_cast<double>(fault.at - run.begin) / 1e5) / 10) + ": "
              + Cluster::node(fault.worker)
              + (fault.kind == Fault::Kind::kill ? " is killed." : " is frozen.");
  return result;
}

} // namespace

std::vector<Ownership> ownerships(const std::vector<Note>& notes,
                                  const std::vector<FaultRecord>& faults, Micros end) {
  std::vector<Ownership> result;
  for (const auto& note : notes)
    if (note.word == "owns") {
      if (!result.empty())
        result.back().to = std::min(result.back().to, note.at);
      result.push_back({note.node, note.at, end});
    } else if (note.word == "stopped" && !result.empty() && result.back().node == note.node) {
      result.back().to = std::min(result.back().to, note.at);
    }
  for (auto& x : result)
    for (const auto& fault : faults) // the dead own nothing, but the frozen do
      if (fault.kind == Fault::Kind::kill && Cluster::node(fault.worker) == x.node
          && fault.at >= x.from)
        x.to = std::min(x.to, fault.at);
  return result;
}

pictures::Picture picture_of(const Run& run, const std::vector<Note>& notes,
                             const std::vector<Call>& calls, const std::string& title) {
  const Script script{run, notes, calls};
  const pictures::Place below{page.bottom(), page.bottom() + calls_height};
  const pictures::Place above{page.bottom() + page.panels - owners_height,
                              page.bottom() + page.panels};
  return {title, describe(run),
          page_script(page) + "set style fill solid 1 noborder\nset xrange [0:"
            + number(script.end()) + "]\nset multiplot\n" + script.owners(above, title)
            + script.rates(below) + "unset multiplot\n"};
}

std::string draw_picture(const Run& run, const std::vector<Note>& notes,
                         const std::vector<Call>& calls, const std::string& title,
                         const std::filesystem::path& file) {
  try {
    const auto picture = pictures::drawn(picture_of(run, notes, calls, title));
    std::ofstream stream{file, std::ios::binary};
    stream << picture << std::flush;
    return stream ? std::string{} : file.string() + " cannot be written";
  } catch (const std::runtime_error& error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
}

} // namespace cluster
