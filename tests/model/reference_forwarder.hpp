#pragma once

#include "backoff_actor/engine/sender/sender_engine_options.hpp"
#include "backoff_actor/engine/sender/sender_inputs.hpp"
#include "backoff_actor/observe/sender_status.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// A sender that delivers at most once, in the most obvious way: what waits is a list that is searched,
/// and nothing is shared with the engine but the values of its options. `step` returns what is to be done,
/// a line each, without the wake-ups.
class ReferenceForwarder {
public:
  using Lines = std::vector<std::string>;

  explicit ReferenceForwarder(const EngineOptions& options)
    : backoff(options.backoff), options_(options) {}

  Lines step(Instant now, const Input& input) {
    now_ = now;
    lines_.clear();
    std::visit([this](const auto& x) { is_stopped ? take_stopped(x) : take(x); }, input);
    if (!is_stopped)
      settle();
    return lines_;
  }

  /// When something is to be done by itself.
  Instant next_due() const {
    auto result = delay_end.value_or(Instant::never());
    for (const auto& x : kept)
      result = std::min(result, x.deadline);
    for (const auto& x : drains)
      result = std::min(result, x.deadline);
    if (ending)
      result = std::min(result, ending->patience_until);
    return result;
  }

  bool is_well() const {
    return (is_failing || backoff.is_started()) && is_alive && !delay_end
           && now_ - std::max(born, last_delay_end) >= options_.healthy_after;
  }

  struct Kept {
    std::uint64_t id;
    Instant deadline;
  };

  /// It was told to end, or has given up, and waits for its child.
  struct Ending {
    DeadLetterReason reason;
    Instant patience_until = Instant::never();
    bool is_pressing = false; // the child's time was over once
  };

  std::optional<Ending> ending{};
  std::vector<Kept> kept{};
  std::vector<input::Drain> drains{};
  std::optional<Instant> delay_end{};
  BackOff backoff;
  std::uint32_t incarnation = 0;
  bool is_starting = false;
  bool is_alive = false;
  bool is_resting = false; // after a normal stop
  bool is_failing = false;
  bool is_paused = false;
  bool is_draining = false;
  bool is_stopped = false;
  SenderCounters counters{};

private:
  void say(std::string line) { lines_.push_back(std::move(line)); }
  static std::string number(std::uint64_t n) { return std::to_string(n); }

  // -- what comes ------------------------------------------------------------------------

  template <class T>
  void take(const T&) {} // of what was passed on nothing is heard

  void take(const input::Start&) {
    if (!ending && incarnation == 0 && options_.child_start == FirstStart::at_once)
      make_child();
  }

  void take(const input::Submit& x) {
    if (ending)
      return refuse("draining");
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
    if (x.incarnation != incarnation || (ending && !is_alive))
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
    fail(x.verdict);
    if (!is_stopped && !ending && options_.restart == RestartTiming::at_once
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
      limit_end();
  }

  void take(const input::Kill&) { end(ending ? ending->reason : DeadLetterReason::stopped); }

  template <class T>
  void take_stopped(const T&) {}
  void take_stopped(const input::Submit&) { say("refuse stopped"); }
  void take_stopped(const input::ChildStarted& x) { say("stop " + number(x.incarnation)); }
  void take_stopped(const input::Drain& x) { say("drained " + number(x.ticket) + " 0"); }

  // -- what follows ----------------------------------------------------------------------

  bool is_open() const { return is_alive && !delay_end && !is_paused; }

  // After each input: what waits goes on, if it can.
  void settle() {
    if (ending && !is_alive)
      return end(ending->reason);
    if (ending) {
      if (is_draining && kept.empty())
        answer_drains(0);
      return;
    }
    const auto drop_late = [this] {
      while (!kept.empty() && kept.front().deadline <= now_)
        bury(0, DeadLetterReason::expired);
    };
    if (!is_paused && !is_alive && !is_starting && !delay_end) {
      drop_late();
      if (!kept.empty())
        make_child();
    }
    while (is_open()) {
      drop_late();
      if (kept.empty())
        break;
      const auto id = kept.front().id;
      kept.erase(kept.begin());
      forward(id, false);
    }
    if (is_draining && kept.empty())
      answer_drains(0);
  }

  void take_last() {
    if (!is_alive) {
      accept(Instant::never());
      say("end normally");
      return end(DeadLetterReason::stopped);
    }
    while (!kept.empty()) {
      if (kept.front().deadline <= now_) {
        bury(0, DeadLetterReason::expired);
        continue;
      }
      const auto id = kept.front().id;
      kept.erase(kept.begin());
      forward(id, false);
    }
    ends_with_child_ = true;
    forward(++last_id_, true);
  }

  void keep(const input::Submit& x) {
    const auto is_late = x.deadline <= now_;
    const auto is_full = kept.size() >= options_.capacity;
    const auto makes_room = options_.overflow == Overflow::drop_oldest && !is_late;
    if (is_full && options_.overflow == Overflow::refuse)
      return refuse("outbox_full");
    if (is_full && makes_room)
      bury(0, DeadLetterReason::dropped);
    accept(x.deadline);
    if (is_late)
      bury(static_cast<std::ptrdiff_t>(kept.size()) - 1, DeadLetterReason::expired);
    else if (is_full && !makes_room)
      bury(static_cast<std::ptrdiff_t>(kept.size()) - 1, DeadLetterReason::dropped);
  }

  void accept(Instant deadline) {
    kept.push_back({++last_id_, deadline});
    ++counters.accepted;
    say("accept " + number(last_id_));
  }

  void refuse(const std::string& why) {
    ++counters.refused;
    say("refuse " + why);
  }

  void forward(std::uint64_t id, bool is_last) {
    was_given_something_ = true;
    ++counters.forwarded;
    say("forward " + number(id) + " to " + number(incarnation) + (is_last ? " last" : ""));
  }

  void bury(std::ptrdiff_t index, DeadLetterReason reason) {
    ++counters.dead_lettered;
    say("dead letter " + number(kept[static_cast<std::size_t>(index)].id) + " "
        + std::string{to_string(reason)});
    kept.erase(kept.begin() + index);
  }

  void make_child() {
    ++incarnation;
    is_starting = true;
    is_resting = was_given_something_ = false;
    say("start " + number(incarnation));
  }

  void end_delay() {
    last_delay_end = std::min(*delay_end, now_);
    delay_end.reset();
    if (!is_alive && !is_starting && (!is_resting || !kept.empty()))
      make_child();
  }

  void be_well_if_so() {
    if (!is_well())
      return;
    is_failing = false;
    backoff = backoff.reset();
  }

  void fail(Verdict verdict) {
    if (verdict == Verdict::give_up || verdict == Verdict::escalate)
      return give_up(verdict == Verdict::escalate ? "escalate" : "give up");
    if (!is_failing)
      first_failure_ = now_;
    is_failing = true;
    backoff = backoff.next();
    delay_end = std::max(delay_end.value_or(Instant{}), now_ + backoff.wait_time());
    failures_.push_back(now_);
    const auto is_often = options_.restart_limit
                          && std::count_if(failures_.begin(), failures_.end(), [this](Instant at) {
                               return now_ - at < options_.restart_limit->within;
                             }) > static_cast<std::ptrdiff_t>(options_.restart_limit->max_restarts);
    if (is_often || (options_.max_elapsed && *delay_end - first_failure_ > *options_.max_elapsed))
      give_up("give up");
  }

  void give_up(const std::string& how) {
    say(how);
    begin_end(DeadLetterReason::gave_up);
  }

  void begin_end(DeadLetterReason reason) {
    if (ending)
      return;
    ending = Ending{reason};
    delay_end.reset();
    if (is_alive)
      say("ask " + number(incarnation));
    if (std::exchange(is_starting, false))
      say("stop " + number(incarnation));
  }

  void limit_end() {
    if (!ending->is_pressing)
      ending->patience_until = std::min(ending->patience_until, now_ + options_.kill_grace);
  }

  void press_child() {
    if (!ending || !is_alive || ending->patience_until > now_)
      return;
    say((ending->is_pressing ? "abandon " : "tell ") + number(incarnation));
    if (ending->is_pressing)
      is_alive = false;
    ending->patience_until = now_ + options_.kill_grace;
    ending->is_pressing = true;
  }

  void end(DeadLetterReason reason) {
    if (is_alive || is_starting)
      say("stop " + number(incarnation));
    is_stopped = true;
    while (!kept.empty())
      bury(0, reason);
    answer_drains(0);
  }

  void answer_drains(std::size_t left) {
    for (const auto& drain : drains)
      say("drained " + number(drain.ticket) + " " + number(left));
    drains.clear();
  }

  const EngineOptions& options_;
  Instant now_{};
  Lines lines_{};
  Instant born{};
  Instant last_delay_end{};
  Instant first_failure_{};
  std::vector<Instant> failures_{};
  std::uint64_t last_id_ = 0;
  bool was_given_something_ = false;
  bool ends_with_child_ = false;
};

} // namespace backoff_actor::model_test
