#include "plan.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t most_attempts = 100'000;

constexpr auto plan_description = R"(Shows what a policy does, retry by retry.

For each retry, plan prints the shortest, the mean and the longest delay before it, the standard
deviation, and the mean time from the first failure to this retry. For the policy as a whole it
prints when the policy gives up, and how often it calls a dead service. plan computes all this; it
draws no random numbers, and assumes that calls take no time. Several policies appear side by side.

With --max-attempts, plan says what that limit means for the messages of a sender. By evidence, the
library's default, a failure counts only if it is the message's fault, so an outage charges nobody.
With --charging every_failure each failure counts, and an outage kills good messages. By both rules
a failure that the worker blames on the service never counts. Where order is per key or unordered, a
sender with one worker waits with the worker and then with the message, each by the policy, unless
SenderOptions::backoff_by says otherwise: that sum has a line of its own.
backoffctl simulate dead-letters shows it message by message.

Several policies end with a line that says which to use after an outage of --outage:
  recovers in      the mean time from the end of the outage to a client's next call:
                   (mean^2 + variance) / (2 mean) of the delay that runs then
  times the calls  what the service gets then, as a multiple of normal times, when each client calls
                   once each --lambda. With --clients above 1, clients without jitter may all call
                   in the same second, and that second counts
A policy that gives up before the outage ends is passed over. Of the others, the one that recovers
soonest is best, if its load is bearable: twice the calls of normal times at the most. If the load
of none is bearable, the one with the fewest calls is best.
)";

constexpr auto plan_footer = R"(
A policy is a text; quote it in the shell. A part that you leave out has its default:
  fixed(100ms)                            linear(1s, +1s, cap 10s)
  exponential(100ms, x2, cap 30s)         decorrelated(100ms, x3, cap 20s)
  random_slots(10ms, ceiling 10, stay)    ethernet(51.2us, ceiling 10)
  polynomial(15s, +1s, ^4, cap 1h)        steps(20s, 5min, 30min)
  memorystore(max 64s)                    seed002(100ms, x2, cap 15min, jitter 10%)
A jitter may follow fixed, linear, exponential, polynomial and steps:
  | full_jitter    | proportional_jitter(20%)    | gaussian_jitter(10%)
  | equal_jitter   | additive_jitter(1s)         | additive_jitter(30%)
In its brackets: cap_first or cap_last, for the order of cap and jitter; carried. More parts:
  | first_wait(0s) | whole_seconds
like celery is the policy of another system; backoffctl policies lists them.

The draws of seed002 have no bounds: 99.7 % of its delays lie between its min and its max.

Examples:
  backoffctl plan 'exponential(100ms, x2, cap 30s) | full_jitter'
      the first ten retries
  backoffctl plan 'exponential(1s, x2, cap 1min)' --attempts 20 --max-retries 8
      twenty retries, and the time until eight have failed
  backoffctl plan 'exponential(1s, x2, cap 15s) | full_jitter' --clients 2000
      and what a dead service gets from 2,000 clients
  backoffctl plan --like celery --clients 2000 --outage 10min
      what Celery does, and what 2,000 such clients do to a service that comes back
  backoffctl plan --like sidekiq --like 'tenacity exponential' --attempts 25
      two systems side by side
  backoffctl plan 'exponential(1s, x2, cap 1min)' 'fixed(5s)' 'memorystore(max 32s)'
      three policies side by side
  backoffctl plan 'fixed(5s)' 'fixed(20s) | full_jitter' --clients 2000 --outage 10min --lambda 30s
      which is better for 2,000 clients that each call every 30 s, after an outage of ten minutes
  backoffctl plan 'exponential(1s, x2, cap 5min) | full_jitter' --max-attempts 8
      and how long a poison message lives
  backoffctl plan 'ethernet(51.2us)' --json
      for programs, with full precision
  backoffctl plan 'seed002(x2.7, cap 10min)' 'seed002(1s, x1.5)' --attempts 16 --plot delays.svg
      two curves as a picture, in addition to the text
  backoffctl plan 'exponential(100ms, x2)' --attempts 40 --plot uncapped.png --log
      delays that grow to 100 years, the longest possible, on a logarithmic axis

Keys of the JSON; all times in seconds:
  policies                 one object for each policy, in the order given
  policy                   the policy with all its parameters
  name, variant, version, note
                           with --like: whose policy it is, and what surprises
  max_retries, max_attempts, gives_up_after_s
                           the limit, the limit plus the first attempt, and the time from the
                           first failure to the failure of the last retry: min, mean and max; null
                           if there is no limit
  calls_first_hour, calls_per_hour
                           calls to a dead service in the first hour and per hour in the long run,
                           as if the policy never gave up; null if all delays are 0
  all_calls_first_hour, all_calls_per_hour
                           with --clients: the same of all clients together
  message_limit            with --max-attempts: max_attempts, charging, dies_after_s (min, mean and
                           max from the first failure of a message at fault to its last one),
                           dies_after_both_wait_s (the same if the only worker waits, and then the
                           message) and dead_in_an_hour (good messages that die in the first hour
                           of an outage, for each worker; null if that is not known)
  after_outage             with several policies or --like: gives_up_before, next_call_mean_s,
                           next_call_max_s and times_the_calls (null if it gives up before, and
                           times_the_calls also if all delays are 0)
  advice                   with several policies: the number of the policy to use, its recover_s,
                           its times_the_calls, and whether that is_bearable; null if all give up
  rows                     the retries: attempt (1 is the first retry), min_s, mean_s, max_s,
                           stddev_s, cumulative_mean_s
  clients                  with --clients: how many there are
)";

} // namespace

PlanCommand::PlanCommand(CLI::App& program)
  : Command(program, "plan", plan_description, plan_footer) {
  auto& x = question_;
  add_list("POLICY", policies(x.policies), "", "1 to 20 policies");
  add_list(
    "--like",
    [this](const auto&, const std::vector<std::string>& given, Problems&) { likes_ = given; },
    "NAME",
    "the policy of another system, such as celery, 'tenacity\nexponential' or 'sidekiq "
    "6.4', with its limit of attempts;\nbackoffctl policies lists them");
  add_flag("--attempts", whole(x.attempts, 1, most_attempts), "N",
           "number of retries to show, 1..100000; default 10");
  add_flag("--max-retries", whole(x.max_retries, 0, most_attempts), "N",
           "number of retries after which the policy gives up, 0..100000;\ndefault 10 for "
           "memorystore, 15 for ethernet, else no limit");
  add_flag("--clients", whole(x.clients, 1, 1'000'000'000), "N",
           "number of clients that call the same service, 1..1000000000;\ndefault: one, and "
           "nothing is said of all");
  add_flag("--max-attempts", whole(x.max_attempts, 1, most_attempts), "N",
           "charged failures that end a message of a sender, 1..100000;\ndefault: no limit, and "
           "nothing is said");
  add_list("--charging", chargings(chargings_), "RULE",
           "with --max-attempts, which failures count: by_evidence,\n'by_evidence(give_up_after "
           "1h)' or every_failure;\ndefault by_evidence");
  add_flag("--outage", span(x.outage, 0s, 8760h), "SPAN",
           "with several policies or --like: the outage that the advice\nis for, 0s..8760h; "
           "default 1h");
  add_flag("--lambda", span(x.mean_think, 1us, 24h), "SPAN",
           "with several policies or --like: the time between two calls\nof a client in normal "
           "times, 1us..24h; default 10s");
  plot_.declare(*this,
                "also draw the delays with gnuplot, to a file whose name ends\nin .svg or "
                ".png",
                "with --plot: use a logarithmic axis for the delays");
  add_switch("--json", as_json_, "print JSON with full precision instead of text");
}

void PlanCommand::check(Problems& problems) {
  auto& x = question_;
  if (!is_given("POLICY") && likes_.empty())
    miss_policy("POLICY", problems);
  for (const auto& name : likes_)
    try {
      x.likes.push_back(backoff_actor::like(name));
      x.policies.push_back(x.likes.back().policy);
    } catch (const backoff_actor::InvalidArgument& error) {
      for (const auto& wrong : error.problems().list())
        problems.add("--like", quoted(name) + ": " + wrong.field + " " + wrong.given,
                     wrong.allowed);
    }
  if (!likes_.empty() && x.policies.size() > most_policies)
    problems.add("--like", std::to_string(likes_.size()) + " of them",
                 "1.." + std::to_string(most_policies) + " policies in all");
  const auto need = [&](const char* flag, bool is_there, const char* needed) {
    if (is_given(flag) && !is_there)
      problems.add(flag, needed, "");
  };
  need("--charging", is_given("--max-attempts"), "needs --max-attempts");
  if (chargings_.size() > 1)
    problems.add("--charging", std::to_string(chargings_.size()) + " of them", "one");
  else if (!chargings_.empty())
    x.charging = chargings_.front();
  const auto is_compared = x.policies.size() != 1 || !likes_.empty();
  need("--outage", is_compared, "needs several policies, or --like");
  need("--lambda", is_compared, "needs several policies, or --like");
  x.plot = plot_.read(problems);
}

std::string PlanCommand::run() {
  const auto result = answer(question_);
  if (question_.plot)
    draw(plot_script(result, *question_.plot), *question_.plot);
  return as_json_ ? plan_json(result) : plan_text(result);
}

} // namespace backoffctl
