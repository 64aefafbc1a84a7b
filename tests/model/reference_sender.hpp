#pragma once

#include "backoff_actor/engine/sender_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// What a sender has to do, in the most obvious way: one list, searched from the front every time.
///
/// It shares no code with the engine but the backoff value, which has tests of its own. It speaks
/// of deliveries by their ids; `taken` collects what one input leads to, as text.
class ReferenceSender {
public:
  struct HandOver {
    HandOverId name; // as the engine called it
    std::uint32_t incarnation;
    std::uint32_t epoch;
  };

  struct Owed {
    std::uint64_t id;
    bool is_stored;
    std::vector<HandOver> hand_overs{};
    std::uint32_t attempts = 0;
    std::optional<std::uint64_t> held{}; // the code of an error that may turn out to be the answer
    bool held_is_bounce = false;
    std::uint32_t probes_before_held = 0;
  };

  ReferenceSender(RestartTiming restart, bool persist, ExponentialBackOff initial)
    : backoff(initial), restart_(restart), persist_(persist) {}

  std::vector<std::string> taken;

  // -- inputs -------------------------------------------------------------------

  void start() {
    if (incarnation == 0 && !is_stopped)
      start_child();
  }

  void submit() {
    if (is_stopped) {
      taken.emplace_back("refuse");
      return;
    }
    owed.push_back({++last_id, !persist_});
    taken.push_back("accept " + std::to_string(last_id));
    if (child == Child::none && !due)
      start_child();
    hand_over_what_can_be();
  }

  void persisted(std::uint64_t id) {
    if (auto* x = find(id))
      x->is_stored = true;
    hand_over_what_can_be();
  }

  void child_started(std::uint32_t which) {
    if (is_stopped) {
      taken.push_back("stop child " + std::to_string(which));
      return;
    }
    if (child != Child::starting || which != incarnation)
      return;
    child = Child::alive;
    hand_over_what_can_be();
  }

  void start_failed(Instant now, std::uint32_t which) {
    if (is_stopped || child != Child::starting || which != incarnation)
      return;
    child = Child::none;
    fail(now);
  }

  void child_down(Instant now, std::uint32_t which, std::uint64_t code) {
    if (is_stopped || child == Child::none || which != incarnation)
      return;
    child = Child::none;
    probe_out = 0;
    std::uint64_t culprit = 0;
    // What was said before the crash's own error was meant; all of it, if the child stopped normally.
    std::vector<Owed*> meant;
    for (auto* x : all_held()) {
      const auto is_the_crash = code != 0 && !x->held_is_bounce && *x->held == code;
      if (is_the_crash) {
        culprit = x->id;
        break;
      }
      meant.push_back(x);
    }
    if (code != 0 && culprit == 0)
      meant.clear();
    for (auto* x : meant)
      if (!x->held_is_bounce)
        reject_later_.insert(x->id);
    for (auto& x : owed)
      x.held.reset();
    reject_marked();
    if (culprit == 0 && handed_something && !owed.empty()
        && was_handed_to(owed.front(), incarnation))
      culprit = owed.front().id;
    if (auto* x = find(culprit))
      ++x->attempts;
    if (code == 0 && owed.empty()) {
      child_is_done = true;
      return;
    }
    fail(now);
    if (restart_ == RestartTiming::at_once && handed_something)
      start_child();
  }

  void acknowledged(HandOverId name) {
    if (is_stopped)
      return;
    auto* x = find(name);
    if (x == nullptr)
      return;
    const auto& last = x->hand_overs.back();
    const auto is_present = last.name == name && last.epoch == epoch;
    const auto id = x->id;
    taken.push_back("acknowledge " + std::to_string(id));
    erase(id);
    if (is_present)
      backoff = backoff.reset();
  }

  void error_answer(const input::ErrorAnswer& answer) {
    if (is_stopped)
      return;
    auto* x = find(answer.hand_over);
    if (x == nullptr || x->held || child != Child::alive)
      return;
    const auto& last = x->hand_overs.back();
    if (last.name != answer.hand_over || last.incarnation != incarnation)
      return;
    const auto id = x->id;
    x->held = answer.cause.code;
    x->held_is_bounce = answer.is_bounce;
    x->probes_before_held = probes_sent;
    held_order_.push_back(id);
    if (answer.is_settled) {
      reject_later_.insert(id);
      reject_marked();
    }
  }

  /// The engine sent a probe.
  void probe_sent(std::uint32_t number) {
    probes_sent = number;
    probe_out = number;
  }

  void child_alive(std::uint32_t which, std::uint32_t probe) {
    if (is_stopped || child != Child::alive || which != incarnation || probe_out == 0
        || probe != probe_out)
      return;
    probe_out = 0;
    for (auto* x : all_held())
      if (x->probes_before_held < probe)
        reject_later_.insert(x->id);
    reject_marked();
  }

  void wake(Instant now) {
    if (is_stopped || !due || now < *due)
      return;
    due.reset();
    if (child == Child::none && !(child_is_done && owed.empty()))
      start_child();
    hand_over_what_can_be();
  }

  void stop() {
    if (is_stopped)
      return;
    is_stopped = true;
    due.reset();
    if (child != Child::none)
      taken.push_back("stop child " + std::to_string(incarnation));
    child = Child::none;
    while (!owed.empty()) {
      taken.push_back("dead letter " + std::to_string(owed.front().id) + " stopped");
      erase(owed.front().id);
    }
  }

  // -- the engine's names for the hand-overs just made ----------------------------

  void named(std::uint64_t id, HandOverId name) { find(id)->hand_overs.back().name = name; }

  // -- state ----------------------------------------------------------------------

  enum class Child { none, starting, alive };

  bool any_held() const {
    for (const auto& x : owed)
      if (x.held)
        return true;
    return false;
  }

  Phase phase() const {
    if (is_stopped)
      return Phase::stopped;
    if (due)
      return Phase::waiting;
    return child == Child::alive ? Phase::running : Phase::starting;
  }

  std::vector<Owed> owed;
  std::map<std::uint64_t, std::uint32_t> attempts_of_ended; // by delivery
  std::uint64_t last_id = 0;
  Child child = Child::none;
  std::uint32_t incarnation = 0;
  bool handed_something = false;
  bool child_is_done = false;
  std::optional<Instant> due;
  std::uint32_t epoch = 0;
  ExponentialBackOff backoff;
  std::uint32_t probe_out = 0; // 0: none
  std::uint32_t probes_sent = 0;
  bool is_stopped = false;

private:
  void start_child() {
    child = Child::starting;
    handed_something = false;
    child_is_done = false;
    taken.push_back("start child " + std::to_string(++incarnation));
  }

  void fail(Instant now) {
    ++epoch;
    backoff = backoff.next();
    const auto end = now + backoff.wait_time();
    due = due ? std::max(*due, end) : end;
  }

  static bool was_handed_to(const Owed& x, std::uint32_t incarnation) {
    return !x.hand_overs.empty() && x.hand_overs.back().incarnation == incarnation;
  }

  void hand_over_what_can_be() {
    if (child != Child::alive || due)
      return;
    for (auto& x : owed) {
      if (was_handed_to(x, incarnation))
        continue;
      if (!x.is_stored)
        return;
      x.hand_overs.push_back({HandOverId{}, incarnation, epoch});
      handed_something = true;
      taken.push_back("hand over " + std::to_string(x.id));
    }
  }

  Owed* find(std::uint64_t id) {
    for (auto& x : owed)
      if (x.id == id)
        return &x;
    return nullptr;
  }

  Owed* find(HandOverId name) {
    for (auto& x : owed)
      for (const auto& hand_over : x.hand_overs)
        if (hand_over.name == name)
          return &x;
    return nullptr;
  }

  void erase(std::uint64_t id) {
    attempts_of_ended[id] = find(id)->attempts;
    std::erase_if(owed, [&](const Owed& x) { return x.id == id; });
  }

  // In the order in which the errors came.
  std::vector<Owed*> all_held() {
    std::vector<Owed*> result;
    std::set<std::uint64_t> seen;
    for (const auto id : held_order_)
      if (auto* x = find(id); x != nullptr && x->held && seen.insert(id).second)
        result.push_back(x);
    return result;
  }

  void reject_marked() {
    for (const auto id : std::vector<std::uint64_t>{held_order_})
      if (reject_later_.erase(id) > 0) {
        taken.push_back("dead letter " + std::to_string(id) + " rejected");
        ++find(id)->attempts;
        erase(id);
      }
    std::erase_if(held_order_, [&](std::uint64_t id) {
      const auto* x = find(id);
      return x == nullptr || !x->held;
    });
  }

  RestartTiming restart_;
  bool persist_;
  std::vector<std::uint64_t> held_order_;
  std::set<std::uint64_t> reject_later_;
};

} // namespace backoff_actor::model_test
