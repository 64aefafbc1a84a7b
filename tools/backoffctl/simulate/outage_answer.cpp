#include "outage_answer.hpp"

#include "backoffctl/common/number_text.hpp"

#include <limits>
#include <variant>

namespace backoffctl {

using namespace backoff_actor;

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
  const auto* const policy = std::get_if<Policy>(&options.policy);
  return {policy == nullptr ? "smira_as_shipped" : to_string(*policy),
          to_string(options.guard),
          options.client == OutageClient::sender ? "sender" : "retry",
          options.max_attempts ? to_string(options.charging) : std::string{},
          {},
          {},
          {}};
}

std::string heading_of(const OutageOptions& options) {
  const auto& service = options.service;
  auto result = std::to_string(options.clients) + (options.clients == 1 ? " client" : " clients");
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

} // namespace backoffctl
