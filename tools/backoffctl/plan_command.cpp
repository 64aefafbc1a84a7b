#include "plan_command.hpp"

#include "plan_answer.hpp"
#include "plan_json.hpp"
#include "plan_text.hpp"
#include "plot_script.hpp"

#include <string>

namespace backoffctl {

namespace {

constexpr auto plan_description = R"(What is to be expected of a policy, retry by retry.

For each retry the shortest, the mean and the longest delay before it, the standard deviation, and
how long after the first failure it is made in the mean; for the policy as a whole when it gives
up, and how often it calls a service that is dead. All of it is computed, not drawn, and the calls
themselves are taken to last no time. Several policies are shown side by side.
)";

constexpr auto plan_footer = R"(
A policy is a text, to be quoted in the shell, in which what is left out has its default:
  fixed(100ms)                            linear(1s, +1s, cap 10s)
  exponential(100ms, x2, cap 30s)         decorrelated(100ms, x3, cap 20s)
  random_slots(10ms, ceiling 10, stay)    ethernet(51.2us, ceiling 10)
  memorystore(max 64s)                    seed002(100ms, x2, cap 15min, jitter 10%)
fixed, linear and exponential take a jitter behind them:
  | full_jitter    | proportional_jitter(20%)    | gaussian_jitter(10%)
  | equal_jitter   | additive_jitter(1s)         | no_jitter

The draws of seed002 have no bounds: 99.7 of 100 of its delays lie between its min and its max.

Examples:
  backoffctl plan 'exponential(100ms, x2, cap 30s) | full_jitter'
      the first ten retries
  backoffctl plan 'exponential(1s, x2, cap 1min)' --attempts 20 --max-retries 8
      twenty of them, and how long it takes until eight have failed
  backoffctl plan 'exponential(1s, x2, cap 1min)' 'fixed(5s)' 'memorystore(max 32s)'
      three policies side by side
  backoffctl plan 'decorrelated(100ms, x3, cap 20s)' --sample 3 --seed 7
      the retries, and three sequences as they could happen
  backoffctl plan 'ethernet(51.2us)' --json
      for programs, with full precision
  backoffctl plan 'seed002(x2.7, cap 10min)' 'seed002(1s, x1.5)' --attempts 16 --plot delays.svg
      two curves as a picture, besides the text
  backoffctl plan 'exponential(100ms, x2)' --attempts 40 --plot uncapped.png --log
      the way to delays of 100 years, the longest, on a logarithmic axis

Keys of the JSON; all times in seconds:
  policies                 one object for each policy, in their order
  policy                   the policy with everything in it
  max_retries, max_attempts, gives_up_after_s
                           the limit, the same with the first attempt, and the time from the first
                           failure to that of the last retry: min, mean and max; null if there is
                           no limit
  calls_first_hour, calls_per_hour
                           calls of a dead service in the first hour and in the long run, if the
                           policy did not give up; null if there is nothing to wait for
  rows                     the retries: attempt (1 is the first retry), min_s, mean_s, max_s,
                           stddev_s, cumulative_mean_s
  samples                  with --sample: the delays of each sequence
  seed                     with --sample: what they are drawn from
)";

class PlanCommand final : public Command {
public:
  explicit PlanCommand(CLI::App& parser) : Command(parser) {
    parser.footer(plan_footer);
    parser.allow_extras();
    parser.add_option("POLICY", flags_.policies, "one policy or several, up to 20")
      ->type_name("")
      ->expected(0, -1);
    add_flag("--attempts", flags_.attempts, "N", "how many retries to show: 1..100000 (10)");
    add_flag(
      "--max-retries", flags_.max_retries, "N",
      "give up after so many retries: 0..100000 (memorystore: 10,\nethernet: 15, others: never)");
    add_flag("--sample", flags_.sample, "N", "show N sequences as they could happen, too: 1..1000");
    add_flag("--seed", flags_.seed, "S", "what --sample draws from: 0..18446744073709551615 (0)");
    add_flag("--plot", flags_.plot, "FILE",
             "draw the delays, too, by gnuplot: a name that ends in\n.svg or .png");
    add_switch("--log", flags_.log, "give the --plot a logarithmic axis of delays");
    add_switch("--json", as_json_, "print JSON, with full precision, instead of text");
  }

  void check(backoff_actor::Problems& problems) override {
    question_ = read_question(flags_, problems);
  }

  std::string run() override {
    const auto result = answer(question_);
    if (question_.plot)
      draw(plot_script(result, *question_.plot), *question_.plot);
    return as_json_ ? plan_json(result) : plan_text(result);
  }

private:
  PlanFlags flags_;
  bool as_json_ = false;
  PlanQuestion question_;
};

} // namespace

std::unique_ptr<Command> add_plan_command(CLI::App& backoffctl) {
  return std::make_unique<PlanCommand>(*backoffctl.add_subcommand("plan", plan_description));
}

} // namespace backoffctl
