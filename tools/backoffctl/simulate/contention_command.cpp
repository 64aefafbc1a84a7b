#include "contention_command.hpp"

#include "contention_answer.hpp"
#include "contention_json.hpp"
#include "contention_plot.hpp"
#include "contention_text.hpp"

#include "backoffctl/common/progress_line.hpp"

#include <iostream>

namespace backoffctl {

namespace {

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

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class ContentionCommand final : public Command {
public:
  explicit ContentionCommand(CLI::App& parser) : Command(parser, contention_footer) {
    add_flag("--clients", flags_.clients, "N",
             "1 to 50 numbers of clients, each 1..100000; default 100");
    add_flag("--trials", flags_.trials, "N", "number of trials, 1..100000; default 100");
    add_flag("--policy", flags_.policies, "POLICY",
             "up to 20 policies in addition to the five; backoffctl plan\n--help explains their "
             "forms");
    add_flag("--seed", flags_.seed, "S",
             "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
    add_flag("--plot", flags_.plot, "FILE",
             "also draw the curves with gnuplot, to a file whose name\nends in .svg or .png");
    add_switch("--log", flags_.log, "with --plot: use logarithmic axes for calls and times");
    add_switch("--json", as_json_, "print JSON with full precision instead of text");
    add_switch("--progress", wants_progress_,
               "show progress on stderr even if stderr is not a terminal");
  }

  void check(backoff_actor::Problems& problems) override {
    question_ = read_question(flags_, problems);
  }

  std::string run() override {
    const auto result = simulated();
    if (question_.plot)
      draw(contention_plot(result, *question_.plot), *question_.plot);
    return as_json_ ? contention_json(result) : contention_text(result);
  }

private:
  ContentionAnswer simulated() const {
    ProgressLine line{std::cerr, is_progress_shown(wants_progress_), "simulate contention",
                      work_of(question_)};
    return answer(question_, [&](std::uint64_t done) { line.at(done); });
  }

  ContentionFlags flags_;
  bool as_json_ = false;
  bool wants_progress_ = false;
  ContentionQuestion question_;
};

} // namespace

std::unique_ptr<Command> add_contention_command(CLI::App& simulate) {
  return std::make_unique<ContentionCommand>(
    add_subcommand(simulate, "contention", contention_description));
}

} // namespace backoffctl
