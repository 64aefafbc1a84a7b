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
  std::uint64_t answers() const override { return answered; }

  void tell(const std::string& what, Permit permit) {
    heard.push_back(what + ' ' + std::to_string(permit.probe));
  }

  std::vector<std::string> take_heard() { return std::exchange(heard, {}); }

  std::optional<HeldBack> held_back{};
  std::vector<std::string> heard{};
  std::uint32_t last_permit = 0;
  std::uint64_t answered = 0;
  bool closed = true;
};

class GuardGateTest : public ::testing::Test {
public:
  bool admits(Call call, Instant now, double cost = 1) {
    return gate.admits(
      call, now,
      [&](const HeldBack& answer, bool goes_on) {
        holds.push_back(answer.until);
        went_on.push_back(goes_on);
      },
      cost);
  }

  // Hands over what is in `slot`.
  void hand_over(GuardGate::Slot slot) {
    ASSERT_TRUE(admits(Call::first, at(0s)));
    gate.keep_permit(slot);
  }

  ScriptedGuard guard{};
  GuardGate gate{&guard, false};
  std::vector<Instant> holds{};
  std::vector<bool> went_on{}; // each of them
};

TEST_F(GuardGateTest, without_a_guard_everything_is_admitted) {
  GuardGate open{nullptr, false};

  EXPECT_TRUE(open.admits(Call::retry, at(0s), [](const HeldBack&, bool) { FAIL(); }));
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

  EXPECT_FALSE(strict.admits(Call::retry, at(0s), [](const HeldBack&, bool) {}));

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
  other.admits(Call::first, at(0s), [](const HeldBack&, bool) {});
  other.set_draws(1);
  other.shorten_hold(at(100s), 8s, 1, 1);
  EXPECT_NE(other.held_back_until(), first) << "another draw of the stream, another time";
}

// -- the rate -------------------------------------------------------------------------------

TEST_F(GuardGateTest, a_rate_holds_back_everything_until_its_turn) {
  guard.held_back = HeldBack{HeldBackBy::rate, at(10s)};
  EXPECT_FALSE(admits(Call::retry, at(4s)));
  guard.held_back.reset();
  guard.take_heard();

  EXPECT_FALSE(admits(Call::first, at(5s)));
  EXPECT_THAT(guard.take_heard(), IsEmpty());
  EXPECT_EQ(gate.held_back_by(), HeldBackBy::rate);
  EXPECT_EQ(gate.end_holds(at(10s)), 6s);
  EXPECT_TRUE(admits(Call::first, at(10s)));
}

TEST_F(GuardGateTest, no_hand_ends_or_shortens_a_hold_by_the_rate) {
  guard.held_back = HeldBack{HeldBackBy::rate, at(10s)};
  admits(Call::first, at(0s));

  EXPECT_EQ(gate.end_holds_by_hand(at(5s)), 0s);
  gate.shorten_hold(at(5s), 1s, 1, 1);

  EXPECT_TRUE(gate.is_held_back());
  EXPECT_EQ(gate.held_back_until(), at(10s));
  EXPECT_EQ(gate.draws(), 0U);
  EXPECT_EQ(gate.end_all_holds(at(6s)), 6s) << "the end of the sender";
  EXPECT_FALSE(gate.is_held_back());
}

TEST_F(GuardGateTest, a_hand_ends_every_other_hold) {
  guard.held_back = HeldBack{HeldBackBy::retry_budget, at(10s)};
  admits(Call::retry, at(0s));
  guard.held_back = HeldBack{HeldBackBy::rate, at(20s)};
  admits(Call::first, at(0s));
  EXPECT_EQ(gate.end_holds_by_hand(at(1s)), 0s);
  EXPECT_FALSE(gate.retries_are_held_back()) << "beside the hold by the rate";
  gate.end_holds(at(20s));

  guard.held_back = HeldBack{HeldBackBy::isolated_breaker, Instant::never()};
  admits(Call::first, at(22s));
  EXPECT_EQ(gate.end_holds_by_hand(at(25s)), 3s);
  EXPECT_TRUE(gate.is_idle());
}

TEST_F(GuardGateTest, holds_by_the_rate_go_on_if_less_than_a_second_is_between_them) {
  const auto hold = [&](HeldBackBy reason, Duration from, Duration until) {
    guard.held_back = HeldBack{reason, at(until)};
    admits(Call::first, at(from));
    gate.end_holds(at(until));
  };
  hold(HeldBackBy::rate, 0s, 5s);
  hold(HeldBackBy::rate, 6s - 1ns, 7s);
  hold(HeldBackBy::rate, 8s, 9s);
  hold(HeldBackBy::open_breaker, 9s, 10s);
  hold(HeldBackBy::rate, 10s, 11s);

  EXPECT_THAT(went_on, ElementsAre(false, true, false, false, false));
}

TEST_F(GuardGateTest, remembers_while_the_sender_is_idle_when_the_rate_held_it_back) {
  EXPECT_EQ(gate.last_second_of_rate(), 0U);
  guard.held_back = HeldBack{HeldBackBy::rate, at(4100ms)};
  admits(Call::first, at(4s));
  gate.end_holds(at(4100ms));
  EXPECT_EQ(gate.last_second_of_rate(), 5U) << "rounded up";

  for (const auto& [begin, goes_on] : {std::pair{5999ms, true}, std::pair{6000ms, false}}) {
    GuardGate later{&guard, false};
    later.set_last_second_of_rate(5);
    later.admits(Call::first, at(begin), [&, goes_on = goes_on](const HeldBack&, bool goes_on_now) {
      EXPECT_EQ(goes_on_now, goes_on);
    });
  }
  guard.held_back = HeldBack{HeldBackBy::open_breaker, at(7s)};
  admits(Call::first, at(6s));
  EXPECT_EQ(gate.last_second_of_rate(), 0U) << "it was a breaker";
}

TEST_F(GuardGateTest, has_nothing_to_remember_of_a_rate_that_never_held_it_back) {
  GuardGate other{&guard, false};
  other.set_last_second_of_rate(0);
  guard.held_back = HeldBack{HeldBackBy::rate, at(1s)};
  other.admits(Call::first, at(0s), [](const HeldBack&, bool goes_on) { EXPECT_FALSE(goes_on); });
}

// -- what others made of it -----------------------------------------------------------------

TEST_F(GuardGateTest, the_answers_of_others_are_all_but_those_that_it_reported) {
  guard.answered = 5;
  EXPECT_EQ(gate.answers_of_others(), 5u);
  hand_over(1);
  gate.report(1, CallOutcome::succeeded, at(1s));
  guard.answered = 6;
  EXPECT_EQ(gate.answers_of_others(), 5u);
  guard.answered = 0; // one that does not count
  EXPECT_EQ(gate.answers_of_others(), 0u);

  gate.retire(at(2s));
  guard.answered = 9;
  EXPECT_EQ(gate.answers_of_others(), 0u);
}

// -- starts ---------------------------------------------------------------------------------

TEST_F(GuardGateTest, a_call_is_made_with_a_permit_of_its_moment_and_not_with_that_of_a_start) {
  EXPECT_TRUE(admits(Call::start, at(0s)));
  EXPECT_TRUE(admits(Call::start, at(1s))) << "the permit in hand will do";
  EXPECT_TRUE(gate.has_permit_to_start());
  EXPECT_TRUE(admits(Call::first, at(2s)));
  EXPECT_FALSE(gate.has_permit_to_start());
  EXPECT_THAT(guard.take_heard(), ElementsAre("start?", "forgotten 1", "first?"));

  gate.return_unused(at(2s));
  EXPECT_TRUE(admits(Call::start, at(3s)));
  guard.held_back = HeldBack{HeldBackBy::isolated_breaker, Instant::never()};
  EXPECT_FALSE(admits(Call::retry, at(4s)));
  EXPECT_FALSE(gate.has_permit_in_hand());
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
