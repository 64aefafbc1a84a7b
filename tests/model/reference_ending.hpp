#pragma once

#include "reference_state.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace backoff_actor::model_test {

/// How a sender ends: the part of the reference sender that asks children to end, waits for them,
/// and gives up what is owed.
class ReferenceEnding : public ReferenceState {
public:
  using ReferenceState::ReferenceState;

  void operator()(const input::Finish& x) {
    if (is_stopped)
      return;
    finish_by = std::min(finish_by, x.deadline);
    if (ending)
      return limit_end(finish_by);
    const auto is_first = !finishing;
    finishing = Finishing{x.ends || (finishing && finishing->ends), false};
    if (!is_first)
      return;
    for (auto* lane : lanes())
      halt(*lane);
    std::uint32_t in_flight = 0;
    for (const auto& delivery : deliveries)
      in_flight += delivery.is_owed && delivery.is_in_flight ? 1U : 0U;
    if (!is_finished())
      tell(event::Finishing{now, in_flight, finish_by});
  }

  void operator()(const input::Stop& x) {
    if (is_stopped)
      return;
    begin_end(DeadLetterReason::stopped, primary.last_failure);
    if (x.is_timed)
      limit_end(now + options.kill_grace);
  }

  void operator()(const input::Kill&) {
    if (is_stopped)
      return;
    if (!ending)
      ending = Ending{DeadLetterReason::stopped, primary.last_failure};
    end();
  }

protected:
  /// `holder`: the delivery for which the error is held that ends it.
  void give_up(bool escalates, std::uint64_t holder, const Cause& cause) {
    if (is_closing())
      return;
    tell(event::GaveUp{now, cause});
    taken.push_back(quit_line(escalates, holder));
    begin_end(DeadLetterReason::gave_up, cause);
    limit_end(now + options.kill_grace);
  }

  void begin_end(DeadLetterReason reason, std::optional<Cause> cause) {
    if (ending)
      return;
    finishing.reset();
    ending = Ending{reason, std::move(cause)};
    for (auto* lane : lanes()) {
      if (lane->child == Child::alive)
        taken.push_back(ask_to_end_line(lane->incarnation));
      halt(*lane);
    }
    limit_end(finish_by);
    if (finish_by <= now)
      press_children();
  }

  void halt(Lane& lane) {
    lane.due.reset();
    if (lane.child != Child::starting)
      return;
    taken.push_back(stop_line(lane.incarnation));
    lane.child = Child::none;
  }

  void limit_end(Instant at) {
    if (!ending->is_pressing)
      ending->patience_until = std::min(ending->patience_until, at);
  }

  void end_finishing() {
    begin_end(DeadLetterReason::stopped, primary.last_failure);
    limit_end(now + options.kill_grace);
  }

  void go_on_finishing() {
    if (!finishing || !is_finished())
      return;
    if (finishing->ends)
      end_finishing();
    else if (!std::exchange(finishing->is_told, true))
      taken.emplace_back(finished_line);
  }

  void press_children() {
    if (!ending || ending->patience_until > now)
      return;
    for (auto* lane : lanes()) {
      if (lane->child == Child::none)
        continue;
      tell(event::ChildOverdue{now, lane->incarnation, ending->is_pressing});
      if (ending->is_pressing) {
        taken.push_back(abandon_line(lane->incarnation));
        lane->child = Child::none;
        lane->grace_end.reset();
      } else {
        taken.push_back(tell_to_end_line(lane->incarnation));
      }
    }
    ending->patience_until = ending->is_pressing ? Instant::never() : now + options.kill_grace;
    ending->is_pressing = true;
  }

  void end_if_nobody_is_left() {
    const auto all = lanes();
    if (std::all_of(all.begin(), all.end(),
                    [](const Lane* lane) { return lane->child == Child::none; }))
      end();
  }

  void end() {
    const auto& [reason, given, patience, is_pressing] = *ending;
    const auto* cause = given ? &*given : nullptr;
    for (auto* lane : lanes())
      if (lane->child != Child::none)
        taken.push_back(is_pressing ? abandon_line(lane->incarnation)
                                    : stop_line(lane->incarnation));
    for (const auto id : owed())
      if (find(id)->is_cancelled)
        end_cancelled(id);
      else if (!options.persist || !(find(id)->is_stored || find(id)->has_source))
        bury(id, reason, last_failure_of(*find(id), cause));
      else if (reason == DeadLetterReason::gave_up && is_exhausted(*find(id)))
        bury(id, DeadLetterReason::attempts_exhausted, // the next would give up for it too
             last_failure_of(*find(id), cause));
      else
        leave_to_the_store(id);
    answer_drains();
    tell(event::SenderStopped{now});
    is_stopped = true;
  }

  /// Behind those that end no later.
  void open(const Drain& drain) {
    const auto later = std::find_if(drains.begin(), drains.end(),
                                    [&](const Drain& x) { return x.deadline > drain.deadline; });
    drains.insert(later, drain);
  }

  void answer_drains() {
    if (drains.empty())
      return;
    for (const auto& drain : drains)
      taken.push_back(drained_line(drain.ticket, owed().size()));
    drains.clear();
    tell(event::Drained{now, owed().size()});
  }

  void end_drains() {
    const auto left = owed().size();
    const auto had_any = !drains.empty();
    for (const auto& drain : drains)
      if (drain.deadline <= now) {
        taken.push_back(drained_line(drain.ticket, left));
        tell(event::Drained{now, left});
      }
    std::erase_if(drains, [&](const Drain& x) { return x.deadline <= now; });
    if (had_any && drains.empty())
      is_draining = false;
  }
};

} // namespace backoff_actor::model_test
