#pragma once

// Inside of the supervisor's engine; not for its users.

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/internal/slot_heap.hpp"
#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace backoff_actor {

struct BACKOFF_ACTOR_HIDDEN SupervisorEngine::Child {
  // What the engine does after a child that was told to end has ended.
  enum class Then : std::uint8_t {
    row,         // it is started again with its row
    stop,        // it stays down
    failed_start // its start counts as failed
  };

  std::string id;
  std::shared_ptr<const ChildOptions> options;
  std::shared_ptr<const Cause> cause; // of the last failure
  Progress progress;
  std::unique_ptr<RestartWindow> failures; // if it has its own limit; made at the first failure
  std::unique_ptr<std::vector<Ticket>> terminators; // the requests that wait for its end
  std::optional<Ticket> starter;                    // the request that waits for its start
  Instant up_since{};
  std::uint32_t serial = 0; // 0: the slot is free
  std::uint32_t incarnation = 0;
  std::uint32_t restarts = 0;
  std::uint32_t previous = 0; // in order
  std::uint32_t next = 0;     // in order, or among the free slots
  ChildState state = ChildState::stopped;
  StoppedBecause stopped = StoppedBecause::not_stopped;
  Then then = Then::stop;
  Directive directive = Directive::restart; // for a failed start, until the child is down
  bool is_in_row = false;
  bool holds_up_row = false; // it left an ending row, whose earlier children wait for it
  bool is_ready = false;     // its delay is over; it waits for a wake-up with room for it
  bool is_new = false;       // the client that added it waits for its first start
  bool is_first = false;     // one of the supervisor's first children
  bool has_been_up = false;  // since it was added
  bool is_up = false;        // its actor has come up, and may be ending
  bool is_killed = false;
  bool is_made = false;       // its actor, or the news of that has not come
  bool can_finish = false;    // its actor can
  bool is_unfinished = false; // its actor was told to finish, and has not
  bool keeps_grace = false;   // its actor was told to end with the rest of the grace
};

struct BACKOFF_ACTOR_HIDDEN SupervisorEngine::State {
  using Slot = std::uint32_t;
  static constexpr Slot none = UINT32_MAX;

  // Children that are restarted together.
  struct Row {
    enum class Stage : std::uint8_t { over, ending, waiting, starting };
    Stage stage = Stage::over;
    Instant due{};
    Slot cursor = none; // the next child to look at; the row is done with those passed
  };

  // The set holds slots and looks ids up in `children`, because the children's addresses change.
  struct HashOfId {
    using is_transparent = void;
    const State* state;
    std::size_t operator()(Slot slot) const { return (*this)(state->children[slot].id); }
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>{}(id); }
  };

  struct SameId {
    using is_transparent = void;
    const State* state;
    std::string_view id_of(Slot slot) const { return state->children[slot].id; }
    static std::string_view id_of(std::string_view id) { return id; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return id_of(a) == id_of(b);
    }
  };

  // In order of time, then of the serial number.
  struct Due {
    Instant at;
    std::uint32_t serial;

    auto operator<=>(const Due&) const = default;
  };

  State(std::shared_ptr<const SupervisorEngineOptions> shared, std::vector<ChildEntry> entries);

  bool is_group() const { return options->strategy != Strategy::one_for_one; }
  ChildName name_of(Slot slot) const { return {slot, children[slot].serial}; }
  ChildActor actor_of(Slot slot) const { return {name_of(slot), children[slot].incarnation}; }
  bool is_known(ChildName name) const;
  Slot find(std::string_view id) const;
  Slot add(ChildEntry entry);
  void remove(Slot slot);
  void set(Slot slot, ChildState state);
  std::size_t alive() const;
  void finished(Slot slot);

  std::shared_ptr<const SupervisorEngineOptions> options;
  std::vector<Child> children; // by slot
  std::unordered_set<Slot, HashOfId, SameId> by_id;
  SlotHeap<Due> due;            // the delays of single children
  std::deque<ChildActor> ready; // children in the order in which their delays ended; each entry
                                // names the last actor, and the engine skips outdated ones
  std::vector<ChildActor> abandoned;
  RestartWindow restarts_in_window;
  Row row;
  std::array<std::uint64_t, 5> in_state{}; // how many children
  std::uint64_t restarts = 0;
  Slot first = none; // in order
  Slot last = none;
  Slot first_free = none;
  std::uint32_t last_serial = 0;
  std::uint32_t starts = 0;               // since the last wake-up
  std::optional<Instant> held_up_since{}; // starts wait for the next wake-up
  Slot to_end = none;                     // while stopping: the child to look at next
  std::size_t unfinished = 0;             // how many children
  Instant deadline = Instant::never();    // of the grace
  bool is_to_finish = false;              // `Finish` has come
  bool ends_when_finished = false;
  bool is_finish_told = false;
  bool keeps_grace = false;  // when stopping
  bool all_are_told = false; // to end
  SupervisorPhase phase = SupervisorPhase::starting;
  bool has_begun = false;
  Instant wake_at = Instant::never(); // the time of the pending wake-up
};

} // namespace backoff_actor
