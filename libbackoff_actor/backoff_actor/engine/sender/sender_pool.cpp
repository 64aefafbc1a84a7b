// The workers of a pool: the books about them, which one gets the next delivery, and how many there
// are. The loop that hands over is in sender_hand_over.cpp. A worker that stops normally is not
// replaced if its kind has others enough (sender_children.cpp).
//
// A worker that fails is never given up by itself: it waits, and the limits are those of the whole
// pool (`is_over_limit` in sender_limits.cpp).
//
// A worker that fails, a guard and a service that asked to be left alone keep the number as it
// is: a service that is down does not need more callers.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace backoff_actor {

// -- the books ------------------------------------------------------------------------

std::uint16_t SenderEngine::Step::count_of(const Lane& lane) const {
  if (!lane.is_wanted && !lane.is_retiring)
    return 0;
  unsigned result = Pool::all;
  const auto is_leaving = lane.is_retiring || lane.child == Child::leaving;
  if (is_leaving)
    result |= Pool::leaving;
  if (lane.is_retiring)
    return static_cast<std::uint16_t>(result);
  if (lane.child == Child::alive && !lane.delay_runs)
    result |= Pool::serving;
  if (lane.delay_runs)
    result |= is_leaving ? Pool::delayed : Pool::delayed | Pool::waiting;
  if (lane.is_done && lane.child == Child::none && !lane.delay_runs && !lane.start_is_put_off)
    result |= Pool::resting;
  if (lane.start_is_put_off && !lane.delay_runs)
    result |= Pool::put_off;
  return static_cast<std::uint16_t>(result);
}

// Brings the books up to date for a worker that may have changed, after it got a child if it is to
// have one.
void SenderEngine::Step::place(Lane& lane) {
  auto& pool = *work_.pool;
  auto& free = pool.kinds[lane.kind].free;
  if (lane.is_retiring && !is_closing())
    go_on_retiring(lane);
  give_child(lane);
  lane.is_changed = false;
  const auto& held = lane.in_flight;
  const auto has_room = lane.child == Child::alive && !lane.delay_runs && lane.is_wanted
                        && held.count < lane.window
                        && (held.count == 0 || !backlog_[held.first].is_suspect);
  if (has_room)
    free.put(lane.index, held.count);
  else
    free.take_out(lane.index);
  pool.count_as(lane, count_of(lane));
  pool.note_due(lane.index, due_of(lane));
}

void SenderEngine::Step::place_changed() {
  auto& changed = work_.pool->changed;
  for (std::size_t i = 0; i < changed.size(); ++i) // more may be marked meanwhile
    if (auto& worker = work_.lanes[changed[i]]; worker.is_changed)
      place(worker);
  changed.clear();
}

// Takes the workers that may have something due, to look at them.
void SenderEngine::Step::take_due_workers() {
  if (!work_.pool)
    return;
  auto& due = work_.pool->due;
  auto& looked_at = work_.pool->looked_at;
  looked_at.clear();
  while (!due.empty() && due.top_key() <= now_) {
    looked_at.push_back(static_cast<Pool::Index>(due.top()));
    due.pop();
    mark_changed(work_.lanes[looked_at.back()]);
  }
  std::sort(looked_at.begin(), looked_at.end());
}

// -- chosen ---------------------------------------------------------------------------

// The worker that gets the next delivery: the one that holds the fewest, of those whose service may
// be called. Null if none has room. A delivery that is to be alone needs one that holds none.
SenderEngine::Lane* SenderEngine::Step::free_worker(bool is_to_be_alone) const {
  auto best = FreeWorkers::none;
  auto fewest = is_to_be_alone ? 1U : std::numeric_limits<std::uint32_t>::max();
  for (const auto& kind : work_.pool->kinds) {
    const auto first = kind.free.first();
    if (first == FreeWorkers::none || kind.is_held() || kind.free.held_by(first) >= fewest)
      continue;
    best = first;
    fewest = kind.free.held_by(first);
  }
  return best == FreeWorkers::none ? nullptr : &work_.lanes[best];
}

// -- the service ----------------------------------------------------------------------

// The service asked to be left alone: no worker of this kind is given anything for so long.
void SenderEngine::Step::hold_back_kind(const Lane& lane, Duration wait) {
  auto& until = work_.pool->kinds[lane.kind].held_until;
  if (wait > Duration::zero())
    until = std::max(until, now_ + wait);
}

// -- the least number of workers --------------------------------------------------------

// Called in every step, before deliveries are handed over.
void SenderEngine::Step::tend_pool() {
  place_changed();
  work_.pool->end_holds_of_service(now_);
  if (is_closing())
    return;
  fill_pool();
  wake_resting_workers();
  place_changed();
}

void SenderEngine::Step::fill_pool() {
  auto& pool = *work_.pool;
  const auto is_used = self_.owed() > 0;
  if (work_.last_incarnation == 0 && !is_first_wanted())
    return;
  for (std::size_t i = 0; i < pool.kinds.size(); ++i)
    while (pool.kinds[i].size < pool.kinds[i].settings.workers.least
           && add_worker(static_cast<std::uint16_t>(i)))
      continue;
  if (is_used && pool.size() == 0 && !std::exchange(pool.was_emptied, false))
    if (const auto kind = pool.first_to_grow())
      add_worker(*kind);
}

// Workers that stopped normally, when nothing was owed, are made again when something is.
void SenderEngine::Step::wake_resting_workers() {
  auto& pool = *work_.pool;
  if (pool.count(Pool::resting) == 0 || backlog_.size_ready() == 0)
    return;
  for (auto& worker : work_.lanes)
    if ((worker.counted_as & Pool::resting) != 0)
      mark_changed(worker);
}

// -- workers come ---------------------------------------------------------------------

// A worker that was to leave, and was not asked to end yet; null if there is none.
SenderEngine::Lane* SenderEngine::Step::worker_that_may_stay(std::uint16_t kind) {
  auto& pool = *work_.pool;
  if (pool.count(Pool::leaving) == 0)
    return nullptr;
  for (auto& worker : work_.lanes)
    if (worker.kind == kind && worker.may_stay && worker.is_retiring
        && worker.child == Child::alive)
      return &worker;
  return nullptr;
}

bool SenderEngine::Step::is_above_least(const Lane& worker) const {
  const auto& kind = work_.pool->kinds[worker.kind];
  return kind.size > kind.settings.workers.least;
}

// Returns false if there are too many that still leave.
bool SenderEngine::Step::add_worker(std::uint16_t kind) {
  auto& pool = *work_.pool;
  if (auto* const worker = worker_that_may_stay(kind)) {
    worker->is_retiring = false;
    worker->is_wanted = true;
    ++pool.kinds[kind].size;
    mark_changed(*worker);
    return true;
  }
  auto& spare = pool.kinds[kind].spare;
  if (spare.empty() && work_.lanes.size() >= FreeWorkers::none)
    return false;
  auto& worker = spare.empty() ? new_worker(kind) : work_.lanes[Pool::take_spare(pool.kinds[kind])];
  ++pool.kinds[kind].size;
  worker.is_wanted = true;
  worker.is_failing = false;
  worker.is_done = false;
  worker.delay_runs = false;
  worker.backoff = reset(options_.backoff.policy(), worker.backoff);
  worker.window = worker.full_window;
  worker.epoch = ++work_.last_epoch;
  mark_changed(worker);
  return true;
}

// The draws of the workers differ, so that they do not all come back at the same moment.
SenderEngine::Lane& SenderEngine::Step::new_worker(std::uint16_t kind) {
  constexpr std::uint64_t stream_of_workers = 0x776f726b6572ULL;
  const auto index = work_.lanes.size();
  const auto stream = detail::mix(self_.stream_ ^ detail::mix(stream_of_workers ^ index));
  return work_.lanes.add(options_, stream, work_.pool->kinds[kind].settings.max_in_flight, kind);
}

// -- workers leave --------------------------------------------------------------------

// The worker takes nothing more, finishes what it holds, and leaves. With `may_stay` it stays after
// all if the pool is to grow before it is asked to end.
void SenderEngine::Step::retire(Lane& worker, bool may_stay) {
  --work_.pool->kinds[worker.kind].size;
  worker.is_wanted = false;
  worker.may_stay = may_stay;
  worker.is_retiring = true;
  worker.delay_runs = false;
  worker.start_is_put_off = false;
  if (worker.child == Child::starting) {
    emit(effect::StopChild{worker.incarnation});
    worker.child = Child::none;
  }
  mark_changed(worker);
}

void SenderEngine::Step::go_on_retiring(Lane& worker) {
  if (worker.child == Child::none) {
    worker.is_retiring = false;
    worker.delay_runs = false;
    work_.pool->by_incarnation.erase(worker.incarnation); // what still comes is about no lane
    worker.incarnation = 0;
    Pool::make_spare(work_.pool->kinds[worker.kind], worker.index);
  } else if (worker.child == Child::alive && worker.in_flight.count == 0) {
    emit(effect::AskToEnd{worker.incarnation});
    worker.child = Child::leaving;
    worker.is_asked = true;
    worker.is_overdue = false;
    worker.end_of_grace = now_ + options_.kill_grace;
  }
}

// The wanted worker that the pool misses the least; null if there is none. First come those that
// hold nothing and can be given nothing, such as one in its delay; then those that are idle; then
// those that hold something. Of equal ones it is that with the youngest child. With `is_idle`, only
// those that are idle count.
SenderEngine::Lane* SenderEngine::Step::least_missed(std::uint16_t kind, bool is_idle) {
  const auto rank = [](const Lane& worker) {
    const auto can_take = worker.child == Child::alive && !worker.delay_runs;
    return std::tuple{worker.in_flight.count != 0, can_take, ~worker.incarnation};
  };
  Lane* result = nullptr;
  for (auto& worker : work_.lanes) {
    if (worker.kind != kind || !worker.is_wanted
        || (is_idle && !work_.pool->kinds[kind].free.contains(worker.index))
        || (is_idle && worker.in_flight.count != 0))
      continue;
    if (result == nullptr || rank(worker) < rank(*result))
      result = &worker;
  }
  return result;
}

// -- the backlog decides --------------------------------------------------------------

// Called in every step, after deliveries were handed over.
void SenderEngine::Step::scale_pool() {
  place_changed();
  auto& pool = *work_.pool;
  const auto may = may_scale();
  const auto& scaling = options_.pool.scaling;
  const auto has_backlog =
    backlog_.size_ready() > std::size_t{scaling.backlog_per_worker} * pool.size();
  // The first kind grows first, and the last kind shrinks first.
  const auto growing = may && has_backlog ? pool.first_to_grow() : std::nullopt;
  std::optional<std::uint16_t> shrinking;
  for (std::uint16_t i = 0; i < pool.kinds.size(); ++i)
    if (pool.kinds[i].can_shrink())
      shrinking = i;
  if (pool.growth.has_lasted(growing.has_value(), scaling.grow_after, now_))
    add_worker(*growing);
  if (pool.shrinkage.has_lasted(may && shrinking, scaling.shrink_after, now_))
    retire(*least_missed(*shrinking, true), true);
  place_changed();
  note_what_holds_back();
}

void SenderEngine::Step::note_what_holds_back() {
  using HeldBy = Pool::HeldBy;
  auto& pool = *work_.pool;
  const auto is_free = [](const auto& kind) { return !kind.free.empty(); };
  const auto is_rate = gate_.is_held_back() && gate_.held_back_by() == HeldBackBy::rate;
  pool.note_held(backlog_.size_ready() == 0 || work_.is_paused || is_closing() ? HeldBy::nothing
                 : is_rate                                                     ? HeldBy::rate
                 : gate_.is_held_back() || gate_.retries_are_held_back()       ? HeldBy::guard
                 : std::ranges::any_of(pool.kinds, is_free) && pool.is_held_by_service()
                   ? HeldBy::service
                   : HeldBy::workers,
                 now_);
}

bool SenderEngine::Step::may_scale() const {
  const auto& pool = *work_.pool;
  return self_.beginning_ != Beginning::not_told && !is_closing() && !work_.is_paused
         && !work_.is_store_behind && now_ < work_.sure_until && pool.count(Pool::delayed) == 0
         && pool.count(Pool::put_off) == 0 && !gate_.is_held_back()
         && !gate_.retries_are_held_back() && !pool.is_held_by_service();
}

// -- by hand --------------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Resize& x) {
  if (!work_.pool || x.kind >= work_.pool->kinds.size() || is_closing())
    return;
  auto& kind = work_.pool->kinds[x.kind];
  kind.settings.workers = x.workers;
  while (kind.size > x.workers.most)
    retire(*least_missed(x.kind, false), true);
}

void SenderEngine::Step::operator()(const input::RetireWorker& x) {
  if (!work_.pool || x.worker == 0 || is_closing())
    return;
  if (auto* const worker = work_.lanes.find(x.worker - std::size_t{1});
      worker != nullptr && worker->is_wanted) {
    retire(*worker, false);
    note_emptied(*worker);
  }
}

// If that was the last worker, and something is owed, another one comes with the next input, a
// wake-up at the latest. Before, the kind can still be told that it may have none.
void SenderEngine::Step::note_emptied(const Lane& last) {
  if (work_.pool->size() != 0 || self_.owed() == 0)
    return;
  work_.pool->was_emptied = true;
  work_.pool->note_due(last.index, now_);
}

} // namespace backoff_actor
