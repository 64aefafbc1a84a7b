#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/internal/retry_budget.hpp"

#include "guard_fixture.hpp"

#include <set>

namespace backoff_actor::guard_test {

// How many retries there are to be had at an instant.
int withdraw_all(RetryBudget& budget, Duration now) {
  auto result = 0;
  while (result < 1'000'000 && budget.withdraw(at(now)))
    ++result;
  return result;
}

// -- the balance ------------------------------------------------------------------------

// Finagle's vector: a balance of 100 at the beginning, and one more for each five deposits.
TEST(retry_budget, holds_a_hundred_at_first_and_one_more_for_each_five_first_attempts) {
  RetryBudget budget{{}};
  EXPECT_EQ(budget.balance(at(0s)), 100);
  EXPECT_EQ(withdraw_all(budget, 0s), 100);
  for (auto i = 0; i < 4; ++i)
    budget.deposit(at(0s));
  EXPECT_FALSE(budget.withdraw(at(0s)));
  budget.deposit(at(0s));
  EXPECT_TRUE(budget.withdraw(at(0s)));
  EXPECT_FALSE(budget.withdraw(at(0s)));
  for (auto i = 0; i < 500; ++i)
    budget.deposit(at(0s));
  EXPECT_EQ(withdraw_all(budget, 0s), 100);
}

TEST(retry_budget, refills_evenly_as_its_floor_says) {
  RetryBudget budget{{}};
  withdraw_all(budget, 1s);
  EXPECT_FALSE(budget.can_withdraw(at(1s + 99ms)));
  EXPECT_TRUE(budget.can_withdraw(at(1s + 100ms)));
  EXPECT_EQ(withdraw_all(budget, 2s), 10);
  EXPECT_EQ(withdraw_all(budget, 5500ms), 35);
}

TEST(retry_budget, that_has_rested_holds_what_the_floor_earns_in_the_window) {
  RetryBudget budget{{.ratio = 0.2, .per_second = 3, .window = 7s}};
  withdraw_all(budget, 0s);
  EXPECT_EQ(budget.balance(at(24h)), 21);
}

TEST(retry_budget, takes_the_price_of_a_retry_and_gives_turns_at_the_pace_of_the_price) {
  RetryBudget budget{{.ratio = 0, .per_second = 10, .window = 10s}};
  EXPECT_TRUE(budget.withdraw(at(0s), 98));
  EXPECT_FALSE(budget.withdraw(at(0s), 5));
  EXPECT_EQ(budget.balance(at(0s)), 2) << "nothing is taken if it is too little";
  EXPECT_EQ(budget.next_turn(at(0s), 5), at(300ms));
  EXPECT_EQ(budget.next_turn(at(0s), 5), at(800ms));
  EXPECT_TRUE(budget.withdraw(at(0s), 0)) << "a free retry needs nothing";
  EXPECT_TRUE(budget.withdraw(at(300ms), 5));
}

TEST(retry_budget, with_a_small_floor_holds_one_retry_at_the_least) {
  RetryBudget budget{{.ratio = 0, .per_second = 0.01, .window = 10s}};
  EXPECT_EQ(withdraw_all(budget, 0s), 1);
  EXPECT_EQ(withdraw_all(budget, 99s), 0);
  EXPECT_EQ(withdraw_all(budget, 100s), 1);
}

TEST(retry_budget, without_a_floor_is_empty_at_first) {
  RetryBudget budget{{.ratio = 0.5, .per_second = 0, .window = 10s}};
  EXPECT_FALSE(budget.withdraw(at(1h)));
  budget.deposit(at(1h));
  EXPECT_FALSE(budget.withdraw(at(1h)));
  budget.deposit(at(1h));
  EXPECT_EQ(withdraw_all(budget, 1h), 1);
}

TEST(retry_budget, loses_what_was_earned_and_not_used_in_the_window) {
  RetryBudget budget{{.ratio = 1, .per_second = 0, .window = 10s}};
  for (auto i = 0; i < 5; ++i)
    budget.deposit(at(0s));
  for (auto i = 0; i < 3; ++i)
    budget.deposit(at(5s));
  EXPECT_EQ(budget.balance(at(9999ms)), 8);
  EXPECT_EQ(budget.balance(at(10s)), 3);
  EXPECT_EQ(budget.balance(at(15s)), 0);
}

TEST(retry_budget, without_a_ratio_earns_nothing_from_first_attempts) {
  RetryBudget budget{{.ratio = 0, .per_second = 1, .window = 2s}};
  for (auto i = 0; i < 1000; ++i)
    budget.deposit(at(0s));
  EXPECT_EQ(withdraw_all(budget, 0s), 2);
}

TEST(retry_budget, tells_its_balance_without_changing_it) {
  RetryBudget budget{{}};
  withdraw_all(budget, 0s);
  EXPECT_EQ(budget.balance(at(1s)), 10);
  EXPECT_FALSE(budget.withdraw(at(0s))) << "what is told of later is not there yet";
}

// -- turns ----------------------------------------------------------------------------------

TEST(retry_budget, gives_turns_at_the_pace_of_its_floor) {
  RetryBudget budget{{}};
  withdraw_all(budget, 0s);
  std::vector<Instant> turns;
  for (auto i = 0; i < 4; ++i)
    turns.push_back(budget.next_turn(at(0s)));
  EXPECT_THAT(turns, ElementsAre(at(100ms), at(200ms), at(300ms), at(400ms)));
  EXPECT_EQ(budget.next_turn(at(250ms)), at(500ms));
  EXPECT_EQ(budget.next_turn(at(9s)), at(9s)) << "there is one";
}

TEST(retry_budget, has_a_retry_for_everybody_who_comes_at_his_turn) {
  for (const auto floor : {0.3, 3.0, 7.0, 10.0, 13.0, 997.0}) {
    RetryBudget budget{{.ratio = 0, .per_second = floor, .window = 1min}};
    withdraw_all(budget, 0s);
    std::vector<Instant> turns;
    for (auto i = 0; i < 15; ++i)
      turns.push_back(budget.next_turn(at(0s)));
    for (const auto turn : turns)
      EXPECT_TRUE(budget.withdraw(turn)) << floor << "/s at " << to_string(turn.since_origin);
  }
}

TEST(retry_budget, gives_the_same_turns_before_the_origin_of_time) {
  RetryBudget budget{{}};
  withdraw_all(budget, -1h);
  EXPECT_EQ(budget.next_turn(at(-1h)), at(-1h + 100ms));
  EXPECT_EQ(budget.next_turn(at(-1h)), at(-1h + 200ms));
}

TEST(retry_budget, spreads_those_whom_the_floor_cannot_serve_over_the_second_half_of_the_window) {
  RetryBudget budget{{}, 5};
  withdraw_all(budget, 0s);
  for (auto i = 1; i < 100; ++i)
    EXPECT_EQ(budget.next_turn(at(0s)), at(i * 100ms));
  std::set<Instant> others;
  for (auto i = 0; i < 1000; ++i)
    others.insert(budget.next_turn(at(0s)));
  EXPECT_EQ(others.size(), 1000u);
  EXPECT_GE(*others.begin(), at(5s));
  EXPECT_LT(*others.rbegin(), at(10s));
}

TEST(retry_budget, without_a_floor_spreads_all_of_them_by_its_seed) {
  const RetryBudgetOptions options{.ratio = 0.2, .per_second = 0, .window = 10s};
  RetryBudget budget{options, 5};
  RetryBudget same{options, 5};
  RetryBudget other{options, 6};
  const auto turn = budget.next_turn(at(1s));
  EXPECT_TRUE(turn >= at(6s) && turn < at(11s));
  EXPECT_EQ(same.next_turn(at(1s)), turn);
  EXPECT_NE(other.next_turn(at(1s)), turn);
  EXPECT_NE(budget.next_turn(at(1s)), turn);
}

// -- options -----------------------------------------------------------------------------------

TEST(retry_budget, names_all_that_is_wrong_with_its_options) {
  EXPECT_EQ(to_string(check({.ratio = -0.1, .per_second = 0.0001, .window = 9ms})),
            "RetryBudgetOptions: ratio: got -10%, allowed 0%..100000%\n"
            "RetryBudgetOptions: per_second: got 0.0001/s, allowed 0/s, or 0.001/s..1000000/s\n"
            "RetryBudgetOptions: window: got 9ms, allowed 10ms..24h");
  EXPECT_EQ(to_string(check({.ratio = 0, .per_second = 0})),
            "RetryBudgetOptions: per_second: got 0/s, allowed more than 0/s, unless the ratio is");
  EXPECT_THROW(RetryBudget({.ratio = 1001}), InvalidArgument);
  EXPECT_TRUE(check({.ratio = 1000, .per_second = 1e6, .window = 24h}).empty());
  EXPECT_TRUE(check({.ratio = 0, .per_second = 0.001, .window = 10ms}).empty());
}

TEST(retry_budget, writes_its_options_with_everything_in_them) {
  EXPECT_EQ(to_string(RetryBudgetOptions{}), "retry_budget(20%, 10/s, window 10s)");
  EXPECT_EQ(to_string(RetryBudgetOptions{.ratio = 0.005, .per_second = 0.5, .window = 1min}),
            "retry_budget(0.5%, 0.5/s, window 1min)");
}

} // namespace backoff_actor::guard_test
