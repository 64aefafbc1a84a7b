#include "stories.hpp"

#include <backoff_actor/core/problems.hpp>
#include <backoff_actor/testing/record/event_log.hpp>

#include <gmock/gmock.h>

#include <sstream>

namespace backoff_actor::kit_test {

namespace {

using testing::EventLog;
using ::testing::IsEmpty;

template <class T>
std::string printed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(event_log, has_a_timeline_whose_times_stand_below_each_other) {
  EXPECT_EQ(one_crash().timeline(),
            "+0ns   child 1 started\n"
            "+0ns   delivery 1 accepted\n"
            "+0ns   delivery 1 handed over to child 1\n"
            "+0ns   child 1 down: High Voltage\n"
            "+0ns   child 2 started\n"
            "+10ms  delay ended\n"
            "+10ms  delivery 1 handed over again to child 2\n"
            "+12ms  delivery 1 acknowledged after 12ms, 1 failed attempt\n");
}

TEST(event_log, shows_the_last_lines_and_says_how_many_it_left_out) {
  EXPECT_EQ(one_crash().timeline(2),
            "... 6 earlier lines left out\n"
            "+10ms  delivery 1 handed over again to child 2\n"
            "+12ms  delivery 1 acknowledged after 12ms, 1 failed attempt\n");
  EXPECT_EQ(one_crash().timeline(7).substr(0, 29), "... 1 earlier line left out\n+");
  EXPECT_EQ(one_crash().timeline(8), one_crash().timeline());
}

TEST(event_log, marks_lines) {
  EXPECT_EQ(one_crash().timeline(3, {0, 6}),
            "... 5 earlier lines left out\n"
            "  +10ms  delay ended\n"
            "> +10ms  delivery 1 handed over again to child 2\n"
            "  +12ms  delivery 1 acknowledged after 12ms, 1 failed attempt\n");
}

TEST(event_log, is_empty_at_first) {
  const EventLog log;

  EXPECT_THAT(log.entries(), IsEmpty());
  EXPECT_EQ(log.timeline(), "");
  EXPECT_EQ(log.since_start(at(5s)), 0ns);
}

TEST(event_log, says_which_sender_told_what_and_finds_one) {
  const EventLog log;
  log.hook("orders")(event::Paused{at(1s)});
  log.hook("mails")(event::Paused{at(2s)});
  log.hook()(event::Resumed{at(3s)});
  log.note(at(4s), "the wire is cut");
  log.hook("orders")(event::Resumed{at(5s)});

  EXPECT_EQ(log.timeline(), "+0ns  orders: paused\n"
                            "+1s   mails: paused\n"
                            "+2s   resumed\n"
                            "+3s   (the wire is cut)\n"
                            "+4s   orders: resumed\n");
  EXPECT_EQ(log.of("mails").timeline(), "+1s  mails: paused\n"
                                        "+3s  (the wire is cut)\n");
  EXPECT_EQ(log.of("orders").count<event::Resumed>(), 1u);
  EXPECT_EQ(log.of("").count<event::Resumed>(), 1u) << "of the one without a name";
  EXPECT_EQ(log.of("nobody").events().size(), 0u);
}

TEST(event_log, has_a_line_for_each_entry_whatever_its_texts_have) {
  const EventLog log;
  log.note(at(1s), "cut\nand mended");
  log.hook("ord\ters")(event::GaveUp{at(2s), {7, "High\r\nVolt\xe9"}});

  EXPECT_EQ(log.timeline(), "+0ns  (cut\\nand mended)\n"
                            "+1s   ord\\ters: gave up: High\\r\\nVolt\xef\xbf\xbd\n");
}

TEST(event_log, names_senders_as_its_hooks_do) {
  const EventLog log;
  Event event{event::Paused{at(1s)}};
  event.of = {"billing", 17};
  log.hook()(event);
  log.hook("orders")(event);
  SupervisorEvent started{supervisor_event::Started{at(2s)}};
  started.of = {"root", 5};
  log.supervisor_hook()(started);

  EXPECT_EQ(log.timeline(), "+0ns  paused\n"
                            "+0ns  orders: paused\n"
                            "+1s   supervisor started\n");
  EXPECT_EQ(log.events().front().of, (ActorName{"billing", 17}));
}

TEST(event_log, notes_are_no_events) {
  const EventLog log;
  log.note(at(0s), "begin");
  log.hook()(event::Paused{at(1ms)});

  EXPECT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(log.events().size(), 1u);
  EXPECT_EQ(log.all<event::Paused>().at(0).at, at(1ms));
  EXPECT_EQ(log.count<event::Paused>(), 1u);
}

TEST(event_log, copies_share_what_one_is_told_and_snapshots_do_not) {
  const EventLog log;
  const auto copy = log;
  const auto snapshot = log.snapshot();
  log.hook()(event::Paused{at(0s)});

  EXPECT_EQ(copy.events().size(), 1u);
  EXPECT_EQ(snapshot.events().size(), 0u);
}

TEST(event_log, forgets_the_oldest_if_it_is_told_to_and_counts_on) {
  const auto log = EventLog::keeping_last(2);
  const auto tell = log.hook();
  for (std::uint64_t i = 1; i <= 5; ++i)
    tell(event::Accepted{at(i * 1s), i});

  EXPECT_EQ(log.forgotten(), 3u);
  EXPECT_EQ(log.count<event::Accepted>(), 2u);
  EXPECT_EQ(log.timeline(), "... 3 earlier lines left out\n"
                            "+3s  delivery 4 accepted\n"
                            "+4s  delivery 5 accepted\n")
    << "times count from the first that ever was";
  EXPECT_EQ(log.timeline(1), "... 4 earlier lines left out\n"
                             "+4s  delivery 5 accepted\n");
  EXPECT_EQ(printed(log), "a log of 5 entries");
}

TEST(event_log, refuses_to_keep_nothing) {
  try {
    EventLog::keeping_last(0);
    FAIL() << "it was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(to_string(error.problems()), "count: got 0, allowed 1 and above");
  }
}

TEST(event_log, knows_whether_all_of_it_was_shown) {
  const EventLog log;
  log.hook()(event::Paused{at(0s)});
  EXPECT_FALSE(log.is_shown());

  log.set_shown();
  EXPECT_TRUE(log.is_shown());

  log.hook()(event::Resumed{at(0s)});
  EXPECT_FALSE(log.is_shown());
}

TEST(event_log, prints_how_long_it_is) {
  const EventLog log;
  EXPECT_EQ(printed(log), "a log of 0 entries");
  log.note(at(0s), "begin");
  EXPECT_EQ(printed(log), "a log of 1 entry");
}

} // namespace

} // namespace backoff_actor::kit_test
