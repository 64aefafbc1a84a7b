#pragma once

#include "reference_forwarder_rules.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace backoff_actor::model_test {

/// A sender that delivers at most once, in the most obvious way: what waits is a list that is
/// searched. It shares nothing with the engine but the values of its options. This part takes the
/// inputs.
class ReferenceForwarder : public ReferenceForwarderRules {
public:
  using ReferenceForwarderRules::ReferenceForwarderRules;

  void step(Instant now, const Input& input) {
    now_ = now;
    taken.clear();
    std::visit([this](const auto& x) { is_stopped ? take_stopped(x) : take(x); }, input);
    if (!is_stopped)
      settle();
  }

private:
  template <class T>
  void take(const T&) {} // of what was passed on nothing is heard

  void take(const input::Start&) {
    if (!is_closing() && incarnation == 0 && options_.child_start == FirstStart::at_once)
      make_child();
  }

  void take(const input::Submit& x) {
    if (is_closing())
      return refuse(x.is_unusable ? "unusable" : "draining");
    be_well_if_so();
    const auto is_late = x.deadline <= now_;
    const auto nothing_there = !is_alive && !is_starting && !delay_end && !is_paused;
    if (x.is_unusable)
      return refuse("unusable");
    if (is_draining)
      return refuse("draining");
    if (x.is_final_stop && !is_late)
      return take_last();
    if (!is_late && is_open())
      return forward(++last_id_, false);
    if (is_late || nothing_there || options_.when_down == WhenDown::buffer)
      return keep(x);
    if (options_.when_down == WhenDown::refuse)
      return refuse("no_child");
    ++counters.diverted;
    say("divert");
  }

  void take(const input::ChildStarted& x) {
    if (x.incarnation != incarnation || (is_closing() && !is_alive))
      return say("stop " + number(x.incarnation));
    if (!is_starting)
      return;
    is_starting = false;
    is_alive = true;
    born = now_;
  }

  void take(const input::StartFailed& x) {
    if (x.incarnation != incarnation || !is_starting)
      return;
    is_starting = false;
    ++counters.failed_starts;
    fail(x.verdict);
  }

  void take(const input::ChildDown& x) {
    if (x.incarnation != incarnation || (!is_starting && !is_alive))
      return;
    if (ending) {
      is_alive = false;
      return;
    }
    if (!finishing)
      be_well_if_so();
    is_starting = is_alive = false;
    const auto is_crash = x.cause.is_error();
    if (ends_with_child_ || (!is_crash && options_.after_normal_stop == AfterNormalStop::end)) {
      say("end normally");
      return end(DeadLetterReason::stopped);
    }
    if (!is_crash && kept.empty() && options_.after_normal_stop == AfterNormalStop::rest) {
      is_resting = true;
      return;
    }
    ++counters.crashes;
    fail(x.decision.verdict);
    if (!is_stopped && !is_closing() && options_.restart == RestartTiming::at_once
        && was_given_something_)
      make_child();
  }

  void take(const input::Wake&) {
    for (;;) { // the one whose deadline is the earliest first, and of these the oldest
      const auto first =
        std::min_element(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
          return std::pair{a.deadline, a.id} < std::pair{b.deadline, b.id};
        });
      if (first == kept.end() || first->deadline > now_)
        break;
      bury(first - kept.begin(), DeadLetterReason::expired);
    }
    press_child();
    if (delay_end && *delay_end <= now_)
      end_delay();
    const auto is_over = [this](const input::Drain& x) { return x.deadline <= now_; };
    for (const auto& drain : drains)
      if (is_over(drain))
        say("drained " + number(drain.ticket) + " " + number(kept.size()));
    if (std::erase_if(drains, is_over) > 0)
      is_draining = !drains.empty();
  }

  void take(const input::RetryNow&) {
    if (delay_end)
      end_delay();
  }

  void take(const input::Reset&) {
    is_failing = false;
    backoff = backoff.reset();
    failures_.clear();
  }

  void take(const input::Pause&) { is_paused = true; }

  void take(const input::Resume&) {
    if (!is_paused && !is_draining)
      return;
    is_paused = is_draining = false;
    answer_drains(kept.size());
  }

  void take(const input::Drain& x) {
    is_draining = true;
    const auto later = std::find_if(drains.begin(), drains.end(),
                                    [&](const input::Drain& y) { return y.deadline > x.deadline; });
    drains.insert(later, x);
  }

  void take(const input::Stop& x) {
    begin_end(DeadLetterReason::stopped);
    if (x.is_timed)
      limit_end(now_ + options_.kill_grace);
  }

  void take(const input::Finish& x) {
    finish_by = std::min(finish_by, x.deadline);
    if (ending)
      return limit_end(finish_by);
    finishing = Finishing{x.ends || (finishing && finishing->ends), false};
    halt();
  }

  void take(const input::Kill&) { end(ending ? ending->reason : DeadLetterReason::stopped); }

  template <class T>
  void take_stopped(const T&) {}
  void take_stopped(const input::Submit&) { say("refuse stopped"); }
  void take_stopped(const input::ChildStarted& x) { say("stop " + number(x.incarnation)); }
  void take_stopped(const input::Drain& x) { say("drained " + number(x.ticket) + " 0"); }
};

} // namespace backoff_actor::model_test
