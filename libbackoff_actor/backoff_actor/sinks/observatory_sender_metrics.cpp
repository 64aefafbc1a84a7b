// The metrics of senders and of their pools.

#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/observe/sender_numbers.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "backoff_actor/sinks/internal/metric_page.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace backoff_actor::detail {

namespace {

constexpr std::size_t phases_shown = 6; // all but the last: a sender that has stopped has no seat

static_assert(are_counted<Phase, phases_shown + 1>);
static_assert(are_counted<Refusal, ReasonWords::refusals>);
static_assert(are_counted<DeadLetterReason, ReasonWords::dead_letter_reasons>);
static_assert(are_counted<WorkerState, PoolWords::states>);

// -- senders ------------------------------------------------------------------------

// All senders of a kind, summed up. What has a table has its rows in their order.
struct SenderSums {
  std::string name;
  std::array<std::uint64_t, SenderWords::counters> counters{};
  std::array<std::uint64_t, TimeWords::counters> times{};
  std::array<std::uint64_t, ReasonWords::counters> reasons{};
  std::array<std::uint64_t, TimeBuckets::count + 1> delays{};
  std::array<std::uint64_t, phases_shown> phases{};
  std::array<std::uint64_t, sender_gauges.size()> gauges{};
  std::array<std::uint64_t, sender_flags.size()> flags{};
  std::array<Duration, sender_moments.size()> longest{};
  bool has_pool = false; // now, or before
  std::array<std::uint64_t, PoolWords::counters> pool_held_back{};
  std::array<std::uint64_t, PoolWords::states> workers{};
  std::uint64_t ready = 0;
  std::array<std::uint64_t, 2> letters{}; // in memory, in outboxes
  std::array<bool, 2> has_letters{};      // senders that keep them there
};

SenderSums sums_of(const std::string& name, const SenderKind& kind, Instant now) {
  SenderSums sums;
  sums.name = name;
  sums.counters = kind.for_each([&](const auto& cell) {
    const auto glance = glance_of(cell);
    if (const auto phase = static_cast<std::size_t>(glance.phase); phase < sums.phases.size())
      ++sums.phases[phase];
    for (std::size_t i = 0; i < sender_gauges.size(); ++i)
      sums.gauges[i] += glance.*sender_gauges[i].member;
    for (std::size_t i = 0; i < sender_flags.size(); ++i)
      sums.flags[i] += glance.*sender_flags[i].member ? 1U : 0U;
    for (std::size_t i = 0; i < sender_moments.size(); ++i) // the span since never is below zero
      sums.longest[i] = std::max(sums.longest[i], now - glance.*sender_moments[i].member);
  });
  sums.times = kind.times->for_each([](const auto&) {});
  sums.reasons = kind.reasons->for_each([](const auto&) {});
  sums.pool_held_back = kind.pools->for_each([&](const auto& cell) {
    sums.has_pool = true;
    for (std::size_t i = 0; i < PoolWords::states; ++i)
      sums.workers[i] += cell.get(PoolWords::workers + i);
    sums.ready += cell.get(PoolWords::ready);
  });
  sums.has_pool |= sums.pool_held_back != std::array<std::uint64_t, PoolWords::counters>{};
  sums.delays = kind.delays.read();
  for (const auto& [number, kept] : kind.letters.all()) {
    sums.letters[kept.is_in_outbox ? 1 : 0] += kept.count->get().count;
    sums.has_letters[kept.is_in_outbox ? 1 : 0] = true;
  }
  return sums;
}

// The family of a row, if `/metrics` shows it. Its samples come next.
bool begin_family(MetricPage& page, MetricType type, const auto& row) {
  if (row.metric != nullptr)
    page.begin(type, row.metric, row.help);
  return row.metric != nullptr;
}

std::uint64_t shown_value(std::uint64_t sum) { return sum; }
double shown_value(Duration longest) { return seconds(longest); }

// The families of a table, from the sums of its rows.
template <class Sums>
void add_table(MetricPage& page, const std::vector<SenderSums>& all, MetricType type,
               const auto& table, Sums SenderSums::*sums) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (begin_family(page, type, table[i]))
      for (const auto& one : all)
        page.add({{"sender", one.name}}, shown_value((one.*sums)[i]));
}

template <class Reason>
void add_by_reason(MetricPage& page, const std::vector<SenderSums>& all, std::size_t first,
                   std::size_t count) {
  for (const auto& one : all)
    for (std::size_t i = 0; i < count; ++i)
      page.add({{"sender", one.name}, {"reason", std::string{to_string(static_cast<Reason>(i))}}},
               one.reasons[first + i]);
}

// The family of the counter in a word, or of what it is split into.
void add_counter(MetricPage& page, const std::vector<SenderSums>& all, std::size_t word,
                 const auto& row) {
  if (!begin_family(page, MetricType::counter, row))
    return;
  switch (row.split_by) {
  case SplitBy::nothing:
    for (const auto& one : all)
      page.add({{"sender", one.name}}, one.counters[word]);
    return;
  case SplitBy::refusal:
    return add_by_reason<Refusal>(page, all, ReasonWords::refused, ReasonWords::refusals);
  case SplitBy::dead_letter_reason:
    return add_by_reason<DeadLetterReason>(page, all, ReasonWords::dead_lettered,
                                           ReasonWords::dead_letter_reasons);
  }
}

void add_times(MetricPage& page, const std::vector<SenderSums>& all, std::size_t first) {
  for (const auto& one : all)
    page.add({{"sender", one.name}}, time_bounds, part(one.times, first, TimeBuckets::count + 1),
             nanoseconds_per_second);
}

void add_senders(MetricPage& page, const std::vector<SenderSums>& all) {
  using enum MetricType;
  page.begin(gauge, "senders", "Senders, by what they are doing.");
  for (const auto& one : all)
    for (std::size_t i = 0; i < one.phases.size(); ++i)
      page.add({{"sender", one.name}, {"phase", std::string{to_string(static_cast<Phase>(i))}}},
               one.phases[i]);
  add_table(page, all, gauge, sender_gauges, &SenderSums::gauges);
  add_table(page, all, gauge, sender_flags, &SenderSums::flags);
  add_table(page, all, gauge, sender_moments, &SenderSums::longest);
  page.begin(gauge, "dead_letters", "Dead letters that are there now, by where they are kept.");
  for (const auto& one : all)
    for (std::size_t i = 0; i < one.letters.size(); ++i)
      if (one.has_letters[i] || (i == 0 && !one.has_letters[1]))
        page.add({{"sender", one.name}, {"kept_in", i == 0 ? "memory" : "outbox"}}, one.letters[i]);
  for (std::size_t i = 0; i < sender_counters.size(); ++i)
    add_counter(page, all, i, sender_counters[i]);
  add_counter(page, all, SenderWords::restarts, sender_restarts);
  page.begin(histogram, "delivery_seconds", "From the submission to the acknowledgement.");
  add_times(page, all, TimeWords::delivery_times);
  page.begin(histogram, "attempt_seconds", "From the last hand-over to the acknowledgement.");
  add_times(page, all, TimeWords::attempt_times);
  page.begin(histogram, "retry_delay_seconds", "Delays after failures.");
  for (const auto& one : all)
    page.add({{"sender", one.name}}, time_bounds, one.delays, nanoseconds_per_second);
}

// Only kinds of senders that have pools.
void add_pools(MetricPage& page, const std::vector<SenderSums>& all) {
  using enum MetricType;
  page.begin(gauge, "pool_workers", "Workers of pools, by their state.");
  for (const auto& one : all)
    for (std::size_t i = 0; one.has_pool && i < PoolWords::states; ++i)
      page.add(
        {{"sender", one.name}, {"state", std::string{to_string(static_cast<WorkerState>(i))}}},
        one.workers[i]);
  page.begin(gauge, "pool_ready", "Deliveries that wait for nothing but a worker of a pool.");
  for (const auto& one : all)
    if (one.has_pool)
      page.add({{"sender", one.name}}, one.ready);
  page.begin(counter, "pool_held_back_seconds_total",
             "Time in which deliveries were ready and could not go, by what held them back.");
  for (const auto& one : all)
    for (std::size_t i = 0; one.has_pool && i < pool_held_back.size(); ++i)
      page.add({{"sender", one.name}, {"by", pool_held_back[i].key}},
               static_cast<double>(one.pool_held_back[i]) / nanoseconds_per_second);
}

} // namespace

void add_senders(MetricPage& page,
                 const std::vector<std::pair<std::string, std::shared_ptr<SenderKind>>>& kinds,
                 Instant now) {
  std::vector<SenderSums> sums;
  for (const auto& [name, kind] : kinds)
    sums.push_back(sums_of(name, *kind, now));
  add_senders(page, sums);
  add_pools(page, sums);
}

} // namespace backoff_actor::detail
