#include "outcome.hpp"

#include "backoffctl/text/number_text.hpp"

#include "pictures/curves.hpp"
#include "pictures/line_ends.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace backoff_actor::soak {

namespace {

std::string memory_text(const Outcome& outcome) {
  const auto& growth = outcome.growth;
  if (!growth.is_known)
    return "memory not judged";
  const auto later = backoffctl::fixed(growth.later_mb, 0) + " MB";
  return growth.has_grown
           ? "memory grew from " + backoffctl::fixed(growth.earlier_mb, 0) + " to " + later
           : "memory " + later + " (steady)";
}

} // namespace

bool is_fine(const Outcome& outcome) {
  return outcome.lost == 0 && outcome.totals.ended_twice == 0 && outcome.actors_left == 0
         && outcome.watchers_failed == 0 && outcome.descriptors_left == 0
         && outcome.threads_left == 0 && !outcome.growth.has_grown;
}

std::string progress(const Sample& sample) {
  return backoffctl::fixed(sample.seconds, 0) + " s, " + std::to_string(sample.ended) + " ended, "
         + std::to_string(sample.crashes) + " crashes, " + backoffctl::fixed(sample.memory_mb, 0)
         + " MB";
}

std::string last_line(const Outcome& outcome) {
  const auto& totals = outcome.totals;
  auto result = "deliveries " + std::to_string(totals.ended() - totals.refused) + ", crashes "
                + std::to_string(outcome.crashes) + ", dead-lettered "
                + std::to_string(totals.dead_lettered) + ", refused "
                + std::to_string(totals.refused) + ", lost " + std::to_string(outcome.lost)
                + ", ended twice " + std::to_string(totals.ended_twice) + ", watchers "
                + std::to_string(outcome.watchers) + ", ";
  const auto add_if_any = [&](const char* what, std::uint64_t count) {
    if (count != 0)
      result += what + std::to_string(count) + ", ";
  };
  add_if_any("actors left ", outcome.actors_left);
  add_if_any("watchers failed ", outcome.watchers_failed);
  add_if_any("descriptors left ", outcome.descriptors_left);
  add_if_any("threads left ", outcome.threads_left);
  return result + memory_text(outcome);
}

std::string json(const Outcome& outcome) {
  const auto& totals = outcome.totals;
  const auto& growth = outcome.growth;
  nlohmann::ordered_json result{{"seed", outcome.seed},
                                {"seconds", outcome.seconds},
                                {"submitted", totals.submitted},
                                {"answered", totals.answered},
                                {"refused", totals.refused},
                                {"dead_lettered", totals.dead_lettered},
                                {"lost", outcome.lost},
                                {"ended_twice", totals.ended_twice},
                                {"crashes", outcome.crashes},
                                {"failed_starts", outcome.failed_starts},
                                {"hangs", outcome.hangs},
                                {"senders_ended", outcome.senders_ended},
                                {"restarts", outcome.restarts},
                                {"actors_left", outcome.actors_left},
                                {"watchers", outcome.watchers},
                                {"watchers_failed", outcome.watchers_failed},
                                {"descriptors_left", outcome.descriptors_left},
                                {"threads_left", outcome.threads_left}};
  result["memory"] = {{"is_judged", growth.is_known},
                      {"has_grown", growth.has_grown},
                      {"earlier_mb", growth.earlier_mb},
                      {"later_mb", growth.later_mb}};
  auto& samples = result["samples"] = nlohmann::ordered_json::array();
  for (const auto& x : outcome.samples)
    samples.push_back({{"seconds", x.seconds},
                       {"memory_mb", x.memory_mb},
                       {"ended", x.ended},
                       {"crashes", x.crashes}});
  return result.dump() + "\n";
}

pictures::Picture picture(const Outcome& outcome, const backoffctl::PlotRequest& plot) {
  constexpr auto title = "Soak: memory and throughput of a process in which everything fails";
  constexpr auto panel_height = 220; // pixels, as is the next
  constexpr auto between_panels = 50;
  const auto page = plot.page(2 * panel_height + between_panels);
  const pictures::Place below{page.bottom(), page.bottom() + panel_height};
  const pictures::Place above{below.top + between_panels,
                              below.top + between_panels + panel_height};
  std::vector<pictures::Point> memory;
  std::vector<pictures::Point> throughput;
  double most_mb = 1;
  double most_per_second = 1;
  Sample last;
  for (const auto& x : outcome.samples) {
    const auto span = std::max(x.seconds - last.seconds, 1e-3);
    const auto per_second = static_cast<double>(x.ended - last.ended) / span / 1000;
    memory.push_back({x.seconds, x.memory_mb});
    throughput.push_back({x.seconds, per_second});
    most_mb = std::max(most_mb, x.memory_mb);
    most_per_second = std::max(most_per_second, per_second);
    last = x;
  }
  const auto curve = [](const std::vector<pictures::Point>& points, double most, std::size_t look) {
    pictures::Curves curves{1};
    curves.add(points, pictures::look(look));
    return pictures::Scale{0, most * 1.1}.script() + curves.script();
  };
  return {title,
          "Over the seconds since the start. Above: resident memory in MB. Below: thousand "
          "deliveries per second. "
            + last_line(outcome) + ".",
          page_script(page) + "set xrange [0:" + backoffctl::rounded(std::max(last.seconds, 1.0), 6)
            + "]\nset multiplot\n" + panel_script(page, above, "memory, MB", false)
            + heading_script(page, title, last_line(outcome)) + curve(memory, most_mb, 0)
            + panel_script(page, below, "thousand deliveries per second")
            + pictures::horizontal_title("seconds since the start")
            + curve(throughput, most_per_second, 1) + "unset multiplot\n"};
}

} // namespace backoff_actor::soak
