#include "call_counts.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace backoffctl {

namespace {

double in_seconds(backoff_actor::Duration span) {
  return std::chrono::duration<double>{span}.count();
}

} // namespace

void CallCounts::add(const CallResult& result, bool is_ok) {
  if (is_ok) {
    ++ok;
    latency_sum += result.latency;
    latency_max = std::max(latency_max, result.latency);
  } else if (result.kind == CallResult::Kind::timedout) {
    ++timedout;
  } else {
    ++errors;
    ++causes[result.kind == CallResult::Kind::answered
               ? "HTTP status " + std::to_string(result.status)
               : result.error];
  }
}

std::string CallCounts::main_cause() const {
  const auto most = std::max_element(
    causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == causes.end() ? std::string{} : most->first;
}

bool is_ok(const CallResult& result, bool any_answer) {
  return result.kind == CallResult::Kind::answered
         && (any_answer || (result.status >= 200 && result.status <= 299));
}

std::string counts_json(const CallCounts& counts, double clock_s, double span_s) {
  nlohmann::ordered_json json;
  json["clock_s"] = clock_s;
  json["span_s"] = span_s;
  json["attempts"] = counts.attempts;
  json["ok"] = counts.ok;
  json["errors"] = counts.errors;
  json["timedout"] = counts.timedout;
  json["latency_mean_s"] =
    counts.ok == 0 ? 0.0 : in_seconds(counts.latency_sum) / static_cast<double>(counts.ok);
  json["latency_max_s"] = in_seconds(counts.latency_max);
  json["error"] =
    counts.errors == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(counts.main_cause());
  return backoff_actor::detail::plain_json(json.dump());
}

} // namespace backoffctl
