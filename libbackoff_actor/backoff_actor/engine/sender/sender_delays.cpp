// What a failure leads to: the next delay, of the lane or of the delivery, and its end.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

// Returns the cause as a shared object. Reuses the last failure's object if both are the same,
// because a child often fails for the same reason again.
SenderEngine::Step::SharedCause SenderEngine::Step::shared(const Cause& cause) const {
  const auto& last = work_.last_failure;
  return last && last->code == cause.code && last->text == cause.text
           ? last
           : std::make_shared<const Cause>(cause);
}

// A child or a delivery failed. Begins a new epoch, and the next delay of the lane; decides if the
// fallback takes over. If the delivery waits alone, its lane goes on: it waits only if the service
// asked for it, and its epoch is a new one only if the child failed. In strict order nothing may
// overtake the delivery, so the lane waits as long as it does. A sender that is finishing retries
// nothing, and has no delay.
void SenderEngine::Step::fail(Lane& lane, const SharedCause& cause, Failed what,
                              const Decision& decision, const std::optional<Alone>& alone) {
  if (is_ending())
    return;
  const auto goes_on = alone && !alone->own;
  if (!goes_on || what == Failed::child)
    lane.epoch = ++work_.last_epoch; // what an earlier child says is no sign that this one is well
  if (!goes_on) {
    lane.window = 1;
    if (!std::exchange(lane.is_failing, true)) {
      lane.first_failure = now_;
      lane.failures_in_a_row = 0;
    }
    ++lane.failures_in_a_row;
  }
  if (!lane.is_fallback)
    work_.last_failure = cause;
  if (is_finishing())
    return;
  auto span = Duration::zero();
  std::optional<BackOff> room;
  const BackOff* of_class = nullptr;
  if (alone && alone->own) {
    span = alone->own->delay;
  } else if (!alone) {
    const auto draw = lane.backoff.progress.draws;
    const auto u = unit_random(options_.backoff.seed(), lane.stream, draw);
    lane.backoff = next(options_.backoff.policy(), lane.backoff, u);
    of_class = backoff_for(decision.reason, lane.stream, draw, lane.failures_in_a_row, room);
    if (of_class != nullptr)
      lane.backoff.wait_time = of_class->wait_time();
    span = lane.backoff.wait_time;
  }
  if (const auto wish = wish_to_all(decision.retry_after)) {
    if (work_.pool)
      hold_back_kind(lane, options_.retry_after.obeyed(*wish, span));
    else
      span = options_.retry_after.wait(span, wish);
  }
  if (!goes_on || span > Duration::zero())
    delay(lane, span);
  const auto is_over = is_over_limit(lane, what, goes_on);
  if (is_over && !options_.has_fallback)
    return give_up(false, DeliverySlots::none, cause);
  if (!goes_on)
    tell_delay(lane, span, alone, of_class);
  if (is_over)
    fall_back(cause);
  else
    want_fallback(lane, true);
}

// The backoff of a class of failures after so many failures in a row, made in `room`; null: the
// class has none of its own.
const BackOff* SenderEngine::Step::backoff_for(FailureReason reason, std::uint64_t stream,
                                               std::uint32_t next_draw, std::uint32_t failures,
                                               std::optional<BackOff>& room) const {
  const auto* const own = options_.by_reason.find(reason);
  if (own == nullptr || !own->backoff)
    return nullptr;
  const auto seed = options_.backoff.seed();
  return &room.emplace(*own->backoff, seed, stream,
                       detail::state_after(*own->backoff, seed, stream, next_draw, failures));
}

void SenderEngine::Step::tell_delay(const Lane& lane, Duration span,
                                    const std::optional<Alone>& alone, const BackOff* of_class) {
  if (options_.on_delay)
    options_.on_delay(span);
  observe_of(lane, [&] {
    if (alone)
      return event::RetryScheduled{now_, span, lane.due, alone->own->backoff, alone->own->delivery};
    return event::RetryScheduled{now_, span, lane.due,
                                 of_class != nullptr ? *of_class : backoff_of(lane), 0};
  });
  if (options_.ordering == Ordering::strict && lane.failures_in_a_row == many_failures)
    hint_at_endless_retries();
}

// In strict order, the delivery that is tried next has failed many times in a row.
void SenderEngine::Step::hint_at_endless_retries() {
  if (backlog_.size() < 2)
    return;
  const auto slot = backlog_.front();
  if (!limit_of(slot) && backlog_.deadline_of(slot) == Instant::never())
    hint(event::Hint::About::endless_retries, backlog_[slot].id, backlog_.size() - 1);
}

// Starts a delay, or lengthens the running one. It never shortens it.
void SenderEngine::Step::delay(Lane& lane, Duration span) {
  if (is_closing())
    return;
  const auto due = now_ + span;
  lane.due = lane.delay_runs ? std::max(lane.due, due) : due;
  lane.delay_runs = true;
}

void SenderEngine::Step::end_delay(Lane& lane) {
  lane.delay_runs = false;
  lane.due = std::min(lane.due, now_);
  observe_of(lane, [&] { return event::DelayEnded{now_}; });
}

// Whether a failure of the delivery is no reason for its lane to wait.
bool SenderEngine::Step::waits_alone(Slot slot) const {
  if (options_.backoff_by == BackoffBy::message)
    return true;
  const auto* const own = backlog_.own_retries_of(slot);
  return own != nullptr && own->backoff;
}

// The delivery has failed, if it is one that is owed. Returns nothing if the lane is to wait by its
// own backoff.
std::optional<SenderEngine::Step::Alone> SenderEngine::Step::alone(Slot slot,
                                                                   FailureReason reason) {
  if (slot == DeliverySlots::none || backlog_[slot].is_ghost || !waits_alone(slot))
    return std::nullopt;
  return options_.ordering == Ordering::strict ? Alone{own_delay(slot, reason)} : Alone{};
}

// A failed delivery waits for its own backoff after the delay of its lane, so that the others go
// first. In a pool, other workers take the others meanwhile, so its own backoff is enough.
void SenderEngine::Step::pause_deferred() {
  for (const auto& x : deferred_) {
    const auto is_alone = waits_alone(x.slot);
    const auto others_go = x.lane->delay_runs && !work_.pool && !is_alone ? x.lane->due : now_;
    const auto own = own_delay(x.slot, backlog_.reason_of(x.slot));
    const auto& reading = options_.retry_after;
    const auto wish = x.retry_after > Duration::zero() ? x.retry_after : std::nullopt;
    const auto is_replaced = wish && reading.replaces();
    const auto asked = wish ? reading.obeyed(*wish, own.delay) : Duration::zero();
    const auto due =
      std::max(others_go + (is_replaced ? Duration::zero() : own.delay), now_ + asked);
    backlog_.pause(x.slot, due);
    if (is_alone && options_.on_delay)
      options_.on_delay(own.delay);
    observe_of(*x.lane, [&] {
      return event::RetryScheduled{now_, own.delay, due, own.backoff, own.delivery};
    });
  }
}

// The next delay of a delivery's own backoff, drawn from its own random stream.
SenderEngine::Step::OwnDelay SenderEngine::Step::own_delay(Slot slot, FailureReason reason) {
  const auto id = backlog_[slot].id;
  const auto* const retries = backlog_.own_retries_of(slot);
  const auto says_itself = retries != nullptr && retries->backoff;
  const auto& policy = says_itself ? *retries->backoff : options_.backoff.policy();
  auto& own_backoff = backlog_.own_backoff_of(slot);
  const auto own = own_backoff.value_or(policy.start());
  const auto stream = detail::mix(self_.stream_ ^ id);
  const auto u = unit_random(options_.backoff.seed(), stream, own.draws);
  const auto after = next(policy, BackOffState{own}, u);
  own_backoff = after.progress;
  std::optional<BackOff> room;
  if (!says_itself && backoff_for(reason, stream, own.draws, own.draws + 1, room) != nullptr)
    return {id, room->wait_time(), *room};
  return {id, after.wait_time, BackOff{policy, options_.backoff.seed(), stream, after}};
}

void SenderEngine::Step::end_failures(Lane& lane) {
  lane.is_failing = false;
  if (!lane.is_fallback)
    work_.last_failure = nullptr;
  const auto was_started = lane.backoff.is_started();
  lane.backoff = reset(options_.backoff.policy(), lane.backoff);
  if (was_started)
    observe_of(lane, [&] { return event::BackOffReset{now_, backoff_of(lane)}; });
}

BackOff SenderEngine::Step::backoff_of(const Lane& lane) const {
  const auto& initial = options_.backoff;
  return {initial.policy(), initial.seed(), lane.stream, lane.backoff};
}

// -- ended by hand --------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::RetryNow&) {
  backlog_.end_all_pauses();
  forgive_hold(gate_.end_holds_by_hand(now_));
  for_each_lane([&](Lane& lane) {
    if (lane.delay_runs)
      end_delay(lane);
  });
  if (work_.pool)
    for (auto& kind : work_.pool->kinds)
      kind.end_hold();
}

void SenderEngine::Step::operator()(const input::Reset&) {
  for_each_lane([&](Lane& lane) { reset_backoff(lane); });
  work_.restarts.clear();
}

} // namespace backoff_actor
