// `simulate dead-letters`: which messages die while a service is down.

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"
#include "backoffctl/common/progress_line.hpp"
#include "backoffctl/text/number_text.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/lab/simulation/internal/dead_letters.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using namespace backoff_actor;
using Json = nlohmann::ordered_json;

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
)";

// -- the answer -----------------------------------------------------------------------------

// What is asked of `simulate dead-letters`: setups, each of which differs from the others in
// policy, guard and `retry_after`, and runs with each number of workers and each charging.
struct DeadLettersQuestion {
  std::vector<DeadLettersOptions> setups{}; // one at least
  std::vector<std::uint32_t> workers{};     // one at least
  std::vector<Charging> chargings{};        // one at least
};

// What became of the messages with one setup, one number of workers and one charging.
struct DeadLettersRun {
  std::size_t setup; // its index
  std::uint32_t workers;
  Charging charging;
  DeadLettersResult result;
};

struct DeadLettersAnswer {
  DeadLettersQuestion question;
  std::vector<DeadLettersRun> runs; // in the order of setup, workers and charging
};

std::string setting_of(const DeadLettersOptions& x) {
  auto result = counted(x.messages, "message", "messages");
  if (x.poison > 0)
    result += ", " + std::to_string(x.poison) + " of them poison";
  result += x.every == Duration::zero() ? ", all at once" : ", one each " + to_string(x.every);
  result += "; calls take " + to_string(x.takes) + "; max_attempts "
            + std::to_string(x.max_attempts.value_or(0)) + "\nthe service is down for "
            + to_string(x.down_for) + ", then well, watched for " + to_string(x.watch) + "; seed "
            + std::to_string(x.seed) + "\n";
  return result;
}

std::string setups_of(const DeadLettersQuestion& question) {
  std::string result;
  const auto width = numbered_label(question.setups.size()).size() + 2;
  const std::string indent(width + 2, ' ');
  for (std::size_t i = 0; i < question.setups.size(); ++i) {
    const auto& setup = question.setups[i];
    const auto label = numbered_label(i + 1);
    result +=
      "  " + label + std::string(width - label.size(), ' ') + to_string(setup.policy) + "\n";
    if (!setup.guard.empty())
      result += indent + "+ " + to_string(setup.guard) + "\n";
    if (setup.retry_after)
      result += indent + "the service asks for " + to_string(*setup.retry_after) + "\n";
  }
  return result;
}

Json to_json(const DeadLettersRun& run, const DeadLettersOptions& setup) {
  const auto& x = run.result;
  return {{"policy", to_string(setup.policy)},
          {"guard", to_string(setup.guard)},
          {"retry_after_s", setup.retry_after ? Json(seconds_of(*setup.retry_after)) : Json()},
          {"workers", run.workers},
          {"charging", to_string(run.charging)},
          {"dead_letters", x.healthy_dead},
          {"poison_dead", x.poison_dead},
          {"done", x.done},
          {"left", x.left},
          {"last_done_s", x.last_done ? Json(seconds_of(*x.last_done)) : Json()},
          {"calls_while_down", x.calls_while_down}};
}

// `progress` gets the part that is done, in millionths.
DeadLettersAnswer answer(const DeadLettersQuestion& question,
                         const std::function<void(std::uint64_t)>& progress) {
  DeadLettersAnswer result{question, {}};
  const auto count = question.setups.size() * question.workers.size() * question.chargings.size();
  for (std::size_t i = 0; i < question.setups.size(); ++i)
    for (const auto workers : question.workers)
      for (const auto& charging : question.chargings) {
        auto options = question.setups[i];
        options.workers = workers;
        options.charging = charging;
        const auto span_s = seconds_of(options.down_for + options.watch);
        const auto before = static_cast<double>(result.runs.size());
        const auto tell = [&](Duration now) {
          const auto part = (before + seconds_of(now) / span_s) / static_cast<double>(count);
          progress(static_cast<std::uint64_t>(part * 1e6));
        };
        result.runs.push_back({i, workers, charging, simulate_dead_letters(options, tell)});
      }
  return result;
}

std::string dead_letters_text(const DeadLettersAnswer& answer) {
  const auto& question = answer.question;
  const auto has_poison = question.setups.front().poison > 0;
  std::vector<std::string> header{"run", "workers", "charging", "dead letters"};
  if (has_poison)
    header.push_back("dead poison");
  header.insert(header.end(), {"done", "still owed", "last done after", "calls while down"});
  Table table{header};
  for (const auto& run : answer.runs) {
    const auto& x = run.result;
    std::vector<std::string> row{numbered_label(run.setup + 1), std::to_string(run.workers),
                                 to_string(run.charging), std::to_string(x.healthy_dead)};
    if (has_poison)
      row.push_back(std::to_string(x.poison_dead));
    row.insert(row.end(), {std::to_string(x.done), std::to_string(x.left),
                           x.last_done ? span_text(seconds_of(*x.last_done)) : std::string{"-"},
                           std::to_string(x.calls_while_down)});
    table.add(std::move(row));
  }
  return setting_of(question.setups.front()) + "\n" + setups_of(question) + "\n" + table.text();
}

std::string dead_letters_json(const DeadLettersAnswer& answer) {
  Json result;
  auto& runs = result["runs"] = Json::array();
  for (const auto& run : answer.runs)
    runs.push_back(to_json(run, answer.question.setups[run.setup]));
  return backoff_actor::detail::plain_json(result.dump(2)) + "\n";
}

// -- the command ----------------------------------------------------------------------------

GuardOptions default_breaker() { return {.circuit_breaker = CircuitBreakerOptions{}}; }

GuardOptions slowing_breaker() {
  return {.circuit_breaker =
            CircuitBreakerOptions{.trip = ConsecutiveFailures{5},
                                  .open = Exponential{.first = 5s, .factor = 2, .cap = 5min}}};
}

class DeadLettersCommand final : public Command {
public:
  explicit DeadLettersCommand(CLI::App& simulate)
    : Command(simulate, "dead-letters", dead_letters_description, dead_letters_footer) {
    constexpr auto longest = DeadLettersOptions::longest;
    constexpr std::size_t most_of_a_kind = 20; // of workers, or of wishes
    auto& x = options_;
    x.max_attempts = 8;
    add_list("--policy", policies(policies_), "POLICY",
             "1 to 20 policies; default\nexponential(100ms, x2, cap 30s) | full_jitter");
    add_list("--guard", guards(guards_), "GUARD", "1 to 20 guards; default see below");
    add_list("--retry-after",
             each(wishes_, most_of_a_kind,
                  [](RetryAfterWish& wish) -> Reader {
                    return [&wish](const auto& flag, const std::string& given, Problems& problems) {
                      if (given != "none")
                        span(wish, 0s, 24h)(flag, given, problems);
                    };
                  }),
             "SPAN",
             "how long a service that is down asks to be left alone,\n0s..24h, or none; 1 to 20 of "
             "them; a sender waits for 5min\nat the most; default see below");
    add_list(
      "--workers",
      each(question_.workers, most_of_a_kind,
           [](auto& workers) { return whole(workers, 1, DeadLettersOptions::most_workers); }),
      "N", "1 to 20 numbers of workers, each 1..64; default 1 and 8");
    add_list("--charging", chargings(question_.chargings), "RULE",
             "1 to 20 rules of which failures count: by_evidence,\nevery_failure, or 'by_evidence("
             "give_up_after 1h)'; default both");
    add_flag("--max-attempts", whole(x.max_attempts, 1, backoff_actor::detail::most_count), "N",
             "charged failures that end a message, 1..1000000000;\ndefault 8");
    add_flag("--messages", whole(x.messages, 1, DeadLettersOptions::most_messages), "N",
             "number of messages, 1..100000; default 500");
    add_flag(
      "--poison",
      [this](const auto& flag, const std::string& given, Problems& problems) {
        whole(options_.poison, 0, options_.messages)(flag, given, problems);
      },
      "N", "how many of them always fail, 0..the messages; default 0");
    add_flag("--every", span(x.every, 0s, 24h), "SPAN",
             "time between two messages, 0s..24h; default 0s: all at once");
    add_flag("--takes", span(x.takes, 10ms, 24h), "SPAN",
             "time of a call, 10ms..24h; default 100ms");
    add_flag("--down-for", span(x.down_for, 0s, longest), "SPAN",
             "how long the service is down, 0s..720h; default 1h");
    add_flag("--watch", span(x.watch, 1s, longest), "SPAN",
             "how long to watch after it is back, 1s..720h; default 24h");
    add_flag("--seed", whole(x.seed, 0, UINT64_MAX), "S",
             "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
    add_switch("--json", as_json_, "print JSON with full precision instead of text");
  }

  std::string run() override {
    ProgressLine line{std::cerr, is_progress_shown(), "simulate dead-letters", 1'000'000};
    const auto result = answer(question_, [&](std::uint64_t done) { line.at(done); });
    return as_json_ ? dead_letters_json(result) : dead_letters_text(result);
  }

private:
  using RetryAfterWish = std::optional<Duration>;

  void check(Problems&) override {
    if (question_.workers.empty())
      question_.workers = {1, 8};
    if (question_.chargings.empty())
      question_.chargings = {Charging::every_failure(), Charging{}};
    if (policies_.empty())
      policies_ = {options_.policy};
    for (const auto& policy : policies_)
      if (is_given("--guard") || is_given("--retry-after")) {
        for (const auto& guard : guards_.empty() ? std::vector<GuardOptions>(1) : guards_)
          for (const auto& wish : wishes_.empty() ? std::vector<RetryAfterWish>(1) : wishes_)
            add(policy, guard, wish);
      } else {
        add(policy, {}, {});
        add(policy, default_breaker(), {});
        add(policy, slowing_breaker(), {});
        add(policy, default_breaker(), 30s);
      }
  }

  void add(const Policy& policy, const GuardOptions& guard, const RetryAfterWish& wish) {
    options_.policy = policy;
    options_.guard = guard;
    options_.retry_after = wish;
    question_.setups.push_back(options_);
  }

  std::vector<Policy> policies_;
  std::vector<GuardOptions> guards_;
  std::vector<RetryAfterWish> wishes_;
  DeadLettersOptions options_; // what all setups have in common
  bool as_json_ = false;
  DeadLettersQuestion question_;
};

} // namespace

void add_dead_letters_command(CLI::App& simulate, Commands& commands) {
  add_command<DeadLettersCommand>(simulate, commands);
}

} // namespace backoffctl
