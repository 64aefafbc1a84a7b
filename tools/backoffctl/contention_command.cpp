#include "contention_command.hpp"

#include "contention_answer.hpp"
#include "contention_json.hpp"
#include "contention_plot.hpp"
#include "contention_text.hpp"
#include "progress_line.hpp"

#include <iostream>

namespace backoffctl {

namespace {

constexpr auto contention_description =
  R"(Many writers on one optimistic lock: what jitter is good for.

N clients each want to write the same row once, and all start together. A client reads the version
of the row, then writes the row with that version. A write is refused if the version has changed
meanwhile; then the client waits for the next delay of its policy and starts again with reading.
Each message is on its way for |N(10 ms, 2 ms)|, drawn anew, and the service takes no time.

Of all that come with the same version one gets through. So those who wait equally long meet again,
and a longer wait does not help them; those who are spread out do not meet.

  calls           writes, refused ones included: the load on the service
  all done after  from the start until the last client hears that its write was taken

Both are means over the trials. The experiment is Amazon's published comparison of jitters
(Brooker, "Exponential Backoff and Jitter", 2015) with its five policies, whose figures come out
here, the calls within 1 %, the times within 4 %:

  none          no delay at all
  exponential   the n-th delay is min(2 s, 5 ms * 2^n), the first 10 ms
  equal         half of that, and a random part of the other half
  full          a random part of that
  decorrelated  random between 5 ms and 3 times the last delay; what is longer than 2 s is cut
                off there. A cap in the policy, 'decorrelated(5ms, x3, cap 2s)', ends the range
                that is drawn from instead: with 200 clients there are as many calls, and all are
                done in about 15 % less time
)";

constexpr auto contention_footer = R"(
Examples:
  backoffctl simulate contention
      a hundred clients
  backoffctl simulate contention --clients 10 50 100 --trials 20
      how it grows with the number of clients
  backoffctl simulate contention --trials 20 --policy 'fixed(50ms)' 'fixed(1s) | full_jitter'
      two policies of one's own beside the five
  backoffctl simulate contention --clients 50 --trials 20 --json
      for programs, with full precision
  backoffctl simulate contention --clients 10 40 70 100 --trials 20 --plot contention.svg --log
      calls and times as curves over the number of clients, on logarithmic axes

Keys of the JSON:
  clients        how many there are; if several numbers are given, it is in each of the results
  trials         how many trials the means are of
  results        one object for each number of clients and each policy, in their order
  policy         its name above, or the one that was given, with everything in it
  calls          writes, refused ones included
  completion_ms  the time until all are done, in ms; null if a trial takes longer than 12.7 days,
                 which is as long as a simulation lasts: then the calls are those up to there
)";

class ContentionCommand final : public Command {
public:
  explicit ContentionCommand(CLI::App& parser) : Command(parser) {
    parser.footer(contention_footer);
    parser.allow_extras();
    add_flag("--clients", flags_.clients, "N",
             "how many clients, one number or several, up to 50:\n1..100000 (100)");
    add_flag("--trials", flags_.trials, "N", "how often it is tried: 1..100000 (100)");
    add_flag("--policy", flags_.policies, "POLICY",
             "policies of one's own, up to 20, beside the five; for\ntheir forms see backoffctl "
             "plan --help");
    add_flag("--seed", flags_.seed, "S", "what chance draws from: 0..18446744073709551615 (0)");
    add_flag("--plot", flags_.plot, "FILE",
             "draw the curves, too, by gnuplot: a name that ends in\n.svg or .png");
    add_switch("--log", flags_.log, "give the --plot logarithmic axes of calls and times");
    add_switch("--json", as_json_, "print JSON, with full precision, instead of text");
    add_switch("--progress", wants_progress_,
               "tell on stderr how far it is, also where that is no\nterminal");
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
    *simulate.add_subcommand("contention", contention_description));
}

} // namespace backoffctl
