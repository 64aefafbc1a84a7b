#include "plan_question.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using backoff_actor::Problems;

constexpr std::uint64_t most_attempts = 100'000;
constexpr std::uint64_t most_clients = 1'000'000'000;
constexpr backoff_actor::Duration longest_outage = 8760h;
constexpr std::uint64_t most_samples = 1'000;
constexpr std::uint64_t most_draws = 1'000'000; // samples times attempts

void read_sample(const PlanFlags& flags, PlanQuestion& question, Problems& problems) {
  if (flags.sample) {
    SampleRequest request{};
    if (const auto count = read_whole("--sample", *flags.sample, 1, most_samples, problems)) {
      request.count = *count;
      if (*count * question.attempts > most_draws)
        problems.add("--sample", quoted(*flags.sample),
                     "1.." + std::to_string(most_draws / question.attempts) + " with --attempts "
                       + std::to_string(question.attempts));
    }
    if (flags.seed)
      request.seed = read_whole("--seed", *flags.seed, 0, UINT64_MAX, problems).value_or(0);
    question.sample = request;
  } else if (flags.seed) {
    problems.add("--seed", "needs --sample", "");
  }
}

void read_limit(const PlanFlags& flags, PlanQuestion& question, Problems& problems) {
  if (flags.max_attempts) {
    const auto count =
      read_whole("--max-attempts", *flags.max_attempts, 1, most_attempts, problems);
    question.max_attempts = static_cast<std::uint32_t>(count.value_or(1));
  } else if (!flags.chargings.empty()) {
    problems.add("--charging", "needs --max-attempts", "");
  }
  if (flags.chargings.size() > 1)
    problems.add("--charging", std::to_string(flags.chargings.size()) + " of them", "one");
  else if (const auto read = read_chargings("--charging", flags.chargings, problems); !read.empty())
    question.charging = read.front();
}

void read_likes(const PlanFlags& flags, PlanQuestion& question, Problems& problems) {
  for (const auto& name : flags.likes)
    try {
      question.likes.push_back(backoff_actor::like(name));
      question.policies.push_back(question.likes.back().policy);
    } catch (const backoff_actor::InvalidArgument& error) {
      for (const auto& x : error.problems().list())
        problems.add("--like", quoted(name) + ": " + x.field + " " + x.given, x.allowed);
    }
  if (flags.policies.size() + flags.likes.size() > most_policies)
    problems.add("--like", std::to_string(flags.likes.size()) + " of them",
                 "1.." + std::to_string(most_policies) + " policies in all");
}

void read_outage(const PlanFlags& flags, PlanQuestion& question, Problems& problems) {
  const auto is_unused = question.policies.size() == 1 && question.likes.empty();
  if (is_unused && flags.outage)
    problems.add("--outage", "needs several policies, or --like", "");
  if (is_unused && flags.lambda)
    problems.add("--lambda", "needs several policies, or --like", "");
  if (flags.outage)
    question.outage =
      read_duration("--outage", *flags.outage, 0s, longest_outage, problems).value_or(1h);
  if (flags.lambda)
    question.mean_think = read_duration("--lambda", *flags.lambda, 1us, 24h, problems).value_or(1s);
}

} // namespace

PlanQuestion read_question(const PlanFlags& flags, Problems& problems) {
  PlanQuestion question;
  if (flags.policies.empty() && flags.likes.empty())
    miss_policy("POLICY", problems);
  question.policies = read_policies("POLICY", flags.policies, problems);
  read_likes(flags, question, problems);
  if (flags.attempts)
    if (const auto count = read_whole("--attempts", *flags.attempts, 1, most_attempts, problems))
      question.attempts = static_cast<std::uint32_t>(*count);
  if (flags.max_retries)
    if (const auto count =
          read_whole("--max-retries", *flags.max_retries, 0, most_attempts, problems))
      question.max_retries = static_cast<std::uint32_t>(*count);
  if (flags.clients)
    if (const auto count = read_whole("--clients", *flags.clients, 1, most_clients, problems))
      question.clients = static_cast<std::uint32_t>(*count);
  read_limit(flags, question, problems);
  read_outage(flags, question, problems);
  read_sample(flags, question, problems);
  question.plot = read_plot(flags.plot, flags.log, problems);
  return question;
}

} // namespace backoffctl
