#pragma once

// Inside of the engine; not for its users. What the engine keeps once it has something to do.

#include "backoff_actor/delivery/delivery_slots.hpp"
#include "backoff_actor/delivery/internal/backlog.hpp"
#include "backoff_actor/delivery/internal/open_drains.hpp"
#include "backoff_actor/engine/sender/internal/sender_idle.hpp"
#include "backoff_actor/engine/sender/internal/sender_lane.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/guard/internal/guard_gate.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace backoff_actor {

struct SenderEngine::Work {
  enum class Mode : std::uint8_t {
    normal,
    on_fallback, // the fallback works, the child is probed
    returning,   // the child is well; nothing is handed over until the fallback is done
    forwarding,  // always, if messages are delivered at most once
    ending,      // nothing new is accepted or handed over; the children are to end
  };

  // Continues from `idle_state`, if there is one.
  Work(const EngineOptions& options, std::uint64_t stream, const IdleState* idle_state);

  // Whether there is nothing to do but wait, and nothing to remember but what `save_to` writes.
  bool is_idle() const;

  // Writes what must be remembered into `result`, which is new or was written before.
  void save_to(IdleState& result, const EngineOptions& options);
  bool has_failure_history(const EngineOptions& options) const;
  void resume(const FailureHistory& history);

  void first_child_is(bool alive) {
    primary.child = alive ? Lane::Child::alive : Lane::Child::starting;
    primary.incarnation = last_incarnation = 1;
    primary_starts = 1;
  }

  Lane& serving_lane() { return mode == Mode::on_fallback ? *fallback : primary; }
  const Lane& serving_lane() const { return mode == Mode::on_fallback ? *fallback : primary; }

  // The status (sender_engine_status.cpp); `phase` assumes a sender that has not stopped.
  bool waits_for_budget() const;
  std::optional<Instant> held_until() const;
  Phase phase() const;
  std::uint32_t living_child() const;
  Instant due() const;
  SenderStatus status(const EngineOptions& options, Instant now, bool is_stopped) const;

  Backlog backlog;
  GuardGate gate; // of the primary
  Lane primary;
  std::unique_ptr<Lane> fallback{};
  RestartWindow restarts{};
  std::shared_ptr<const Cause> last_failure{}; // of the primary
  std::vector<std::uint32_t> abandoned{};      // incarnations that still live
  OpenDrains<input::Drain> drains{};
  Instant wake_at = Instant::never(); // of the wake-up that was asked for and has not come
  SenderCounters counters{};
  std::uint64_t primary_starts = 0;
  std::uint64_t last_delivery = 0;
  std::uint32_t last_incarnation = 0;
  std::uint32_t last_epoch = 0;
  Instant end_of_patience = Instant::never(); // with children that are to end
  std::shared_ptr<const Cause> end_cause{};   // of the end
  DeadLetterReason end_reason = DeadLetterReason::stopped;
  Mode mode;
  bool children_are_pressed = false; // to end: their time was over once
  bool is_paused = false;
  bool is_draining = false;
  bool is_store_behind = false;
  bool ends_with_child = false;  // the child was given the last message
  bool start_is_put_off = false; // of the primary's child, until the guard lets a call through
};

} // namespace backoff_actor
