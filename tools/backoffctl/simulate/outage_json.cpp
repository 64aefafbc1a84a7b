#include "outage.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

namespace backoffctl {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const backoff_actor::OutageSecond& second) {
  return {{"attempts", second.attempts},
          {"ok", second.ok},
          {"timed_out", second.timed_out},
          {"concurrency", second.concurrency},
          {"peak_concurrency", second.peak_concurrency},
          {"latency_s", second.ok == 0 ? Json() : Json(second.latency_s)}};
}

Json to_json(const OutageRun& run, bool with_seconds, bool is_simulated) {
  const auto& summary = run.summary;
  Json result{
    {"policy", run.policy},
    {"guard", run.guard},
    {"recovered", summary.recovery.recovered},
    {"recover_s", summary.recovery.recover_s ? Json(*summary.recovery.recover_s) : Json()},
    {"peak_concurrency", summary.peak_concurrency},
    {"attempts_during_outage", summary.attempts_during_outage},
    {"client", run.client},
    {"rate_before", summary.rate_before},
    {"lost_work", summary.lost_work}};
  if (is_simulated) {
    if (!run.charging.empty()) {
      result["charging"] = run.charging;
      result["dead_letters"] = summary.dead_letters;
    }
    result["peak_attempts"] = summary.peak_attempts;
    result["waiting"] = summary.waiting;
    result["still_waiting"] = summary.still_waiting;
    result["extra_wait_mean_s"] = summary.extra_wait_mean_s;
    result["extra_wait_p99_s"] = summary.extra_wait_p99_s;
  }
  if (!with_seconds)
    return result;
  result["stopped_s"] = run.times.stopped_s;
  result["back_s"] = run.times.back_s;
  auto& seconds = result["seconds"] = Json::array();
  for (const auto& second : run.seconds)
    seconds.push_back(to_json(second));
  return result;
}

Json to_json(const backoff_actor::RecoveryAdvice& advice, const OutageRuns& runs) {
  const auto& best = runs[advice.best];
  return {{"run", advice.best + 1},
          {"recover_s", *best.summary.recovery.recover_s},
          {"times_the_calls", times_the_calls(best)}};
}

} // namespace

std::string outage_json(const OutageRuns& runs, bool with_seconds, bool is_simulated) {
  Json result;
  auto& array = result["runs"] = Json::array();
  for (const auto& run : runs)
    array.push_back(to_json(run, with_seconds, is_simulated));
  if (is_simulated && runs.size() > 1) {
    const auto advice = advice_of(runs);
    result["advice"] = advice ? to_json(*advice, runs) : Json();
  }
  return backoff_actor::detail::plain_json(result.dump(2)) + "\n";
}

} // namespace backoffctl
