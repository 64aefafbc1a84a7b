#include "tune_command.hpp"

#include "tune_answer.hpp"
#include "tune_json.hpp"
#include "tune_text.hpp"

namespace backoffctl {

namespace {

constexpr auto tune_description =
  R"(Computes the delays and the parameters of an exponential backoff.

tune computes in both directions, without jitter: from the parameters to the delays before and
after a point in time, and from the delay that you want at a point in time to the parameters.

  a  the first delay (--first)
  r  the factor between one delay and the next (--factor)
  n  the number of an attempt: 1 is the first retry, 0 the call before all retries
  t  the delay before an attempt:         t(n) = a r^(n-1), or --cap if that is less
  T  the elapsed time at an attempt:      T(n) = t(1) + ... + t(n) = a (r^n - 1) / (r - 1)

tune assumes that calls take no time. As long as no delay reaches the cap, it follows that

  t(n+1) = a + (r-1) T(n)      the delay after an attempt, from the elapsed time alone
  n      = log_r(1 + (r-1) T / a)

In the long run, each delay is the same share of the elapsed time: the ratio r - 1. With a ratio
of 0.1, a client notices the end of an outage at most a tenth of the outage, plus a, too late.
)";

constexpr auto tune_footer = R"(
A span is a number with a unit: ns, us, ms, s, min or h.
Use only one of --factor, --ratio, --next and --previous: each determines r.

Examples:
  backoffctl tune --first 1s --factor 2
      the beginning of the series
  backoffctl tune --first 1s --factor 2 --elapsed 1023s
      the attempt that is due after 1023 s, and the delays around it
  backoffctl tune --first 100ms --factor 2 --cap 1min --elapsed 10min
      the same with delays of at most a minute
  backoffctl tune --first 1s --ratio 0.1 --elapsed 1000s
      the factor with which each delay is about a tenth of the elapsed time
  backoffctl tune --first 1s --elapsed 1000s --next 100s
      the factor with which the delay after 1000 s is exactly 100 s
  backoffctl tune --first 1s --elapsed 1000s --previous 100s
      the factor with which the delay before that attempt is exactly 100 s
  backoffctl tune --first 1s --factor 2 --succeeds-at 1030s
      the service works again after 1030 s: when the client notices that, and how long it
      has waited for nothing by then
  backoffctl tune --from-factor 2 --to-factor 1.1 --elapsed 1000s
      how many times more retries the smaller factor makes: real growth counts them; rough
      growth is log 2 / log 1.1, the limit after a very long time
  backoffctl tune --first 1s --factor 2 --elapsed 1023s --json
      the same for programs, with full precision

Keys of the JSON, where they apply; all times in seconds:
  first_s, factor, ratio, cap_s, first_capped_attempt
                           the parameters, and the first attempt whose delay is the cap
  elapsed_s, attempt, previous_s, next_s, at_retry
                           the elapsed time, the last attempt up to that time, the delays before
                           and after that attempt, and whether it is due at exactly that time;
                           with --succeeds-at: the first attempt that succeeds
  formula                  attempt, previous_s and next_s by the formulas above, in real
                           numbers, as if an attempt were made at exactly elapsed_s
  succeeds_at_s, wasted_s, before
                           the value of --succeeds-at, the time that the client waited for
                           nothing, and the last attempt that came too early
  from, to, growth, rough_growth
                           the two factors side by side, real and rough growth
  rows                     the rows of the table

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class TuneCommand final : public Command {
public:
  explicit TuneCommand(CLI::App& parser) : Command(parser, tune_footer) {
    add_flag("--first", flags_.first, "SPAN",
             "a, the delay before the first retry, above 0 and up to\n2500000h; default 1s");
    add_flag("--factor", flags_.factor, "R",
             "r, the factor between one delay and the next, 1..1000;\ndefault 2");
    add_flag("--ratio", flags_.ratio, "X",
             "delay / elapsed time in the long run, 0..999; sets the\nfactor to 1 + X");
    add_flag("--cap", flags_.cap, "SPAN", "the longest delay, at least --first; default no cap");
    add_flag("--elapsed", flags_.elapsed, "SPAN", "T, the point in time to examine, 0s..2500000h");
    add_flag("--next", flags_.next, "SPAN",
             "the delay that you want after an attempt at --elapsed;\nsets the factor");
    add_flag("--previous", flags_.previous, "SPAN",
             "the delay that you want before an attempt at --elapsed;\nsets the factor");
    add_flag("--succeeds-at", flags_.succeeds_at, "SPAN",
             "when the service works again, 0s..2500000h; replaces\n--elapsed");
    add_flag("--from-factor", flags_.from_factor, "R",
             "compare this factor with --to-factor over --elapsed,\n1..1000");
    add_flag("--to-factor", flags_.to_factor, "R", "the other factor of the comparison, 1..1000");
    add_switch("--json", as_json_, "print JSON with full precision instead of text");
  }

  void check(backoff_actor::Problems& problems) override { answer_ = answer(flags_, problems); }

  std::string run() override {
    return as_json_ ? tune_json(answer_.value()) : tune_text(answer_.value());
  }

private:
  TuneFlags flags_;
  bool as_json_ = false;
  std::optional<TuneAnswer> answer_;
};

} // namespace

std::unique_ptr<Command> add_tune_command(CLI::App& backoffctl) {
  return std::make_unique<TuneCommand>(add_subcommand(backoffctl, "tune", tune_description));
}

} // namespace backoffctl
