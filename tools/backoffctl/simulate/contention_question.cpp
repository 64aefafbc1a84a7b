#include "contention_question.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"
#include "backoffctl/common/table.hpp"

#include <algorithm>
#include <cstddef>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using namespace backoff_actor;

constexpr std::size_t most_numbers = 50; // of clients
constexpr std::uint64_t most_trials = 100'000;

// The published n-th delay is min(2 s, 5 ms * 2^n) before jitter, n from 1.
std::vector<Contender> published() {
  const Exponential exponential{.first = 10ms, .factor = 2, .cap = 2s};
  return {{"none", Fixed{.delay = 0s}, max_delay},
          {"exponential", exponential, max_delay},
          {"equal", exponential | equal_jitter, max_delay},
          {"full", exponential | full_jitter, max_delay},
          {"decorrelated", Decorrelated{.first = 5ms, .factor = 3}, 2s}};
}

void read_clients(const ContentionFlags& flags, ContentionQuestion& question, Problems& problems) {
  if (flags.clients.empty())
    return;
  question.clients.clear();
  const auto count = flags.clients.size();
  if (count > most_numbers)
    problems.add("--clients", std::to_string(count) + " of them",
                 "1.." + std::to_string(most_numbers));
  for (std::size_t i = 0; i < std::min(count, most_numbers); ++i)
    if (const auto number =
          read_whole("--clients", flags.clients[i], 1, Contention::most_clients, problems))
      question.clients.push_back(static_cast<std::uint32_t>(*number));
}

} // namespace

std::string Contender::description() const {
  auto result = to_string(policy);
  if (cut_off < max_delay)
    result += ", cut off at " + to_string(cut_off);
  return result;
}

std::vector<std::string> ContentionQuestion::labels() const {
  std::vector<std::string> result;
  std::size_t given = 0;
  for (const auto& contender : contenders) {
    auto& label = result.emplace_back(contender.name);
    if (label == to_string(contender.policy))
      label = numbered_label(++given);
  }
  return result;
}

ContentionQuestion read_question(const ContentionFlags& flags, Problems& problems) {
  ContentionQuestion question{.contenders = published()};
  read_clients(flags, question, problems);
  if (flags.trials)
    question.trials =
      read_whole("--trials", *flags.trials, 1, most_trials, problems).value_or(question.trials);
  for (const auto& policy : read_policies("--policy", flags.policies, problems))
    question.contenders.push_back({to_string(policy), policy, max_delay});
  if (flags.seed)
    question.seed = read_whole("--seed", *flags.seed, 0, UINT64_MAX, problems).value_or(0);
  question.plot = read_plot(flags.plot, flags.log, problems);
  return question;
}

} // namespace backoffctl
