#pragma once

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/guarantee.hpp"
#include "backoff_actor/delivery/ordering.hpp"
#include "backoff_actor/guard/guard_port.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/supervision/decider.hpp"
#include "backoff_actor/supervision/lifecycle.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace backoff_actor {

/// The options of an engine, shared by all engines that have the same but for the stream of their
/// draws. Nothing here is checked;
/// `check(SenderOptions)` does that for senders.
struct EngineOptions {
  /// The backoff before the first failure, from which each engine goes on by itself.
  BackOff backoff{};

  /// The tag that the first hand-over's follows, see `HandOverId`. Tests begin shortly before the end.
  std::uint32_t last_tag = 0;

  /// When the first child is made.
  FirstStart child_start = FirstStart::at_once;

  /// When a child that went down is recreated.
  RestartTiming restart = RestartTiming::at_once;

  /// How many deliveries a child works on at a time.
  WorksOn works_on = WorksOn::one;

  /// In which order deliveries are handed over.
  Ordering ordering = Ordering::strict;

  /// How many deliveries a child holds at the most.
  ///
  /// @range 1 and above
  std::uint32_t max_in_flight = 1024;

  /// Whether, in strict order, a child that has refused a delivery for now holds one at a time from
  /// then on: it would work on those that it holds before the refused one comes back.
  bool narrows_when_refused = false;

  /// How often a delivery may fail before it is given up; unset: without limit.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_attempts{};

  /// How long a child may take to acknowledge; unset: for ever.
  ///
  /// @range above 0
  std::optional<Duration> ack_timeout{};

  /// How long a child has for ending when it is told to.
  ///
  /// @range 0 and above
  Duration kill_grace = std::chrono::seconds{5};

  /// What becomes of a child that hangs and has not ended then.
  AfterGrace after_grace = AfterGrace::abandon;

  /// What becomes of a hang. With `reject`, the delivery that is held responsible ends.
  Verdict on_hang = Verdict::retry;

  /// How many deliveries are owed at the most.
  ///
  /// @range 1 to `Outbox::max_size`
  std::size_t capacity = 1'000'000;

  /// How much all deliveries together may weigh; unset: anything.
  std::optional<std::uint64_t> capacity_bytes{};

  /// What becomes of a message that comes when the outbox is full.
  Overflow overflow = Overflow::refuse;

  /// Asked before the child is handed anything, and before it is made while the service is not taken
  /// for well; told what becomes of it. Null: there is none. The fallback is not guarded.
  std::shared_ptr<GuardPort> guard{};

  /// How long a service may ask to be left alone.
  Duration retry_after_ceiling = std::chrono::minutes{5};

  /// How often the child may fail within which time; unset: without limit.
  std::optional<RestartLimit> restart_limit{};

  /// How long after the first failure in a row a retry may begin at the latest; unset: without
  /// limit.
  std::optional<Duration> max_elapsed{};

  /// Whether another child takes over when a limit is reached, instead of giving up.
  bool has_fallback = false;

  /// Whether there is a store: a delivery waits for `input::Persisted` before it may be handed over,
  /// and stays owed there when the sender ends. Only with `Guarantee::at_least_once`.
  bool persist = false;

  /// How often the process may end while a child has a delivery, before that is given up when it is restored; unset:
  /// without limit, and nobody is told of `effect::GiveBack`. Only with `persist`.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_hand_overs{};

  /// How often a message reaches a child. With `at_most_once` the options that speak of what a child
  /// holds do nothing, nor do the guard and the fallback.
  Guarantee guarantee = Guarantee::at_least_once;

  /// What becomes of a message that cannot be passed on; only with `Guarantee::at_most_once`.
  WhenDown when_down = WhenDown::buffer;

  /// For how long a child must have been there, and no delay have run, for the backoff to begin anew;
  /// only with `Guarantee::at_most_once`. `Duration::max()`: it never does by itself.
  ///
  /// @range 0 and above
  Duration healthy_after = Duration::max();

  /// What follows a normal stop of the child; only with `Guarantee::at_most_once`.
  AfterNormalStop after_normal_stop = AfterNormalStop::rest;

  /// Told of all that happens, in `step`; empty: nobody is.
  EventHook on_event{};
};

} // namespace backoff_actor
