#include "backoff_actor/guard/internal/rate.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"

#include <algorithm>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t most_calls_of_a_rate = 1'000'000;
constexpr Duration shortest_period = 1ms;
constexpr Duration longest_period = 24h;
constexpr Duration shortest_interval = 1us;

// How much later than the first allowed call a turn may be.
constexpr Duration longest_queue = 1s;

std::string text_of_period(Duration per) {
  if (per == 1s)
    return "s";
  if (per == 1min)
    return "min";
  return per == 1h ? "h" : to_string(per);
}

// Rounds up, so that there are never too many calls.
Duration interval_of(const RateOptions& options) {
  const Duration::rep calls = std::max(options.calls, 1U);
  return Duration{options.per.count() / calls + (options.per.count() % calls == 0 ? 0 : 1)};
}

Duration times(Duration span, std::uint32_t count) {
  return count != 0 && span > Duration::max() / count ? Duration::max() : span * count;
}

} // namespace

Problems check(const RateOptions& options) {
  Problems problems{"RateOptions"};
  const auto is_period = options.per >= shortest_period && options.per <= longest_period;
  const auto most =
    is_period ? std::min<Duration::rep>(most_calls_of_a_rate, options.per / shortest_interval)
              : most_calls_of_a_rate;
  detail::check_count(problems, "calls", options.calls, 1, static_cast<std::uint32_t>(most));
  detail::check_span(problems, "per", options.per, shortest_period, longest_period);
  detail::check_count(problems, "burst", options.burst, 1, most_calls_of_a_rate);
  return problems;
}

std::string to_string(const RateOptions& options) {
  return "rate(" + std::to_string(options.calls) + "/" + text_of_period(options.per) + ", burst "
         + std::to_string(options.burst) + ")";
}

Rate::Rate(const RateOptions& options)
  : options_(options), interval_(interval_of(options)),
    tolerance_(times(interval_, std::max(options.burst, 1U) - 1)) {
  check(options).raise_if_any();
}

void Rate::go(Instant now) {
  used_until_ = std::max(used_until_, now) + interval_;
  if (awaited_ <= now && awaits_somebody())
    await_next(now);
}

Instant Rate::next_turn(Instant now) {
  const auto first = first_allowed();
  if (first <= now)
    return now;
  if (awaited_ <= now && awaits_somebody()) { // somebody else called at that turn
    await_next(now);
    return first;
  }
  auto turn = std::max(first, end_of_turns_);
  if (!awaits_somebody() || turn > first + longest_queue)
    awaited_ = turn = first;
  end_of_turns_ = turn + interval_;
  return turn;
}

// The turns that are over count no more.
void Rate::await_next(Instant now) {
  awaited_ = awaited_ + (now - awaited_) / interval_ * interval_ + interval_;
}

std::uint32_t Rate::calls_left(Instant now) const {
  const auto used = std::max(used_until_, now) - now;
  if (used > tolerance_)
    return 0;
  const auto more = (tolerance_ - used) / interval_;
  return static_cast<std::uint32_t>(more) + 1;
}

Duration Rate::time_to_fill() const { return times(interval_, options_.burst); }

} // namespace backoff_actor
