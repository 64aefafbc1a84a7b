#pragma once

// Inside of the engine; not for its users. What the engine keeps once it has something to do.

#include "backoff_actor/core/internal/slot_heap.hpp"
#include "backoff_actor/delivery/internal/turns.hpp"
#include "backoff_actor/delivery/outbox.hpp"
#include "backoff_actor/engine/sender/internal/open_drains.hpp"
#include "backoff_actor/engine/sender/internal/sender_idle.hpp"
#include "backoff_actor/engine/sender/internal/sender_lane.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/guard/guard_port.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor {

// Extra data of the few deliveries that failed, were refused, or were joined.
struct SenderEngine::Extra {
  Progress own_backoff;
  std::shared_ptr<const Cause> last_failure{}; // for which it was charged; null: for none
  std::uint32_t joined = 0;                    // clients that wait for it, besides the first
  std::uint32_t joined_until_stored = 0;       // of these
};

struct SenderEngine::Work {
  enum class Mode : std::uint8_t {
    normal,
    on_fallback, // the fallback works, the child is probed
    returning,   // the child is well; nothing is handed over until the fallback is done
    forwarding,  // always, if messages are delivered at most once
    ending,      // nothing new is accepted or handed over; the children are to end
  };

  // Continues from `rest`, if there is one.
  Work(const EngineOptions& options, std::uint64_t stream, const Rest* rest);

  // Whether there is nothing to do but wait, and nothing to remember but what `rest` keeps.
  bool is_at_rest() const;

  // Writes what must be remembered into `result`, which is new or from an earlier rest.
  void rest(const EngineOptions& options, Rest& result);
  bool has_past(const EngineOptions& options) const;
  void resume(const Past& past);

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

  Outbox outbox{};
  Turns turns;
  Lane primary;
  std::unique_ptr<Lane> fallback{};
  // The number breaks ties, so that the order does not depend on slots.
  SlotHeap<std::pair<Instant, std::uint64_t>> deadlines{};
  std::unordered_map<std::uint64_t, Extra> extras{}; // by delivery
  RestartWindow restarts{};
  std::shared_ptr<const Cause> last_failure{}; // of the primary
  std::vector<std::uint32_t> abandoned{};      // incarnations that still live
  OpenDrains<input::Drain> drains{};
  std::vector<Permit> permits{}; // of what the primary's child holds, by slot
  Permit permit_in_hand{};       // got, and not used yet
  Instant held_back_until{};
  Instant held_back_since{};
  Instant retries_held_until{};
  std::uint32_t guard_draws = 0;
  Instant wake_at = Instant::never(); // of the wake-up that was asked for and has not come
  SenderCounters counters{};
  std::uint64_t primary_starts = 0;
  std::uint64_t last_delivery = 0;
  std::size_t joined = 0;   // of all extras
  std::size_t unstored = 0; // deliveries that the store has not taken yet
  std::uint64_t owed_bytes = 0;
  std::uint64_t in_flight_bytes = 0;                // of what is owed
  std::uint32_t in_flight_owed = 0;                 // ghosts are not
  Outbox::Slot oldest_not_in_flight = Outbox::none; // nothing older is droppable; `none`: not known
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
  bool is_held_back = false;     // by the guard; then nothing is asked before `held_back_until`
  bool retries_are_held = false; // by its budget, until `retries_held_until`; first attempts go on
  bool ends_with_child = false;  // the child was given the last message
  bool start_is_put_off = false; // of the primary's child, until the guard lets a call through
};

} // namespace backoff_actor
