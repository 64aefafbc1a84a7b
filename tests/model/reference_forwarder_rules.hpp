#pragma once

#include "backoff_actor/engine/sender/sender_engine_options.hpp"
#include "backoff_actor/engine/sender/sender_inputs.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "lines.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// What the reference forwarder keeps, and what follows from an input: who is given a message, when
/// a child is made, and how the sender fails and ends.
class ReferenceForwarderRules {
public:
  explicit ReferenceForwarderRules(const EngineOptions& options)
    : backoff(options.backoff), options_(options) {}

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

  /// It was told to end, or to wait until it is told so; nothing it has passed on is awaited.
  struct Finishing {
    bool ends;
    bool is_told; // that it has finished
  };

  bool is_closing() const { return finishing || ending; }

  std::optional<Finishing> finishing{};
  std::optional<Ending> ending{};
  Instant finish_by = Instant::never();
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

  Lines taken; // effects, without the wake-ups
  Lines told;  // nothing: events are not foretold

protected:
  void say(std::string line) { taken.push_back(std::move(line)); }

  // -- what follows ----------------------------------------------------------------------

  bool is_open() const { return is_alive && !delay_end && !is_paused; }

  // After each input: what waits goes on, if it can.
  void settle() {
    if (finishing && finishing->ends) {
      begin_end(DeadLetterReason::stopped);
      limit_end(now_ + options_.kill_grace);
    } else if (finishing && !std::exchange(finishing->is_told, true)) {
      say("finished");
    }
    if (ending && !is_alive)
      return end(ending->reason);
    if (is_closing()) {
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
    if (finishing)
      return; // nothing is tried again
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
    finishing.reset();
    ending = Ending{reason};
    if (is_alive)
      say("ask " + number(incarnation));
    halt();
    limit_end(finish_by);
    press_child();
  }

  void halt() {
    delay_end.reset();
    if (std::exchange(is_starting, false))
      say("stop " + number(incarnation));
  }

  void limit_end(Instant at) {
    if (!ending->is_pressing)
      ending->patience_until = std::min(ending->patience_until, at);
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
      say((ending && ending->is_pressing ? "abandon " : "stop ") + number(incarnation));
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

  EngineOptions options_;
  Instant now_{};
  Instant born{};
  Instant last_delay_end{};
  Instant first_failure_{};
  std::vector<Instant> failures_{};
  std::uint64_t last_id_ = 0;
  bool was_given_something_ = false;
  bool ends_with_child_ = false;
};

} // namespace backoff_actor::model_test
