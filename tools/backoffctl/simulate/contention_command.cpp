#include "contention.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"
#include "backoffctl/common/progress_line.hpp"
#include "backoffctl/text/table.hpp"

#include <iostream>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using namespace backoff_actor;

constexpr auto contention_description =
  R"(Simulates many writers that compete for one optimistic lock.

N clients start together, and each wants to write the same row once. A client reads the version of
the row and then writes the row with that version. The service refuses the write if the version
has changed meanwhile; the client then waits for the next delay of its policy and reads again.
Each message travels for |N(10 ms, 2 ms)|, drawn for each message; the service takes no time.

Of all writes with the same version, only one succeeds. Clients that wait equally long therefore
collide again, and a longer delay does not help; jitter spreads them, and they no longer collide.

  calls           writes, including refused ones: the load on the service
  all done after  the time from the start until the last client knows that its write succeeded

Both are means over the trials. The experiment repeats Amazon's published comparison of jitters
(Brooker, "Exponential Backoff and Jitter", 2015) with its five policies. The results match the
published figures: the calls within 1 %, the times within 4 %.

  none          no delay at all
  exponential   the n-th delay is min(2 s, 5 ms * 2^n), the first 10 ms
  equal         half of the exponential delay, plus a random part of the other half
  full          a random part of the exponential delay
  decorrelated  random between 5 ms and 3 times the last delay; a delay above 2 s becomes 2 s. A
                cap in the policy, as in 'decorrelated(5ms, x3, cap 2s)', limits the range of the
                draw instead: with 200 clients that takes as many calls and about 15 % less time
)";

constexpr auto contention_footer = R"(
Examples:
  backoffctl simulate contention
      a hundred clients
  backoffctl simulate contention --clients 10 50 100 --trials 20
      the growth with the number of clients
  backoffctl simulate contention --trials 20 --policy 'fixed(50ms)' 'fixed(1s) | full_jitter'
      two policies of your own in addition to the five
  backoffctl simulate contention --clients 50 --trials 20 --json
      for programs, with full precision
  backoffctl simulate contention --clients 10 40 70 100 --trials 20 --plot contention.svg --log
      calls and times as curves over the number of clients, on logarithmic axes

Keys of the JSON:
  clients        number of clients; if you give several numbers, each result has its own
  trials         number of trials behind each mean
  results        one object for each number of clients and each policy, in the order given
  policy         the name from the list above, or your policy with all its parameters
  calls          writes, including refused ones
  completion_ms  the time until all clients are done, in ms; null if a trial reaches 12.7 days, the
                 longest simulation: then calls counts the calls up to that time
)";

// The published n-th delay is min(2 s, 5 ms * 2^n) before jitter, n from 1.
std::vector<Contender> published() {
  const Exponential exponential{.first = 10ms, .factor = 2, .cap = 2s};
  return {{"none", Fixed{.delay = 0s}, max_delay},
          {"exponential", exponential, max_delay},
          {"equal", exponential | equal_jitter, max_delay},
          {"full", exponential | full_jitter, max_delay},
          {"decorrelated", Decorrelated{.first = 5ms, .factor = 3}, 2s}};
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

// The work of a trial grows about with the square of the clients, as its calls do: a client's write
// that is taken counts as much as there are clients.

std::uint64_t work_of(const ContentionQuestion& question) {
  std::uint64_t result = 0;
  for (const std::uint64_t clients : question.clients)
    result += clients * clients;
  return result * question.trials * question.contenders.size();
}

ContentionAnswer answer(const ContentionQuestion& question,
                        const std::function<void(std::uint64_t done)>& tell) {
  ContentionAnswer result{question, {}};
  std::uint64_t done = 0;
  std::uint64_t done_before_trial = 0;
  for (const auto clients : question.clients) {
    auto& row = result.means.emplace_back();
    for (const auto& [name, policy, cut_off] : question.contenders) {
      const backoff_actor::Contention contention{clients, policy, cut_off};
      double calls = 0;
      std::optional<double> completion_ns{0};
      for (std::uint64_t trial = 0; trial < question.trials; ++trial) {
        const auto outcome =
          simulate(contention, question.seed, trial, [&] { tell(done += clients); });
        done_before_trial += std::uint64_t{clients} * clients;
        done = done_before_trial; // also where it was not completed
        calls += static_cast<double>(outcome.calls);
        if (completion_ns && outcome.completion)
          *completion_ns += static_cast<double>(outcome.completion->count());
        else
          completion_ns.reset();
      }
      const auto trials = static_cast<double>(question.trials);
      if (completion_ns)
        *completion_ns /= trials;
      row.push_back({calls / trials, completion_ns});
    }
  }
  return result;
}

ContentionCommand::ContentionCommand(CLI::App& simulate)
  : Command(simulate, "contention", contention_description, contention_footer) {
  auto& x = question_;
  add_list(
    "--clients",
    each(x.clients, 50, [](auto& clients) { return whole(clients, 1, Contention::most_clients); }),
    "N", "1 to 50 numbers of clients, each 1..100000; default 100");
  add_flag("--trials", whole(x.trials, 1, 100'000), "N",
           "number of trials, 1..100000; default 100");
  add_list("--policy", policies(policies_), "POLICY",
           "up to 20 policies in addition to the five; backoffctl plan\n--help explains their "
           "forms");
  add_flag("--seed", whole(x.seed, 0, UINT64_MAX), "S",
           "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
  plot_.declare(*this,
                "also draw the curves with gnuplot, to a file whose name\nends in .svg or .png",
                "with --plot: use logarithmic axes for calls and times");
  add_switch("--json", as_json_, "print JSON with full precision instead of text");
}

void ContentionCommand::check(Problems& problems) {
  question_.contenders = published();
  for (const auto& policy : policies_)
    question_.contenders.push_back({to_string(policy), policy, max_delay});
  question_.plot = plot_.read(problems);
}

std::string ContentionCommand::run() {
  std::optional<ProgressLine> line;
  line.emplace(std::cerr, is_progress_shown(), "simulate contention", work_of(question_));
  const auto result = answer(question_, [&](std::uint64_t done) { line->at(done); });
  line.reset();
  if (question_.plot)
    draw(contention_plot(result, *question_.plot), *question_.plot);
  return as_json_ ? contention_json(result) : contention_text(result);
}

} // namespace backoffctl
