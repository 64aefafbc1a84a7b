#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/core/problems.hpp>
#include <backoff_actor/testing/faults/fault_plan.hpp>
#include <backoff_actor/testing/faults/faults.hpp>

#include "common/text_rows.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace backoff_actor::kit_test {

namespace {

using namespace std::chrono_literals;
using testing::Birth;
using testing::BirthPlan;
using testing::Fault;
using testing::FaultPlan;

std::string first(const FaultPlan& plan, std::uint64_t count) {
  std::string result;
  for (std::uint64_t i = 0; i != count; ++i)
    result += (result.empty() ? "" : " ") + to_string(plan[i]);
  return result;
}

TEST(FaultPlan, gives_its_faults_in_order_and_all_is_well_after_them) {
  const FaultPlan plan{"ok*3, crash, hang, error(503, retry_after 2s)*2, slow 500ms, ok..."};

  EXPECT_EQ(first(plan, 10), "ok ok ok crash hang error(503, retry_after 2s) "
                             "error(503, retry_after 2s) slow(500ms) ok ok");
  EXPECT_EQ(first(FaultPlan{"crash*2"}, 4), "crash crash ok ok");
}

TEST(FaultPlan, without_faults_is_well) {
  EXPECT_EQ(first(FaultPlan{}, 2), "ok ok");
  EXPECT_EQ(FaultPlan{""}, FaultPlan{});
  EXPECT_EQ(FaultPlan{}.length(), 0U);
}

TEST(FaultPlan, is_made_in_code_as_well_as_of_text) {
  const FaultPlan plan{testing::times(3, testing::ok()), testing::crash("no voltage"),
                       testing::error(503, 2s), testing::times(2, {testing::hang(), "stop, ok"})};

  EXPECT_EQ(to_string(plan),
            R"(ok*3, crash("no voltage"), error(503, retry_after 2s), (hang, stop, ok)*2)");
  EXPECT_EQ(plan, FaultPlan{to_string(plan)});
  EXPECT_EQ(plan.length(), 11U);
}

TEST(FaultPlan, is_read_from_a_text_that_was_put_together) {
  const auto text = std::string{"crash*"}.append(std::to_string(2));
  const testing::Faults faults = text;

  EXPECT_EQ(faults.next(), testing::crash());
  EXPECT_EQ(faults.next(), testing::crash());
  EXPECT_EQ(faults.next(), testing::ok());
  faults.follow(text);
  EXPECT_EQ(faults.next(), testing::crash());
}

TEST(FaultPlan, goes_on_for_ever_if_it_is_told_to) {
  const FaultPlan plan{"crash, (ok*2, hang)..."};

  EXPECT_EQ(first(plan, 8), "crash ok ok hang ok ok hang ok");
  EXPECT_EQ(to_string(plan[3'000'000'000'000'000'003]), "hang");
  EXPECT_EQ(plan.length(), std::nullopt);
}

TEST(FaultPlan, can_be_long_without_being_large) {
  const FaultPlan plan{"(ok*999999, crash)*1000000000000"};

  EXPECT_EQ(plan.length(), 1'000'000'000'000'000'000U);
  EXPECT_EQ(plan[999'999], testing::crash());
  EXPECT_EQ(plan[999'999'999'999'999'999], testing::crash());
  EXPECT_EQ(plan[999'999'999'999'999'998], testing::ok());
}

TEST(FaultPlan, repeats_what_is_in_brackets_and_not_only_its_last_fault) {
  EXPECT_EQ(first(FaultPlan{"(crash, ok)*2, stop"}, 6), "crash ok crash ok stop ok");
  EXPECT_EQ(first(FaultPlan{"((crash, ok)*2, stop)*2"}, 11),
            "crash ok crash ok stop crash ok crash ok stop ok");
}

TEST(FaultPlan, draws_random_faults_as_often_as_it_says) {
  const FaultPlan plan{"random(seed 7, crash 10%, error(503) 25%)"};
  int crashes = 0;
  int errors = 0;
  for (std::uint64_t i = 0; i != 100'000; ++i) {
    const auto fault = plan[i];
    crashes += fault == testing::crash() ? 1 : 0;
    errors += fault == testing::error(503) ? 1 : 0;
  }

  // Five standard deviations: 95 and 137.
  EXPECT_NEAR(crashes, 10'000, 475);
  EXPECT_NEAR(errors, 25'000, 685);
}

TEST(FaultPlan, draws_the_same_again_from_the_same_seed_and_other_faults_from_another) {
  const FaultPlan plan{"random(seed 7, crash 50%)"};

  EXPECT_EQ(first(plan, 16), first(FaultPlan{"random(seed 7, crash 50%)"}, 16));
  EXPECT_NE(first(plan, 16), first(plan.with_seed(8), 16));
  EXPECT_EQ(plan.with_seed(8), FaultPlan{"random(seed 8, crash 50%)"});
}

TEST(FaultPlan, gives_each_random_part_a_seed_of_its_own) {
  const FaultPlan plan{"random(crash 50%)*5, (ok, random(hang 50%)*5)*2"};

  EXPECT_EQ(to_string(plan.with_seed(40)),
            "random(seed 40, crash 50%)*5, (ok, random(seed 41, hang 50%)*5)*2");
}

TEST(FaultPlan, repeats_a_single_draw_that_is_in_brackets) {
  const auto once = to_string(FaultPlan{"random(seed 3, crash 50%)*1"}[0]);

  EXPECT_EQ(first(FaultPlan{"(random(seed 3, crash 50%)*1)*6"}, 6),
            once + " " + once + " " + once + " " + once + " " + once + " " + once);
}

TEST(FaultPlan, is_read_and_written_so_that_it_is_read_again) {
  test::expect_read(
    [](const auto& text) { return FaultPlan{text}; },
    {{"ok", "ok"},
     {" ok * 3 , hang ", "ok*3, hang"},
     {"crash,\n  (ok*9,\r\n\tcrash)...\n", "crash, (ok*9, crash)..."},
     {"slow 1.5s", "slow(1.5s)"},
     {"slow( 2s , working 100ms )", "slow(2s, working 100ms)"},
     {"slow(2s, \"row 7\", working 100ms)", R"(slow(2s, working 100ms, "row 7"))"},
     {"silence", "silence"},
     {"crash(\"a \\\"b\\\" \\\\\")", R"(crash("a \"b\" \\"))"},
     {"stop", "stop"},
     {"error", "error"},
     {"error()", "error"},
     {"error(retry_after 2s, \"busy\", 503)", R"(error(503, "busy", retry_after 2s))"},
     {"crash_like_error", "crash_like_error"},
     {"nack(retry_after 1min)", "nack(retry_after 1min)"},
     {"reject(\"bad\")", R"(reject("bad"))"},
     {"(ok)", "ok"},
     {"(ok*2)*3", "(ok*2)*3"},
     {"random(crash 0.5%)*10", "random(seed 0, crash 0.5%)*10"},
     {"random(seed 18446744073709551615, hang 100%)...",
      "random(seed 18446744073709551615, hang 100%)"}});
}

TEST(FaultPlan, is_refused_at_the_place_and_told_what_could_be_there) {
  test::expect_refused(
    [](const auto& text) { return FaultPlan{text}; },
    {{"crsh", 1,
      "expected a fault: ok, slow, silence, hang, crash, stop, error, crash_like_error, nack, "
      "reject or random(...); found 'crsh'; did you mean crash?"},
     {"ok crash", 4,
      "expected ',' and another fault, '*' and a number of times, '...', or the end; found "
      "'crash'"},
     {"ok..., crash", 6, "expected the end, for what is before never ends; found ','"},
     {"random(hang 5%), ok", 16, "expected the end, for what is before never ends; found ','"},
     {"(ok...)*2", 1, "plan: got ok..., allowed one that ends"},
     {"crash*0", 7, "expected a whole number, 1..1000000000000000000; found '0'"},
     {"slow", 5, "expected a span such as 500ms; found the end"},
     {"slow(3s, \"row 7\")", 5,
      "plan: got a note that is never said, allowed one with working: (3s, working 1s, \"row 7\")"},
     {"crash(\"abc", 11, "expected '\"'; found the end"},
     {"error(0)", 7, "expected a whole number, 1..999999; found '0'"},
     {"random(crash)", 13, "expected a percentage such as 10%; found ')'"},
     {"random(crash 60%, hang 50%)", 8, "probabilities: got 110% together, allowed 0%..100%"},
     {"(ok*1000000000)*10000000000", 1, "plan: got ok*1000000000, allowed at most 10^18 faults"},
     {"((((((((((((((((ok))))))))))))))))", 17,
      "plan: got a deeper one, allowed plans in plans at most 16 deep"}});
}

TEST(FaultPlan, that_never_ends_can_only_be_the_last) {
  const auto for_ever = FaultPlan::repeated_for_ever(testing::crash());

  EXPECT_EQ((FaultPlan{testing::ok(), for_ever}).length(), std::nullopt);
  EXPECT_THROW((FaultPlan{for_ever, testing::ok()}), InvalidArgument);
  EXPECT_THROW(FaultPlan::repeated(2, for_ever), InvalidArgument);
  EXPECT_THROW(FaultPlan::repeated_for_ever(for_ever), InvalidArgument);
  EXPECT_THROW(FaultPlan::repeated_for_ever({}), InvalidArgument);
}

TEST(FaultPlan, takes_probabilities_only_from_none_to_all) {
  EXPECT_THROW(FaultPlan::random(1, {{-0.1, testing::crash()}}), InvalidArgument);
  EXPECT_THROW(FaultPlan::random(1, {{0.6, testing::crash()}, {0.6, testing::hang()}}),
               InvalidArgument);
  EXPECT_EQ(first(FaultPlan::random(1, {{1, testing::crash()}}, 2), 3), "crash crash ok");
}

TEST(Fault, says_its_code_and_text_or_what_is_said_in_such_a_case) {
  EXPECT_EQ(message_of(testing::error(503)), "503");
  EXPECT_EQ(message_of(FaultPlan{R"(error(503, "busy"))"}[0]), "503 busy");
  EXPECT_EQ(message_of(testing::error()), "no");
  EXPECT_EQ(message_of(testing::crash()), "Danger, High Voltage!");
  EXPECT_EQ(message_of(testing::crash("bang")), "bang");
}

TEST(BirthPlan, says_how_children_come_into_the_world) {
  const BirthPlan plan{"healthy, factory_throws*2, dies_at_birth, no_actor"};

  EXPECT_EQ(plan[2], Birth::factory_throws);
  EXPECT_EQ(plan[3], Birth::dies_at_birth);
  EXPECT_EQ(plan[4], Birth::no_actor);
  EXPECT_EQ(plan[5], Birth::healthy);
  EXPECT_EQ(to_string(plan), "healthy, factory_throws*2, dies_at_birth, no_actor");
}

} // namespace

} // namespace backoff_actor::kit_test
