#pragma once

#include "backoff_actor/engine/sender/sender_engine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::engine_test {

/// What was asked for, one line an effect, with deliveries in place of slots.
using Lines = std::vector<std::string>;

/// What a message brings of its own.
inline std::shared_ptr<const input::OwnTerms> own(OwnRetries retries) {
  return std::make_shared<const input::OwnTerms>(
    input::OwnTerms{std::make_shared<const OwnRetries>(std::move(retries))});
}
inline std::shared_ptr<const input::OwnTerms> own_with_note() {
  input::OwnTerms result;
  result.has_note = true;
  return std::make_shared<const input::OwnTerms>(std::move(result));
}
inline std::shared_ptr<const input::OwnTerms> own(Instant not_before) {
  return std::make_shared<const input::OwnTerms>(input::OwnTerms{nullptr, not_before});
}

/// Drives an engine by hand. Its waits, by the choice of the seed, are 10, 30, 70, 150, 310, 630
/// and 1270 ms.
class EngineDriver {
public:
  explicit EngineDriver(EngineOptions options = {}, std::uint64_t stream = 0) {
    options.backoff = BackOff{{}, 72451, stream};
    engine =
      std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(std::move(options)));
  }

  /// Starts the engine with a living child.
  void start() {
    take(input::Start{});
    take(input::ChildStarted{1});
  }

  Lines take(const Input& input) {
    Effects effects;
    engine->step(now, input, effects);
    Lines lines;
    for (const auto& effect : effects)
      lines.push_back(std::visit([&](const auto& x) { return describe(x); }, effect));
    return lines;
  }

  Lines submit() { return take(input::Submit{}); }
  Lines submit_within(Duration time_to_live) { return take(input::Submit{now + time_to_live}); }

  /// The last hand-over of a delivery is refused for now, or for good, or still worked on.
  Lines nack(std::uint64_t delivery, std::optional<Duration> retry_after = {}) {
    return take(input::Nacked{hand_overs.at(delivery).back(), {7, "busy"}, retry_after});
  }
  Lines reject(std::uint64_t delivery) {
    return take(input::Rejected{hand_overs.at(delivery).back(), {8, "never"}});
  }
  Lines working(std::uint64_t delivery, std::string note = {}) {
    const auto last = hand_overs.at(delivery).back();
    return take(input::Working{last, last.value, std::move(note)});
  }

  /// A delivery that was accepted here is cancelled.
  Lines cancel(std::uint64_t delivery, bool wants_letter = false) {
    for (const auto& [slot, id] : delivery_in_)
      if (id == delivery)
        return take(input::Cancel{slot, delivery, wants_letter});
    return {};
  }

  /// It is stored what becomes of a cancelled delivery.
  Lines cancel_stored(std::uint64_t delivery) {
    return take(input::CancelStored{slot_of(delivery), delivery});
  }

  /// A delivery that was accepted here gets another payload, and the store says what it has.
  Lines replace(std::uint64_t delivery, std::uint32_t weight = 0) {
    return take(input::Replace{slot_of(delivery), delivery, weight});
  }
  Lines replaced(std::uint64_t delivery, bool is_new = true, std::uint32_t weight = 0) {
    return take(input::Replaced{slot_of(delivery), delivery, weight, is_new});
  }

  /// The last hand-over of a delivery is acknowledged.
  Lines ack(std::uint64_t delivery) { return ack(hand_overs.at(delivery).back()); }
  Lines ack(HandOverId id) {
    in_flight_.erase(delivery_in_[id.slot()]);
    return take(input::Acknowledged{id});
  }

  /// The last hand-over of a delivery is answered with an error.
  Lines error(std::uint64_t delivery, std::uint64_t code, bool is_bounce = false,
              Decision decision = Verdict::reject) {
    return take(
      input::ErrorAnswer{hand_overs.at(delivery).back(), {code, "e"}, is_bounce, false, decision});
  }

  Lines crash(std::uint64_t code = 7) {
    in_flight_.clear();
    return take(input::ChildDown{engine->incarnation(), {code, "crash"}});
  }

  /// A crash, a new child, and the end of the delay, `wait` later.
  Lines crash_and_resend(Duration wait) {
    crash();
    child_started();
    return wake_after(wait);
  }

  /// A certain child went down as it was told to.
  Lines down(std::uint32_t incarnation) {
    return take(input::ChildDown{incarnation, {9, "told to"}});
  }

  /// The process of a certain child has failed, or takes it away.
  Lines lost(std::uint32_t incarnation) { return gone(incarnation, input::ChildEnd::lost); }
  Lines withdrawn(std::uint32_t incarnation) {
    return gone(incarnation, input::ChildEnd::withdrawn);
  }

  Lines stop_normally() { return take(input::ChildDown{engine->incarnation(), {}}); }

  Lines child_started() { return take(input::ChildStarted{engine->incarnation()}); }

  /// Moves the clock on and gives a wake-up.
  Lines wake_after(Duration span) {
    now = now + span;
    return take(input::Wake{});
  }

  /// Whether a child has been given the delivery and nothing came back.
  bool in_flight(std::uint64_t delivery) const { return in_flight_.count(delivery) != 0; }

  Instant now{};
  std::unique_ptr<SenderEngine> engine;
  std::map<std::uint64_t, std::vector<HandOverId>> hand_overs; // by delivery
  std::vector<effect::Suspend> suspended;

private:
  Lines gone(std::uint32_t incarnation, input::ChildEnd end) {
    return take(input::ChildDown{incarnation, {11, "gone"}, Verdict::retry, end});
  }

  std::string name(std::uint32_t slot) const { return std::to_string(delivery_in_.at(slot)); }

  std::uint32_t slot_of(std::uint64_t delivery) const {
    for (const auto& [slot, id] : delivery_in_)
      if (id == delivery)
        return slot;
    ADD_FAILURE() << "no delivery " << delivery;
    return 0;
  }

  std::string describe(const effect::Accept& x) {
    delivery_in_[x.slot] = x.delivery;
    return "accept " + std::to_string(x.delivery);
  }
  std::string describe(const effect::Refuse& x) {
    switch (x.reason) {
    case Refusal::stopped:
      return "refuse: stopped";
    case Refusal::unusable:
      return "refuse: unusable";
    case Refusal::draining:
      return "refuse: draining";
    case Refusal::not_stored: // ends what was taken in
    case Refusal::not_owner:  // no engine refuses so
    case Refusal::outbox_full:
      break;
    }
    return "refuse: full";
  }
  std::string describe(const effect::Persist& x) { return "persist " + name(x.slot); }
  std::string describe(const effect::Confirm& x) { return "confirm " + std::to_string(x.delivery); }
  std::string describe(const effect::CountAttempts& x) {
    return "count " + std::to_string(x.attempts) + " of " + std::to_string(x.delivery);
  }
  std::string describe(const effect::Join& x) {
    return "join " + name(x.slot) + (x.until_stored ? " until it is stored" : "");
  }
  std::string describe(const effect::GiveBack& x) {
    return "give back " + std::to_string(x.delivery);
  }
  std::string describe(const effect::Suspend& x) {
    suspended.push_back(x);
    return "suspend " + std::to_string(x.delivery);
  }
  std::string describe(const effect::StartChild& x) {
    const auto is_fallback = x.worker == 0 && x.kind == EngineOptions::kind_of_fallback;
    return (is_fallback ? "start fallback " : "start child ") + std::to_string(x.incarnation);
  }
  std::string describe(const effect::AskToEnd& x) {
    return "ask to end " + std::to_string(x.incarnation);
  }
  std::string describe(const effect::TellToEnd& x) {
    return "tell to end " + std::to_string(x.incarnation);
  }
  std::string describe(const effect::Abandon& x) {
    return "abandon " + std::to_string(x.incarnation);
  }
  std::string describe(const effect::StopChild& x) {
    return "stop child " + std::to_string(x.incarnation);
  }
  std::string describe(const effect::HandOver& x) {
    EXPECT_EQ(x.delivery, delivery_in_.at(x.slot));
    hand_overs[delivery_in_.at(x.slot)].push_back(x.hand_over);
    in_flight_.insert(delivery_in_.at(x.slot));
    return "hand over " + name(x.slot)
           + (x.incarnation == engine->incarnation() ? "" : " to " + std::to_string(x.incarnation));
  }
  std::string describe(const effect::Probe& x) { return "probe " + std::to_string(x.probe); }
  std::string describe(const effect::HoldAnswer& x) { return "hold " + name(x.slot); }
  std::string describe(const effect::Acknowledge& x) { return "acknowledge " + name(x.slot); }
  std::string describe(const effect::DeadLetter& x) {
    return "dead letter " + name(x.slot) + " " + std::string{to_string(x.reason)};
  }
  std::string describe(const effect::Cancelled& x) { return "cancelled " + name(x.slot); }
  std::string describe(const effect::TellCancelled& x) {
    EXPECT_EQ(x.hand_over, hand_overs.at(delivery_in_.at(x.slot)).back());
    return "tell " + std::to_string(x.incarnation) + " that " + name(x.slot) + " is cancelled"
           + (x.wants_letter ? ", letter" : "");
  }
  std::string describe(const effect::Replace& x) {
    EXPECT_EQ(delivery_in_.at(x.slot), x.delivery);
    return "replace " + name(x.slot);
  }
  std::string describe(const effect::KeepNote& x) {
    EXPECT_EQ(x.delivery, delivery_in_.at(x.slot));
    return "keep note of " + name(x.slot);
  }
  std::string describe(const effect::Drained& x) {
    return "drained " + std::to_string(x.ticket) + ", " + std::to_string(x.left) + " left";
  }
  std::string describe(const effect::Quit& x) { return x.escalates ? "escalate" : "give up"; }
  std::string describe(const effect::Finished&) { return "finished"; }
  std::string describe(const effect::HookFailed& x) { return "hook failed: " + x.text; }
  std::string describe(const effect::WakeAt& x) {
    return "wake at " + to_string(x.at.since_origin);
  }

  std::map<std::uint32_t, std::uint64_t> delivery_in_; // by slot
  std::set<std::uint64_t> in_flight_;
};

} // namespace backoff_actor::engine_test
