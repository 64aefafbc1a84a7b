#pragma once

#include "drawn.hpp"
#include "reference_parts.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <ostream>

namespace backoff_actor::model_test {

/// The options of a walk as small numbers, so that limits are reached and shrinking finds the
/// simplest; 0 is always the simplest.
struct Conditions {
  std::uint64_t seed = 0;
  int ceiling = 0;        // one more than this
  int policy = 0;         // the article's, without and with stay_at_ceiling, and two others
  int child_start = 0;    // FirstStart
  int restart = 0;        // RestartTiming
  int works_on = 0;       // WorksOn
  int ordering = 0;       // Ordering
  int backoff_by = 0;     // of 3: with 2 by message
  int max_in_flight = 0;  // 0: 1024
  int narrows = 0;        // 0, 1: narrows_when_refused
  int max_attempts = 0;   // 0: unset
  int charging = 0;       // 0: every failure; 1: by evidence; more: and give up after a time
  int max_hand_overs = 0; // 0: unset
  int ack_timeout = 0;    // 0: unset; in steps of 10 ms
  int kill_grace = 0;     // in steps of 15 ms
  int after_grace = 0;    // AfterGrace
  int on_hang = 0;        // of 20: 16 and above are the other verdicts
  int capacity = 0;       // 0: a million
  int capacity_bytes = 0; // 0: unset
  int overflow = 0;       // Overflow
  int retry_ceiling = 0;  // 0: five minutes; in steps of 20 ms
  int by_reason = 0;      // 0: all alike; else what the classes a and b have of their own
  int reading = 0;        // of the retry-after: 0 to 3: its rules; more: in place of the backoff
  int restart_limit = 0;  // 0: unset; one more than this is borne
  int within = 0;         // of the restart limit, in steps of 50 ms, the first included
  int max_elapsed = 0;    // 0: unset; in steps of 40 ms
  int has_fallback = 0;   // 0, 1
  int has_guard = 0;      // 0, 1: it lets everything through, and counts what succeeds
  int persist = 0;        // 0, 1
  int store_fails = 0;    // 0: never; how often the store cannot take a delivery
  int hook = 0;           // of 8: with 7 the hook throws at each event
  int gap = 0;            // how many numbers were used and are forgotten, before the first Start
  int start = 0;          // of 8: with 7 the first Start comes when it comes
  int beginning = 0;      // what comes first, see Beginning
  int ending = 0;         // what comes last, see Ending
};

/// How a walk begins: with a fresh sender, when the fallback has taken over, or when the worker is
/// well again while the fallback still has something in flight; the latter two if options allow.
enum class Beginning { fresh, on_fallback, returning };

/// How a walk ends: all children are healthy, only the fallback is, or it is stopped in the middle.
enum class Ending { all_are_well, only_the_fallback_is_well, stop };

inline Verdict on_hang_of(const Conditions& conditions) {
  constexpr Verdict others[] = {Verdict::reject, Verdict::reject, Verdict::give_up,
                                Verdict::escalate};
  return conditions.on_hang < 16 ? Verdict::retry : others[conditions.on_hang - 16];
}

inline Policy policy_of(const Conditions& conditions) {
  using std::chrono::milliseconds;
  switch (conditions.policy) {
  case 2:
    return Exponential{.first = milliseconds{10}, .cap = milliseconds{300}} | full_jitter;
  case 3:
    return Fixed{milliseconds{10} * conditions.ceiling};
  default:
    return RandomSlots{.ceiling = conditions.ceiling + 1,
                       .stay_at_ceiling = conditions.policy == 1};
  }
}

inline ByReason by_reason_of(const Conditions& conditions) {
  using std::chrono::milliseconds;
  switch (conditions.by_reason) {
  case 1:
    return {{.reason = "a", .backoff = Fixed{milliseconds{35}}}};
  case 2:
    return {{.reason = "a", .max_attempts = 2}, {.reason = "b", .max_attempts = 4}};
  case 3:
    return {{.reason = "a",
             .max_attempts = 3,
             .backoff = Exponential{.first = milliseconds{5}, .factor = 3, .cap = milliseconds{100}}
                        | full_jitter},
            {.reason = "b", .backoff = RandomSlots{.ceiling = 2}, .cost = 0}};
  default:
    return {};
  }
}

inline Charging charging_of(const Conditions& conditions) {
  using std::chrono::milliseconds;
  if (conditions.charging == 0)
    return Charging::every_failure();
  Charging result{Charging::Rule::by_evidence, std::nullopt};
  if (conditions.charging > 1)
    result.give_up_after = milliseconds{60} * (conditions.charging - 1);
  return result;
}

inline EngineOptions options_of(const Conditions& conditions) {
  using std::chrono::milliseconds;
  const auto count = [](int x) { return static_cast<std::uint32_t>(x); };
  EngineOptions result;
  result.backoff = BackOff{policy_of(conditions), conditions.seed};
  result.child_start = static_cast<FirstStart>(conditions.child_start);
  result.restart = static_cast<RestartTiming>(conditions.restart);
  result.works_on = static_cast<WorksOn>(conditions.works_on);
  result.ordering = static_cast<Ordering>(conditions.ordering);
  if (conditions.backoff_by == 2)
    result.backoff_by = BackoffBy::message;
  if (conditions.max_in_flight > 0)
    result.max_in_flight = count(conditions.max_in_flight);
  result.narrows_when_refused = conditions.narrows != 0;
  if (conditions.max_attempts > 0)
    result.max_attempts = count(conditions.max_attempts);
  result.by_reason = by_reason_of(conditions);
  result.charging = charging_of(conditions);
  if (conditions.max_hand_overs > 0 && conditions.persist != 0)
    result.max_hand_overs = count(conditions.max_hand_overs);
  if (conditions.ack_timeout > 0)
    result.ack_timeout = milliseconds{10} * conditions.ack_timeout;
  result.kill_grace = milliseconds{15} * conditions.kill_grace;
  result.after_grace = static_cast<AfterGrace>(conditions.after_grace);
  result.on_hang = on_hang_of(conditions);
  result.on_hang.reason = "b";
  if (conditions.capacity > 0)
    result.capacity = count(conditions.capacity);
  if (conditions.capacity_bytes > 0)
    result.capacity_bytes = count(conditions.capacity_bytes);
  result.overflow = static_cast<Overflow>(conditions.overflow);
  if (conditions.retry_ceiling > 0)
    result.retry_after = milliseconds{20} * conditions.retry_ceiling;
  result.retry_after.rule = static_cast<RetryAfterReading::Rule>(conditions.reading % 4);
  result.retry_after.replaces_backoff = conditions.reading > 3;
  if (conditions.restart_limit > 0)
    result.restart_limit =
      RestartLimit{count(conditions.restart_limit - 1), milliseconds{50} * (conditions.within + 1)};
  if (conditions.max_elapsed > 0)
    result.max_elapsed = milliseconds{40} * conditions.max_elapsed;
  result.has_fallback = conditions.has_fallback != 0;
  if (conditions.has_guard != 0)
    result.guard = std::make_shared<OpenGuard>();
  result.persist = conditions.persist != 0;
  if (conditions.hook == 7)
    result.on_event = throw_at<Event>;
  return result;
}

/// In a hundred, of what the store is asked to take.
inline std::uint32_t store_failures_of(const Conditions& conditions) {
  constexpr std::uint32_t rates[] = {0, 0, 5, 25, 60};
  return rates[conditions.store_fails];
}

inline Beginning beginning_of(const Conditions& conditions) {
  return static_cast<Beginning>(conditions.beginning);
}

inline Ending ending_of(const Conditions& conditions) {
  return static_cast<Ending>(conditions.ending);
}

/// All that is not as it is by default, in the words of EngineOptions.
inline void showValue(const Conditions& conditions, std::ostream& out) {
  const auto options = options_of(conditions);
  const char* const orderings[] = {"strict", "per_key", "unordered"};
  const char* const overflows[] = {"refuse", "drop_oldest", "drop_newest"};
  const char* const beginnings[] = {"fresh", "on fallback", "returning"};
  const char* const endings[] = {"all are well", "only the fallback is well", "stop"};
  out << "backoff {" << to_string(options.backoff.policy()) << ", seed " << conditions.seed << "}";
  if (conditions.child_start != 0)
    out << ", child_start on_first_use";
  if (conditions.restart != 0)
    out << ", restart at_tick";
  if (conditions.works_on != 0)
    out << ", works_on many";
  if (conditions.ordering != 0)
    out << ", ordering " << orderings[conditions.ordering];
  if (options.backoff_by == BackoffBy::message)
    out << ", backoff_by message";
  if (conditions.max_in_flight != 0)
    out << ", max_in_flight " << options.max_in_flight;
  if (options.narrows_when_refused)
    out << ", narrows_when_refused";
  if (options.max_attempts)
    out << ", max_attempts " << *options.max_attempts;
  if (!options.by_reason.empty())
    out << ", by_reason {" << to_string(options.by_reason) << "}";
  if (conditions.charging != 0)
    out << ", charging " << to_string(options.charging);
  if (options.max_hand_overs)
    out << ", max_hand_overs " << *options.max_hand_overs;
  if (options.ack_timeout)
    out << ", ack_timeout " << to_string(*options.ack_timeout) << ", kill_grace "
        << to_string(options.kill_grace) << ", after_grace "
        << (conditions.after_grace != 0 ? "wait" : "abandon") << ", on_hang "
        << words(options.on_hang.verdict);
  if (conditions.capacity != 0)
    out << ", capacity " << options.capacity;
  if (options.capacity_bytes)
    out << ", capacity_bytes " << *options.capacity_bytes;
  if (conditions.overflow != 0)
    out << ", overflow " << overflows[conditions.overflow];
  if (conditions.retry_ceiling != 0 || conditions.reading != 0)
    out << ", retry_after " << to_string(options.retry_after);
  if (options.restart_limit)
    out << ", restart_limit {" << options.restart_limit->max_restarts << ", "
        << to_string(options.restart_limit->within) << "}";
  if (options.max_elapsed)
    out << ", max_elapsed " << to_string(*options.max_elapsed);
  if (options.has_fallback)
    out << ", has_fallback";
  if (options.guard)
    out << ", an open guard";
  if (options.persist)
    out << ", persist, of which " << store_failures_of(conditions) << "% fail, " << conditions.gap
        << " numbers forgotten";
  if (conditions.hook == 7)
    out << ", its hook throws";
  if (conditions.start == 7)
    out << ", started late";
  out << "; beginning: " << beginnings[conditions.beginning]
      << "; ending: " << endings[conditions.ending];
}

inline rc::Gen<Conditions> arbitrary_conditions() {
  using rc::gen::set;
  return rc::gen::build<Conditions>(
    set(&Conditions::seed, below<std::uint64_t>(1'000'000)), set(&Conditions::ceiling, below(4)),
    set(&Conditions::policy, below(4)), set(&Conditions::child_start, below(2)),
    set(&Conditions::restart, below(2)), set(&Conditions::works_on, below(2)),
    set(&Conditions::ordering, below(3)), set(&Conditions::backoff_by, below(3)),
    set(&Conditions::max_in_flight, below(5)), set(&Conditions::narrows, below(2)),
    set(&Conditions::max_attempts, below(5)), set(&Conditions::charging, below(5)),
    set(&Conditions::max_hand_overs, below(4)), set(&Conditions::ack_timeout, below(6)),
    set(&Conditions::kill_grace, below(4)), set(&Conditions::after_grace, below(2)),
    set(&Conditions::on_hang, below(20)), set(&Conditions::capacity, below(6)),
    set(&Conditions::capacity_bytes, below(20)), set(&Conditions::overflow, below(3)),
    set(&Conditions::retry_ceiling, below(6)), set(&Conditions::reading, below(8)),
    set(&Conditions::by_reason, below(5)), set(&Conditions::restart_limit, below(6)),
    set(&Conditions::within, below(8)), set(&Conditions::max_elapsed, below(10)),
    set(&Conditions::has_fallback, below(2)), set(&Conditions::has_guard, below(2)),
    set(&Conditions::persist, below(2)), set(&Conditions::store_fails, below(5)),
    set(&Conditions::hook, below(8)), set(&Conditions::gap, below(3)),
    set(&Conditions::start, below(8)), set(&Conditions::beginning, below(3)),
    set(&Conditions::ending, below(3)));
}

} // namespace backoff_actor::model_test
