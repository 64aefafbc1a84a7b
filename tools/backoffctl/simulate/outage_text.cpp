#include "outage_text.hpp"

#include "backoffctl/common/number_text.hpp"
#include "backoffctl/common/table.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

std::string advice_text(const OutageRuns& runs) {
  if (runs.size() < 2)
    return {};
  const auto advice = advice_of(runs);
  if (!advice)
    return "\nuse none of them: none recovers\n";
  const auto& best = runs[advice->best];
  return "\nuse " + label(advice->best) + ": recovers after "
         + span_text(*best.summary.recovery.recover_s) + ", " + rounded(times_the_calls(best), 2)
         + " times the calls of normal times at the peak" + "\n";
}

} // namespace

std::string outage_text(const std::string& heading, const OutageRuns& runs) {
  auto result = heading + "\n";
  const auto width = label(runs.size() - 1).size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    result += "  " + label(i) + std::string(width + 2 - label(i).size(), ' ') + runs[i].policy;
    if (runs[i].client != "retry")
      result += ", client " + runs[i].client;
    if (!runs[i].charging.empty())
      result += ", charging " + runs[i].charging;
    result += '\n';
    if (runs[i].guard != "none")
      result += std::string(width + 4, ' ') + "+ " + runs[i].guard + "\n";
  }
  std::vector<std::string> header{"run",
                                  "recovered after",
                                  "attempts in outage",
                                  "peak concurrency",
                                  "lost work",
                                  "extra wait: mean",
                                  "99 %",
                                  "still waiting"};
  const auto has_letters = std::any_of(runs.begin(), runs.end(),
                                       [](const OutageRun& run) { return !run.charging.empty(); });
  if (has_letters)
    header.push_back("dead letters");
  Table table{header};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& summary = runs[i].summary;
    const auto is_over = summary.still_waiting == 0;
    std::vector<std::string> row{label(i),
                                 recovery_text(summary.recovery),
                                 std::to_string(summary.attempts_during_outage),
                                 std::to_string(summary.peak_concurrency),
                                 std::to_string(summary.lost_work),
                                 wait_text(summary.extra_wait_mean_s, is_over),
                                 wait_text(summary.extra_wait_p99_s, is_over),
                                 std::to_string(summary.still_waiting)};
    if (has_letters)
      row.push_back(runs[i].charging.empty() ? "-" : std::to_string(summary.dead_letters));
    table.add(std::move(row));
  }
  return result + "\n" + table.text() + advice_text(runs);
}

} // namespace backoffctl
