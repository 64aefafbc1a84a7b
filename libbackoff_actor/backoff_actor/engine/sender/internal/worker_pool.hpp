#pragma once

// Inside of the engine; not for its users. How many workers a pool has, and the books that spare
// the engine a loop over all of them in every step.
//
// Each worker is a lane, and its index that of the lane. A worker is one of these:
//
//     spare ──wanted──▶ starting ──▶ serving ◀──▶ waiting in its delay
//       ▲                                │  more than wanted, or told by hand
//       └── down ◀── leaving ◀── retiring: takes nothing more, until it holds nothing
//
// A step that may have changed a worker marks it. At the end of the step, `Step::place` brings the
// books up to date for those that are marked.

#include "backoff_actor/core/internal/slot_heap.hpp"
#include "backoff_actor/delivery/internal/free_workers.hpp"
#include "backoff_actor/engine/sender/internal/sender_work.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor {

// Tells when a condition has held for some time without a break, and again each time that it has
// held for as long.
class Lasting {
public:
  bool has_lasted(bool holds, Duration time, Instant now) {
    const auto is_over = holds && due_ <= now;
    if (!holds)
      due_ = Instant::never();
    else if (is_over || due_ == Instant::never())
      due_ = now + time;
    return is_over;
  }

  // When it will have held for long enough; never: it does not hold.
  Instant due() const { return due_; }

private:
  Instant due_ = Instant::never();
};

struct SenderEngine::Pool {
  using Index = FreeWorkers::Index;

  // What is counted of the workers.
  enum Count : std::uint16_t {
    serving = 1,  // alive, without a delay, and not retiring
    delayed = 2,  // in its delay
    resting = 4,  // stopped normally, and nothing was owed
    put_off = 8,  // not made until the guard lets a call through
    leaving = 16, // retiring, or told to end after a hang
    waiting = 32, // in its delay, and not leaving
    all = 64,     // that the status shows
  };

  // What holds back deliveries that wait for nothing else.
  enum class HeldBy : std::uint8_t { nothing, guard, rate, service, workers };

  struct Kind {
    explicit Kind(const WorkerKind& options) : settings(options) {}

    // Whether the service asked to be left alone.
    bool is_held() const { return held_until != Instant{Duration::min()}; }
    bool can_shrink() const { return size > settings.workers.least && free.idle() > 0; }
    void end_hold() { held_until = Instant{Duration::min()}; }

    WorkerKind settings;    // of now
    std::uint32_t size = 0; // workers that are wanted
    Instant held_until{Duration::min()};
    FreeWorkers free{};         // with room
    std::vector<Index> spare{}; // a heap, the lowest first
  };

  explicit Pool(const WorkerPool& options) {
    for (const auto& kind : options.kinds) {
      kinds.emplace_back(kind);
      least_at_start += kind.workers.least;
    }
    least_at_start = std::max(least_at_start, 1U);
    kinds.front().spare.push_back(0); // the first lane
  }

  std::uint32_t count(Count what) const {
    return counts[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint16_t>(what)))];
  }

  // Counts a worker as `now`, the bits of `Count`, and no longer as it was counted before.
  void count_as(Lane& lane, std::uint16_t now) {
    for (auto news = static_cast<unsigned>(lane.counted_as ^ now); news != 0; news &= news - 1) {
      const auto bit = news & -news;
      auto& number = counts[static_cast<std::size_t>(std::countr_zero(bit))];
      (now & bit) != 0 ? ++number : --number;
    }
    lane.counted_as = now;
  }

  std::uint32_t size() const {
    std::uint32_t result = 0;
    for (const auto& kind : kinds)
      result += kind.size;
    return result;
  }

  // The first kind that may have one worker more.
  std::optional<std::uint16_t> first_to_grow() const {
    for (std::uint16_t i = 0; i < kinds.size(); ++i)
      if (kinds[i].size < kinds[i].settings.workers.most)
        return i;
    return std::nullopt;
  }

  bool is_held_by_service() const {
    return std::any_of(kinds.begin(), kinds.end(), [](const Kind& kind) { return kind.is_held(); });
  }

  void end_holds_of_service(Instant now) {
    for (auto& kind : kinds)
      if (kind.held_until <= now)
        kind.end_hold();
  }

  // Deliveries that could go are held back by `what` from now on.
  void note_held(HeldBy what, Instant now) {
    held_for[static_cast<std::size_t>(held_by)] += now - held_since;
    held_by = what;
    held_since = now;
  }

  // When there may be something to do. May be too early, because the cause may have moved.
  Instant next_due() const {
    auto result = std::min(growth.due(), shrinkage.due());
    if (!due.empty())
      result = std::min(result, due.top_key());
    for (const auto& kind : kinds)
      if (kind.is_held())
        result = std::min(result, kind.held_until);
    return result;
  }

  // Makes sure that the engine looks at this worker at `at` or earlier. An earlier entry stays, and
  // `take_due_workers` corrects it. So a worker that is busy costs no change of the heap.
  void note_due(Index worker, Instant at) {
    if (at == Instant::never())
      return;
    if (due.contains(worker)) {
      if (due.key_of(worker) <= at)
        return;
      due.erase(worker);
    }
    due.push(worker, at);
  }

  static void make_spare(Kind& kind, Index worker) {
    kind.spare.push_back(worker);
    std::push_heap(kind.spare.begin(), kind.spare.end(), std::greater<>{});
  }

  // There must be one.
  static Index take_spare(Kind& kind) {
    std::pop_heap(kind.spare.begin(), kind.spare.end(), std::greater<>{});
    const auto result = kind.spare.back();
    kind.spare.pop_back();
    return result;
  }

  std::vector<Kind> kinds;
  std::unordered_map<std::uint32_t, Index> by_incarnation{};
  std::vector<Index> looked_at{}; // in this wake-up
  std::vector<Index> changed{};   // marked
  SlotHeap<Instant> due{};
  std::array<std::uint32_t, 7> counts{}; // by bit of `Count`
  std::uint32_t least_at_start = 0;      // workers of all kinds
  std::array<Duration, 5> held_for{};    // by `HeldBy`, until `held_since`
  HeldBy held_by = HeldBy::nothing;      // since `held_since`
  Instant held_since{};
  bool was_emptied = false; // by hand, in this step
  bool is_alone = false;    // a delivery is out that may end the whole process
  Instant busy_since{};     // when the outbox was last empty and got something
  Lasting growth{};         // the backlog is long
  Lasting shrinkage{};      // of idle workers
};

} // namespace backoff_actor
