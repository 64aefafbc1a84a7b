#include "outage_answer.hpp"

#include "number_text.hpp"

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
  return client == "retry" ? result : result + ", " + client;
}

OutageRun run_of(const OutageOptions& options) {
  const auto* const policy = std::get_if<Policy>(&options.policy);
  return {policy == nullptr ? "smira_as_shipped" : to_string(*policy),
          to_string(options.guard),
          options.client == OutageClient::sender ? "sender" : "retry",
          {},
          {},
          {}};
}

std::string heading_of(const OutageOptions& options) {
  const auto& service = options.service;
  auto result = std::to_string(options.clients) + (options.clients == 1 ? " client" : " clients");
  result += ", lambda " + to_string(options.mean_think) + ", timeout " + to_string(options.timeout)
            + "; service stopped for " + to_string(options.stop_for) + ", watched for "
            + to_string(options.watch) + ", seed " + std::to_string(options.seed) + "\nbacklog "
            + std::to_string(service.backlog) + ", abandoned work "
            + (service.abandoned_work == AbandonedWork::kept ? "kept" : "dropped") + ", limit "
            + std::to_string(service.limit) + ", factor " + rounded(service.factor) + ", scale "
            + rounded(service.scale) + ", base delay " + to_string(service.base_delay);
  if (service.max_concurrency)
    result += ", max concurrency " + std::to_string(*service.max_concurrency);
  return result + "\n";
}

} // namespace backoffctl
