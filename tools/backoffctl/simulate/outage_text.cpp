#include "outage.hpp"

#include "backoffctl/common/policy_flags.hpp"
#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace backoffctl {

using namespace backoff_actor;

namespace {

std::string heading_of(const OutageOptions& options) {
  const auto& service = options.service;
  auto result = counted(options.clients, "client", "clients");
  if (options.processes > 1)
    result += " in " + std::to_string(options.processes) + " processes";
  result += ", lambda " + to_string(options.mean_think) + ", timeout " + to_string(options.timeout)
            + "; service stopped for " + to_string(options.stop_for) + ", watched for "
            + to_string(options.watch) + ", seed " + std::to_string(options.seed);
  if (options.max_attempts)
    result += ", max_attempts " + std::to_string(*options.max_attempts);
  result += "\nbacklog " + std::to_string(service.backlog) + ", abandoned work "
            + (service.abandoned_work == AbandonedWork::kept ? "kept" : "dropped") + ", limit "
            + std::to_string(service.limit) + ", factor " + rounded(service.factor) + ", scale "
            + rounded(service.scale) + ", base delay " + to_string(service.base_delay);
  if (service.max_concurrency)
    result += ", max concurrency " + std::to_string(*service.max_concurrency);
  return result + "\n";
}

std::string label(std::size_t run) { return numbered_label(run + 1); }

std::string recovery_text(const Recovery& recovery) {
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

// `circuit_breaker(5 failures, ...) + retry_budget(...)` as `circuit_breaker + retry_budget`.
std::string OutageRun::title() const {
  auto result = policy;
  if (guard != "none") {
    result += " + ";
    int depth = 0;
    for (const auto c : guard) {
      depth += c == '(' ? 1 : 0;
      if (depth == 0)
        result += c;
      depth -= c == ')' ? 1 : 0;
    }
  }
  if (client != "retry")
    result += ", " + client;
  return charging.empty() ? result : result + ", " + charging;
}

double times_the_calls(const OutageRun& run) {
  return static_cast<double>(run.summary.peak_attempts) / run.summary.rate_before;
}

std::optional<RecoveryAdvice> advice_of(const OutageRuns& runs) {
  if (runs.size() < 2)
    return std::nullopt;
  std::vector<RecoveryFigures> ways;
  for (const auto& run : runs)
    ways.push_back(
      {run.summary.recovery.recover_s, times_the_calls(run), run.summary.dead_letters});
  return recovery_advice(ways, std::numeric_limits<double>::infinity());
}

OutageRun run_of(const OutageOptions& options) {
  return {policy_text(options.policy),
          to_string(options.guard),
          options.client == OutageClient::sender ? "sender" : "retry",
          options.max_attempts ? to_string(options.charging) : std::string{},
          {},
          {},
          {}};
}

std::string outage_text(const OutageOptions& options, const OutageRuns& runs) {
  auto result = heading_of(options) + "\n";
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
