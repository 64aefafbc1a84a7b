#include "backoff_actor/retry/internal/guard_parts.hpp"
#include "backoff_actor/retry/shared_guard.hpp"
#include "backoff_actor/sinks/shared_queue.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <variant>
#include <vector>

namespace backoff_actor::retry_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr Instant at(Duration since_begin) { return Instant{since_begin}; }

GuardOptions breaker_that_opens_after(std::uint32_t failures) {
  CircuitBreakerOptions options;
  options.trip = ConsecutiveFailures{failures};
  return {options, {}};
}

void fail(const SharedGuard& guard, Duration now = 0s) {
  guard.failed(std::get<Permit>(guard.admit(at(now), Call::first)), at(now));
}

bool is_held_back(const SharedGuard& guard, Duration now = 0s) {
  return std::holds_alternative<HeldBack>(guard.admit(at(now), Call::first));
}

// -- a handle ------------------------------------------------------------------------------

TEST(shared_guard, made_of_nothing_is_none) {
  EXPECT_FALSE(SharedGuard{});
  EXPECT_EQ(SharedGuard{}, SharedGuard{});
  EXPECT_TRUE(SharedGuard{breaker_that_opens_after(1)});
}

TEST(shared_guard, is_the_same_guard_in_all_its_copies) {
  const SharedGuard guard{breaker_that_opens_after(1)};
  const auto copy = guard;
  EXPECT_EQ(copy, guard);
  EXPECT_NE(copy, SharedGuard{breaker_that_opens_after(1)});
  fail(guard);
  EXPECT_TRUE(is_held_back(copy));
  EXPECT_EQ(copy.status(at(0s)).counters.opened, 1u);
  EXPECT_EQ(copy.options(), breaker_that_opens_after(1));
}

TEST(shared_guard, is_what_its_port_is_even_after_the_last_handle) {
  std::shared_ptr<GuardPort> port;
  {
    const SharedGuard guard{breaker_that_opens_after(1)};
    port = detail::GuardParts::port(guard);
    fail(guard);
  }
  EXPECT_FALSE(port->is_closed());
  EXPECT_TRUE(std::holds_alternative<HeldBack>(port->admit(at(1s), Call::first)));
  const auto probe = std::get<Permit>(port->admit(at(5s), Call::first));
  port->forgotten(probe, at(5s));
  port->succeeded(std::get<Permit>(port->admit(at(5s), Call::first)), at(5s));
  EXPECT_TRUE(port->is_closed());
}

TEST(shared_guard, passes_on_every_word) {
  const SharedGuard guard{breaker_that_opens_after(1)};
  fail(guard);
  const auto first = std::get<Permit>(guard.admit(at(5s), Call::first));
  EXPECT_TRUE(is_held_back(guard, 5s));
  guard.forgotten(first, at(5s));
  const auto second = std::get<Permit>(guard.admit(at(5s), Call::first));
  guard.succeeded(second, at(5s));
  EXPECT_FALSE(is_held_back(guard, 5s));
}

TEST(shared_guard, draws_by_its_seed_and_otherwise_unlike_any_other) {
  const auto told = [](const SharedGuard& guard) {
    fail(guard);
    (void)guard.admit(at(0s), Call::first); // comes as the probe
    return std::get<HeldBack>(guard.admit(at(0s), Call::first)).until;
  };
  const auto options = breaker_that_opens_after(1);
  EXPECT_EQ(told(SharedGuard{options, 1}), told(SharedGuard{options, 1}));
  EXPECT_NE(told(SharedGuard{options, 1}), told(SharedGuard{options, 2}));
  EXPECT_NE(told(SharedGuard{options}), told(SharedGuard{options}));
}

TEST(shared_guard, refuses_options_that_cannot_be) {
  EXPECT_THROW((SharedGuard{breaker_that_opens_after(0), 1}), InvalidArgument);
}

TEST(shared_guard, reports_the_first_exception_of_its_hook_and_goes_on) {
  ::testing::internal::CaptureStderr();
  const SharedGuard guard{breaker_that_opens_after(1),
                          [](const GuardEvent&) { throw std::runtime_error("the disk\nis full"); }};
  fail(guard);
  EXPECT_TRUE(is_held_back(guard));
  guard.close(at(0s));
  EXPECT_FALSE(is_held_back(guard));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "backoff_actor: guard circuit_breaker(1 failures, open 5s, probes 1, spread 5s, "
            "probe_timeout 1min): on_event threw: the disk\\nis full; its next exceptions are not "
            "reported\n");
}

TEST(shared_guard, gives_its_events_to_a_queue) {
  const SharedQueue<GuardEvent> events;
  const SharedGuard guard{breaker_that_opens_after(1), events.hook()};
  fail(guard);
  const auto taken = events.take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(to_string(taken[0]), "circuit breaker open for 5s");
}

// -- by hand ---------------------------------------------------------------------------------

TEST(shared_guard, is_isolated_and_closed_by_hand) {
  const SharedGuard guard{breaker_that_opens_after(1)};
  guard.isolate();
  EXPECT_EQ(guard.status().breaker, BreakerState::isolated);
  guard.close();
  EXPECT_EQ(guard.status().breaker, BreakerState::closed);
}

TEST(shared_guard, without_a_breaker_can_be_neither_isolated_nor_closed) {
  const SharedGuard guard{GuardOptions{{}, RetryBudgetOptions{}}};
  EXPECT_THROW(guard.isolate(), InvalidArgument);
  EXPECT_THROW(guard.close(), InvalidArgument);
}

TEST(shared_guard, tells_those_who_watch_that_it_was_closed_and_its_spread) {
  const SharedGuard guard{breaker_that_opens_after(1)};
  std::vector<Duration> first;
  std::vector<Duration> second;
  const auto watch =
    detail::GuardParts::watch(guard, [&](Duration spread) { first.push_back(spread); });
  auto other = detail::GuardParts::watch(guard, [&](Duration spread) { second.push_back(spread); });
  guard.close();
  other = nullptr;
  guard.close();
  EXPECT_THAT(first, ElementsAre(5s, 5s));
  EXPECT_THAT(second, ElementsAre(5s)) << "who does not keep the watch is told no more";
}

TEST(shared_guard, does_not_tell_of_closing_by_itself) {
  const SharedGuard guard{breaker_that_opens_after(1)};
  auto told = 0;
  const auto watch = detail::GuardParts::watch(guard, [&](Duration) { ++told; });
  fail(guard);
  guard.succeeded(std::get<Permit>(guard.admit(at(5s), Call::first)), at(5s));
  EXPECT_EQ(guard.status(at(5s)).breaker, BreakerState::closed);
  EXPECT_EQ(told, 0);
}

TEST(shared_guard, tells_all_who_still_watch_among_thousands_who_do_not) {
  const SharedGuard guard{breaker_that_opens_after(1)};
  auto told = 0;
  std::vector<std::shared_ptr<const void>> kept;
  for (auto i = 0; i < 5000; ++i) {
    auto watch = detail::GuardParts::watch(guard, [&](Duration) { ++told; });
    if (i % 100 == 0)
      kept.push_back(std::move(watch));
  }
  guard.close();
  EXPECT_EQ(told, 50);
}

// -- hooks ---------------------------------------------------------------------------------------

TEST(shared_guard, can_be_asked_for_its_status_by_its_own_hook) {
  SharedGuard guard;
  std::vector<BreakerState> seen;
  guard = SharedGuard{breaker_that_opens_after(1),
                      [&](const GuardEvent&) { seen.push_back(guard.status(at(0s)).breaker); }};
  fail(guard);
  EXPECT_THAT(seen, ElementsAre(BreakerState::open)) << "it is told after the change";
}

// -- threads -----------------------------------------------------------------------

TEST(shared_guard, counts_every_call_of_many_threads_once) {
  constexpr std::uint64_t calls = 20'000;
  auto options = breaker_that_opens_after(3);
  options.circuit_breaker->open = Fixed{1us};
  options.circuit_breaker->spread = 0s;
  options.retry_budget = RetryBudgetOptions{.ratio = 0.1, .per_second = 1000, .window = 1s};
  std::atomic<std::uint64_t> opened = 0;
  std::atomic<std::uint64_t> admitted = 0;
  std::atomic<std::uint64_t> held_back = 0;
  std::atomic<std::uint64_t> succeeded = 0;
  std::atomic<std::uint64_t> failed = 0;
  const SharedGuard guard{options, [&](const GuardEvent& event) {
                            opened += std::holds_alternative<event::BreakerOpened>(event) ? 1U : 0U;
                          }};
  const SteadyClock clock;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t number = 0; number < 4; ++number)
      threads.emplace_back([&, number] {
        for (std::uint64_t i = 0; i < calls; ++i) {
          const auto answer =
            guard.admit(clock.now(), (i + number) % 3 == 0 ? Call::retry : Call::first);
          const auto* const permit = std::get_if<Permit>(&answer);
          ++(permit ? admitted : held_back);
          if (!permit)
            continue;
          if (i / 100 % 4 == number) {
            ++failed;
            guard.failed(*permit, clock.now());
          } else if (i % 17 == 0) {
            guard.forgotten(*permit, clock.now());
          } else {
            ++succeeded;
            guard.succeeded(*permit, clock.now());
          }
        }
      });
  }
  const auto counters = guard.status().counters;
  EXPECT_EQ(admitted + held_back, 4 * calls);
  EXPECT_EQ(counters.admitted, admitted);
  EXPECT_EQ(counters.held_back_by_breaker + counters.held_back_by_budget, held_back);
  EXPECT_EQ(counters.succeeded, succeeded);
  EXPECT_EQ(counters.failed, failed);
  EXPECT_EQ(counters.opened, opened);
  EXPECT_GT(opened, 0u);
}

} // namespace backoff_actor::retry_test
