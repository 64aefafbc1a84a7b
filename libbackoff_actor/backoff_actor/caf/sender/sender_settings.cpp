#include "backoff_actor/caf/sender/internal/sender_settings.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/error_predicate.hpp"
#include "backoff_actor/caf/messages/held_back.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/retry/default_draws.hpp"
#include "backoff_actor/retry/internal/guard_parts.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

// What a child has, it may work on although the sender has given it up, such as after a freeze. So
// one on another node, which is given up more easily, gets less. 64 in a round trip of 1 ms are
// 64,000 messages a second.
constexpr std::uint32_t max_in_flight_here = 1024;
constexpr std::uint32_t max_in_flight_elsewhere = 64;

// Returns true if later deliveries could overtake a delivery that is retried while the child lives.
bool may_be_refused_in_order(const SenderOptions& options) {
  return options.ordering == Ordering::strict
         && (options.acknowledgement == Acknowledgement::by_sent || options.decider);
}

std::uint32_t max_in_flight_by_default(const ChildFactory& child, const SenderOptions& options) {
  if (may_be_refused_in_order(options))
    return 1;
  return child.is_remote() || options.rare.fallback.is_remote() ? max_in_flight_elsewhere
                                                                : max_in_flight_here;
}

EngineOptions engine_options_of(const ChildFactory& child, const SenderOptions& options) {
  EngineOptions result;
  result.name = options.name;
  result.backoff = BackOff{options.backoff, options.seed.value_or(seed_of_this_process())};
  result.child_start = options.rare.child_start;
  result.restart = options.restart;
  result.backoff_by = options.backoff_by;
  result.works_on = options.rare.works_on;
  result.ordering = options.ordering;
  result.max_in_flight = options.max_in_flight.value_or(max_in_flight_by_default(child, options));
  result.narrows_when_refused = !options.max_in_flight;
  if (options.pool.is_pool())
    result.pool = detail::pool_of(options.pool);
  if (const auto& offered = options.pool.offered; offered.most > 0)
    result.pool.kinds.push_back({WorkerCount{0, 0}, offered.max_in_flight});
  result.max_attempts = options.max_attempts;
  result.by_reason = options.by_reason;
  result.charging = options.charging;
  result.max_hand_overs = options.rare.max_hand_overs;
  result.ack_timeout = options.ack_timeout;
  result.kill_grace = options.kill_grace;
  result.after_grace = options.rare.after_grace;
  if (options.ack_timeout)
    result.on_hang = detail::decide(options.decider, FailureKind::ack_timeout,
                                    make_error(SenderError::ack_timeout));
  result.capacity = options.capacity;
  result.capacity_bytes = options.rare.capacity_bytes;
  result.overflow = options.rare.overflow;
  result.retry_after = options.retry_after;
  result.restart_limit = options.restart_limit;
  result.max_elapsed = options.max_elapsed;
  if (options.guard)
    result.guard = detail::GuardParts::port(options.guard);
  result.has_fallback = static_cast<bool>(options.rare.fallback);
  result.persist = static_cast<bool>(options.outbox);
  result.on_event = options.on_event;
  return result;
}

} // namespace

Decision default_decider(FailureKind kind, const caf::error& error) {
  if (kind == FailureKind::error_answer
      && (detail::is_given_back(error) || blame_of(error) == Blame::service))
    return {Verdict::retry, retry_after_of(error)};
  return default_decider(kind, retry_after_of(error));
}

namespace detail {

namespace {

// Returns the kind of the senders that an observatory sees; null: none does.
std::shared_ptr<SenderKind> kind_of(const SenderOptions& options) {
  if (!options.observed_by)
    return nullptr;
  auto& state = *options.observed_by->state();
  state.set_caf_version(compat::caf_version());
  return state.senders(options.name);
}

void count_delays(const std::shared_ptr<SenderKind>& kind, EngineOptions& options) {
  if (kind)
    options.on_delay = [kind](Duration delay) { kind->delays.add(delay); };
}

} // namespace

SenderSettings::SenderSettings(ChildFactory child, SenderOptions given)
  : make_child(std::move(child)), options(std::move(given)),
    engine_options(engine_options_of(make_child, options)),
    is_observed(options.on_event || options.on_dead_letter || options.outbox),
    kind(kind_of(options)) {
  count_delays(kind, engine_options);
}

WorkerPool pool_of(const PoolOptions& options) {
  WorkerPool result{{{options.workers, options.max_in_flight}}, options.scaling};
  for (const auto& other : options.others)
    result.kinds.push_back({other.workers, other.max_in_flight});
  return result;
}

Decision decide(const Decider& decider, FailureKind kind, const caf::error& error) {
  auto decision = default_decider(kind, error);
  if (decider) {
    try {
      const auto asked_for = decision.retry_after;
      decision = decider(kind, error);
      if (!decision.retry_after)
        decision.retry_after = asked_for;
    } catch (...) {
      // If the decider throws, the default decision holds.
    }
  }
  if (decision.blame == Blame::unknown)
    decision.blame = said_blame_of(error);
  if (!decision.reason)
    decision.reason = to_string(kind);
  return decision;
}

Blame said_blame_of(const caf::error& error) {
  return is_given_back(error) ? Blame::nobody : blame_of(error);
}

bool is_service_failure(Blame blame, const caf::error& error) {
  if (blame == Blame::unknown)
    return assess_error(error).kind == Assessment::Kind::retryable;
  return blame == Blame::service;
}

// All actor systems of a process share its seed. So without a seed of their own, no two senders of
// the process may have the same stream.
std::uint64_t stream_of_draws(const SenderOptions& options, std::uint64_t number) {
  if (options.stream)
    return *options.stream;
  return options.seed ? number : next_stream_of_this_process();
}

} // namespace detail

} // namespace backoff_actor
