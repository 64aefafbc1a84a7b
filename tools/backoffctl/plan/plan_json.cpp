#include "plan.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <optional>

namespace backoffctl {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no number for it.
Json null_if_infinite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

void add_give_up(Json& json, const std::optional<GiveUp>& give_up) {
  if (!give_up) {
    json["max_retries"] = nullptr;
    json["max_attempts"] = nullptr;
    json["gives_up_after_s"] = nullptr;
    return;
  }
  json["max_retries"] = give_up->max_retries;
  json["max_attempts"] = give_up->max_retries + 1;
  json["gives_up_after_s"] = {
    {"min", give_up->min_s}, {"mean", give_up->mean_s}, {"max", give_up->max_s}};
}

Json to_json(const backoff_actor::PlanRow& row) {
  return {{"attempt", row.attempt},   {"min_s", row.min_s},
          {"mean_s", row.mean_s},     {"max_s", row.max_s},
          {"stddev_s", row.stddev_s}, {"cumulative_mean_s", row.cumulative_mean_s}};
}

Json to_json(const MessageLimit& limit) {
  return {
    {"max_attempts", limit.max_attempts},
    {"charging", to_string(limit.charging)},
    {"dies_after_s", {{"min", limit.min_s}, {"mean", limit.mean_s}, {"max", limit.max_s}}},
    {"dies_after_both_wait_s",
     {{"min", both_wait * limit.min_s},
      {"mean", both_wait * limit.mean_s},
      {"max", both_wait * limit.max_s}}},
    {"dead_in_an_hour", limit.dead_in_an_hour ? null_if_infinite(*limit.dead_in_an_hour) : Json()}};
}

Json to_json(const PlannedOutage& x) {
  return {{"gives_up_before", x.gives_up_before},
          {"next_call_mean_s", x.gives_up_before ? Json() : Json(x.after.next_call_mean_s)},
          {"next_call_max_s", x.gives_up_before ? Json() : Json(x.after.next_call_max_s)},
          {"times_the_calls", x.gives_up_before ? Json() : null_if_infinite(x.times_the_calls)}};
}

Json advice_to_json(const PlanAnswer& answer) {
  if (!answer.advice)
    return {};
  const auto& x = *answer.policies[answer.advice->best].outage;
  return {{"policy", answer.advice->best + 1},
          {"recover_s", x.after.next_call_mean_s},
          {"times_the_calls", null_if_infinite(x.times_the_calls)},
          {"is_bearable", answer.advice->is_bearable}};
}

Json to_json(const PlannedPolicy& planned, std::optional<std::uint32_t> clients) {
  Json result;
  result["policy"] = to_string(planned.policy);
  if (planned.known) {
    result["name"] = planned.known->name;
    result["variant"] = planned.known->variant;
    result["version"] = planned.known->version;
    result["note"] = planned.known->note;
  }
  add_give_up(result, planned.give_up);
  result["calls_first_hour"] = null_if_infinite(planned.calls.first_hour);
  result["calls_per_hour"] = null_if_infinite(planned.calls.long_run);
  if (clients) {
    result["all_calls_first_hour"] = null_if_infinite(planned.calls.first_hour * *clients);
    result["all_calls_per_hour"] = null_if_infinite(planned.calls.long_run * *clients);
  }
  if (planned.limit)
    result["message_limit"] = to_json(*planned.limit);
  if (planned.outage)
    result["after_outage"] = to_json(*planned.outage);
  auto& rows = result["rows"] = Json::array();
  for (const auto& row : planned.rows)
    rows.push_back(to_json(row));
  return result;
}

} // namespace

std::string plan_json(const PlanAnswer& answer) {
  Json result;
  if (answer.clients)
    result["clients"] = *answer.clients;
  auto& policies = result["policies"] = Json::array();
  for (const auto& planned : answer.policies)
    policies.push_back(to_json(planned, answer.clients));
  if (answer.policies.size() > 1)
    result["advice"] = advice_to_json(answer);
  return backoff_actor::detail::plain_json(result.dump(2)) + "\n";
}

} // namespace backoffctl
