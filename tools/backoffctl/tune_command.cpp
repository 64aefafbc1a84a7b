#include "tune_command.hpp"

#include "tune_answer.hpp"
#include "tune_json.hpp"
#include "tune_text.hpp"

namespace backoffctl {

namespace {

constexpr auto tune_description =
  R"(The arithmetic of an exponential backoff.

Without jitter, and in both directions: from the parameters to the delays before and after a
point in time, and from a delay that is wanted at a point in time to the parameters.

  a  the first delay (--first)
  r  the factor by which each delay is longer than the one before it (--factor)
  n  the number of an attempt: 1 is the first retry, 0 the call before all retries
  t  the delay before an attempt:         t(n) = a r^(n-1), or --cap if that is less
  T  the time elapsed when it is made:    T(n) = t(1) + ... + t(n) = a (r^n - 1) / (r - 1)

The calls themselves are taken to last no time. From these follows, below the cap,

  t(n+1) = a + (r-1) T(n)      the delay after an attempt, from the elapsed time alone
  n      = log_r(1 + (r-1) T / a)

so that in the long run each delay is the same share of the elapsed time: the ratio r - 1. With
a ratio of 0.1 the end of an outage is found out late by a tenth of the outage at most, and a.
)";

constexpr auto tune_footer = R"(
A span is a number with a unit: ns, us, ms, s, min or h.
--factor, --ratio, --next and --previous exclude each other; each of them determines r.

Examples:
  backoffctl tune --first 1s --factor 2
      how the series begins
  backoffctl tune --first 1s --factor 2 --elapsed 1023s
      1023 s have passed: which attempt is that, and how long are the delays around it?
  backoffctl tune --first 100ms --factor 2 --cap 1min --elapsed 10min
      the same with delays of a minute at most
  backoffctl tune --first 1s --ratio 0.1 --elapsed 1000s
      each delay shall be about a tenth of the elapsed time: which factor does that?
  backoffctl tune --first 1s --elapsed 1000s --next 100s
      after 1000 s the delay shall be 100 s: which factor does that exactly?
  backoffctl tune --first 1s --elapsed 1000s --previous 100s
      the same for the delay that ends there
  backoffctl tune --first 1s --factor 2 --succeeds-at 1030s
      what is called works again from 1030 s on: when is that found out, and how long was
      waited for nothing?
  backoffctl tune --from-factor 2 --to-factor 1.1 --elapsed 1000s
      how many times more retries does the smaller factor make? Real growth counts them,
      rough growth is log 2 / log 1.1, which is what it comes to after a very long time
  backoffctl tune --first 1s --factor 2 --elapsed 1023s --json
      the same for programs, with full precision

Keys of the JSON, as far as they apply; all times in seconds:
  first_s, factor, ratio, cap_s, first_capped_attempt
                           the parameters, and the first attempt whose delay is the cap
  elapsed_s, attempt, previous_s, next_s, at_retry
                           the elapsed time, the last attempt up to it, the delays before and
                           after that attempt, and whether it is made at that very time; with
                           --succeeds-at the attempt that finds out
  formula                  attempt, previous_s and next_s by the formulas above, in real
                           numbers, as if an attempt were made at exactly elapsed_s
  succeeds_at_s, wasted_s, before
                           what was given, the time waited for nothing, and the attempt that
                           was too early
  from, to, growth, rough_growth
                           the two factors side by side, real and rough growth
  rows                     the rows of the table
)";

class TuneCommand final : public Command {
public:
  explicit TuneCommand(CLI::App& parser) : Command(parser) {
    parser.footer(tune_footer);
    parser.allow_extras();
    add_flag("--first", flags_.first, "SPAN", "a, the delay before the first retry (1s)");
    add_flag("--factor", flags_.factor, "R", "r, how many times longer each delay is: 1..1000 (2)");
    add_flag(
      "--ratio", flags_.ratio, "X",
      "delay / elapsed time in the long run, instead of the factor,\nwhich is 1 + X: 0..999");
    add_flag("--cap", flags_.cap, "SPAN", "no delay is longer than this (none)");
    add_flag("--elapsed", flags_.elapsed, "SPAN", "T, the point in time that is asked about");
    add_flag("--next", flags_.next, "SPAN",
             "the delay that is wanted after an attempt at --elapsed,\ninstead of the factor");
    add_flag("--previous", flags_.previous, "SPAN",
             "the delay that is wanted before an attempt at --elapsed,\ninstead of the factor");
    add_flag("--succeeds-at", flags_.succeeds_at, "SPAN",
             "from when on what is called works again, instead of\n--elapsed");
    add_flag("--from-factor", flags_.from_factor, "R",
             "a factor to compare with another, over --elapsed: 1..1000");
    add_flag("--to-factor", flags_.to_factor, "R", "the other one: 1..1000");
    add_switch("--json", as_json_, "print JSON, with full precision, instead of text");
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
  return std::make_unique<TuneCommand>(*backoffctl.add_subcommand("tune", tune_description));
}

} // namespace backoffctl
