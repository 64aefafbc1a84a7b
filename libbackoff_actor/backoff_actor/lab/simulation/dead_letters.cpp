#include "backoff_actor/lab/simulation/internal/dead_letters.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/guard/internal/guard.hpp"

#include <algorithm>
#include <memory>
#include <queue>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

EngineOptions engine_of(const DeadLettersOptions& options) {
  EngineOptions engine;
  engine.backoff = BackOff{options.policy, options.seed};
  engine.max_attempts = options.max_attempts;
  engine.charging = options.charging;
  if (!options.guard.empty())
    engine.guard = std::make_shared<Guard>(options.guard, options.seed);
  engine.max_in_flight = 1;
  if (options.workers > 1) {
    engine.ordering = Ordering::unordered;
    engine.pool.kinds = {{{options.workers, options.workers}, 1}};
  }
  return engine;
}

class DeadLetters {
public:
  explicit DeadLetters(const DeadLettersOptions& options)
    : options_(options), engine_(std::make_shared<const EngineOptions>(engine_of(options))) {}

  DeadLettersResult run(const DeadLettersProgress& progress) {
    for (std::uint32_t i = 0; i < options_.messages; ++i)
      at(Instant{options_.every * i}, input::Submit{});
    step(input::Start{});
    const Instant end{options_.down_for + options_.watch};
    while (!happenings_.empty() && happenings_.top().at <= end && !is_over()) {
      const auto happening = happenings_.top();
      happenings_.pop();
      if (progress && now_ != happening.at)
        progress(happening.at.since_origin);
      now_ = happening.at;
      std::visit([this](const auto& x) { happen(x); }, happening.what);
    }
    result_.left = options_.messages - result_.done - result_.healthy_dead - result_.poison_dead;
    return result_;
  }

private:
  struct Answer {
    effect::HandOver hand_over;
  };
  struct WakeUp {
    std::uint64_t number; // only the last one that was asked for is heard
  };
  using What = std::variant<Input, Answer, WakeUp>;

  struct Happening {
    Instant at;
    std::uint64_t number; // those of one instant happen in this order
    What what;
    friend bool operator<(const Happening& a, const Happening& b) {
      return std::pair{b.at, b.number} < std::pair{a.at, a.number};
    }
  };

  bool is_down() const { return now_.since_origin < options_.down_for; }

  // Of the deliveries, which are numbered from 1: the last of each group, so that a poison message
  // has others before it.
  bool is_poison(std::uint64_t delivery) const {
    return delivery * options_.poison / options_.messages
           != (delivery - 1) * options_.poison / options_.messages;
  }

  bool is_over() const {
    return result_.done + result_.healthy_dead + result_.poison_dead == options_.messages;
  }

  void at(Instant when, What what) { happenings_.push({when, ++number_, std::move(what)}); }

  void happen(const Input& input) { step(input); }
  void happen(const Answer& answer) { tell(answer.hand_over); }
  void happen(const WakeUp& wake_up) {
    if (wake_up.number == wake_up_)
      step(input::Wake{});
  }

  void tell(const effect::HandOver& x) {
    const auto is_refused = is_down() && options_.retry_after;
    if (!is_down() && !is_poison(x.delivery))
      return step(input::Acknowledged{x.hand_over});
    const Cause cause{1, is_down() ? "the service is down" : "poison"};
    if (is_refused)
      return step(input::Nacked{x.hand_over, cause, options_.retry_after});
    step(input::ChildDown{x.incarnation, cause});
  }

  void step(const Input& input) {
    Effects effects;
    engine_.step(now_, input, effects);
    for (const auto& effect : effects)
      std::visit([this](const auto& x) { carry_out(x); }, effect);
  }

  void carry_out(const effect::StartChild& x) { at(now_, input::ChildStarted{x.incarnation}); }
  void carry_out(const effect::TellToEnd& x) { at(now_, input::ChildDown{x.incarnation, {}}); }
  void carry_out(const effect::Probe& x) { at(now_, input::ChildAlive{x.incarnation, x.probe}); }

  void carry_out(const effect::WakeAt& x) {
    ++wake_up_;
    if (x.at != Instant::never())
      at(std::max(x.at, now_), WakeUp{wake_up_});
  }

  void carry_out(const effect::HandOver& x) {
    result_.calls_while_down += is_down() ? 1u : 0u;
    at(now_ + options_.takes, Answer{x});
  }

  void carry_out(const effect::Acknowledge&) {
    ++result_.done;
    result_.last_done = now_ - Instant{options_.down_for};
  }

  void carry_out(const effect::DeadLetter& x) {
    ++(is_poison(x.delivery) ? result_.poison_dead : result_.healthy_dead);
  }

  template <class T>
  void carry_out(const T&) {} // there is no store and no client, and nobody looks at events

  DeadLettersOptions options_;
  SenderEngine engine_;
  std::priority_queue<Happening> happenings_;
  DeadLettersResult result_;
  Instant now_{};
  std::uint64_t number_ = 0;
  std::uint64_t wake_up_ = 0; // the last one that was asked for
};

} // namespace

Problems check(const DeadLettersOptions& options) {
  constexpr auto longest = DeadLettersOptions::longest;
  using detail::check_count;
  using detail::check_span;
  Problems problems;
  check_count(problems, "messages", options.messages, 1, DeadLettersOptions::most_messages);
  if (options.poison > options.messages)
    problems.add("poison", std::to_string(options.poison),
                 "0.." + std::to_string(options.messages) + " (the messages)");
  check_span(problems, "every", options.every, 0s, 24h);
  check_span(problems, "takes", options.takes, 10ms, 24h);
  check_span(problems, "down_for", options.down_for, 0s, longest);
  check_span(problems, "watch", options.watch, 1s, longest);
  if (options.retry_after)
    check_span(problems, "retry_after", *options.retry_after, 0s, 24h);
  check_count(problems, "workers", options.workers, 1, DeadLettersOptions::most_workers);
  if (!options.guard.empty())
    problems.add_nested("guard", check(options.guard));
  check_count(problems, "max_attempts", options.max_attempts, 1);
  problems.add_nested("charging", check(options.charging));
  return problems;
}

DeadLettersResult simulate_dead_letters(const DeadLettersOptions& options,
                                        const DeadLettersProgress& progress) {
  check(options).raise_if_any();
  return DeadLetters{options}.run(progress);
}

} // namespace backoff_actor
