#include "plan.hpp"

#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/core/time.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace backoffctl {

namespace {

using backoff_actor::PlanRow;

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

// Calls to a dead service, with so many digits.
std::string calls_text(const backoff_actor::CallRate& calls, int digits, double a_second_from) {
  if (!std::isfinite(calls.first_hour))
    return "without a pause in the long run\n";
  const auto first_hour = rounded(calls.first_hour, digits);
  const auto long_run = !std::isfinite(calls.long_run) ? std::string{"without a pause"}
                        : calls.long_run >= a_second_from
                          ? rounded(calls.long_run / hour, digits) + " a second"
                        : calls.long_run >= 1 ? rounded(calls.long_run, digits) + " an hour"
                                              : "one in " + span_text(hour / calls.long_run);
  return first_hour + (first_hour == "1" ? " call" : " calls") + " in the first hour, " + long_run
         + " in the long run\n";
}

std::string calls_text(const PlannedPolicy& planned) {
  return std::string{"against a dead service"} + (planned.give_up ? " for ever: " : ": ")
         + (std::isfinite(planned.calls.first_hour) ? "" : "calls ")
         + calls_text(planned.calls, 4, std::numeric_limits<double>::infinity());
}

std::string all_calls_text(const PlannedPolicy& planned, std::uint32_t clients) {
  return "all " + counted(clients, "client", "clients") + ": "
         + calls_text({planned.calls.first_hour * clients, planned.calls.long_run * clients}, 3,
                      hour);
}

std::string limit_text(const MessageLimit& limit, const std::string& indent) {
  auto result = indent + "max_attempts " + std::to_string(limit.max_attempts) + ", "
                + to_string(limit.charging) + ": ";
  const auto& bound = limit.charging.give_up_after;
  if (limit.charging.rule == backoff_actor::Charging::Rule::by_evidence)
    result +=
      "an outage charges nobody; what fails without a charge "
      + (bound ? "dies after " + backoff_actor::to_string(*bound) : std::string{"never dies"});
  else if (std::isfinite(*limit.dead_in_an_hour))
    result += "an outage of an hour kills about " + rounded(*limit.dead_in_an_hour)
              + " good messages for each worker";
  else
    result += "an outage kills good messages without a pause";
  result += "\n" + indent + "a message at fault dies ";
  if (limit.max_s == 0)
    return result + "at once\n";
  const auto is_sure = span_text(limit.min_s) == span_text(limit.max_s);
  const auto span = [&](int waits) {
    return is_sure ? span_text(waits * limit.mean_s)
                   : span_text(waits * limit.min_s) + " to " + span_text(waits * limit.max_s);
  };
  const auto on_average = [&](int waits) {
    return is_sure ? std::string{} : ", " + span_text(waits * limit.mean_s) + " on average";
  };
  return result + span(1) + " after its first failure" + on_average(1) + "\n" + indent
         + "  with one worker, per key or unordered, the worker waits and then the message: "
         + span(both_wait) + on_average(both_wait) + "\n";
}

// Whose policy it is, and what surprises.
std::string known_text(const backoff_actor::KnownPolicy& known) {
  std::string result{"as "};
  result.append(known.name);
  if (!known.variant.empty())
    result.append(" ").append(known.variant);
  return result.append(" ").append(known.version).append(": ").append(known.note).append("\n");
}

// How often all clients of a known system call when the service comes back.
std::string peak_text(const PlannedOutage& x, const PlanAnswer& answer) {
  const auto think_s = seconds_of(answer.mean_think);
  const auto calls_per_s = x.times_the_calls / think_s * *answer.clients;
  return "all " + counted(*answer.clients, "client", "clients") + " then: "
         + (std::isfinite(calls_per_s) ? "up to " + rounded(calls_per_s, 3) + " calls a second\n"
                                       : std::string{"without a pause\n"});
}

std::string outage_text(const PlannedOutage& x, const PlanAnswer& answer, bool is_known) {
  auto subject = "after an outage of " + backoff_actor::to_string(answer.outage) + ": ";
  if (x.gives_up_before && !is_known)
    return subject + "has given up\n";
  if (x.gives_up_before)
    subject += "has given up; without its limit it ";
  if (!std::isfinite(x.times_the_calls))
    return subject + "calls again at once, without a pause\n";
  return subject + "calls again after " + span_text(x.after.next_call_mean_s) + " on average, "
         + span_text(x.after.next_call_max_s) + " at the most; " + rounded(x.times_the_calls, 2)
         + " times the calls of normal times at the peak\n";
}

std::string advice_text(const PlanAnswer& answer) {
  if (!answer.advice)
    return "\nuse none of them: all give up before an outage of "
           + backoff_actor::to_string(answer.outage) + " ends\n";
  const auto& x = *answer.policies[answer.advice->best].outage;
  const auto load =
    std::isfinite(x.times_the_calls)
      ? rounded(x.times_the_calls, 2) + " times the calls of normal times at the peak"
      : std::string{"calls without a pause"};
  return "\nuse " + numbered_label(answer.advice->best + 1) + ": recovers in "
         + span_text(x.after.next_call_mean_s) + ", " + load
         + (answer.advice->is_bearable ? "\n" : ", the fewest; the load of none is bearable\n");
}

std::string beyond_text(const PlannedPolicy& planned) {
  if (!planned.give_up || planned.give_up->max_retries >= planned.rows.size())
    return {};
  return "rows from retry " + std::to_string(planned.give_up->max_retries + 1)
         + " on: as if the policy never gave up\n";
}

std::string summary(const PlannedPolicy& planned, const PlanAnswer& answer,
                    const std::string& indent) {
  auto result = planned.known ? indent + known_text(*planned.known) : std::string{};
  result += indent + give_up_text(planned) + "\n" + indent + calls_text(planned);
  if (answer.clients)
    result += indent + all_calls_text(planned, *answer.clients);
  if (planned.outage)
    result += indent + outage_text(*planned.outage, answer, planned.known.has_value());
  if (planned.known && answer.clients)
    result += indent + peak_text(*planned.outage, answer);
  if (planned.limit)
    result += limit_text(*planned.limit, indent);
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

std::string one_policy(const PlanAnswer& answer) {
  const auto& planned = answer.policies.front();
  return to_string(planned.policy) + "\n" + summary(planned, answer, "") + "\n"
         + side_by_side(numbers_of(planned), {all_columns(planned)});
}

std::string several_policies(const PlanAnswer& answer) {
  const auto& policies = answer.policies;
  std::string result;
  std::vector<ColumnGroup> groups;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto label = numbered_label(i + 1);
    result += label + " " + to_string(policies[i].policy) + "\n"
              + summary(policies[i], answer, std::string(label.size() + 1, ' '));
    groups.push_back(few_columns(policies[i], label));
  }
  return result + "\n" + side_by_side(numbers_of(policies.front()), groups);
}

} // namespace

std::string plan_text(const PlanAnswer& answer) {
  return answer.policies.size() == 1 ? one_policy(answer)
                                     : several_policies(answer) + advice_text(answer);
}

} // namespace backoffctl
