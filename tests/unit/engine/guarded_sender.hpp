#pragma once

#include "engine_driver.hpp"

#include "backoff_actor/guard/internal/guard.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace backoff_actor::engine_test {

/// Counts what it is told; each permit must come back once.
class CountingGuard final : public GuardPort {
public:
  explicit CountingGuard(const GuardOptions& options) : guard(options) {}

  Admission admit(Instant now, Call call) override { return note(call, guard.admit(now, call)); }
  Admission admit_retry(Instant now, double cost) override {
    return note(Call::retry, guard.admit_retry(now, cost));
  }
  Admission note(Call call, const Admission& answer) {
    ++asked;
    if (std::holds_alternative<Permit>(answer)) {
      ++out;
      (call == Call::retry ? retries : firsts) += 1;
    }
    return answer;
  }
  void succeeded(Permit permit, Instant now) override {
    take_back(permit);
    ++successes;
    guard.succeeded(permit, now);
  }
  void failed(Permit permit, Instant now) override {
    take_back(permit);
    ++failures;
    guard.failed(permit, now);
  }
  void forgotten(Permit permit, Instant now) override {
    take_back(permit);
    ++forgotten_calls;
    guard.forgotten(permit, now);
  }
  bool is_closed() const override { return guard.is_closed(); }

  void take_back(Permit permit) {
    EXPECT_TRUE(permit);
    --out;
  }

  Guard guard;
  int asked = 0;
  int out = 0;
  int firsts = 0;
  int retries = 0;
  int successes = 0;
  int failures = 0;
  int forgotten_calls = 0;
};

// Opens after two failures for ten seconds, and tells everybody the end of them.
inline CircuitBreakerOptions after_two() {
  CircuitBreakerOptions result;
  result.trip = ConsecutiveFailures{2};
  result.open = Fixed{std::chrono::seconds{10}};
  result.spread = Duration::zero();
  return result;
}

struct GuardedSender {
  explicit GuardedSender(EngineOptions options = {},
                         const GuardOptions& guard_options = {after_two(), {}},
                         std::uint64_t stream = 0)
    : guard(std::make_shared<CountingGuard>(guard_options)),
      sender((options.guard = guard, std::move(options)), stream) {}

  // Somebody else's call fails, so often that the breaker opens.
  void open() {
    for (int i = 0; i < 2; ++i)
      guard->failed(std::get<Permit>(guard->admit(sender.now, Call::first)), sender.now);
    ASSERT_FALSE(guard->is_closed());
    guard->failures = 0;
    guard->firsts = 0;
  }

  SenderStatus status() const { return sender.engine->status(sender.now); }

  std::shared_ptr<CountingGuard> guard;
  EngineDriver sender;
};

} // namespace backoff_actor::engine_test
