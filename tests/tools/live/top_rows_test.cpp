#include "backoffctl/top/top.hpp"

#include "top_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoffctl::top_rows_test {

using namespace top_samples;
using ::testing::ElementsAre;

namespace {

std::vector<std::string> names_by(TopOrder order) {
  TopView view;
  view.order = order;
  std::vector<std::string> names;
  for (const auto& sender : chosen_senders(shop().status, view))
    names.push_back(sender.name);
  return names;
}

TopSender owing(bool TopSender::*flag) {
  auto sender = quiet("a", 0);
  sender.owed = 1;
  sender.*flag = true;
  return sender;
}

} // namespace

TEST(top_rows, ages_have_two_units_at_most) {
  EXPECT_EQ(age_text(0), "0 s");
  EXPECT_EQ(age_text(-1), "0 s");
  EXPECT_EQ(age_text(0.0042), "4 ms");
  EXPECT_EQ(age_text(0.999), "999 ms");
  EXPECT_EQ(age_text(0.9999), "999 ms");
  EXPECT_EQ(age_text(1), "1.0 s");
  EXPECT_EQ(age_text(9.99), "9.9 s");
  EXPECT_EQ(age_text(59.9), "59 s");
  EXPECT_EQ(age_text(60), "1 min");
  EXPECT_EQ(age_text(312), "5 min 12 s");
  EXPECT_EQ(age_text(11045), "3 h 4 min");
  EXPECT_EQ(age_text(2 * 86400 + 5 * 3600), "2 d 5 h");
  EXPECT_EQ(age_text(1e300), "11574074074 d 1 h");
}

TEST(top_rows, the_oldest_comes_first_and_then_the_largest_backlog) {
  EXPECT_THAT(names_by(TopOrder::oldest),
              ElementsAre("billing#17", "mailer#9", "packer#4", "log#2"));
  EXPECT_THAT(names_by(TopOrder::owed), ElementsAre("billing#17", "packer#4", "mailer#9", "log#2"));
  EXPECT_THAT(names_by(TopOrder::rate), ElementsAre("packer#4", "log#2", "billing#17", "mailer#9"));
  EXPECT_THAT(names_by(TopOrder::failures),
              ElementsAre("billing#17", "mailer#9", "packer#4", "log#2"));
  EXPECT_THAT(names_by(TopOrder::name), ElementsAre("billing#17", "log#2", "mailer#9", "packer#4"));
}

TEST(top_rows, a_state_says_what_holds_a_sender_back) {
  EXPECT_EQ(state_of(quiet("a", 0)), "running");
  EXPECT_EQ(state_of(owing(&TopSender::is_paused)), "paused");
  EXPECT_EQ(state_of(owing(&TopSender::is_held_back)), "held back");
  EXPECT_EQ(state_of(owing(&TopSender::is_store_behind)), "store behind");
  EXPECT_EQ(state_of(owing(&TopSender::is_delayed)), "waiting");
  EXPECT_EQ(state_of(owing(&TopSender::is_on_fallback)), "fallback");
  auto draining = owing(&TopSender::is_paused);
  draining.phase = "draining";
  EXPECT_EQ(state_of(draining), "draining");
}

// One that is paused or waits has no turns, and that is as it should be.
TEST(top_rows, only_a_sender_that_nothing_holds_back_is_silent) {
  auto sender = quiet("a", 0);
  sender.owed = 1;
  sender.silent_s = 59;
  EXPECT_EQ(state_of(sender), "running");
  EXPECT_FALSE(is_alarming(sender));
  sender.silent_s = 60;
  EXPECT_EQ(state_of(sender), "no turn");
  EXPECT_EQ(reason_of(sender), "no turn for 1 min");
  EXPECT_TRUE(is_alarming(sender));
  sender.in_flight = 1;
  EXPECT_EQ(reason_of(sender), "no answer for 1 min");
  sender.is_paused = true;
  EXPECT_EQ(state_of(sender), "paused");
  EXPECT_FALSE(is_alarming(sender));
}

TEST(top_rows, a_reason_has_all_that_is_known) {
  EXPECT_EQ(reason_of(quiet("a", 0)), "");
  EXPECT_EQ(reason_of(owing(&TopSender::is_paused)), "somebody paused it");
  EXPECT_EQ(reason_of(owing(&TopSender::is_delayed)), "waits for a retry");
  auto waiting = owing(&TopSender::is_delayed);
  waiting.due_s = 2.5;
  waiting.cause = "Connection refused";
  waiting.cause_s = 2;
  EXPECT_EQ(reason_of(waiting), "retries in 2.5 s; Connection refused, 2.0 s ago");
  auto sender = owing(&TopSender::is_held_back);
  sender.is_on_fallback = true;
  sender.abandoned = 2;
  sender.pool = TopPool{};
  sender.pool->ready = 5;
  sender.cause = "Danger, High Voltage!";
  sender.cause_s = 61;
  EXPECT_EQ(reason_of(sender),
            "Danger, High Voltage!, 1 min 1 s ago; 5 wait for a free worker; "
            "2 children do not end; its guard lets nothing through; its fallback works");
}

TEST(top_rows, what_somebody_should_look_at_comes_first) {
  const auto guards = chosen_rows(shop().status.guards, {});
  ASSERT_EQ(guards.rows.size(), 2u);
  EXPECT_THAT(guards.rows[0].cells, ElementsAre("payments", "open", "-", "50"));
  EXPECT_TRUE(guards.rows[0].is_alarm);
  EXPECT_THAT(guards.rows[1].cells, ElementsAre("mail", "closed", "9.2", "-"));
  EXPECT_FALSE(guards.rows[1].is_alarm);
}

} // namespace backoffctl::top_rows_test
