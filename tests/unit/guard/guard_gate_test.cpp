#include "backoff_actor/guard/internal/guard_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::guard_gate_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant at(Duration time) { return Instant{} + time; }

// Answers as it is set, numbers its permits, and writes down what it is asked and told.
class ScriptedGuard final : public GuardPort {
public:
  Admission admit(Instant, Call call) override {
    heard.push_back(call == Call::first ? "first?" : call == Call::retry ? "retry?" : "start?");
    if (held_back)
      return *held_back;
    return Permit{1, ++last_permit};
  }

  void succeeded(Permit permit, Instant) override { tell("succeeded", permit); }
  void failed(Permit permit, Instant) override { tell("failed", permit); }
  void forgotten(Permit permit, Instant) override { tell("forgotten", permit); }
  bool is_closed() const override { return closed; }

  void tell(const std::string& what, Permit permit) {
    heard.push_back(what + ' ' + std::to_string(permit.probe));
  }

  std::vector<std::string> take_heard() { return std::exchange(heard, {}); }

  std::optional<HeldBack> held_back{};
  std::vector<std::string> heard{};
  std::uint32_t last_permit = 0;
  bool closed = true;
};

class GuardGateTest : public testing::Test {
public:
  bool admits(Call call, Instant now) {
    return gate.admits(call, now, [&](const HeldBack& answer) { holds.push_back(answer.until); });
  }

  // Hands over what is in `slot`.
  void hand_over(GuardGate::Slot slot) {
    ASSERT_TRUE(admits(Call::first, at(0s)));
    gate.keep_permit(slot);
  }

  ScriptedGuard guard{};
  GuardGate gate{&guard, false};
  std::vector<Instant> holds{};
};

TEST_F(GuardGateTest, without_a_guard_everything_is_admitted) {
  GuardGate open{nullptr, false};

  EXPECT_TRUE(open.admits(Call::retry, at(0s), [](const HeldBack&) { FAIL(); }));
  EXPECT_FALSE(open.has_permit_in_hand());
  EXPECT_TRUE(open.is_closed());
  open.report(3, CallOutcome::failed, at(0s));
  open.report_failed_start(at(0s));
  open.retire(at(0s));
}

TEST_F(GuardGateTest, asks_once_for_a_permit_and_reports_its_outcome_once) {
  EXPECT_TRUE(admits(Call::first, at(0s)));
  EXPECT_TRUE(admits(Call::retry, at(0s))) << "the permit in hand will do";
  gate.keep_permit(5);
  EXPECT_FALSE(gate.has_permit_in_hand());
  EXPECT_THAT(guard.take_heard(), ElementsAre("first?"));

  gate.report(5, CallOutcome::succeeded, at(1s));
  gate.report(5, CallOutcome::failed, at(1s));
  gate.report(900, CallOutcome::failed, at(1s));

  EXPECT_THAT(guard.take_heard(), ElementsAre("succeeded 1"));
}

TEST_F(GuardGateTest, keeps_a_permit_for_each_slot) {
  hand_over(2);
  hand_over(0);
  guard.take_heard();

  gate.report(0, CallOutcome::failed, at(0s));
  gate.report(1, CallOutcome::failed, at(0s));
  gate.report(2, CallOutcome::forgotten, at(0s));

  EXPECT_THAT(guard.take_heard(), ElementsAre("failed 2", "forgotten 1"));
}

TEST_F(GuardGateTest, returns_a_permit_that_nothing_needs) {
  admits(Call::first, at(0s));
  gate.return_unused(at(0s));
  gate.return_unused(at(0s));

  EXPECT_THAT(guard.take_heard(), ElementsAre("first?", "forgotten 1"));
}

TEST_F(GuardGateTest, retires_with_all_its_permits_and_then_tells_nothing) {
  hand_over(1);
  hand_over(0);
  admits(Call::first, at(0s));
  guard.take_heard();

  gate.retire(at(0s));
  gate.report(1, CallOutcome::failed, at(0s));
  gate.report_failed_start(at(0s));

  EXPECT_THAT(guard.take_heard(), ElementsAre("forgotten 3", "forgotten 2", "forgotten 1"));
}

TEST_F(GuardGateTest, does_not_ask_while_everything_is_held_back) {
  guard.held_back = HeldBack{HeldBackBy::open_breaker, at(10s)};
  EXPECT_FALSE(admits(Call::first, at(4s)));
  EXPECT_FALSE(admits(Call::first, at(5s)));
  EXPECT_THAT(guard.take_heard(), ElementsAre("first?"));
  EXPECT_THAT(holds, ElementsAre(at(10s))) << "the hold is told of once";
  EXPECT_TRUE(gate.is_held_back());
  EXPECT_EQ(gate.next_due(), at(10s));

  EXPECT_EQ(gate.end_holds(at(10s - 1ns)), 0s);
  EXPECT_TRUE(gate.is_held_back());
  EXPECT_EQ(gate.end_holds(at(12s)), 8s) << "how long it has lasted";
  EXPECT_FALSE(gate.is_held_back());
  EXPECT_EQ(gate.end_holds(at(13s)), 0s);
  EXPECT_EQ(gate.next_due(), Instant::never());

  EXPECT_FALSE(admits(Call::first, at(12s)));
  EXPECT_THAT(guard.take_heard(), ElementsAre("first?")) << "the guard is asked again";
}

TEST_F(GuardGateTest, an_empty_budget_holds_back_retries_alone) {
  guard.held_back = HeldBack{HeldBackBy::retry_budget, at(10s)};
  EXPECT_FALSE(admits(Call::retry, at(0s)));
  EXPECT_FALSE(gate.is_held_back());
  EXPECT_TRUE(gate.retries_are_held_back());
  EXPECT_EQ(gate.next_due(), at(10s));
  guard.held_back.reset();
  guard.take_heard();

  EXPECT_FALSE(admits(Call::retry, at(1s)));
  EXPECT_THAT(guard.take_heard(), IsEmpty());
  EXPECT_TRUE(admits(Call::first, at(1s)));

  EXPECT_EQ(gate.end_holds(at(9s)), 0s);
  EXPECT_TRUE(gate.retries_are_held_back());
  EXPECT_EQ(gate.end_holds(at(10s)), 0s) << "first attempts went on";
  EXPECT_FALSE(gate.retries_are_held_back());
}

TEST_F(GuardGateTest, an_empty_budget_holds_back_everything_where_order_is_strict) {
  GuardGate strict{&guard, true};
  guard.held_back = HeldBack{HeldBackBy::retry_budget, at(10s)};

  EXPECT_FALSE(strict.admits(Call::retry, at(0s), [](const HeldBack&) {}));

  EXPECT_TRUE(strict.is_held_back());
  EXPECT_FALSE(strict.retries_are_held_back());
}

TEST_F(GuardGateTest, ends_all_holds_at_once) {
  guard.held_back = HeldBack{HeldBackBy::retry_budget, at(10s)};
  admits(Call::retry, at(0s));
  guard.held_back = HeldBack{HeldBackBy::isolated_breaker, Instant::never()};
  admits(Call::first, at(2s));
  EXPECT_FALSE(gate.is_idle());

  EXPECT_EQ(gate.end_all_holds(at(5s)), 3s);
  EXPECT_EQ(gate.end_all_holds(at(6s)), 0s);

  EXPECT_TRUE(gate.is_idle());
}

TEST_F(GuardGateTest, asks_at_a_random_time_after_the_guard_was_closed) {
  gate.shorten_hold(at(0s), 8s, 1, 1);
  EXPECT_EQ(gate.draws(), 0U) << "nothing was held back";
  guard.held_back = HeldBack{HeldBackBy::isolated_breaker, Instant::never()};
  admits(Call::first, at(0s));

  gate.shorten_hold(at(100s), 8s, 1, 1);

  const auto first = gate.held_back_until();
  EXPECT_GE(first, at(100s));
  EXPECT_LT(first, at(108s));
  EXPECT_EQ(gate.draws(), 1U);
  gate.shorten_hold(at(200s), 8s, 1, 1);
  EXPECT_EQ(gate.held_back_until(), first) << "it never waits longer";

  GuardGate other{&guard, false};
  other.admits(Call::first, at(0s), [](const HeldBack&) {});
  other.set_draws(1);
  other.shorten_hold(at(100s), 8s, 1, 1);
  EXPECT_NE(other.held_back_until(), first) << "another draw of the stream, another time";
}

TEST_F(GuardGateTest, a_failed_start_uses_the_permit_that_it_was_begun_with) {
  admits(Call::first, at(0s));
  gate.report_failed_start(at(1s));

  EXPECT_THAT(guard.take_heard(), ElementsAre("first?", "failed 1"));
}

TEST_F(GuardGateTest, a_failed_start_without_a_permit_is_news_only_to_a_closed_guard) {
  gate.report_failed_start(at(0s));
  EXPECT_THAT(guard.take_heard(), ElementsAre("start?", "failed 1"));

  guard.held_back = HeldBack{HeldBackBy::open_breaker, at(10s)};
  gate.report_failed_start(at(0s));
  EXPECT_THAT(guard.take_heard(), ElementsAre("start?")) << "no permit, no report";

  guard.closed = false;
  EXPECT_FALSE(gate.is_closed());
  gate.report_failed_start(at(0s));
  EXPECT_THAT(guard.take_heard(), IsEmpty());
}

} // namespace backoff_actor::guard_gate_test
