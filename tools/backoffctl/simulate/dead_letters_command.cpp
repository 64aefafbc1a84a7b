#include "dead_letters_command.hpp"

#include "dead_letters_answer.hpp"

#include "backoffctl/common/progress_line.hpp"

#include <iostream>

namespace backoffctl {

namespace {

constexpr auto dead_letters_description =
  R"(Simulates an outbox during an outage: how many good messages become dead letters?

One sender has messages, and the service that its workers call is down at first and then well. The
engine is that of a BackOffSender, in virtual time: it asks the guard before each call, waits as the
policy says, and charges a failure as --charging says. After --max-attempts charged failures a
message is a dead letter.

  by_evidence    the default of the library: a failure counts only if it is the message's fault.
                 While the service is down, nobody is charged. A message that fails for
                 give_up_after (72h) without a charge is given up all the same
  every_failure  each failure is charged to the message that failed

With one worker the order is strict; several take the messages without order. While the service is
down, the worker crashes. With --retry-after the service says when to come back, as HTTP 503 does
with Retry-After, and the worker passes that on. It does not say whose fault it is: a worker that
does is believed by both rules.
)";

constexpr auto dead_letters_footer = R"(
Columns:
  dead letters      messages that died, and would have been done had the service been well
  dead poison       with --poison: messages that died and that nobody could have done
  still owed        messages that wait at the end of the watch
  last done after   the time from the moment when the service was back to the last acknowledgement
  calls while down  calls that began while the service was down

backoffctl plan --help explains the policies, and backoffctl simulate outage --help the guards. All
combinations of policies, guards and waits run. If you give neither --guard nor --retry-after, a
fixed comparison runs: no guard, circuit_breaker, one whose open time doubles, and circuit_breaker
while the service asks for 30 s.

Examples:
  backoffctl simulate dead-letters
      500 messages and an outage of an hour, with four guards, one worker and eight
  backoffctl simulate dead-letters --down-for 24h --guard circuit_breaker --workers 8
      an outage of a day, with the guard and the pool that you have
  backoffctl simulate dead-letters --poison 3 --guard none --charging by_evidence --max-attempts 5
      three messages that always fail, among 497 good ones
  backoffctl simulate dead-letters --charging 'by_evidence(give_up_after 1h)' --down-for 24h
      what a shorter bound costs in an outage of a day
  backoffctl simulate dead-letters --policy 'fixed(1s)' 'fixed(10s)' --guard none --json
      two policies, for programs

Keys of the JSON; all times in seconds:
  runs                    one object for each combination, in order
  policy, guard, retry_after_s, workers, charging
                          the combination; retry_after_s is null if the service asks for nothing
  dead_letters, poison_dead, done, left
                          what became of the messages
  last_done_s             last done after; null if nothing was done
  calls_while_down        calls that began while the service was down

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class DeadLettersCommand final : public Command {
public:
  explicit DeadLettersCommand(CLI::App& parser) : Command(parser, dead_letters_footer) {
    add_flag("--policy", flags_.policies, "POLICY",
             "1 to 20 policies; default\nexponential(100ms, x2, cap 30s) | full_jitter");
    add_flag("--guard", flags_.guards, "GUARD", "1 to 20 guards; default see below");
    add_flag("--retry-after", flags_.retry_afters, "SPAN",
             "how long a service that is down asks to be left alone,\n0s..24h, or none; 1 to 20 of "
             "them; a sender waits for 5min\nat the most; default see below");
    add_flag("--workers", flags_.workers, "N",
             "1 to 20 numbers of workers, each 1..64; default 1 and 8");
    add_flag("--charging", flags_.chargings, "RULE",
             "1 to 20 rules of which failures count: by_evidence,\nevery_failure, or 'by_evidence("
             "give_up_after 1h)'; default both");
    add_flag("--max-attempts", flags_.max_attempts, "N",
             "charged failures that end a message, 1..1000000000;\ndefault 8");
    add_flag("--messages", flags_.messages, "N", "number of messages, 1..100000; default 500");
    add_flag("--poison", flags_.poison, "N",
             "how many of them always fail, 0..the messages; default 0");
    add_flag("--every", flags_.every, "SPAN",
             "time between two messages, 0s..24h; default 0s: all at once");
    add_flag("--takes", flags_.takes, "SPAN", "time of a call, 10ms..24h; default 100ms");
    add_flag("--down-for", flags_.down_for, "SPAN",
             "how long the service is down, 0s..720h; default 1h");
    add_flag("--watch", flags_.watch, "SPAN",
             "how long to watch after it is back, 1s..720h; default 24h");
    add_flag("--seed", flags_.seed, "S",
             "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
    add_switch("--json", as_json_, "print JSON with full precision instead of text");
    add_switch("--progress", wants_progress_,
               "show progress on stderr even if stderr is not a terminal");
  }

  void check(backoff_actor::Problems& problems) override {
    question_ = read_question(flags_, problems);
  }

  std::string run() override {
    ProgressLine line{std::cerr, is_progress_shown(wants_progress_), "simulate dead-letters",
                      1'000'000};
    const auto result = answer(question_, [&](std::uint64_t done) { line.at(done); });
    return as_json_ ? dead_letters_json(result) : dead_letters_text(result);
  }

private:
  DeadLettersFlags flags_;
  bool as_json_ = false;
  bool wants_progress_ = false;
  DeadLettersQuestion question_;
};

} // namespace

std::unique_ptr<Command> add_dead_letters_command(CLI::App& simulate) {
  return std::make_unique<DeadLettersCommand>(
    add_subcommand(simulate, "dead-letters", dead_letters_description));
}

} // namespace backoffctl
