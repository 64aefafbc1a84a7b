#pragma once

#include "reference_storing.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace backoff_actor::model_test {

/// What a sender has to do, in the most obvious way: one list, searched from the front every time.
///
/// It shares no code with the engine but the backoff value, which has tests of its own. `step`
/// takes what the engine takes; `taken` and `told` are the effects and events, as text.
class ReferenceSender : public ReferenceStoring {
public:
  using ReferenceStoring::ReferenceStoring;
  using ReferenceStoring::operator();

  void step(Instant at, const Input& input) {
    taken.clear();
    told.clear();
    now = at;
    std::visit(*this, input);
    if (owed().empty()) // nobody could be charged any more
      forget_evidence();
    if (!is_stopped)
      settle();
    if (owed().empty())
      forget_evidence();
  }

  // -- the engine's names for what was just asked for ------------------------------------

  void named(std::uint64_t id, HandOverId name) { find(id)->hand_overs.back().name = name; }
  void numbered(std::uint32_t child, std::uint32_t probe) { lane_with(child)->probe = probe; }

  // -- inputs ----------------------------------------------------------------------------

  void operator()(const input::Start& x) {
    if (is_stopped || is_closing())
      return;
    last_id_ = std::max(last_id_, x.last_delivery);
    has_begun = true;
  }

  void operator()(const input::Submit& x) {
    if (is_stopped)
      return refuse(Refusal::stopped);
    if (x.refused)
      return refuse(*x.refused);
    if (is_closing() || is_draining)
      return refuse(Refusal::draining);
    const auto is_full = !has_room_for(x.weight, owed().size() + joined(), owed_bytes());
    if (is_full && options.overflow == Overflow::refuse)
      return refuse(Refusal::outbox_full);
    const auto is_late = x.deadline <= now;
    if (is_full && options.overflow == Overflow::drop_oldest && !is_late
        && !make_room_for(x.weight))
      return refuse(Refusal::outbox_full);
    for (auto* lane : lanes())
      if (serves(*lane) && owed().empty() && lane->child == Child::alive && !lane->due)
        lane->series_began.reset();
    const auto id = accept(x);
    if (is_late)
      return bury(id, DeadLetterReason::expired, last_failure_of(*find(id)));
    if (is_full && options.overflow == Overflow::drop_newest)
      return bury(id, DeadLetterReason::dropped, last_failure_of(*find(id)));
    if (x.own)
      keep_own(*find(id), *x.own);
    if (options.ordering == Ordering::per_key && x.key == 0)
      hint(event::Hint::About::no_key, id);
    has_begun = true;
  }

  void operator()(const input::ChildStarted& x) {
    if (is_stopped)
      return taken.push_back(stop_line(x.incarnation));
    const auto all = lanes();
    const auto is_stranger = std::none_of(
      all.begin(), all.end(), [&](const Lane* lane) { return lane->incarnation == x.incarnation; });
    if (is_stranger)
      return taken.push_back(stop_line(x.incarnation));
    auto* lane = lane_with(x.incarnation);
    if (lane == nullptr && is_closing())
      return taken.push_back(stop_line(x.incarnation));
    if (lane == nullptr || lane->child != Child::starting)
      return;
    lane->child = Child::alive;
    lane->last_progress = now;
    tell(event::ChildStarted{now, x.incarnation});
  }

  void operator()(const input::StartFailed& x) {
    auto* lane = lane_with(x.incarnation);
    if (is_stopped || lane == nullptr || lane->child != Child::starting)
      return;
    lane->child = Child::none;
    ++counters.failed_starts;
    tell(event::StartFailed{now, x.incarnation, x.cause});
    fail_unless_fatal(*lane, x.cause, x.verdict, x.reason);
  }

  void operator()(const input::ChildDown& x) {
    if (is_stopped)
      return;
    if (std::erase(abandoned, x.incarnation) > 0)
      return tell(event::AbandonedChildEnded{now, x.incarnation});
    auto* lane = lane_with(x.incarnation);
    if (lane == nullptr)
      return;
    const auto was_told = lane->child == Child::leaving || ending || holds_cancelled(*lane)
                          || is_blameless(*lane, x.end);
    lane->child = Child::none;
    lane->grace_end.reset();
    if (was_told && x.end == input::ChildEnd::lost)
      return lose(*lane, x);
    std::optional<Duration> wish;
    auto silent = in_flight(*lane); // before what was held is settled
    std::erase_if(silent, [&](const Delivery* y) { return is_held(*lane, y->id); });
    const auto oldest_silent = silent.empty() ? 0 : silent.front()->id;
    const auto is_oldest_silent_owed = !silent.empty() && silent.front()->is_owed;
    auto culprit = settle_what_was_meant(*lane, x.cause, was_told, wish);
    if (was_told || ending) {
      take_all_back(*lane);
      put_off(*lane, wish);
      return tell(event::ChildDown{now, x.incarnation, x.cause, false});
    }
    const auto is_failure = x.cause.is_error() || is_anything_due();
    tell(event::ChildDown{now, x.incarnation, x.cause, is_failure});
    if (!is_failure) {
      put_off(*lane, wish);
      take_all_back(*lane);
      lane->is_done = true;
      return;
    }
    ++counters.crashes;
    if (culprit == 0 && options.works_on == WorksOn::one && oldest_silent != 0)
      culprit = is_oldest_silent_owed ? oldest_silent : 0;
    else if (culprit == 0)
      culprit = culprit_among(in_flight(*lane), in_flight(*lane).size() == 1);
    const auto waits = alone(culprit, x.decision.reason);
    const auto fault = blame_of(*lane, culprit, x.decision.blame);
    take_all_back(*lane);
    charge(*lane, culprit, x.cause, x.decision, fault);
    wish = std::max(wish, x.decision.retry_after);
    fail_unless_fatal(*lane, x.cause, x.decision.verdict, x.decision.reason, wish, waits);
  }

  void operator()(const input::Acknowledged& x) {
    if (is_stopped)
      return;
    auto* found = find(x.hand_over);
    if (found == nullptr || !found->is_owed) {
      note_unknown(x.said);
      if (found != nullptr && is_latest(*found, x.hand_over)) {
        const auto id = found->id;
        note_answer(*lane_of(*found), id); // which may end others
        end_ghost(*find(id));
      }
      return;
    }
    const auto last = found->hand_overs.back();
    const auto is_held = found->is_in_flight && last.name == x.hand_over;
    if (!is_held && counters.hangs > 0)
      hint(event::Hint::About::short_ack_timeout, found->id);
    tell(event::Acknowledged{now, found->id, last.incarnation, found->attempts,
                             now - found->submitted_at, !is_held});
    ++counters.acknowledged;
    counters.late_answers += is_held ? 0 : 1;
    taken.push_back(acknowledge_line(found->id));
    if (last.name != x.hand_over) {
      // An earlier child's word; the present one does not know, if there is one.
      if (found->is_in_flight)
        found->is_owed = false;
      else
        erase(found->id);
      return;
    }
    auto* const worker = lane_of(*found);
    const auto id = found->id;
    erase(id);
    if (worker != nullptr) {
      worker->last_progress = now;
      note_answer(*worker, id);
    }
    for (auto* lane : lanes())
      if (lane->epoch == last.epoch)
        is_well(*lane);
  }

  void operator()(const input::ErrorAnswer& x) {
    auto* found = answered(x.hand_over);
    if (found == nullptr) {
      heed_the_leaving(x.hand_over, x.decision.retry_after);
      return;
    }
    auto& lane = *lane_of(*found);
    const Held held{found->id, x.cause, x.is_bounce, x.decision, false};
    if (is_held(lane, held.delivery))
      return;
    if (found->is_owed) // otherwise its client was told already
      taken.push_back(hold_line(held.delivery));
    if (!x.is_bounce)
      lane.last_progress = now;
    if (x.is_settled)
      return settle_answer(lane, held);
    if (options.works_on == WorksOn::many) {
      found->clock_start = now;
      found->turn = next_turn();
    }
    lane.held.push_back(held);
    if (!lane.probe_is_out)
      send_probe(lane);
  }

  void operator()(const input::ChildAlive& x) {
    auto* lane = lane_with(x.incarnation);
    if (is_stopped || lane == nullptr || !lane->probe_is_out || lane->probe != x.probe)
      return;
    lane->probe_is_out = false;
    const auto meant = lane->held;
    for (const auto& held : meant)
      if (held.is_probed) {
        forget_held(held.delivery);
        settle_answer(*lane, held);
      }
    if (!lane->held.empty())
      send_probe(*lane);
  }

  void operator()(const input::Nacked& x) {
    auto* found = answered(x.hand_over);
    if (found == nullptr) {
      if (!heed_the_leaving(x.hand_over, x.retry_after))
        note_unknown(x.said);
      return;
    }
    forget_held(found->id);
    if (found->is_owed && found->is_cancelled) {
      auto& lane = *lane_of(*found);
      lane.last_progress = now;
      end_cancelled(found->id);
      return put_off(lane, x.retry_after);
    }
    refuse_for_now(*lane_of(*found), found->id, x.cause, decision_in(x));
  }

  void operator()(const input::Rejected& x) {
    const auto* found = answered(x.hand_over);
    if (found == nullptr)
      return note_unknown(x.said);
    const auto id = found->id;
    auto& lane = *lane_of(*found);
    forget_held(id);
    note_answer(lane, id); // which may end others
    if (!find(id)->is_owed)
      return end_ghost(*find(id));
    if (find(id)->is_cancelled) {
      lane.last_progress = now;
      return end_cancelled(id);
    }
    reject(lane, id, x.cause);
  }

  void operator()(const input::Cancel& x) {
    auto* found = is_stopped ? nullptr : find(x.delivery);
    if (found == nullptr || !found->is_owed)
      return;
    found->wants_letter |= x.wants_letter;
    if (!found->is_in_flight)
      return end_cancelled(x.delivery);
    const auto child = found->hand_overs.back().incarnation;
    taken.push_back(tell_cancelled_line(x.delivery, child, found->wants_letter));
    if (std::exchange(found->is_cancelled, true))
      return;
    found->deadline = std::min(found->deadline, now + options.kill_grace);
    tell(event::CancelRequested{now, x.delivery, child});
  }

  void operator()(const input::CancelStored& x) {
    const auto* found = is_stopped ? nullptr : find(x.delivery);
    if (found != nullptr && found->is_kept)
      erase(x.delivery);
  }

  void operator()(const input::Replace& x) {
    auto* found = is_stopped ? nullptr : find(x.delivery);
    if (found == nullptr || found->is_in_flight || found->is_kept || !found->note.empty())
      return;
    found->weight = x.weight;
    found->hand_overs.clear();
    found->is_unwritten = options.persist;
    for (auto* service : {&service_of_worker, &service_of_fallback})
      if (!service->is_down()) // that stays, whoever has shown it
        std::erase_if(service->failures, [&](const auto& y) { return y.delivery == x.delivery; });
    taken.push_back(replace_line(x.delivery));
    if (!options.persist)
      begin_anew(*found);
  }

  void operator()(const input::Replaced& x) {
    auto* found = is_stopped ? nullptr : find(x.delivery);
    if (found == nullptr || !found->is_unwritten || found->is_kept)
      return;
    found->weight = x.weight;
    found->is_unwritten = false;
    if (x.is_new)
      begin_anew(*found);
  }

  void operator()(const input::Working& x) {
    const auto is_kept = !x.note.empty() && keep_note(x);
    auto* found = answered(x.hand_over);
    if (found == nullptr)
      return is_kept ? void() : note_unknown(x.said);
    if (options.works_on == WorksOn::one) {
      lane_of(*found)->last_progress = now;
    } else {
      found->clock_start = now;
      found->turn = next_turn();
    }
  }

  void operator()(const input::Wake&) {
    if (is_stopped)
      return;
    wake_up.reset();
    expire();
    for (auto* lane : lanes())
      end_grace(*lane);
    if (finishing && finishing->ends && finish_by <= now)
      end_finishing();
    else
      press_children();
    for (auto* lane : lanes())
      if (ack_due(*lane) && *ack_due(*lane) <= now)
        hang(*lane);
    for (auto& x : deliveries)
      if (x.pauses_until && *x.pauses_until <= now)
        x.pauses_until.reset();
    begin_what_is_due();
    for (auto* lane : lanes())
      if (lane->due && *lane->due <= now)
        end_delay(*lane);
    end_drains();
  }

  void operator()(const input::GuardClosed&) {} // none has a guard
  void operator()(const input::Resize&) {}      // none has a pool
  void operator()(const input::RetireWorker&) {}

  void operator()(const input::RetryNow&) {
    if (is_stopped)
      return;
    for (auto& x : deliveries)
      x.pauses_until.reset();
    for (auto* lane : lanes())
      if (lane->due)
        end_delay(*lane);
  }

  void operator()(const input::Reset&) {
    if (is_stopped)
      return;
    for (auto* lane : lanes())
      reset_backoff(*lane);
    forget_failures();
  }

  void operator()(const input::Pause&) {
    if (is_stopped || is_paused)
      return;
    is_paused = true;
    tell(event::Paused{now});
  }

  void operator()(const input::Resume&) {
    if (is_stopped || !(is_paused || is_draining))
      return;
    is_paused = false;
    is_draining = false;
    answer_drains();
    tell(event::Resumed{now});
  }

  void operator()(const input::Drain& x) {
    if (is_stopped)
      return taken.push_back(drained_line(x.ticket, 0));
    if (!is_draining)
      tell(event::DrainBegan{now});
    is_draining = true;
    open({x.ticket, x.deadline});
  }

private:
  /// From whoever had it last, whatever has become of that child.
  bool keep_note(const input::Working& x) {
    auto* found = is_stopped ? nullptr : find(x.hand_over);
    if (found == nullptr || !found->is_owed || !is_latest(*found, x.hand_over))
      return false;
    if (x.note.size() > 65'536) {
      hint(event::Hint::About::large_note, found->id);
      return false;
    }
    found->note = x.note;
    taken.push_back(keep_note_line(found->id));
    return true;
  }

  // What follows from any input that did not end the sender.
  void settle() {
    go_on_finishing();
    if (ending)
      end_if_nobody_is_left();
    if (is_stopped)
      return;
    start_who_is_wanted();
    for (const auto id : std::exchange(to_pause, {}))
      if (auto* const x = find(id); x != nullptr && x->pause_asked)
        pause(*x);
    if (mode == Mode::returning && !is_closing() && in_flight(*fallback).empty())
      come_back();
    hand_over_what_can_be();
    if (owed().empty())
      answer_drains();
    const auto due = earliest_due();
    if (due < wake_up.value_or(Instant::never())) {
      wake_up = due;
      taken.push_back(wake_line(due));
    }
  }

  void pause(Delivery& x) {
    const auto& lane = x.pauses_after_fallback ? *fallback : primary;
    const auto own = step_own_backoff(x, x.reason);
    const auto begin = waits_alone(x) ? now : lane.due.value_or(now);
    const auto wish = std::exchange(x.pause_asked, std::nullopt);
    const auto own_wait = takes_the_place(wish) ? Duration::zero() : own.wait_time();
    x.pauses_until = std::max(begin + own_wait, now + obeyed(*wish, own.wait_time()));
    tell(event::RetryScheduled{now, own.wait_time(), *x.pauses_until, own, x.id});
  }

  // -- time ------------------------------------------------------------------------------

  void expire() {
    auto late = owed();
    std::erase_if(late, [&](std::uint64_t id) { return find(id)->deadline > now; });
    std::sort(late.begin(), late.end(), [&](std::uint64_t x, std::uint64_t y) {
      return std::pair{find(x)->deadline, x} < std::pair{find(y)->deadline, y};
    });
    for (const auto id : late)
      if (auto& x = *find(id); x.is_cancelled) { // the grace of its child is over
        x.deadline = Instant::never();
        end_child_of_cancelled(*lane_of(x));
      } else
        bury(id, DeadLetterReason::expired, last_failure_of(*find(id)));
  }

  void end_grace(Lane& lane) {
    if (!lane.grace_end || *lane.grace_end > now)
      return;
    lane.grace_end.reset();
    const auto is_abandoned = options.after_grace == AfterGrace::abandon;
    tell(event::ChildOverdue{now, lane.incarnation, is_abandoned});
    if (!is_abandoned)
      return;
    taken.push_back(abandon_line(lane.incarnation));
    abandoned.push_back(lane.incarnation);
    lane.child = Child::none;
    put_off(lane, longest_wish(lane));
    take_all_back(lane);
  }

  /// The second child that is lost with a delivery alone is as good as crashed.
  bool is_blameless(const Lane& lane, input::ChildEnd end) {
    const auto list = in_flight(lane);
    const auto is_lost_again = !list.empty() && list.front()->is_suspect;
    return end == input::ChildEnd::withdrawn || (end == input::ChildEnd::lost && !is_lost_again);
  }

  /// What it did not answer goes alone from now on. It may have meant none of its errors.
  void lose(Lane& lane, const input::ChildDown& x) {
    for (auto* y : in_flight(lane))
      y->is_suspect |= std::none_of(lane.held.begin(), lane.held.end(), [&](const Held& z) {
        return z.delivery == y->id && !z.is_bounce;
      });
    const auto wish = longest_wish(lane);
    take_all_back(lane);
    put_off(lane, wish);
    tell(event::ChildDown{now, x.incarnation, x.cause, false});
  }

  void hang(Lane& lane) {
    if (holds_cancelled(lane))
      return end_child_of_cancelled(lane);
    const Cause cause{1, "no acknowledgement within " + to_string(*options.ack_timeout)};
    const auto list = in_flight(lane);
    auto silent = list; // nothing was heard of these
    std::erase_if(silent, [&](const Delivery* x) { return is_held(lane, x->id); });
    if (silent.empty())
      silent = list;
    const auto late = options.works_on == WorksOn::one ? silent.front() : list.front();
    tell(event::AckTimedOut{now, late->id, lane.incarnation});
    ++counters.hangs;
    taken.push_back(tell_to_end_line(lane.incarnation));
    lane.child = Child::leaving;
    lane.grace_end = now + options.kill_grace;
    auto culprit = culprit_among(silent, list.size() == 1);
    for (const auto& held : lane.held)
      if (held.delivery == culprit && !held.is_bounce)
        culprit = 0; // it may have been answered
    forget_held(culprit);
    const auto waits = alone(culprit, options.on_hang.reason);
    const auto fault = blame_of(lane, culprit, options.on_hang.blame); // which may end others
    // What was answered may still turn out to be meant.
    auto back = in_flight(lane);
    std::erase_if(back, [&](const Delivery* x) { return is_held(lane, x->id); });
    take_back(back);
    charge(lane, culprit, cause, options.on_hang, fault);
    fail_unless_fatal(lane, cause, options.on_hang.verdict, options.on_hang.reason, std::nullopt,
                      waits);
  }
};

} // namespace backoff_actor::model_test
