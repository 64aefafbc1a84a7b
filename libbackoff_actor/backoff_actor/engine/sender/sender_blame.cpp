// Which delivery failed if a child fails, and whose fault it is: the message's, or the service's
// (supervision/internal/failure_evidence.hpp).

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace backoff_actor {

// Returns the delivery to charge with a crash or a hang of the lane's child:
//   1. `named`, the delivery whose held error stems from the crash, if there is one;
//   2. none, if the child works on many and holds several: these deliveries become suspects;
//   3. `unanswered`, the oldest that the child had not answered;
//   4. the oldest that the child holds, if it had answered all.
// After a crash, the engine has settled the held errors before it asks.
DeliverySlots::Slot SenderEngine::Step::culprit_in(Lane& lane, Slot named, Slot unanswered) {
  if (named != DeliverySlots::none)
    return named;
  if (options_.works_on == WorksOn::many && lane.in_flight.count > 1)
    return suspect_all(lane);
  return unanswered != DeliverySlots::none ? unanswered : lane.in_flight.first;
}

// Returns the first held error that carries the reason of the crash: it stems from the crash.
std::vector<SenderEngine::Lane::Held>::const_iterator
SenderEngine::Step::error_of_crash(const std::vector<Lane::Held>& held, const Cause& reason) {
  return std::find_if(held.begin(), held.end(), [&](const Lane::Held& answer) {
    return !answer.is_bounce && answer.cause.code == reason.code;
  });
}

DeliverySlots::Slot SenderEngine::Step::oldest_unanswered(const Lane& lane) const {
  auto slot = lane.in_flight.first;
  while (slot != DeliverySlots::none && backlog_[slot].held)
    slot = backlog_.after_in_list(slot);
  return slot;
}

// Marks all unanswered deliveries of the child as suspects, or all if it has answered all.
DeliverySlots::Slot SenderEngine::Step::suspect_all(Lane& lane) {
  const auto all_are_held = lane.held.size() == lane.in_flight.count;
  for (auto slot = lane.in_flight.first; slot != DeliverySlots::none;
       slot = backlog_.after_in_list(slot))
    if (all_are_held || !backlog_[slot].held)
      backlog_.set_suspect(slot, true);
  return DeliverySlots::none;
}

// The child is lost: what it has not answered becomes a suspect. An error of the messaging layer is
// no answer.
void SenderEngine::Step::suspect_unanswered(const Lane& lane) {
  for (auto slot = lane.in_flight.first; slot != DeliverySlots::none;
       slot = backlog_.after_in_list(slot))
    if (!backlog_[slot].held || !has_meant_to_answer(lane, slot))
      backlog_.set_suspect(slot, true);
}

// Charges the culprit, if it is still owed and at fault. The child's other deliveries go back to
// the backlog, and so does the culprit unless it ends. The culprit of a child that works on many
// becomes a suspect. A delivery that a child held when an earlier process ended is a suspect
// already, and stays one.
void SenderEngine::Step::blame(Lane& lane, Slot slot, const SharedCause& cause,
                               const Decision& decision) {
  if (slot != DeliverySlots::none && is_cancelled(slot)) {
    drop_held(lane, slot);
    return take_back(lane);
  }
  const auto verdict = decision.verdict;
  const auto whose = blame_of(lane, slot, decision.blame);
  // This is one failure of the service, however many calls were in flight.
  if (const auto failed = slot != DeliverySlots::none ? slot : lane.in_flight.first;
      failed != DeliverySlots::none)
    report_failure(failed, decision.blame, whose);
  if (slot != DeliverySlots::none && backlog_[slot].is_ghost)
    slot = DeliverySlots::none;
  else if (slot != DeliverySlots::none)
    drop_held(lane, slot);
  take_back(lane);
  if (slot != DeliverySlots::none && options_.works_on == WorksOn::many)
    backlog_.set_suspect(slot, true); // otherwise it stays one, if its process has ended before
  if (verdict == Verdict::give_up || verdict == Verdict::escalate) {
    if (slot != DeliverySlots::none) {
      charge(slot);
      note_failure(slot, cause);
    }
    return give_up(verdict == Verdict::escalate, DeliverySlots::none, cause);
  }
  if (slot == DeliverySlots::none)
    return;
  if (verdict == Verdict::reject)
    return reject(slot, cause);
  if (whose != Blame::nobody && !charge_or_bury(slot, cause, whose, decision.reason))
    return;
  if (whose == Blame::nobody)
    note_reason(slot, decision.reason);
  if (options_.ordering != Ordering::strict)
    deferred_.push_back({slot, &lane, decision.retry_after});
}

// Whether an error of the child itself, not a bounce, is held for the delivery.
bool SenderEngine::Step::has_meant_to_answer(const Lane& lane, Slot slot) const {
  return std::any_of(lane.held.begin(), lane.held.end(), [&](const Lane::Held& answer) {
    return answer.slot == slot && !answer.is_bounce;
  });
}

// -- whose fault --------------------------------------------------------------------------

FailureEvidence& SenderEngine::Step::evidence_of(const Lane& lane) {
  auto& evidence = work_.evidence;
  if (!evidence)
    evidence = std::make_unique<Work::Evidence>();
  return lane.is_fallback ? evidence->of_fallback : evidence->of_service;
}

// The same, after a look at what the service did for others that share the guard.
FailureEvidence& SenderEngine::Step::evidence_now(const Lane& lane) {
  auto& result = evidence_of(lane);
  const auto answers = lane.is_fallback ? 0 : gate_.answers_of_others();
  if (answers > work_.evidence->answers_of_others) {
    work_.evidence->answers_of_others = answers;
    note_answer(lane, 0);
  }
  return result;
}

// `failed` is the number of the delivery that failed last; only if the service is not down.
void SenderEngine::Step::tell_if_nothing_succeeds(const Lane& lane, FailureEvidence& evidence,
                                                  std::uint64_t failed) {
  if (!evidence.is_news())
    return;
  observe_of(lane, [&] {
    return event::NothingSucceeds{now_, evidence.failing_since(), evidence.failures(),
                                  evidence.is_down() ? 0 : failed, lane.is_fallback};
  });
}

// The delivery failed with the lane's child. Returns whose fault it is, as far as it is known now.
// What somebody says is believed. Only a delivery that is owed is evidence.
Blame SenderEngine::Step::blame_of(const Lane& lane, Slot slot, Blame said) {
  if (!finds_fault())
    return said == Blame::unknown ? Blame::message : said;
  const auto take_back = [this](const FailureEvidence::Failed& x) { take_back_charges(x); };
  if (said == Blame::service) {
    auto& evidence = evidence_now(lane);
    evidence.note_service_failure(now_, take_back);
    tell_if_nothing_succeeds(lane, evidence, 0);
  }
  if (said != Blame::unknown || slot == DeliverySlots::none || backlog_[slot].is_ghost)
    return said;
  auto& evidence = evidence_now(lane);
  const auto& x = backlog_[slot];
  const auto finding = evidence.note_failure(slot, x.id, x.attempts != 0, x.has_failed,
                                             x.clock_start, now_, take_back);
  tell_if_nothing_succeeds(lane, evidence, x.id);
  switch (finding) {
  case FailureEvidence::Finding::message:
    return Blame::message;
  case FailureEvidence::Finding::service:
    return Blame::service;
  case FailureEvidence::Finding::open:
    break;
  }
  return Blame::unknown;
}

// Tells the guard. What is the message's fault does not speak against the service.
void SenderEngine::Step::report_failure(Slot slot, Blame said, Blame found) {
  auto outcome = CallOutcome::failed;
  if (said == Blame::message)
    outcome = CallOutcome::succeeded; // the service has answered
  else if (found == Blame::nobody || (found == Blame::message && finds_fault()))
    outcome = CallOutcome::forgotten;
  gate_.report(slot, outcome, now_);
}

// The service of the lane's child did what the delivery with this number asked, or refused it for
// good.
void SenderEngine::Step::note_answer(const Lane& lane, std::uint64_t id) {
  if (!work_.evidence)
    return;
  auto& evidence = evidence_of(lane);
  if (evidence.is_quiet())
    return;
  if (evidence.is_told())
    observe_of(lane, [&] {
      return event::SucceedsAgain{now_, evidence.failing_since(), evidence.failures(),
                                  lane.is_fallback};
    });
  evidence.note_answer(id, now_, [this](const FailureEvidence::Failed& x) { charge_open(x); });
}

// The delivery failed while the service did others. If a child has it again, what comes of that
// decides.
void SenderEngine::Step::charge_open(const FailureEvidence::Failed& failed) {
  const auto slot = failed.slot;
  if (!backlog_.holds(slot, failed.id) || backlog_[slot].is_ghost || backlog_[slot].is_cancelled)
    return;
  charge(slot);
  backlog_.uncharged_since(slot) = Instant::never();
  if (!is_exhausted(slot) || backlog_[slot].place == Place::in_flight)
    return count_attempts(slot);
  std::erase_if(deferred_, [&](const Deferred& x) { return x.slot == slot; });
  bury(slot, DeadLetterReason::attempts_exhausted, backlog_.last_failure_of(slot));
}

void SenderEngine::Step::take_back_charges(const FailureEvidence::Failed& failed) {
  if (!backlog_.holds(failed.slot, failed.id) || backlog_[failed.slot].is_ghost)
    return;
  backlog_.take_back_charges(failed.slot, failed.charges);
  count_attempts(failed.slot);
}

// The owed delivery was not charged with its last failure. Returns for how long it has failed
// without a charge, if that is as long as it may; else nothing.
std::optional<Duration> SenderEngine::Step::fails_for_too_long(Slot slot) {
  const auto& bound = options_.charging.give_up_after;
  if (!finds_fault() || !bound || !limit_of(slot))
    return std::nullopt;
  auto& since = backlog_.uncharged_since(slot);
  if (since == Instant::never())
    since = now_;
  const auto span = now_ - since;
  return span >= *bound ? std::optional{span} : std::nullopt;
}

} // namespace backoff_actor
