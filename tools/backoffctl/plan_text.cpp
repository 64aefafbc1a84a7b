#include "plan_text.hpp"

#include "number_text.hpp"
#include "table.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace backoffctl {

namespace {

using backoff_actor::PlanRow;

std::string counted(std::uint64_t count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

// -- what is said of a policy as a whole ----------------------------------------------

std::string give_up_text(const PlannedPolicy& planned) {
  if (!planned.give_up)
    return "never gives up";
  const auto& [max_retries, min_s, mean_s, max_s] = *planned.give_up;
  auto result = "gives up after " + counted(max_retries, "retry", "retries") + " ("
                + counted(max_retries + 1, "attempt", "attempts") + "): ";
  if (max_s == 0)
    result += "at once";
  else if (span_text(min_s) == span_text(max_s))
    result += "after " + span_text(mean_s);
  else
    result += "between " + span_text(min_s) + " and " + span_text(max_s) + ", " + span_text(mean_s)
              + " on average";
  return result;
}

constexpr auto hour = 3600.0; // s

std::string calls_text(const PlannedPolicy& planned) {
  const auto& calls = planned.calls;
  const std::string subject =
    planned.give_up ? "against a dead service for ever: " : "against a dead service: ";
  if (!std::isfinite(calls.first_hour))
    return subject + "calls without a pause in the long run";
  const auto first_hour = rounded(calls.first_hour, 4);
  const auto long_run = !std::isfinite(calls.long_run) ? std::string{"without a pause"}
                        : calls.long_run >= 1          ? rounded(calls.long_run, 4) + " an hour"
                                              : "one in " + span_text(hour / calls.long_run);
  return subject + first_hour + (first_hour == "1" ? " call" : " calls") + " in the first hour, "
         + long_run + " in the long run";
}

std::string all_calls_text(const PlannedPolicy& planned, std::uint32_t clients) {
  const auto first_hour = planned.calls.first_hour * clients;
  const auto long_run = planned.calls.long_run * clients;
  const auto subject = "all " + counted(clients, "client", "clients") + ": ";
  if (!std::isfinite(first_hour))
    return subject + "without a pause in the long run\n";
  const auto in_long_run = !std::isfinite(long_run) ? std::string{"without a pause"}
                           : long_run >= hour       ? rounded(long_run / hour, 3) + " a second"
                           : long_run >= 1          ? rounded(long_run, 3) + " an hour"
                                                    : "one in " + span_text(hour / long_run);
  return subject + rounded(first_hour, 3) + (first_hour == 1 ? " call" : " calls")
         + " in the first hour, " + in_long_run + " in the long run\n";
}

std::string beyond_text(const PlannedPolicy& planned) {
  if (!planned.give_up || planned.give_up->max_retries >= planned.rows.size())
    return {};
  return "rows from retry " + std::to_string(planned.give_up->max_retries + 1)
         + " on: as if the policy never gave up\n";
}

std::string summary(const PlannedPolicy& planned, std::optional<std::uint32_t> clients,
                    const std::string& indent) {
  auto result = indent + give_up_text(planned) + "\n" + indent + calls_text(planned) + "\n";
  if (clients)
    result += indent + all_calls_text(planned, *clients);
  const auto beyond = beyond_text(planned);
  return beyond.empty() ? result : result + indent + beyond;
}

// -- tables -----------------------------------------------------------------------------

using Column = std::vector<std::string>;

template <class F>
Column column(const std::string& header, const PlannedPolicy& planned, F cell) {
  Column result{header};
  for (const auto& row : planned.rows)
    result.push_back(cell(row));
  return result;
}

Column spans(const std::string& header, const PlannedPolicy& planned, double PlanRow::*value_s) {
  return column(header, planned, [&](const PlanRow& row) { return span_text(row.*value_s); });
}

ColumnGroup numbers_of(const PlannedPolicy& planned) {
  return {column("retry", planned, [](const PlanRow& row) { return std::to_string(row.attempt); })};
}

ColumnGroup all_columns(const PlannedPolicy& planned) {
  return {spans("min", planned, &PlanRow::min_s), spans("mean", planned, &PlanRow::mean_s),
          spans("max", planned, &PlanRow::max_s),
          spans("std. deviation", planned, &PlanRow::stddev_s),
          spans("cumulative mean", planned, &PlanRow::cumulative_mean_s)};
}

// Without chance the longest delay is the mean.
ColumnGroup few_columns(const PlannedPolicy& planned, const std::string& label) {
  ColumnGroup result{spans(label + " mean", planned, &PlanRow::mean_s)};
  if (planned.policy.is_random())
    result.push_back(spans(label + " max", planned, &PlanRow::max_s));
  return result;
}

std::string samples_of(const PlannedPolicy& planned, std::uint64_t seed, const std::string& label) {
  const auto& samples = planned.samples;
  auto result = "\n" + label + counted(samples.size(), "sequence", "sequences")
                + " that the policy draws, seed " + std::to_string(seed) + ":\n\n";
  Column streams{"retry"};
  for (std::size_t i = 0; i < samples.size(); ++i)
    streams.push_back("stream " + std::to_string(i));
  std::vector<ColumnGroup> retries;
  for (std::size_t retry = 0; retry < samples.front().size(); ++retry) {
    Column column{std::to_string(retry + 1)};
    for (const auto& sample : samples)
      column.push_back(span_text(sample[retry]));
    retries.push_back({column});
  }
  return result + side_by_side({streams}, retries);
}

std::string one_policy(const PlannedPolicy& planned, std::optional<std::uint32_t> clients) {
  return to_string(planned.policy) + "\n" + summary(planned, clients, "") + "\n"
         + side_by_side(numbers_of(planned), {all_columns(planned)});
}

std::string several_policies(const std::vector<PlannedPolicy>& policies,
                             std::optional<std::uint32_t> clients) {
  std::string result;
  std::vector<ColumnGroup> groups;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto label = numbered_label(i + 1);
    result += label + " " + to_string(policies[i].policy) + "\n"
              + summary(policies[i], clients, std::string(label.size() + 1, ' '));
    groups.push_back(few_columns(policies[i], label));
  }
  return result + "\n" + side_by_side(numbers_of(policies.front()), groups);
}

} // namespace

std::string plan_text(const PlanAnswer& answer) {
  const auto& policies = answer.policies;
  const auto is_one = policies.size() == 1;
  auto result = is_one ? one_policy(policies.front(), answer.clients)
                       : several_policies(policies, answer.clients);
  if (answer.seed)
    for (std::size_t i = 0; i < policies.size(); ++i)
      result += samples_of(policies[i], *answer.seed, is_one ? "" : numbered_label(i + 1) + " ");
  return result;
}

} // namespace backoffctl
