#pragma once

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/backoff/by_reason.hpp"
#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/ordering.hpp"
#include "backoff_actor/guard/internal/guard_port.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/supervision/charging.hpp"
#include "backoff_actor/supervision/decider.hpp"
#include "backoff_actor/supervision/lifecycle.hpp"
#include "backoff_actor/supervision/pool_options.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace backoff_actor {

/// The options of an engine. Engines that differ only in their random stream can share them. The
/// engine checks nothing here; `check(SenderOptions)` does that for senders.
struct EngineOptions {
  /// The kind of the sender, for its events; empty: events have no name.
  std::string name{};

  /// The backoff before the first failure. Each engine continues from it on its own.
  BackOff backoff{};

  /// The first hand-over has the tag after this one, see `HandOverId`. Tests set it to almost the
  /// largest tag, because tags then begin again at 0.
  std::uint32_t last_tag = 0;

  /// When the first child is made.
  FirstStart child_start = FirstStart::at_once;

  /// When a child that went down is recreated.
  RestartTiming restart = RestartTiming::at_once;

  /// Who waits after a delivery has failed.
  BackoffBy backoff_by = BackoffBy::worker_and_message;

  /// How many deliveries a child works on at a time.
  WorksOn works_on = WorksOn::one;

  /// In which order deliveries are handed over.
  Ordering ordering = Ordering::strict;

  /// Whether, in strict order, a child that has refused a delivery for now gets only one delivery
  /// at a time from then on. Otherwise it would work on later deliveries before the refused one
  /// comes back.
  bool narrows_when_refused = false;

  /// What happens to a message that arrives when the outbox is full.
  Overflow overflow = Overflow::refuse;

  /// What the engine does if a child that hangs has not ended after `kill_grace`.
  AfterGrace after_grace = AfterGrace::abandon;

  /// How many deliveries a child holds at the most. Without effect in a pool, whose kinds say it.
  ///
  /// @range 1 and above
  std::uint32_t max_in_flight = 1024;

  /// The workers that share the outbox; without kinds: one child, of the kind 0. Only with
  /// `Ordering::per_key` or `unordered`, and without a fallback. A kind with no worker at the most
  /// has none until `input::Resize` gives it some.
  WorkerPool pool{};

  /// How many failures a delivery may be charged with before it is given up. Unset: any number, and
  /// each failure is charged.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_attempts{};

  /// How failures of certain classes are retried; empty: all alike. What a message itself says
  /// comes first, see `OwnRetries`.
  ByReason by_reason{};

  /// Which failures are charged; only with a number of attempts.
  Charging charging{};

  /// How long a child may take to acknowledge; unset: for ever.
  ///
  /// @range above 0
  std::optional<Duration> ack_timeout{};

  /// How long a child may take to end after it is told to.
  ///
  /// @range 0 and above
  Duration kill_grace = std::chrono::seconds{5};

  /// What the engine does about a hang. With `reject`, the delivery that is held responsible ends.
  Decision on_hang = Verdict::retry;

  /// How many deliveries are owed at the most.
  ///
  /// @range 1 to `DeliverySlots::max_size`
  std::size_t capacity = 1'000'000;

  /// How much all deliveries together may weigh; unset: without limit.
  std::optional<std::uint64_t> capacity_bytes{};

  /// The guard of the service. The engine asks it before each hand-over to the child, and before it
  /// makes a child while the guard is not closed. The engine reports the outcomes to it. Null: no
  /// guard. The fallback is not guarded.
  std::shared_ptr<GuardPort> guard{};

  /// What the wait that a service asks for does to the wait of the backoff. A wish of 0 counts as
  /// none.
  RetryAfterReading retry_after{};

  /// How often the child may fail within which time; unset: without limit.
  std::optional<RestartLimit> restart_limit{};

  /// How long after the first failure in a row a retry may begin at the latest; unset: without
  /// limit.
  std::optional<Duration> max_elapsed{};

  /// The kind of the fallback: one behind that of the child.
  static constexpr std::uint16_t kind_of_fallback = 1;

  /// Whether a child of that kind takes over when a limit is reached, instead of giving up.
  bool has_fallback = false;

  /// Whether there is a store: a delivery waits for `input::Persisted` before it may be handed
  /// over, and stays owed there when the sender ends.
  bool persist = false;

  /// How often the sender's process may end while a child has a delivery; `input::ChildEnd` says
  /// what becomes of those whose child had another. The engine gives a restored delivery up when it
  /// has reached this. Unset: no limit, and no `effect::GiveBack`. Only with
  /// `persist`.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_hand_overs{};

  /// Is called with each delay that follows a failure; empty: nobody counts them.
  ///
  /// @range it must not throw
  std::function<void(Duration)> on_delay{};

  /// The hook that `step` calls with every event; empty: none. If it throws, the step goes on with
  /// `effect::HookFailed`.
  EventHook on_event{};
};

} // namespace backoff_actor
