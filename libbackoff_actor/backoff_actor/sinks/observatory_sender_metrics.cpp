// The metrics of senders and of their pools.

#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "backoff_actor/sinks/internal/metric_page.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::detail {

namespace {

constexpr std::size_t phases_shown = 6; // all but the last: a sender that has stopped has no seat

static_assert(are_counted<Phase, phases_shown + 1>);
static_assert(are_counted<Refusal, OutcomeWords::refusals>);
static_assert(are_counted<DeadLetterReason, OutcomeWords::dead_letter_reasons>);
static_assert(are_counted<WorkerState, PoolWords::states>);

// -- senders ------------------------------------------------------------------------

// All senders of a kind, summed up.
struct SenderSums {
  std::string name;
  std::array<std::uint64_t, SenderWords::counters> counters{};
  std::array<std::uint64_t, OutcomeWords::counters> outcomes{};
  std::array<std::uint64_t, TimeBuckets::count + 1> delays{};
  std::array<std::uint64_t, phases_shown> phases{};
  std::uint64_t owed = 0;
  std::uint64_t owed_bytes = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t ghosts = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t paused = 0;
  std::uint64_t on_fallback = 0;
  std::uint64_t held_back = 0;
  std::uint64_t delayed = 0;
  std::uint64_t service_down = 0;
  bool has_pool = false; // now, or before
  std::array<std::uint64_t, PoolWords::counters> pool_held_back{};
  std::array<std::uint64_t, PoolWords::states> workers{};
  std::uint64_t ready = 0;
  Duration oldest{0};
  Duration silent{0};
  std::array<std::uint64_t, 2> letters{}; // in memory, in outboxes
  std::array<bool, 2> has_letters{};      // senders that keep them there
};

SenderSums sums_of(const std::string& name, const SenderKind& kind, Instant now) {
  SenderSums sums;
  sums.name = name;
  sums.counters = kind.senders->for_each([&](const auto& cell) {
    const auto glance = glance_of(cell);
    if (const auto phase = static_cast<std::size_t>(glance.phase); phase < sums.phases.size())
      ++sums.phases[phase];
    sums.owed += glance.owed;
    sums.owed_bytes += glance.owed_bytes;
    sums.in_flight += glance.in_flight;
    sums.ghosts += glance.ghosts;
    sums.abandoned += glance.abandoned;
    sums.paused += glance.is_paused ? 1 : 0;
    sums.on_fallback += glance.is_on_fallback ? 1 : 0;
    sums.held_back += glance.is_held_back ? 1 : 0;
    sums.delayed += glance.is_delayed ? 1 : 0;
    sums.service_down += glance.is_service_down ? 1 : 0;
    if (glance.oldest_since != Instant::never())
      sums.oldest = std::max(sums.oldest, now - glance.oldest_since);
    if (glance.owed != 0)
      sums.silent = std::max(sums.silent, now - instant_of(cell.get(SenderWords::last_turn)));
  });
  sums.outcomes = kind.outcomes->for_each([](const auto&) {});
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

struct SenderGauge {
  std::string_view name;
  std::string_view help;
  std::uint64_t SenderSums::*value;
};

constexpr SenderGauge sender_gauges[] = {
  {"sender_owed", "Deliveries that are owed.", &SenderSums::owed},
  {"sender_owed_bytes", "Bytes of the owed deliveries, where they are counted.",
   &SenderSums::owed_bytes},
  {"sender_in_flight", "Owed deliveries that a child holds.", &SenderSums::in_flight},
  {"sender_ghosts", "Deliveries that are no longer owed, but that a child still holds.",
   &SenderSums::ghosts},
  {"sender_paused", "Senders that are paused.", &SenderSums::paused},
  {"sender_on_fallback", "Senders whose fallback works.", &SenderSums::on_fallback},
  {"sender_held_back", "Senders whose guard lets nothing through.", &SenderSums::held_back},
  {"sender_service_down", "Senders whose service is down by all evidence: they charge no attempt.",
   &SenderSums::service_down},
  {"sender_delayed", "Senders that wait before they retry.", &SenderSums::delayed},
  {"children_abandoned", "Children that did not end in time, and still live.",
   &SenderSums::abandoned},
};

struct SenderCounter {
  std::string_view name;
  std::string_view help;
  std::uint64_t SenderCounters::*counter; // null: restarts
};

constexpr SenderCounter sender_counter_families[] = {
  {"sender_accepted_total", "Messages that became deliveries.", &SenderCounters::accepted},
  {"sender_acknowledged_total", "Deliveries that were acknowledged.",
   &SenderCounters::acknowledged},
  {"sender_hand_overs_total", "Hand-overs of deliveries to children.", &SenderCounters::hand_overs},
  {"sender_redeliveries_total", "Hand-overs of deliveries that were handed over before.",
   &SenderCounters::resends},
  {"sender_nacks_total", "Refusals that are retried.", &SenderCounters::nacks},
  {"sender_late_answers_total", "Answers about deliveries that the child no longer had.",
   &SenderCounters::late_answers},
  {"sender_restored_total", "Deliveries that an earlier sender had left in the store.",
   &SenderCounters::restored},
  {"sender_suspended_total", "Deliveries left in the store, for a later sender.",
   &SenderCounters::suspended},
  {"child_crashes_total", "Children that went down without having been told to.",
   &SenderCounters::crashes},
  {"child_failed_starts_total", "Children that could not be made.", &SenderCounters::failed_starts},
  {"child_hangs_total", "Children that were told to end after an ack timeout.",
   &SenderCounters::hangs},
  {"child_restarts_total", "Children made after the first, fallbacks not counted.", nullptr},
};

std::size_t word_of(std::uint64_t SenderCounters::*counter) {
  return counter == nullptr ? std::size_t{SenderWords::restarts}
                            : static_cast<std::size_t>(
                              std::find(sender_counters.begin(), sender_counters.end(), counter)
                              - sender_counters.begin());
}

template <class Reason>
void add_by_reason(MetricPage& page, const std::vector<SenderSums>& all, std::size_t first,
                   std::size_t count) {
  for (const auto& one : all)
    for (std::size_t i = 0; i < count; ++i)
      page.add({{"sender", one.name}, {"reason", std::string{to_string(static_cast<Reason>(i))}}},
               one.outcomes[first + i]);
}

void add_times(MetricPage& page, const std::vector<SenderSums>& all, std::size_t first) {
  for (const auto& one : all)
    page.add({{"sender", one.name}}, time_bounds, part(one.outcomes, first, TimeBuckets::count + 1),
             nanoseconds_per_second);
}

void add_senders(MetricPage& page, const std::vector<SenderSums>& all) {
  using enum MetricType;
  page.begin(gauge, "senders", "Senders, by what they are doing.");
  for (const auto& one : all)
    for (std::size_t i = 0; i < one.phases.size(); ++i)
      page.add({{"sender", one.name}, {"phase", std::string{to_string(static_cast<Phase>(i))}}},
               one.phases[i]);
  for (const auto& family : sender_gauges) {
    page.begin(gauge, std::string{family.name}, std::string{family.help});
    for (const auto& one : all)
      page.add({{"sender", one.name}}, one.*family.value);
  }
  page.begin(gauge, "sender_oldest_owed_seconds",
             "How long the oldest owed delivery of any sender has been owed.");
  for (const auto& one : all)
    page.add({{"sender", one.name}}, seconds(one.oldest));
  page.begin(gauge, "sender_silent_seconds",
             "The longest time since the last turn of a sender that owes deliveries.");
  for (const auto& one : all)
    page.add({{"sender", one.name}}, seconds(one.silent));
  page.begin(gauge, "dead_letters", "Dead letters that are there now, by where they are kept.");
  for (const auto& one : all)
    for (std::size_t i = 0; i < one.letters.size(); ++i)
      if (one.has_letters[i] || (i == 0 && !one.has_letters[1]))
        page.add({{"sender", one.name}, {"kept_in", i == 0 ? "memory" : "outbox"}}, one.letters[i]);
  for (const auto& family : sender_counter_families) {
    page.begin(counter, std::string{family.name}, std::string{family.help});
    for (const auto& one : all)
      page.add({{"sender", one.name}}, one.counters[word_of(family.counter)]);
  }
  page.begin(counter, "sender_refused_total", "Messages that were not accepted.");
  add_by_reason<Refusal>(page, all, OutcomeWords::refused, OutcomeWords::refusals);
  page.begin(counter, "sender_dead_letters_total", "Deliveries that became dead letters.");
  add_by_reason<DeadLetterReason>(page, all, OutcomeWords::dead_lettered,
                                  OutcomeWords::dead_letter_reasons);
  page.begin(histogram, "delivery_seconds", "From the submission to the acknowledgement.");
  add_times(page, all, OutcomeWords::delivery_times);
  page.begin(histogram, "attempt_seconds", "From the last hand-over to the acknowledgement.");
  add_times(page, all, OutcomeWords::attempt_times);
  page.begin(histogram, "retry_delay_seconds", "Delays after failures.");
  for (const auto& one : all)
    page.add({{"sender", one.name}}, time_bounds, one.delays, nanoseconds_per_second);
}

// Only kinds of senders that have pools.
void add_pools(MetricPage& page, const std::vector<SenderSums>& all) {
  using enum MetricType;
  constexpr std::array<std::string_view, PoolWords::counters> reasons{"guard", "rate", "service",
                                                                      "workers"};
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
    for (std::size_t i = 0; one.has_pool && i < reasons.size(); ++i)
      page.add({{"sender", one.name}, {"by", std::string{reasons[i]}}},
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
