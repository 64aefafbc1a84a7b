// The engine as its driver sees it: which inputs need a step (internal/sender_step.hpp), what it
// tells of itself, and when it frees its `Work` (internal/sender_work.hpp).

#include "backoff_actor/engine/sender/sender_engine.hpp"

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <utility>

namespace backoff_actor {

namespace {

// Keeps only what the driver may still ask about. The hook must go, because it may hold handles
// that lead back to the driver.
std::shared_ptr<const EngineOptions> without_hook(const EngineOptions& options) {
  EngineOptions result;
  result.backoff = options.backoff;
  return std::make_shared<const EngineOptions>(std::move(result));
}

} // namespace

SenderEngine::SenderEngine(std::shared_ptr<const EngineOptions> options, std::uint64_t stream)
  : options_(std::move(options)), stream_(stream) {}

SenderEngine::SenderEngine(std::shared_ptr<const EngineOptions> options)
  : options_(std::move(options)), stream_(options_->backoff.stream()) {}

SenderEngine::~SenderEngine() = default;
SenderEngine::SenderEngine(SenderEngine&&) noexcept = default;
SenderEngine& SenderEngine::operator=(SenderEngine&&) noexcept = default;

void SenderEngine::step(Instant now, const Input& input, Effects& effects, std::uint64_t number) {
  if (stopped_) {
    step_stopped(input, effects);
    return;
  }
  if (!work_) {
    if (step_without_work(now, input, effects, number))
      return;
    work_ = new_work();
  }
  std::visit([&](const auto& x) { step_at_work(now, x, effects, number); }, input);
}

void SenderEngine::step(Instant now, const input::Submit& input, Effects& effects,
                        std::uint64_t number) {
  if (stopped_)
    return step_stopped(input, effects);
  if (!work_)
    work_ = new_work();
  step_at_work(now, input, effects, number);
}

void SenderEngine::step(Instant now, const input::Acknowledged& input, Effects& effects,
                        std::uint64_t number) {
  if (stopped_)
    return;
  if (!work_)
    work_ = new_work();
  step_at_work(now, input, effects, number);
}

void SenderEngine::step(Instant now, const input::ChildStarted& input, Effects& effects,
                        std::uint64_t number) {
  if (stopped_ || !work_)
    step(now, Input{input}, effects, number);
  else
    step_at_work(now, input, effects, number);
}

template <class OneInput>
void SenderEngine::step_at_work(Instant now, const OneInput& input, Effects& effects,
                                std::uint64_t number) {
  Step step{*this, now, effects, number};
  step(input);
  step.finish();
  if (stopped_) {
    work_->backlog.clear();
    options_ = without_hook(*options_);
  } else if (work_->backlog.is_vacant() && !work_->backlog.is_worth_its_room()
             && work_->is_idle()) {
    if (!idle_state_)
      idle_state_ = std::make_unique<IdleState>();
    work_->save_to(*idle_state_, *options_);
    work_ = nullptr;
  }
}

// Handles the inputs that need no `Work`. Returns whether the input was one of them.
bool SenderEngine::step_without_work(Instant now, const Input& input, Effects& effects,
                                     std::uint64_t number) {
  if (std::holds_alternative<input::Wake>(input)) {
    if (idle_state_)
      idle_state_->wake_at = Instant::never();
    return true;
  }
  if (std::holds_alternative<input::GuardClosed>(input)
      || std::holds_alternative<input::CancelStored>(input))
    return true; // nothing is held back
  if (idle_state_ || !options_->pool.kinds.empty())
    return false;
  if (const auto* start = std::get_if<input::Start>(&input))
    return begin_without_work(*start, effects);
  const auto* started = std::get_if<input::ChildStarted>(&input);
  if (started == nullptr || started->incarnation != 1 || beginning_ != Beginning::starting)
    return false;
  beginning_ = Beginning::alive;
  if (options_->on_event)
    Step::tell(*options_, number, event::ChildStarted{now, 1}, effects);
  return true;
}

bool SenderEngine::begin_without_work(const input::Start& x, Effects& effects) {
  if (x.last_delivery != 0)
    return false; // there is something to remember
  if (beginning_ != Beginning::not_told)
    return true;
  if (options_->child_start == FirstStart::on_first_use) {
    beginning_ = Beginning::told;
    return true;
  }
  if (options_->guard && !options_->guard->is_closed())
    return false; // the start is to be put off
  beginning_ = Beginning::starting;
  effects.emplace_back(effect::StartChild{1});
  return true;
}

// Makes a `Work` that continues from the present state.
std::unique_ptr<SenderEngine::Work> SenderEngine::new_work() const {
  auto result = std::make_unique<Work>(*options_, stream_, idle_state_.get());
  if (!idle_state_ && beginning_ >= Beginning::starting)
    result->first_child_is(beginning_ == Beginning::alive);
  return result;
}

void SenderEngine::step_stopped(const Input& input, Effects& effects) {
  if (std::holds_alternative<input::Submit>(input) || std::holds_alternative<input::Join>(input)
      || std::holds_alternative<input::Unreadable>(input))
    effects.emplace_back(effect::Refuse{Refusal::stopped});
  else if (const auto* late = std::get_if<input::ChildStarted>(&input))
    effects.emplace_back(effect::StopChild{late->incarnation});
  else if (const auto* drain = std::get_if<input::Drain>(&input))
    effects.emplace_back(effect::Drained{drain->ticket, 0});
}

Phase SenderEngine::phase() const {
  if (stopped_)
    return Phase::stopped;
  return work_ ? work_->phase() : new_work()->phase();
}

bool SenderEngine::is_ending() const {
  return work_ && !stopped_ && work_->mode == Work::Mode::ending;
}

std::uint32_t SenderEngine::incarnation() const {
  return work_ ? work_->last_incarnation : new_work()->last_incarnation;
}

std::uint32_t SenderEngine::living_child() const {
  if (stopped_)
    return 0;
  return work_ ? work_->living_child() : new_work()->living_child();
}

bool SenderEngine::has_room(std::uint32_t weight) const {
  if (stopped_ || !work_)
    return !stopped_;
  const auto fill = work_->backlog.owed();
  return work_->mode != Work::Mode::finishing && work_->mode != Work::Mode::ending
         && !work_->is_draining && work_->backlog.has_slot() && fill.deliveries < options_->capacity
         && (!options_->capacity_bytes || fill.bytes + weight <= *options_->capacity_bytes);
}

std::size_t SenderEngine::owed() const { return work_ ? work_->backlog.size() : 0; }

std::optional<std::uint32_t> SenderEngine::slot_of(std::uint64_t delivery) const {
  if (!work_)
    return std::nullopt;
  const auto& backlog = work_->backlog;
  for (auto slot = backlog.front(); slot != DeliverySlots::none; slot = backlog.after(slot))
    if (backlog[slot].id == delivery)
      return slot;
  for (const auto slot : backlog.all_put_off())
    if (backlog[slot].id == delivery)
      return slot;
  return std::nullopt;
}

bool SenderEngine::is_in_work(std::uint32_t slot) const {
  return work_->backlog[slot].place == Place::in_flight;
}

std::optional<SenderEngine::InHand> SenderEngine::in_hand(HandOverId id) const {
  if (!work_)
    return std::nullopt;
  const auto& backlog = work_->backlog;
  const auto slot = backlog.find(id);
  if (slot == DeliverySlots::none || !backlog.is_latest(slot, id) || backlog[slot].is_ghost)
    return std::nullopt;
  return InHand{slot, backlog[slot].incarnation};
}

// What waits for the delay of its lane and for its own goes after both.
DeliveryView SenderEngine::view(std::uint32_t slot) const {
  const auto& x = work_->backlog[slot];
  DeliveryView result{is_in_work(slot), x.incarnation, x.attempts, x.submitted_at};
  if (result.is_in_work) {
    result.since = x.clock_start;
    return result;
  }
  const auto own = work_->backlog.put_off_until(slot);
  const auto all = due();
  result.next_try = all == Instant::never() || (own != Instant::never() && own > all) ? own : all;
  return result;
}

bool SenderEngine::has_note(std::uint32_t slot) const { return work_->backlog.has_note(slot); }

bool SenderEngine::is_being_cancelled(std::uint32_t slot) const {
  return work_->backlog[slot].is_cancelled;
}

bool SenderEngine::owes(std::uint32_t slot, std::uint64_t delivery) const {
  return work_ && work_->backlog.holds(slot, delivery) && !work_->backlog[slot].is_ghost;
}

bool SenderEngine::has_room_in_place(std::uint32_t slot, std::uint32_t weight) const {
  const auto& backlog = work_->backlog;
  return weight <= backlog[slot].weight || !options_->capacity_bytes
         || backlog.owed().bytes - backlog[slot].weight + weight <= *options_->capacity_bytes;
}

std::uint64_t SenderEngine::last_delivery() const {
  if (work_)
    return work_->last_delivery;
  return idle_state_ ? idle_state_->last_delivery : 0;
}

std::uint64_t SenderEngine::take_number() {
  if (!work_)
    work_ = new_work();
  return ++work_->last_delivery;
}

BackOff SenderEngine::backoff() const {
  const auto& initial = options_->backoff;
  return {initial.policy(), initial.seed(), stream_,
          (work_ ? *work_ : *new_work()).lanes.first().backoff};
}

Instant SenderEngine::due() const { return work_ && !stopped_ ? work_->due() : Instant::never(); }

// Asked after every batch of messages, so an idle sender is not set up for it, as for a status.
SenderGlance SenderEngine::glance() const {
  if (work_)
    return work_->glance(stopped_);
  SenderGlance result;
  auto is_alone = beginning_ != Beginning::alive;
  if (idle_state_) {
    if (const auto* const history = idle_state_->history.get()) {
      result.counters = history->counters;
      result.restarts = history->restarts_so_far;
    }
    is_alone = idle_state_->history && idle_state_->history->is_alone;
    result.counters.accepted = idle_state_->accepted;
    result.counters.acknowledged = idle_state_->acknowledged;
    result.counters.hand_overs = idle_state_->hand_overs;
  }
  result.phase = is_alone ? Phase::starting : Phase::running;
  return result;
}

PoolGlance SenderEngine::pool_glance() const {
  return work_ && work_->pool ? work_->pool_glance(stopped_) : PoolGlance{};
}

SenderStatus SenderEngine::status(Instant now) const {
  return work_ ? work_->status(now, stopped_) : new_work()->status(now, stopped_);
}

// -- idle -------------------------------------------------------------------------------
//
// What is kept of `Work` while the sender has nothing to do, and how it continues.

SenderEngine::Work::Work(const EngineOptions& options, std::uint64_t stream,
                         const IdleState* idle_state)
  : backlog(options.ordering, idle_state != nullptr ? idle_state->last_tag : options.last_tag),
    gate(options.guard.get(), options.ordering == Ordering::strict),
    lanes(options, stream,
          options.pool.kinds.empty() ? options.max_in_flight
                                     : options.pool.kinds.front().max_in_flight) {
  if (options.pool.kinds.empty())
    lanes.first().is_wanted = true;
  else
    pool = std::make_unique<Pool>(options.pool);
  if (idle_state == nullptr)
    return;
  if (idle_state->history) {
    resume(*idle_state->history);
  } else {
    first_child_is(true);
    lanes.first().was_handed_something = true;
  }
  counters.accepted = idle_state->accepted;
  counters.acknowledged = idle_state->acknowledged;
  counters.hand_overs = idle_state->hand_overs;
  last_delivery = idle_state->last_delivery;
  lanes.first().backoff.resets = idle_state->resets;
  wake_at = idle_state->wake_at;
  gate.set_last_second_of_rate(idle_state->last_second_of_rate);
}

void SenderEngine::Work::resume(const FailureHistory& history) {
  counters = history.counters;
  restarts = history.restarts;
  restarts_so_far = history.restarts_so_far;
  last_incarnation = history.last_incarnation;
  last_epoch = history.last_epoch;
  gate.set_draws(history.guard_draws);
  auto& lane = lanes.first();
  lane.backoff = history.backoff;
  lane.incarnation = history.incarnation;
  lane.epoch = history.epoch;
  lane.window = history.window;
  lane.full_window = history.full_window;
  lane.probe = history.probe;
  lane.child = history.is_alone ? Lane::Child::none : Lane::Child::alive;
  lane.is_done = history.is_done;
  lane.was_handed_something = history.was_handed_something;
}

SenderEngine::Work::~Work() = default;

// The other members need no check. Some of them are empty whenever the backlog is. The rest is not
// read any more: the end of an earlier delay, and the time of a failure that a success has
// followed.
bool SenderEngine::Work::is_idle() const {
  const auto& lane = lanes.first();
  return !pool && lanes.size() == 1 && backlog.is_vacant() && mode == Mode::normal
         && (lane.child == Lane::Child::alive || lane.child == Lane::Child::none)
         && !lane.delay_runs && !lane.is_failing && !lane.backoff.is_started() && !lane.probe_is_out
         && !lane.start_is_put_off && !last_failure && !is_paused && !is_store_behind
         && !is_draining && sure_until == Instant::never() && gate.is_idle() && abandoned.empty();
}

void SenderEngine::Work::save_to(IdleState& result, const EngineOptions& options) {
  const auto& lane = lanes.first();
  result.accepted = counters.accepted;
  result.acknowledged = counters.acknowledged;
  result.hand_overs = counters.hand_overs;
  result.last_delivery = last_delivery;
  result.resets = lane.backoff.resets;
  result.wake_at = wake_at;
  result.last_tag = backlog.last_tag();
  result.last_second_of_rate = gate.last_second_of_rate();
  if (!result.history && has_failure_history(options))
    result.history = std::make_unique<FailureHistory>();
  if (result.history)
    *result.history = {counters,
                       lane.backoff,
                       restarts,
                       restarts_so_far,
                       lane.incarnation,
                       last_incarnation,
                       lane.epoch,
                       last_epoch,
                       lane.window,
                       lane.full_window,
                       lane.probe,
                       gate.draws(),
                       lane.child == Lane::Child::none,
                       lane.is_done,
                       lane.was_handed_something};
}

// Whether there is more to remember than `IdleState` has room for.
bool SenderEngine::Work::has_failure_history(const EngineOptions& options) const {
  auto rare = counters;
  rare.accepted = rare.acknowledged = rare.hand_overs = 0; // an `IdleState` has these
  const auto& lane = lanes.first();
  const auto& initial = options.backoff.state();
  return rare != SenderCounters{} || lane.child != Lane::Child::alive || restarts_so_far != 0
         || last_incarnation != 1 || last_epoch != 0 || !lane.was_handed_something
         || lane.window != options.max_in_flight || lane.full_window != options.max_in_flight
         || lane.probe != 0 || gate.draws() != 0 || !(restarts == RestartWindow{})
         || !(lane.backoff.progress == initial.progress)
         || lane.backoff.wait_time != initial.wait_time;
}

// -- inputs ------------------------------------------------------------------------------

// What a compiler makes for each alternative is made here alone: that takes it long.

template <detail::AlternativeOf<Input::variant> T>
Input::Input(T x) : variant(std::in_place_type<T>) {
  *std::get_if<T>(this) = std::move(x);
}

Input::Input(const Input& other) : variant() { detail::take<variant>(*this, other); }

Input::Input(Input&& other) noexcept { detail::take<variant>(*this, std::move(other)); }

Input& Input::operator=(const Input& other) { return *this = Input{other}; }

Input& Input::operator=(Input&& other) noexcept {
  if (this == &other)
    return *this;
  detail::take<variant>(*this, std::move(other));
  return *this;
}

Input::~Input() = default;

template Input::Input(input::Start);
template Input::Input(input::Submit);
template Input::Input(input::Persisted);
template Input::Input(input::ChildStarted);
template Input::Input(input::StartFailed);
template Input::Input(input::ChildDown);
template Input::Input(input::Acknowledged);
template Input::Input(input::ErrorAnswer);
template Input::Input(input::ChildAlive);
template Input::Input(input::Nacked);
template Input::Input(input::Rejected);
template Input::Input(input::Working);
template Input::Input(input::Wake);
template Input::Input(input::GuardClosed);
template Input::Input(input::RetryNow);
template Input::Input(input::Reset);
template Input::Input(input::Pause);
template Input::Input(input::Resume);
template Input::Input(input::Drain);
template Input::Input(input::Stop);
template Input::Input(input::NotPersisted);
template Input::Input(input::Restore);
template Input::Input(input::Join);
template Input::Input(input::Kill);
template Input::Input(input::StoreBehind);
template Input::Input(input::StoreNotice);
template Input::Input(input::Finish);
template Input::Input(input::Resize);
template Input::Input(input::RetireWorker);
template Input::Input(input::SureUntil);
template Input::Input(input::Unreadable);
template Input::Input(input::Cancel);
template Input::Input(input::Replace);
template Input::Input(input::Replaced);
template Input::Input(input::CancelStored);

} // namespace backoff_actor
