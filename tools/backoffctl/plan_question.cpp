#include "plan_question.hpp"

#include "flag_values.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <algorithm>
#include <cstddef>

namespace backoffctl {

namespace {

using backoff_actor::Problems;

constexpr std::size_t most_policies = 20;
constexpr std::uint64_t most_attempts = 100'000;
constexpr std::uint64_t most_samples = 1'000;
constexpr std::uint64_t most_draws = 1'000'000; // samples times attempts

constexpr auto an_example =
  "a policy such as 'exponential(100ms, x2, cap 30s) | full_jitter', or several";

// The caret's picture below the flag, further in than the line with its name.
std::string indented(const std::string& text) {
  std::string result;
  for (const auto c : text)
    result += c == '\n' ? "\n    " : std::string(1, c);
  return result;
}

void read_policies(const PlanFlags& flags, PlanQuestion& question, Problems& problems) {
  const auto count = flags.policies.size();
  if (count == 0)
    problems.add("POLICY", "nothing", an_example);
  if (count > most_policies)
    problems.add("POLICY", std::to_string(count) + " of them",
                 "1.." + std::to_string(most_policies));
  for (std::size_t i = 0; i < std::min(count, most_policies); ++i) {
    const auto name = count == 1 ? "POLICY" : "POLICY " + std::to_string(i + 1);
    if (flags.policies[i].empty()) {
      problems.add(name, "nothing", an_example);
      continue;
    }
    try {
      question.policies.push_back(backoff_actor::parse_policy(flags.policies[i]));
    } catch (const backoff_actor::ParseError& error) {
      problems.add(name, indented(error.what()), "");
    }
  }
}

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
    problems.add("--seed", quoted(*flags.seed) + " without --sample",
                 "together with --sample, which draws from it");
  }
}

void read_plot(const PlanFlags& flags, PlanQuestion& question, Problems& problems) {
  if (flags.plot) {
    const std::filesystem::path file{*flags.plot};
    if (file.extension() != ".svg" && file.extension() != ".png")
      problems.add("--plot", quoted(*flags.plot), "the name of a file that ends in .svg or .png");
    question.plot = PlotRequest{file, flags.log};
  } else if (flags.log) {
    problems.add("--log", "no --plot beside it", "together with --plot, whose axis it is about");
  }
}

} // namespace

PlanQuestion read_question(const PlanFlags& flags, Problems& problems) {
  PlanQuestion question;
  read_policies(flags, question, problems);
  if (flags.attempts)
    if (const auto count = read_whole("--attempts", *flags.attempts, 1, most_attempts, problems))
      question.attempts = static_cast<std::uint32_t>(*count);
  if (flags.max_retries)
    if (const auto count =
          read_whole("--max-retries", *flags.max_retries, 0, most_attempts, problems))
      question.max_retries = static_cast<std::uint32_t>(*count);
  read_sample(flags, question, problems);
  read_plot(flags, question, problems);
  return question;
}

} // namespace backoffctl
