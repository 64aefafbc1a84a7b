// A child's answers about a delivery. Acknowledgements, refusals and signs of life take effect at
// once. The engine holds errors until it knows whether the child survived them.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace backoff_actor {

// Returns the delivery that the answer of a living child names, if the child still has it. Any
// other answer is stale.
std::optional<SenderEngine::Step::Target> SenderEngine::Step::target_of(HandOverId id) {
  const auto slot = backlog_.find(id);
  if (slot == DeliverySlots::none || !backlog_.is_latest(slot, id)
      || backlog_[slot].place != Place::in_flight)
    return std::nullopt;
  auto* const lane = holder_of(slot);
  if (lane->child != Child::alive)
    return std::nullopt;
  return Target{slot, lane};
}

// Returns the lane if a child that was told to end was the last to hold this delivery; else null.
// Its refusal changes nothing, because the delivery is owed already, but its retry-after still
// counts.
SenderEngine::Lane* SenderEngine::Step::leaving_holder_of(HandOverId id) {
  const auto slot = backlog_.find(id);
  if (slot == DeliverySlots::none || !backlog_.is_latest(slot, id))
    return nullptr;
  auto* const lane = holder_of(slot);
  return lane != nullptr && lane->child == Child::leaving ? lane : nullptr;
}

void SenderEngine::Step::note_unknown(std::uint64_t said) {
  ++work_.counters.late_answers;
  observe([&] { return event::UnknownAcknowledgement{now_, said}; });
}

// The service asked to be left alone, and no new failure of the lane follows. In a pool, that holds
// back all workers of the kind, and not the lane in particular.
void SenderEngine::Step::heed(Lane& lane, std::optional<Duration> retry_after) {
  const auto wish = wish_to_all(retry_after);
  if (!wish)
    return;
  const auto wait = options_.retry_after.obeyed(*wish, lane.backoff.wait_time);
  if (work_.pool)
    hold_back_kind(lane, wait);
  else if (wait > Duration::zero())
    delay(lane, wait);
}

// -- acknowledgements ---------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Acknowledged& x) {
  const auto slot = backlog_.find(x.hand_over);
  if (slot == DeliverySlots::none || backlog_[slot].is_ghost) {
    note_unknown(x.said);
    if (slot != DeliverySlots::none && backlog_.is_latest(slot, x.hand_over)) {
      gate_.report(slot, CallOutcome::succeeded, now_);
      note_answer(*holder_of(slot), backlog_[slot].id);
      vanish(*holder_of(slot), slot);
    }
    return;
  }
  const auto delivery = backlog_[slot];
  const auto is_latest = backlog_.is_latest(slot, x.hand_over);
  const auto is_late = !is_latest || delivery.place != Place::in_flight;
  if (is_late && work_.counters.hangs != 0)
    hint(event::Hint::About::short_ack_timeout, delivery.id);
  Lane* answered = nullptr;
  emit(effect::Acknowledge{slot, delivery.id, delivery.submitted_at, delivery.clock_start});
  if (delivery.place != Place::in_flight) {
    remove(slot);
  } else if (is_latest) {
    answered = holder_of(slot);
    answered->last_progress = now_;
    gate_.report(slot, CallOutcome::succeeded, now_);
    remove_from(*answered, slot);
  } else {
    // An earlier child has done the delivery, and the present child may still work on it.
    backlog_.leave_ghost(slot); // its present child does not know that an earlier one has done it
  }
  ++work_.counters.acknowledged;
  work_.counters.late_answers += is_late ? 1 : 0;
  observe_of(delivery, [&] {
    return event::Acknowledged{
      now_,   delivery.id, delivery.incarnation, delivery.attempts, now_ - delivery.submitted_at,
      is_late};
  });
  if (answered != nullptr)
    note_answer(*answered, delivery.id);
  if (!is_latest)
    return;
  auto* const lane = answered != nullptr ? answered : work_.lanes.find(delivery.worker);
  if (lane == nullptr || lane->epoch != delivery.epoch)
    return;
  mark_changed(*lane);
  if (lane->window < lane->full_window)
    ++lane->window;
  reset_backoff(*lane);
  want_fallback(*lane, false);
}

// -- errors -----------------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::ErrorAnswer& x) {
  const auto target = target_of(x.hand_over);
  if (!target) {
    if (auto* const lane = leaving_holder_of(x.hand_over))
      heed(*lane, x.decision.retry_after);
    return;
  }
  if (backlog_[target->slot].held)
    return;
  auto& lane = *target->lane;
  const auto& delivery = backlog_[target->slot];
  if (!x.is_bounce)
    lane.last_progress = now_;
  if (!delivery.is_ghost)
    emit(effect::HoldAnswer{target->slot});
  Lane::Held answer{target->slot, x.is_bounce, x.is_service_failure, x.decision, x.cause};
  if (x.is_settled)
    return settle(lane, answer);
  backlog_.set_held(target->slot, true);
  if (options_.works_on == WorksOn::many)
    backlog_.restart_clock(lane.in_flight, target->slot,
                           now_); // the child has said something about it
  lane.held.push_back(std::move(answer));
  if (!lane.probe_is_out)
    send_probe(lane);
}

void SenderEngine::Step::operator()(const input::ChildAlive& x) {
  auto* const lane = lane_of(x.incarnation);
  const auto lives =
    lane != nullptr && (lane->child == Child::alive || lane->child == Child::leaving);
  if (!lives || !lane->probe_is_out || x.probe != lane->probe)
    return;
  lane->probe_is_out = false;
  // The child survived the errors that came before the probe was sent.
  auto& held = lane->held;
  const auto end =
    held.begin() + static_cast<std::ptrdiff_t>(std::exchange(lane->asked, std::size_t{0}));
  const std::vector<Lane::Held> meant{std::make_move_iterator(held.begin()),
                                      std::make_move_iterator(end)};
  held.erase(held.begin(), end);
  for (const auto& answer : meant)
    backlog_.set_held(answer.slot, false);
  for (const auto& answer : meant)
    settle(*lane, answer);
  if (!held.empty())
    send_probe(*lane);
}

void SenderEngine::Step::send_probe(Lane& lane) {
  lane.probe = (lane.probe + 1) & HandOverId::tag_mask;
  lane.probe_is_out = true;
  lane.asked = lane.held.size();
  emit(effect::Probe{lane.incarnation, lane.probe});
}

// The child is alive, so the error was its answer.
void SenderEngine::Step::settle(Lane& lane, const Lane::Held& answer) {
  const auto cause = shared(answer.cause);
  if (answer.decision.verdict != Verdict::retry)
    note_final(lane, answer);
  if (ends_instead(answer.slot)) {
    lane.last_progress = now_;
    if (answer.decision.verdict == Verdict::retry)
      heed(lane, answer.decision.retry_after);
    return;
  }
  if (backlog_[answer.slot].is_ghost)
    return answer.decision.verdict == Verdict::retry
             ? refuse(lane, answer.slot, cause, answer.decision)
             : vanish(lane, answer.slot);
  switch (answer.decision.verdict) {
  case Verdict::retry:
    return refuse(lane, answer.slot, cause, answer.decision);
  case Verdict::reject:
    lane.last_progress = now_;
    return reject(answer.slot, cause);
  case Verdict::give_up:
  case Verdict::escalate:
    charge(answer.slot);
    // Once it is given back, later answers about the delivery are stale, and charge nothing.
    note_failure(answer.slot, cause);
    give_back(lane, answer.slot); // so that nothing that is said of it later charges it again
    return give_up(answer.decision.verdict == Verdict::escalate, answer.slot, cause);
  }
}

// Tells the guard of an error that is not retried, and keeps what it says about the service.
void SenderEngine::Step::note_final(const Lane& lane, const Lane::Held& answer) {
  if (answer.decision.blame == Blame::nobody)
    return gate_.report(answer.slot, CallOutcome::forgotten, now_);
  if (!answer.is_service_failure) {
    note_answer(lane, backlog_[answer.slot].id);
    return gate_.report(answer.slot, CallOutcome::succeeded, now_);
  }
  blame_of(lane, answer.slot, answer.decision.blame);
  gate_.report(answer.slot, CallOutcome::failed, now_);
}

void SenderEngine::Step::forget_held(Lane& lane, Slot slot) {
  backlog_.set_held(slot, false);
  const auto answer = std::find_if(lane.held.begin(), lane.held.end(),
                                   [&](const Lane::Held& held) { return held.slot == slot; });
  if (static_cast<std::size_t>(answer - lane.held.begin()) < lane.asked)
    --lane.asked;
  lane.held.erase(answer);
}

void SenderEngine::Step::drop_all_held(Lane& lane) {
  lane.probe_is_out = false;
  lane.asked = 0;
  for (const auto& answer : lane.held)
    backlog_.set_held(answer.slot, false);
  lane.held.clear();
}

// The child went down for `reason`. If a held error stems from the crash (sender_blame.cpp), errors
// before it were answers; errors after it came from the dying child and are not. Without such an
// error nobody knows where the crash began, so no error counts as an answer. If the child stopped
// normally, or because it was told to, all errors were answers. Deliveries that it gave back
// without an answer are owed again and are not charged.
SenderEngine::Step::Settled SenderEngine::Step::settle_held(Lane& lane, const Cause& reason,
                                                            bool was_told_to) {
  const auto held = lane.held;
  drop_all_held(lane);
  Settled result{DeliverySlots::none, longest_wish(held)};
  auto meant_end = held.end();
  if (reason.is_error()) {
    const auto crash = error_of_crash(held, reason);
    if (crash != held.end())
      result.named = crash->slot;
    if (crash != held.end() || !was_told_to)
      meant_end = crash != held.end() ? crash : held.begin();
  }
  for (auto answer = held.begin(); answer != meant_end; ++answer) {
    if (answer->is_bounce)
      continue;
    if (answer->decision.verdict != Verdict::retry)
      settle(lane, *answer);
    else if (ends_instead(answer->slot))
      continue;
    else if (answer->decision.blame == Blame::nobody)
      give_back(lane, answer->slot);
    else // the child's failure is reported later
      note_refusal(answer->slot, shared(answer->cause), answer->decision);
  }
  return result;
}

// The child is lost. Nobody knows whether it survived the held errors, so none of them counts as an
// answer.
SenderEngine::Step::Settled SenderEngine::Step::drop_answers(Lane& lane) {
  const Settled result{DeliverySlots::none, longest_wish(lane.held)};
  drop_all_held(lane);
  return result;
}

// The longest retry-after among these errors. The engine may honour it whether they were answers or
// not.
std::optional<Duration> SenderEngine::Step::longest_wish(const std::vector<Lane::Held>& held) {
  std::optional<Duration> result;
  for (const auto& answer : held)
    result = std::max(result, answer.decision.retry_after);
  return result;
}

// -- refusals ---------------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Nacked& x) {
  const auto target = target_of(x.hand_over);
  if (!target) {
    if (auto* const lane = leaving_holder_of(x.hand_over))
      return heed(*lane, x.retry_after);
    return note_unknown(x.said);
  }
  drop_held(*target->lane, target->slot);
  if (ends_instead(target->slot)) {
    target->lane->last_progress = now_;
    return heed(*target->lane, x.retry_after);
  }
  refuse(*target->lane, target->slot, shared(x.cause),
         Decision::retry_as(x.reason, x.retry_after, x.blame));
}

void SenderEngine::Step::operator()(const input::Rejected& x) {
  const auto target = target_of(x.hand_over);
  if (!target)
    return note_unknown(x.said);
  gate_.report(target->slot, CallOutcome::succeeded, now_); // the service has answered
  note_answer(*target->lane, backlog_[target->slot].id);
  if (backlog_[target->slot].is_ghost)
    return vanish(*target->lane, target->slot);
  target->lane->last_progress = now_;
  if (ends_instead(target->slot))
    return;
  reject(target->slot, shared(x.cause));
}

void SenderEngine::Step::operator()(const input::Working& x) {
  const auto is_kept = !x.note.empty() && keep_note(x);
  const auto target = target_of(x.hand_over);
  if (!target) {
    if (!is_kept)
      note_unknown(x.said);
    return;
  }
  auto& lane = *target->lane;
  if (options_.works_on == WorksOn::one) {
    lane.last_progress = now_;
  } else {
    backlog_.restart_clock(lane.in_flight, target->slot, now_);
  }
}

// Whoever had the delivery last knows best how far it is, also a child that was told to end.
bool SenderEngine::Step::keep_note(const input::Working& x) {
  const auto slot = backlog_.find(x.hand_over);
  if (slot == DeliverySlots::none || !backlog_.is_latest(slot, x.hand_over)
      || backlog_[slot].is_ghost)
    return false;
  if (x.note.size() > input::Working::largest_note) {
    hint(event::Hint::About::large_note, backlog_[slot].id);
    return false;
  }
  backlog_.set_has_note(slot);
  emit(effect::KeepNote{slot, backlog_[slot].id});
  return true;
}

// The lane's living child refused the delivery for now. Of the deliveries that were handed over in
// one epoch, only the first refusal counts as a new failure. So one outage counts once, however
// many deliveries were in flight.
void SenderEngine::Step::refuse(Lane& lane, Slot slot, const SharedCause& cause,
                                const Decision& decision) {
  const auto is_news = backlog_[slot].epoch == lane.epoch;
  const auto waits = is_news ? alone(slot, decision.reason) : std::nullopt;
  lane.last_progress = now_;
  note_refusal(slot, cause, decision);
  if (is_news)
    fail(lane, cause, Failed::refusal, decision, waits);
  else
    heed(lane, decision.retry_after);
}

// The service's wish if all deliveries wait for it. If order is not strict, only the refused
// delivery waits, unless there is a pool: then its other workers would go on calling the service.
std::optional<Duration> SenderEngine::Step::wish_to_all(std::optional<Duration> retry_after) const {
  const auto is_for_all = options_.ordering == Ordering::strict || work_.pool;
  return is_for_all && retry_after > Duration::zero() ? retry_after : std::nullopt;
}

// Charges the delivery if it is at fault, which may end it (sender_dead_letters.cpp).
void SenderEngine::Step::note_refusal(Slot slot, const SharedCause& cause,
                                      const Decision& decision) {
  const auto retry_after = decision.retry_after;
  const auto said = decision.blame;
  const auto& delivery = backlog_[slot];
  auto& lane = *holder_of(slot);
  const auto blame = blame_of(lane, slot, said);
  report_failure(slot, said, blame);
  if (options_.narrows_when_refused && options_.ordering == Ordering::strict)
    lane.window = lane.full_window = 1;
  ++work_.counters.nacks;
  observe_of(lane, [&] { return event::Refused{now_, delivery.id, *cause, retry_after}; });
  if (delivery.is_ghost)
    return vanish(lane, slot);
  backlog_.set_suspect(slot, false);
  const auto may_ask_for_more = said == Blame::nobody || said == Blame::service;
  if (!may_ask_for_more && retry_after && options_.retry_after.gives_up(*retry_after)) {
    charge(slot);
    return bury(slot, DeadLetterReason::retry_after_too_long, cause);
  }
  if (blame != Blame::nobody && !charge_or_bury(slot, cause, blame, decision.reason))
    return;
  if (blame == Blame::nobody)
    note_reason(slot, decision.reason);
  note_given_back(slot);
  backlog_.give_back(lane.in_flight, slot);
  if (options_.ordering != Ordering::strict)
    deferred_.push_back({slot, &lane, retry_after});
}

} // namespace backoff_actor
