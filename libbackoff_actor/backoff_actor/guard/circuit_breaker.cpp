#include "backoff_actor/guard/internal/circuit_breaker.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <type_traits>

namespace backoff_actor {

namespace {

constexpr std::uint32_t most_calls = 1'000'000;
constexpr Duration longest_span = std::chrono::hours{24};
constexpr Duration shortest_trip_window = std::chrono::milliseconds{10};

// A caller that comes while the probes are in flight waits for this long at the least. Such callers
// are spread over ten times this, or over the spread if it is longer.
constexpr Duration shortest_stagger = std::chrono::milliseconds{10};

constexpr std::uint64_t stream_of_openings = 0;
constexpr std::uint64_t stream_of_staggers = 1;

void check_span(Problems& problems, const char* field, Duration given, Duration low) {
  detail::check_span(problems, field, given, low, longest_span);
}

void check_ratio(Problems& problems, double given) {
  if (!(given > 0 && given <= 1))
    problems.add("ratio", detail::percent(given), "more than 0%, to 100%");
}

void check(Problems& problems, const ConsecutiveFailures& trip) {
  detail::check_count(problems, "failures", trip.failures, 1, most_calls);
}

void check(Problems& problems, const FailureRatioOfCalls& trip) {
  check_ratio(problems, trip.ratio);
  detail::check_count(problems, "calls", trip.calls, 1, most_calls);
  if (trip.calls >= 1)
    detail::check_count(problems, "minimum_calls", trip.minimum_calls, 1,
                        std::min(trip.calls, most_calls));
}

void check(Problems& problems, const FailureRatioOfTime& trip) {
  check_ratio(problems, trip.ratio);
  check_span(problems, "within", trip.within, shortest_trip_window);
  detail::check_count(problems, "minimum_calls", trip.minimum_calls, 1, most_calls);
}

std::string text_of(const ConsecutiveFailures& trip) {
  return std::to_string(trip.failures) + " failures";
}

std::string text_of(const FailureRatioOfCalls& trip) {
  return detail::percent(trip.ratio) + " of " + std::to_string(trip.calls) + " calls, min_calls "
         + std::to_string(trip.minimum_calls);
}

std::string text_of(const FailureRatioOfTime& trip) {
  return detail::percent(trip.ratio) + " within " + to_string(trip.within) + ", min_calls "
         + std::to_string(trip.minimum_calls);
}

std::string text_of(const Policy& open) {
  const auto* const fixed = std::get_if<Fixed>(&open.formula());
  return fixed != nullptr && open.jitter() == no_jitter ? to_string(fixed->delay) : to_string(open);
}

// Whether `part` of `whole` is at least `ratio`, with a tolerance for rounding.
bool is_at_least(double part, double whole, double ratio) {
  constexpr auto tolerance = 1e-9;
  return part >= ratio * whole - tolerance;
}

} // namespace

Problems check(const CircuitBreakerOptions& options) {
  Problems problems{"CircuitBreakerOptions"};
  std::visit([&](const auto& trip) { check(problems, trip); }, options.trip);
  if (options.open.longest() <= Duration::zero())
    problems.add("open", text_of(options.open), "a policy with delays above 0ns");
  detail::check_count(problems, "probes", options.probes, 1, most_calls);
  check_span(problems, "spread", options.spread, Duration::zero());
  check_span(problems, "probe_timeout", options.probe_timeout, Duration{1});
  return problems;
}

std::string to_string(const CircuitBreakerOptions& options) {
  return "circuit_breaker("
         + std::visit([](const auto& trip) { return text_of(trip); }, options.trip) + ", open "
         + text_of(options.open) + ", probes " + std::to_string(options.probes) + ", spread "
         + to_string(options.spread) + ", probe_timeout " + to_string(options.probe_timeout) + ")";
}

std::string_view to_string(BreakerState state) {
  constexpr auto names =
    detail::enum_names<BreakerState>({"closed", "open", "half_open", "isolated"});
  return names.of(state);
}

CircuitBreaker::CircuitBreaker(const CircuitBreakerOptions& options, std::uint64_t seed)
  : options_(options), openings_(options.open.start()), seed_(seed) {
  check(options).raise_if_any();
  window_ = window_of(options.trip);
}

CircuitBreaker::Window CircuitBreaker::window_of(const Trip& trip) {
  if (const auto* const of_calls = std::get_if<FailureRatioOfCalls>(&trip))
    return LastCalls{of_calls->calls};
  if (const auto* const of_time = std::get_if<FailureRatioOfTime>(&trip))
    return RecentCalls{of_time->within};
  return {};
}

Instant CircuitBreaker::open_until() const {
  return state_ == BreakerState::open ? open_until_ : Instant::never();
}

CallCounts CircuitBreaker::counts(Instant now) const {
  if (const auto* const calls = std::get_if<LastCalls>(&window_))
    return calls->counts();
  if (const auto* const calls = std::get_if<RecentCalls>(&window_))
    return calls->counts(now);
  return {};
}

// -- calls ------------------------------------------------------------------------------

Admission CircuitBreaker::admit(Instant now) {
  switch (state_) {
  case BreakerState::closed:
    return Permit{generation_, 0};
  case BreakerState::isolated:
    return HeldBack{HeldBackBy::isolated_breaker, Instant::never()};
  case BreakerState::open:
    if (now >= open_until_) {
      go_to(BreakerState::half_open);
      return admit_probe(now);
    }
    if (awaited_ < options_.probes) {
      ++awaited_;
      return HeldBack{HeldBackBy::open_breaker, open_until_};
    }
    return HeldBack{HeldBackBy::open_breaker, open_until_ + stagger()};
  case BreakerState::half_open:
    break;
  }
  return admit_probe(now);
}

bool CircuitBreaker::holds_back(Instant now) const {
  switch (state_) {
  case BreakerState::closed:
    return false;
  case BreakerState::isolated:
    return true;
  case BreakerState::open:
    return now < open_until_;
  case BreakerState::half_open:
    break;
  }
  const auto in_flight = std::count_if(probes_.begin(), probes_.end(),
                                       [&](const Probe& probe) { return !is_silent(probe, now); });
  return successes_ + static_cast<std::size_t>(in_flight) >= options_.probes;
}

// Whether the probe has had its time, and makes room for another.
bool CircuitBreaker::is_silent(const Probe& probe, Instant now) const {
  return now - probe.began >= options_.probe_timeout;
}

Admission CircuitBreaker::admit_probe(Instant now) {
  std::erase_if(probes_, [&](const Probe& probe) { return is_silent(probe, now); });
  if (successes_ + probes_.size() < options_.probes) {
    probes_.push_back({++last_probe_, now});
    return Permit{generation_, last_probe_};
  }
  return HeldBack{HeldBackBy::probe, now + std::max(stagger(), shortest_stagger)};
}

void CircuitBreaker::succeeded(Permit permit, Instant now) {
  if (permit.generation != generation_)
    return;
  if (state_ == BreakerState::closed)
    count(false, now);
  else if (end_probe(permit.probe) && ++successes_ >= options_.probes)
    close();
}

void CircuitBreaker::failed(Permit permit, Instant now) {
  if (permit.generation != generation_)
    return;
  if (state_ == BreakerState::closed)
    count(true, now);
  else if (end_probe(permit.probe))
    open(now);
}

void CircuitBreaker::forgotten(Permit permit) {
  if (permit.generation == generation_)
    end_probe(permit.probe);
}

// Ends a probe; returns whether it was in flight.
bool CircuitBreaker::end_probe(std::uint32_t number) {
  return std::erase_if(probes_, [&](const Probe& probe) { return probe.number == number; }) > 0;
}

void CircuitBreaker::count(bool has_failed, Instant now) {
  consecutive_failures_ = has_failed ? consecutive_failures_ + 1 : 0;
  if (auto* const calls = std::get_if<LastCalls>(&window_))
    calls->add(has_failed);
  else if (auto* const recent = std::get_if<RecentCalls>(&window_))
    recent->add(has_failed, now);
  if (is_tripped(now))
    open(now);
}

bool CircuitBreaker::is_tripped(Instant now) const {
  if (const auto* const trip = std::get_if<ConsecutiveFailures>(&options_.trip))
    return consecutive_failures_ >= trip->failures;
  const auto counts = this->counts(now);
  return std::visit(
    [&](const auto& trip) {
      if constexpr (std::is_same_v<std::decay_t<decltype(trip)>, ConsecutiveFailures>)
        return false;
      else
        return counts.failures > 0 && counts.calls >= trip.minimum_calls
               && is_at_least(static_cast<double>(counts.failures),
                              static_cast<double>(counts.calls), trip.ratio);
    },
    options_.trip);
}

// -- states -----------------------------------------------------------------------------

void CircuitBreaker::go_to(BreakerState state) {
  state_ = state;
  if (++generation_ == 0) // 0 stands for no permit
    generation_ = 1;
  probes_.clear();
  successes_ = 0;
  awaited_ = 0;
}

void CircuitBreaker::open(Instant now) {
  go_to(BreakerState::open);
  const auto [progress, delay] =
    options_.open.next(openings_, unit_random(seed_, stream_of_openings, openings_.draws));
  openings_ = progress;
  open_for_ = delay;
  open_until_ = now + delay;
}

void CircuitBreaker::isolate() { go_to(BreakerState::isolated); }

void CircuitBreaker::close() {
  go_to(BreakerState::closed);
  openings_ = options_.open.restart(openings_);
  consecutive_failures_ = 0;
  window_ = window_of(options_.trip);
}

// -- spread -----------------------------------------------------------------------------

// A random part of the spread, drawn anew for each caller.
Duration CircuitBreaker::stagger() {
  const auto spread = std::max(
    options_.spread, state_ == BreakerState::half_open ? 10 * shortest_stagger : Duration::zero());
  const auto u = unit_random(seed_, stream_of_staggers, staggered_++);
  return Duration{static_cast<Duration::rep>(u * static_cast<double>(spread.count()))};
}

} // namespace backoff_actor
