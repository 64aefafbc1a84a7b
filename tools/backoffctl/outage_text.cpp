#include "outage_text.hpp"

#include "number_text.hpp"
#include "table.hpp"

#include <cstddef>

namespace backoffctl {

namespace {

std::string label(std::size_t run) {
  return std::string{"["}.append(std::to_string(run + 1)).append("]");
}

std::string recovery_text(const backoff_actor::Recovery& recovery) {
  return recovery.recover_s ? span_text(*recovery.recover_s) : "not recovered";
}

// Of those who still wait it is only known how long they have waited.
std::string wait_text(double wait_s, bool is_over) {
  return (is_over ? "" : "> ") + span_text(wait_s);
}

} // namespace

std::string outage_text(const std::string& heading, const OutageRuns& runs) {
  auto result = heading + "\n";
  const auto width = label(runs.size() - 1).size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    result += "  " + label(i) + std::string(width + 2 - label(i).size(), ' ') + runs[i].policy;
    if (runs[i].client != "retry")
      result += ", client " + runs[i].client;
    result += '\n';
    if (runs[i].guard != "none")
      result += std::string(width + 4, ' ') + "+ " + runs[i].guard + "\n";
  }
  Table table{{"run", "recovered after", "attempts in outage", "peak concurrency", "lost work",
               "extra wait: mean", "99 %", "still waiting"}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& summary = runs[i].summary;
    const auto is_over = summary.still_waiting == 0;
    table.add(
      {label(i), recovery_text(summary.recovery), std::to_string(summary.attempts_during_outage),
       std::to_string(summary.peak_concurrency), std::to_string(summary.lost_work),
       wait_text(summary.extra_wait_mean_s, is_over), wait_text(summary.extra_wait_p99_s, is_over),
       std::to_string(summary.still_waiting)});
  }
  return result + "\n" + table.text();
}

} // namespace backoffctl
