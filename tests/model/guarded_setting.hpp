#pragma once

#include "backoff_actor/engine/sender/sender_engine_options.hpp"
#include "backoff_actor/guard/guard_options.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <ostream>

namespace backoff_actor::model_test::guarded_sender_walk {

using namespace std::chrono_literals;

/// What a walk is made with; each from a few, by a number that shrinks to the simplest.
struct Setting {
  unsigned ordering;
  unsigned works_on;
  unsigned window;
  unsigned hangs;
  unsigned at_tick;
  unsigned fallback;
  unsigned probes;
  unsigned trip;
  unsigned budget;
  unsigned by_reason; // refusals alternate between two classes: one is free, one dear
  unsigned rate;
  unsigned spread;
  unsigned persist;
  unsigned restored; // with a store
  unsigned workers;  // beyond the first, if there may be a pool
};

/// A pool takes no strict order and no fallback.
inline bool has_pool(const Setting& x) {
  return x.workers != 0 && x.ordering != 0 && x.fallback == 0;
}

inline void showValue(const Setting& x, std::ostream& out) { // NOLINT: rapidcheck's name
  if (x.persist != 0)
    out << "persist, " << x.restored << " restored, ";
  out << "ordering " << x.ordering << ", works_on " << x.works_on << ", window " << x.window
      << ", hangs " << x.hangs << ", at_tick " << x.at_tick << ", fallback " << x.fallback
      << ", probes " << x.probes << ", trip " << x.trip << ", budget " << x.budget << ", by_reason "
      << x.by_reason << ", spread " << x.spread << ", rate " << x.rate;
  if (has_pool(x))
    out << ", 1.." << 1 + x.workers << " workers";
}

inline GuardOptions guard_of(const Setting& x) {
  GuardOptions result;
  auto& breaker = result.circuit_breaker.emplace();
  if (x.trip == 1)
    breaker.trip = FailureRatioOfCalls{0.5, 10, 3};
  else if (x.trip == 2)
    breaker.trip = FailureRatioOfTime{0.5, 1s, 3};
  else
    breaker.trip = ConsecutiveFailures{2};
  breaker.open = Exponential{.first = 100ms, .factor = 2, .cap = 1s} | full_jitter;
  breaker.probes = 1 + x.probes;
  breaker.spread = x.spread == 0 ? 0s : 500ms;
  breaker.probe_timeout = 5s;
  if (x.budget != 0)
    result.retry_budget = RetryBudgetOptions{0.1, 2, 2s};
  if (x.rate != 0)
    result.rate = RateOptions{.calls = 20, .burst = x.rate == 1 ? 1U : 4U};
  return result;
}

inline EngineOptions options_of(const Setting& x) {
  EngineOptions result;
  result.backoff = BackOff{Exponential{.first = 10ms, .factor = 2, .cap = 200ms} | full_jitter, 3};
  result.ordering = x.ordering == 0   ? Ordering::strict
                    : x.ordering == 1 ? Ordering::per_key
                                      : Ordering::unordered;
  result.works_on = x.works_on == 0 ? WorksOn::one : WorksOn::many;
  result.persist = x.persist != 0;
  result.max_in_flight = 1 + 3 * x.window;
  result.restart = x.at_tick == 0 ? RestartTiming::at_once : RestartTiming::at_tick;
  if (x.hangs != 0) {
    result.ack_timeout = 300ms;
    result.kill_grace = 100ms;
  }
  if (x.fallback != 0) {
    result.has_fallback = true;
    result.restart_limit = RestartLimit{2, 10s};
  }
  if (x.by_reason != 0)
    result.by_reason = "dear: cost 3; free: cost 0";
  if (has_pool(x)) {
    result.pool.kinds = {{{1, 1 + x.workers}, result.max_in_flight}};
    result.pool.scaling = {1, 20ms, 200ms};
  }
  return result;
}

inline rc::Gen<unsigned> one_of(unsigned count) { return rc::gen::inRange(0U, count); }

inline rc::Gen<Setting> arbitrary_setting() {
  using rc::gen::set;
  return rc::gen::build<Setting>(
    set(&Setting::ordering, one_of(3)), set(&Setting::works_on, one_of(2)),
    set(&Setting::window, one_of(3)), set(&Setting::hangs, one_of(2)),
    set(&Setting::at_tick, one_of(2)), set(&Setting::fallback, one_of(2)),
    set(&Setting::probes, one_of(3)), set(&Setting::trip, one_of(3)),
    set(&Setting::budget, one_of(2)), set(&Setting::by_reason, one_of(2)),
    set(&Setting::rate, one_of(3)), set(&Setting::spread, one_of(2)),
    set(&Setting::persist, one_of(2)), set(&Setting::restored, one_of(5)),
    set(&Setting::workers, one_of(4)));
}

} // namespace backoff_actor::model_test::guarded_sender_walk
