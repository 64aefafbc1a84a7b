// The guard of the service. The engine asks it before each call and reports each outcome once. Only
// the primary child calls the guarded service; the fallback is not guarded.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace backoff_actor {

// -- asked ------------------------------------------------------------------------------

bool SenderEngine::Step::is_held_back(const Lane& lane) const {
  return work_.is_held_back && is_primary(lane);
}

// Whether this hand-over counts as a retry: the service may have been called for it before. A child
// that works on one delivery at a time never started those behind the culprit.
bool SenderEngine::Step::is_retry(Slot slot) const {
  const auto& delivery = work_.outbox[slot];
  return delivery.attempts != 0
         || (options_.works_on == WorksOn::many && delivery.incarnation != 0);
}

// Whether the delivery may be handed to the lane's child, or a child may be made for it. If so, and
// if the lane is guarded, `permit_in_hand` holds the permit.
bool SenderEngine::Step::is_admitted(Lane& lane, Slot slot) {
  if (!is_guarded(lane))
    return true;
  if (work_.is_held_back || is_held_retry(slot))
    return false;
  if (work_.permit_in_hand)
    return true;
  const auto answer = options_.guard->admit(now_, is_retry(slot) ? Call::retry : Call::first);
  if (const auto* const permit = std::get_if<Permit>(&answer)) {
    work_.permit_in_hand = *permit;
    return true;
  }
  hold_back(lane, std::get<HeldBack>(answer));
  return false;
}

// The guard held the lane back. This is not a failure: the engine charges nothing and no backoff
// takes a step. If the budget is empty, only retries wait, unless order is strict. After a wait for
// the breaker, the lane starts again with a window of one.
void SenderEngine::Step::hold_back(Lane& lane, const HeldBack& answer) {
  observe([&] { return event::GuardHeldBack{now_, answer.reason, answer.until}; });
  if (answer.reason == HeldBackBy::retry_budget && options_.ordering != Ordering::strict) {
    work_.retries_are_held = true;
    work_.retries_held_until = answer.until;
    return;
  }
  if (answer.reason != HeldBackBy::retry_budget)
    lane.window = 1;
  work_.is_held_back = true;
  work_.held_back_since = now_;
  work_.held_back_until = answer.until;
}

// The engine may ask the guard again. The time of the hold does not count towards `max_elapsed`.
void SenderEngine::Step::end_hold() {
  auto& lane = work_.primary;
  if (std::exchange(work_.is_held_back, false) && lane.is_failing)
    lane.first_failure = lane.first_failure + (now_ - work_.held_back_since);
}

void SenderEngine::Step::start_what_was_put_off() {
  auto& lane = work_.primary;
  if (!work_.start_is_put_off || lane.child != Child::none || lane.delay_runs)
    return;
  // Makes no child while nothing could be handed to it.
  auto slot = next_in_time();
  if (slot != Outbox::none && !is_admitted(lane, slot))
    slot = is_held_retry(slot) ? next_fresh_in_time() : Outbox::none;
  if (slot != Outbox::none && is_admitted(lane, slot))
    make_child(lane);
}

void SenderEngine::Step::operator()(const input::GuardClosed& x) {
  if (!work_.is_held_back)
    return;
  constexpr std::uint64_t stream_of_the_guard = 0x6775617264ULL;
  const auto u = unit_random(options_.backoff.seed(),
                             detail::mix(self_.stream_ ^ stream_of_the_guard), work_.guard_draws++);
  const Duration wait{static_cast<Duration::rep>(u * static_cast<double>(x.spread.count()))};
  work_.held_back_until = std::min(work_.held_back_until, now_ + wait);
}

// -- told -------------------------------------------------------------------------------

// Uses the permit in hand for the delivery.
void SenderEngine::Step::keep_permit(Slot slot) {
  if (work_.permits.size() <= slot)
    work_.permits.resize(slot + std::size_t{1});
  work_.permits[slot] = std::exchange(work_.permit_in_hand, {});
}

void SenderEngine::Step::report(Permit permit, Outcome outcome) {
  if (!permit)
    return;
  switch (outcome) {
  case Outcome::succeeded:
    return options_.guard->succeeded(permit, now_);
  case Outcome::failed:
    return options_.guard->failed(permit, now_);
  case Outcome::forgotten:
    return options_.guard->forgotten(permit, now_);
  }
}

// Reports a failed start to the guard: an unhealthy service may make the start of a child fail.
void SenderEngine::Step::report_failed_start() {
  if (work_.permit_in_hand)
    return report(std::exchange(work_.permit_in_hand, {}), Outcome::failed);
  if (!options_.guard->is_closed())
    return; // it was begun when the service was taken for well, and tells nothing new
  const auto answer = options_.guard->admit(now_, Call::start);
  if (const auto* const permit = std::get_if<Permit>(&answer))
    report(*permit, Outcome::failed);
}

// Returns the permit of a child's start if nothing is left to hand over.
void SenderEngine::Step::return_permit() {
  if (work_.permit_in_hand && work_.primary.child != Child::starting)
    report(std::exchange(work_.permit_in_hand, {}), Outcome::forgotten);
}

void SenderEngine::Step::report_all_forgotten() {
  report(std::exchange(work_.permit_in_hand, {}), Outcome::forgotten);
  for (auto& permit : work_.permits)
    report(std::exchange(permit, {}), Outcome::forgotten);
}

} // namespace backoff_actor
