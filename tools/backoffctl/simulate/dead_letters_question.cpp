#include "dead_letters_question.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"

#include <algorithm>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using namespace backoff_actor;

using RetryAfterWish = std::optional<Duration>;

constexpr auto longest_down = DeadLettersOptions::longest;
constexpr std::size_t most_of_a_kind = 20; // of workers, or of wishes

bool has_too_many(const char* flag, std::size_t count, Problems& problems) {
  if (count > most_of_a_kind)
    problems.add(flag, std::to_string(count) + " of them", "1.." + std::to_string(most_of_a_kind));
  return count > most_of_a_kind;
}

std::vector<std::uint32_t> read_workers(const DeadLettersFlags& flags, Problems& problems) {
  std::vector<std::uint32_t> result;
  if (has_too_many("--workers", flags.workers.size(), problems))
    return result;
  for (const auto& given : flags.workers)
    if (const auto count =
          read_whole("--workers", given, 1, DeadLettersOptions::most_workers, problems))
      result.push_back(static_cast<std::uint32_t>(*count));
  return result;
}

std::vector<RetryAfterWish> read_retry_afters(const DeadLettersFlags& flags, Problems& problems) {
  std::vector<RetryAfterWish> result;
  if (has_too_many("--retry-after", flags.retry_afters.size(), problems))
    return result;
  for (const auto& given : flags.retry_afters)
    if (given == "none")
      result.push_back(std::nullopt);
    else
      result.push_back(read_duration("--retry-after", given, 0s, 24h, problems));
  return result;
}

DeadLettersOptions read_options(const DeadLettersFlags& flags, Problems& problems) {
  DeadLettersOptions options;
  const auto read_count = [&](const char* flag, const std::optional<std::string>& given,
                              std::uint64_t from, std::uint64_t to, std::uint32_t otherwise) {
    if (!given)
      return otherwise;
    const auto read = read_whole(flag, *given, from, to, problems);
    return static_cast<std::uint32_t>(read.value_or(otherwise));
  };
  const auto read_into = [&](const char* flag, const std::optional<std::string>& given,
                             Duration from, Duration to, Duration& span) {
    if (given)
      span = read_duration(flag, *given, from, to, problems).value_or(span);
  };
  options.messages = read_count("--messages", flags.messages, 1, DeadLettersOptions::most_messages,
                                options.messages);
  options.poison = read_count("--poison", flags.poison, 0, options.messages, 0);
  options.max_attempts =
    read_count("--max-attempts", flags.max_attempts, 1, backoff_actor::detail::most_count, 8);
  read_into("--every", flags.every, 0s, 24h, options.every);
  read_into("--takes", flags.takes, 10ms, 24h, options.takes);
  read_into("--down-for", flags.down_for, 0s, longest_down, options.down_for);
  read_into("--watch", flags.watch, 1s, longest_down, options.watch);
  if (flags.seed)
    options.seed = read_whole("--seed", *flags.seed, 0, UINT64_MAX, problems).value_or(0);
  return options;
}

GuardOptions default_breaker() { return {.circuit_breaker = CircuitBreakerOptions{}}; }

GuardOptions slowing_breaker() {
  return {.circuit_breaker =
            CircuitBreakerOptions{.trip = ConsecutiveFailures{5},
                                  .open = Exponential{.first = 5s, .factor = 2, .cap = 5min}}};
}

} // namespace

DeadLettersQuestion read_question(const DeadLettersFlags& flags, Problems& problems) {
  auto options = read_options(flags, problems);
  auto policies = read_policies("--policy", flags.policies, problems);
  auto guards = read_guards("--guard", flags.guards, problems);
  auto wishes = read_retry_afters(flags, problems);
  DeadLettersQuestion question;
  question.workers = read_workers(flags, problems);
  question.chargings = read_chargings("--charging", flags.chargings, problems);
  if (question.workers.empty())
    question.workers = {1, 8};
  if (question.chargings.empty())
    question.chargings = {Charging::every_failure(), Charging{}};
  if (policies.empty())
    policies = {options.policy};
  const auto add = [&](const Policy& policy, const GuardOptions& guard,
                       const RetryAfterWish& wish) {
    options.policy = policy;
    options.guard = guard;
    options.retry_after = wish;
    question.setups.push_back(options);
  };
  if (flags.guards.empty() && flags.retry_afters.empty()) {
    for (const auto& policy : policies) {
      add(policy, {}, {});
      add(policy, default_breaker(), {});
      add(policy, slowing_breaker(), {});
      add(policy, default_breaker(), 30s);
    }
    return question;
  }
  if (guards.empty())
    guards = {GuardOptions{}};
  if (wishes.empty())
    wishes = {std::nullopt};
  for (const auto& policy : policies)
    for (const auto& guard : guards)
      for (const auto& wish : wishes)
        add(policy, guard, wish);
  return question;
}

} // namespace backoffctl
