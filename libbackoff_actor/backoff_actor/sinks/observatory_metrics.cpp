// The metrics of an observatory. docs/reference/metrics.md has all of them, and a test compares.

#include "backoff_actor/core/enum_names.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace backoff_actor::detail {

namespace {

// Whether the enumerators are 0 to `Count` - 1. A seat counts by these numbers.
template <class Enum, std::size_t Count>
constexpr bool are_counted = !name_in_source<static_cast<Enum>(Count - 1)>().empty()
                             && name_in_source<static_cast<Enum>(Count)>().empty();

constexpr std::size_t phases_shown = 6; // all but the last: a sender that has stopped has no seat

static_assert(are_counted<Phase, phases_shown + 1>);
static_assert(are_counted<Refusal, OutcomeWords::refusals>);
static_assert(are_counted<DeadLetterReason, OutcomeWords::dead_letter_reasons>);
static_assert(are_counted<ChildState, SupervisorWords::states>);
static_assert(are_counted<BreakerState, GuardWords::states>);
static_assert(are_counted<StoreFailure, OutboxWords::failure_kinds>);

using Labels = std::vector<MetricLabel>;

// The families of a page, in order.
class Page {
public:
  void begin(MetricType type, std::string name, std::string help) {
    families_.push_back({"backoff_" + std::move(name), std::move(help), type, {}});
  }

  void add(Labels labels, double value) {
    families_.back().samples.push_back({std::move(labels), value, {}});
  }

  void add(Labels labels, std::uint64_t value) {
    add(std::move(labels), static_cast<double>(value));
  }

  // Buckets and then the sum, which is in `unit` parts.
  void add(Labels labels, std::span<const double> bounds, std::span<const std::uint64_t> words,
           double unit) {
    MetricBuckets buckets;
    buckets.bounds.assign(bounds.begin(), bounds.end());
    buckets.counts.assign(words.begin(), words.end() - 1);
    buckets.sum = static_cast<double>(words.back()) / unit;
    families_.back().samples.push_back({std::move(labels), 0, std::move(buckets)});
  }

  std::vector<MetricFamily> families() && { return std::move(families_); }

private:
  std::vector<MetricFamily> families_;
};

constexpr auto time_bounds = TimeBuckets::bounds();
constexpr double nanoseconds_per_second = 1e9;

double seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

std::span<const std::uint64_t> part(std::span<const std::uint64_t> words, std::size_t first,
                                    std::size_t count) {
  return words.subspan(first, count);
}

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
  Duration oldest{0};
  Duration silent{0};
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
    if (glance.oldest_since != Instant::never())
      sums.oldest = std::max(sums.oldest, now - glance.oldest_since);
    if (glance.owed != 0)
      sums.silent = std::max(sums.silent, now - instant_of(cell.get(SenderWords::last_turn)));
  });
  sums.outcomes = kind.outcomes->for_each([](const auto&) {});
  sums.delays = kind.delays.read();
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
  {"sender_forwarded_total", "Messages passed on to a child at most once.",
   &SenderCounters::forwarded},
  {"sender_diverted_total", "Messages answered or passed on elsewhere, without a child.",
   &SenderCounters::diverted},
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
void add_by_reason(Page& page, const std::vector<SenderSums>& all, std::size_t first,
                   std::size_t count) {
  for (const auto& one : all)
    for (std::size_t i = 0; i < count; ++i)
      page.add({{"sender", one.name}, {"reason", std::string{to_string(static_cast<Reason>(i))}}},
               one.outcomes[first + i]);
}

void add_times(Page& page, const std::vector<SenderSums>& all, std::size_t first) {
  for (const auto& one : all)
    page.add({{"sender", one.name}}, time_bounds, part(one.outcomes, first, TimeBuckets::count + 1),
             nanoseconds_per_second);
}

void add_senders(Page& page, const std::vector<SenderSums>& all) {
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

void add_supervisors(Page& page, const std::vector<Sums<SupervisorWords>>& all) {
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

void add_guards(Page& page, const std::vector<ObservedGuard>& guards,
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

void add_outboxes(Page& page, const std::vector<Sums<OutboxWords>>& all) {
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

} // namespace

std::vector<MetricFamily> ObservatoryState::metrics(Instant now) const {
  using enum MetricType;
  const auto all = kinds();
  Page page;
  page.begin(gauge, "build_info", "The versions in use; the value is always 1.");
  page.add({{"version", BACKOFF_ACTOR_VERSION}, {"caf", all.caf_version}}, 1.0);
  std::vector<SenderSums> senders;
  for (const auto& [name, kind] : all.senders)
    senders.push_back(sums_of(name, *kind, now));
  add_senders(page, senders);
  add_supervisors(page, sums_of<SupervisorWords>(all.supervisors));
  add_guards(page, merged(guards(all)), sums_of<GuardWords>(all.guards));
  add_outboxes(page, sums_of<OutboxWords>(all.outboxes));
  page.begin(counter, "observer_dropped_total", "What could not be shown by its own name.");
  page.add({{"what", "sender"}}, all.senders_left_out);
  page.add({{"what", "other"}}, all.others_left_out);
  page.add({{"what", "log line"}}, lines_left_out_.load(std::memory_order_relaxed));
  return std::move(page).families();
}

} // namespace backoff_actor::detail
