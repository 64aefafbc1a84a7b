// The metrics of an observatory. docs/reference/metrics.md has all of them, and a test compares.

#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"
#include "backoff_actor/sinks/internal/metric_page.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

namespace {

static_assert(are_counted<ChildState, SupervisorWords::states>);
static_assert(are_counted<BreakerState, GuardWords::states>);
static_assert(are_counted<StoreFailure, OutboxWords::failure_kinds>);

// -- supervisors, guards, outboxes ----------------------------------------------------

template <class Words>
struct Sums {
  std::string name;
  std::array<std::uint64_t, Words::counters> counters{};
  std::array<std::uint64_t, Words::size> gauges{}; // sums, by word
};

template <class Words, class Kinds>
std::vector<Sums<Words>> sums_of(const Kinds& kinds) {
  std::vector<Sums<Words>> result;
  for (const auto& [name, kind] : kinds) {
    auto& sums = result.emplace_back();
    sums.name = name;
    sums.counters = kind->for_each([&](const auto& cell) {
      for (auto i = std::size_t{Words::counters}; i < Words::size; ++i)
        sums.gauges[i] += cell.get(i);
    });
  }
  return result;
}

void add_supervisors(MetricPage& page, const std::vector<Sums<SupervisorWords>>& all) {
  using Words = SupervisorWords;
  using enum MetricType;
  page.begin(gauge, "supervisor_children", "Children of supervisors, by their state.");
  for (const auto& one : all)
    for (std::size_t i = 0; i < Words::states; ++i)
      page.add(
        {{"supervisor", one.name}, {"state", std::string{to_string(static_cast<ChildState>(i))}}},
        one.gauges[Words::children + i]);
  page.begin(counter, "supervisor_restarts_total", "Times that a child came up again.");
  for (const auto& one : all)
    page.add({{"supervisor", one.name}}, one.counters[Words::restarts]);
  page.begin(counter, "supervisor_escalations_total",
             "Supervisors that ended because of a failure of a child.");
  for (const auto& one : all)
    page.add({{"supervisor", one.name}}, one.counters[Words::escalations]);
}

// A breaker's state as a number: the higher, the less goes through.
std::uint64_t rank_of(BreakerState state) {
  switch (state) {
  case BreakerState::closed:
    return 0;
  case BreakerState::half_open:
    return 1;
  case BreakerState::open:
    return 2;
  case BreakerState::isolated:
    break;
  }
  return 3;
}

// Guards that have the same name are shown as one: the state that holds back the most, and the
// sum of their budgets.
std::vector<ObservedGuard> merged(const std::vector<ObservedGuard>& guards) {
  std::vector<ObservedGuard> result;
  for (const auto& guard : guards)
    if (result.empty() || result.back().name != guard.name) {
      result.push_back(guard);
    } else {
      auto& one = result.back();
      one.has_breaker |= guard.has_breaker;
      one.has_budget |= guard.has_budget;
      if (rank_of(guard.breaker) > rank_of(one.breaker))
        one.breaker = guard.breaker;
      one.retries_left += guard.retries_left;
    }
  return result;
}

void add_guards(MetricPage& page, const std::vector<ObservedGuard>& guards,
                const std::vector<Sums<GuardWords>>& all) {
  using Words = GuardWords;
  using enum MetricType;
  page.begin(gauge, "breaker_state",
             "The state of a circuit breaker: 0 closed, 1 half open, 2 open, 3 isolated.");
  for (const auto& guard : guards)
    if (guard.has_breaker)
      page.add({{"guard", guard.name}}, rank_of(guard.breaker));
  page.begin(counter, "breaker_transitions_total", "Changes of a circuit breaker's state.");
  for (const auto& one : all)
    for (std::size_t i = 0; i < Words::states; ++i)
      page.add({{"guard", one.name}, {"to", std::string{to_string(static_cast<BreakerState>(i))}}},
               one.counters[Words::changes + i]);
  page.begin(gauge, "retry_budget_tokens", "Retries that the budget of a guard allows now.");
  for (const auto& guard : guards)
    if (guard.has_budget)
      page.add({{"guard", guard.name}}, guard.retries_left);
  page.begin(counter, "guard_held_back_total", "Calls that a guard held back.");
  for (const auto& one : all) {
    page.add({{"guard", one.name}, {"reason", "breaker"}},
             one.counters[Words::held_back_by_breaker]);
    page.add({{"guard", one.name}, {"reason", "budget"}}, one.counters[Words::held_back_by_budget]);
    page.add({{"guard", one.name}, {"reason", "rate"}}, one.counters[Words::held_back_by_rate]);
  }
}

void add_outboxes(MetricPage& page, const std::vector<Sums<OutboxWords>>& all) {
  using Words = OutboxWords;
  using enum MetricType;
  page.begin(counter, "outbox_commits_total", "Commits that succeeded.");
  for (const auto& one : all) {
    const auto times = part(one.counters, Words::commit_times, TimeBuckets::count);
    std::uint64_t commits = 0;
    for (const auto count : times)
      commits += count;
    page.add({{"outbox", one.name}}, commits);
  }
  page.begin(counter, "outbox_failures_total", "Commits that failed.");
  for (const auto& one : all)
    for (std::size_t i = 0; i < Words::failure_kinds; ++i)
      page.add(
        {{"outbox", one.name}, {"failure", std::string{to_string(static_cast<StoreFailure>(i))}}},
        one.counters[Words::failures + i]);
  page.begin(gauge, "outbox_waiting_changes", "Changes that are not written yet.");
  for (const auto& one : all)
    page.add({{"outbox", one.name}}, one.gauges[Words::waiting_changes]);
  page.begin(gauge, "outbox_dead_letters", "Dead letters that are in the outbox now.");
  for (const auto& one : all)
    page.add({{"outbox", one.name}}, one.gauges[Words::dead_letters]);
  page.begin(histogram, "outbox_commit_seconds", "How long commits took that succeeded.");
  for (const auto& one : all)
    page.add({{"outbox", one.name}}, time_bounds,
             part(one.counters, Words::commit_times, TimeBuckets::count + 1),
             nanoseconds_per_second);
  page.begin(histogram, "outbox_batch_changes", "Changes in one commit that succeeded.");
  for (const auto& one : all)
    page.add({{"outbox", one.name}}, Words::batch_bounds,
             part(one.counters, Words::batches, Words::batch_bounds.size() + 2), 1);
}

// An outbox is owned only while no other process can own it: a process that was frozen and has not
// noticed it yet does not own it.
struct OwnershipSums {
  std::string name;
  std::uint64_t takeovers = 0;
  std::uint64_t epoch = 0;
  Duration lease_left{0};
  std::optional<CalendarOutlook> calendar{}; // none: it has none
};

std::vector<OwnershipSums> sums_of_ownerships(
  const std::vector<std::pair<std::string, std::shared_ptr<Kind<OwnershipWords>>>>& kinds,
  Instant now) {
  std::vector<OwnershipSums> result;
  for (const auto& [name, kind] : kinds) {
    auto& sums = result.emplace_back();
    sums.name = name;
    const auto counters = kind->for_each([&](const auto& cell) {
      const auto epoch = cell.get(OwnershipWords::epoch);
      if (epoch == 0)
        return;
      sums.epoch = std::max(sums.epoch, epoch);
      sums.lease_left =
        std::max(sums.lease_left, instant_of(cell.get(OwnershipWords::sure_until)) - now);
      sums.calendar = outlook_of(cell, now);
    });
    sums.takeovers = counters[OwnershipWords::takeovers];
  }
  return result;
}

void add_ownerships(MetricPage& page, const std::vector<OwnershipSums>& all) {
  using enum MetricType;
  const auto labels = [](const OwnershipSums& one) {
    return std::vector<MetricLabel>{{"outbox", one.name}};
  };
  page.begin(gauge, "outbox_owned",
             "Whether this process owns the outbox, and surely no other does: 0 or 1.");
  for (const auto& one : all)
    page.add(labels(one), std::uint64_t{one.lease_left > Duration::zero() ? 1U : 0U});
  page.begin(gauge, "outbox_epoch",
             "The fencing token of this process as the owner; 0: it stands by.");
  for (const auto& one : all)
    page.add(labels(one), one.epoch);
  page.begin(counter, "outbox_takeovers_total", "Times that this process began to own the outbox.");
  for (const auto& one : all)
    page.add(labels(one), one.takeovers);
  page.begin(gauge, "outbox_lease_left_seconds",
             "For how long surely no other process can own the outbox.");
  for (const auto& one : all)
    page.add(labels(one), std::chrono::duration<double>(one.lease_left).count());
  page.begin(gauge, "outbox_next_entry_seconds",
             "Until the next entry of the calendar is due; below 0: it is overdue.");
  for (const auto& one : all)
    if (one.calendar && one.calendar->next_in)
      page.add(labels(one), seconds(*one.calendar->next_in));
  page.begin(gauge, "outbox_entry_problems", "Entries of the calendar that cannot run.");
  for (const auto& one : all)
    if (one.calendar)
      page.add(labels(one), one.calendar->problems);
}

} // namespace

std::vector<MetricFamily> ObservatoryState::metrics(Instant now) const {
  using enum MetricType;
  const auto all = kinds();
  MetricPage page;
  page.begin(gauge, "build_info", "The versions in use; the value is always 1.");
  page.add({{"version", BACKOFF_ACTOR_VERSION}, {"caf", all.caf_version}}, 1.0);
  add_senders(page, all.senders, now);
  add_supervisors(page, sums_of<SupervisorWords>(all.supervisors));
  add_guards(page, merged(guards(all, now)), sums_of<GuardWords>(all.guards));
  add_outboxes(page, sums_of<OutboxWords>(all.outboxes));
  add_ownerships(page, sums_of_ownerships(all.ownerships, now));
  page.begin(counter, "observer_dropped_total", "What could not be shown by its own name.");
  page.add({{"what", "sender"}}, all.senders_left_out);
  page.add({{"what", "other"}}, all.others_left_out);
  page.add({{"what", "log line"}}, lines_left_out_.load(std::memory_order_relaxed));
  return std::move(page).families();
}

} // namespace backoff_actor::detail
