#include "failure_of.hpp"
#include "stories.hpp"

#include <backoff_actor/testing/gmock.hpp>
#include <backoff_actor/testing/record/event_patterns.hpp>

#include <string>

namespace backoff_actor::kit_test {

namespace {

using namespace backoff_actor::testing;
using ::testing::AllOf;
using ::testing::Not;

// The timeline of `one_crash`, with a mark at some lines.
std::string marked(std::initializer_list<std::size_t> lines) {
  return "timeline:\n" + one_crash().timeline(100, lines);
}

// -- in order -------------------------------------------------------------------------

TEST(saw_in_order, passes_over_what_is_between) {
  EXPECT_THAT(one_crash(), SawInOrder(child_down, delay_ended, acknowledged));
  EXPECT_THAT(one_crash(), SawInOrder(child_started(1), child_started(2)));
  EXPECT_THAT(one_crash(), SawInOrder(handed_over(1), handed_over(1, incarnation(2))));
}

TEST(saw_in_order, takes_no_event_for_two) {
  EXPECT_THAT(one_crash(), Not(SawInOrder(acknowledged, acknowledged)));
  EXPECT_THAT(one_crash(), Not(SawInOrder(child_down, accepted)));
}

TEST(saw_in_order, says_after_which_event_it_looked_in_vain) {
  const auto log = one_crash();

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawInOrder(child_down, delay_ended, gave_up)); }),
            "Value of: log\n"
            "Expected: saw child down, then delay ended, then gave up\n"
            "  Actual: a log of 8 entries, which never saw gave up after \"delay ended\" at +10ms\n"
            "timeline:\n"
            "  +0ns   child 1 started\n"
            "  +0ns   delivery 1 accepted\n"
            "  +0ns   delivery 1 handed over to child 1\n"
            "> +0ns   child 1 down: High Voltage\n"
            "  +0ns   child 2 started\n"
            "> +10ms  delay ended\n"
            "  +10ms  delivery 1 handed over again to child 2\n"
            "  +12ms  delivery 1 acknowledged after 12ms, 1 failed attempt\n");
}

TEST(saw_in_order, says_that_it_came_too_early) {
  const auto log = one_crash();

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawInOrder(delay_ended, child_down)); }),
            "Value of: log\n"
            "Expected: saw delay ended, then child down\n"
            "  Actual: a log of 8 entries, which never saw child down after \"delay ended\" at "
            "+10ms, only before that: \"child 1 down: High Voltage\" at +0ns\n"
              + marked({5}));
}

TEST(saw_in_order, says_what_comes_nearest) {
  const auto log = one_crash();

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawInOrder(child_down("Low Voltage"))); }),
            "Value of: log\n"
            "Expected: saw child down (cause with \"Low Voltage\")\n"
            "  Actual: a log of 8 entries, which never saw child down (cause with \"Low "
            "Voltage\"); nearest is \"child 1 down: High Voltage\" at +0ns\n"
            "timeline:\n"
              + log.timeline());
}

TEST(saw_in_order, can_be_negated) {
  const auto log = one_crash();

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, Not(SawInOrder(child_down, acknowledged))); }),
            "Value of: log\n"
            "Expected: did not see child down, then acknowledged\n"
            "  Actual: a log of 8 entries, which saw them in this order\n"
              + marked({3, 7}));
}

TEST(saw_in_order, has_no_timeline_of_an_empty_log) {
  const EventLog log;

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawInOrder(paused)); }),
            "Value of: log\n"
            "Expected: saw paused\n"
            "  Actual: a log of 0 entries, which never saw paused");
}

TEST(saw_in_order, tells_senders_apart) {
  const EventLog log;
  log.hook("orders")(event::Paused{at(0s)});
  log.hook("mails")(event::Paused{at(1s)});

  EXPECT_THAT(log, SawInOrder(paused.of("orders"), paused.of("mails")));
  EXPECT_EQ(
    failure_of([&] { EXPECT_THAT(log, SawInOrder(paused.of("mails"), paused.of("orders"))); }),
    "Value of: log\n"
    "Expected: saw paused of mails, then paused of orders\n"
    "  Actual: a log of 2 entries, which never saw paused of orders after \"mails: paused\" at "
    "+1s, only before that: \"orders: paused\" at +0ns\n"
    "timeline:\n"
    "  +0ns  orders: paused\n"
    "> +1s   mails: paused\n");
}

TEST(saw_in_order, shows_a_hundred_lines_at_most) {
  const EventLog log;
  for (std::uint64_t i = 1; i <= 250; ++i)
    log.hook()(event::Accepted{at(0s), i});

  const auto failure = failure_of([&] { EXPECT_THAT(log, SawInOrder(paused)); });
  EXPECT_EQ(
    failure.find("timeline:\n... 150 earlier lines left out\n+0ns  delivery 151 accepted\n"),
    failure.find("timeline:"));
}

// -- exactly --------------------------------------------------------------------------

TEST(saw_exactly, takes_these_and_none_else) {
  EXPECT_THAT(one_crash(),
              SawExactly(child_started(1), accepted, handed_over, child_down, child_started(2),
                         delay_ended, handed_over_again, acknowledged));
  EXPECT_THAT(EventLog{}, SawExactly());
}

TEST(saw_exactly, looks_past_notes) {
  const EventLog log;
  log.note(at(0s), "begin");
  log.hook()(event::Paused{at(0s)});
  log.note(at(0s), "end");

  EXPECT_THAT(log, SawExactly(paused));
}

TEST(saw_exactly, says_where_it_went_another_way) {
  const auto log = one_crash();

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawExactly(child_started, handed_over)); }),
            "Value of: log\n"
            "Expected: saw exactly child started, then handed over\n"
            "  Actual: a log of 8 entries, which saw \"delivery 1 accepted\" at +0ns where handed "
            "over was expected\n"
              + marked({0}));
}

TEST(saw_exactly, says_what_came_too_much_or_not_at_all) {
  const EventLog log;
  log.hook()(event::Paused{at(0s)});
  log.hook()(event::Resumed{at(1s)});

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawExactly(paused)); }),
            "Value of: log\n"
            "Expected: saw exactly paused\n"
            "  Actual: a log of 2 entries, which saw \"resumed\" at +1s beyond the last of these\n"
            "timeline:\n"
            "> +0ns  paused\n"
            "  +1s   resumed\n");
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawExactly(paused, resumed, paused)); }),
            "Value of: log\n"
            "Expected: saw exactly paused, then resumed, then paused\n"
            "  Actual: a log of 2 entries, which ended where paused was expected\n"
            "timeline:\n"
            "> +0ns  paused\n"
            "> +1s   resumed\n");
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawExactly()); }),
            "Value of: log\n"
            "Expected: saw nothing at all\n"
            "  Actual: a log of 2 entries, which saw \"paused\" at +0ns beyond the last of these\n"
            "timeline:\n"
            "+0ns  paused\n"
            "+1s   resumed\n");
}

TEST(saw_exactly, looks_at_one_sender_if_told_to) {
  const EventLog log;
  log.hook("orders")(event::Paused{at(0s)});
  log.hook("mails")(event::Resumed{at(1s)});

  EXPECT_THAT(log.of("orders"), SawExactly(paused));
  EXPECT_THAT(log.of("mails"), SawExactly(resumed));
}

// -- whether, and how often -----------------------------------------------------------

TEST(saw, looks_for_one) {
  const auto log = one_crash();
  EXPECT_THAT(log, Saw(acknowledged(1)));
  EXPECT_THAT(log, Not(Saw(dead_lettered)));
  EXPECT_THAT(log, AllOf(Saw(child_down(1)), Not(Saw(child_down(2)))));

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, Saw(acknowledged(2))); }),
            "Value of: log\n"
            "Expected: saw acknowledged (delivery 2)\n"
            "  Actual: a log of 8 entries, which never saw acknowledged (delivery 2); nearest is "
            "\"delivery 1 acknowledged after 12ms, 1 failed attempt\" at +12ms\n"
            "timeline:\n"
              + log.timeline());
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, Not(Saw(child_down))); }),
            "Value of: log\n"
            "Expected: did not see child down\n"
            "  Actual: a log of 8 entries, which saw \"child 1 down: High Voltage\" at +0ns\n"
              + marked({3}));
}

TEST(saw_times, counts) {
  const auto log = one_crash();
  EXPECT_THAT(log, SawTimes(2, child_started));
  EXPECT_THAT(log, SawTimes(1, child_started(2)));
  EXPECT_THAT(log, SawTimes(0, gave_up));

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawTimes(3, child_started)); }),
            "Value of: log\n"
            "Expected: saw child started 3 times\n"
            "  Actual: a log of 8 entries, which saw it 2 times\n"
              + marked({0, 4}));
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawTimes(1, gave_up)); }),
            "Value of: log\n"
            "Expected: saw gave up 1 time\n"
            "  Actual: a log of 8 entries, which saw it never\n"
            "timeline:\n"
              + log.timeline());
}

TEST(saw_none, shows_what_was_seen_all_the_same) {
  const auto log = one_crash();
  EXPECT_THAT(log, SawNone(gave_up));

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawNone(handed_over_again)); }),
            "Value of: log\n"
            "Expected: never saw handed over again\n"
            "  Actual: a log of 8 entries, which saw it once\n"
              + marked({6}));
}

TEST(a_log_that_has_forgotten, proves_nothing_about_all_there_was) {
  const auto log = EventLog::keeping_last(1);
  log.hook()(event::Paused{at(0s)});
  log.hook()(event::Resumed{at(1s)});

  EXPECT_THAT(log, Saw(resumed));
  EXPECT_THAT(log, Not(SawExactly(resumed)));
  EXPECT_THAT(log, Not(SawTimes(1, resumed)));
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(log, SawNone(paused)); }),
            "Value of: log\n"
            "Expected: never saw paused\n"
            "  Actual: a log of 2 entries, which has forgotten its first 1 entry, so the "
            "answer is unknown\n"
            "timeline:\n"
            "... 1 earlier line left out\n"
            "+1s  resumed\n");
}

TEST(matchers_of_logs, remember_that_a_failure_showed_the_timeline) {
  const auto log = one_crash();
  EXPECT_THAT(log, Saw(acknowledged));
  EXPECT_FALSE(log.is_shown()) << "an expectation that is met shows nothing";

  failure_of([&] { EXPECT_THAT(log, Saw(paused)); });
  EXPECT_TRUE(log.is_shown());
}

TEST(claims, serve_other_frameworks) {
  const auto finding = saw_in_order(one_crash(), {child_down, gave_up});

  EXPECT_FALSE(finding.holds);
  EXPECT_EQ(finding.text(),
            "which never saw gave up after \"child 1 down: High Voltage\" at +0ns\n" + marked({3}));
}

} // namespace

} // namespace backoff_actor::kit_test
