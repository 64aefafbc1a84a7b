// A screen is made of a moment, a view and a size alone, so screens are compared as texts.

#include "top_samples.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace backoffctl::top_frame_test {

using namespace top_samples;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(top_frame, answers_what_is_stuck_since_when_and_why) {
  EXPECT_EQ(text_of(frame_of(shop(), {}, {110, 33})),
            R"(http://127.0.0.1:9464                                                              )"
            R"(                   21:03:12
4 senders, 3 of them owe 1204 messages; 2 dead letters
!Oldest: billing#17, 5 min 12 s, held back: Connection refused, 2.0 s ago; its guard lets )"
            R"(nothing through

SENDER      STATE          OLDEST  OWED  IN FLIGHT  DONE/S  FAILURES  DEAD  WHY
!billing#17  held back  5 min 12 s  1200          8     0.0        12     2  Connection )"
            R"(refused, 2.0 s ago; it…
mailer#9    waiting         7.5 s     1          0       -         3     0  retries in 2.5 s
packer#4    running        250 ms     3          3    12.5         0     0  2 wait for a free worker
log#2       running             -     0          0    12.5         0     0

POOL      SERVING  STARTING  WAITING  LEAVING  RESTING  NO FREE WORKER
packer#4        6         1        1        0        0               2

SHARED OUTBOX  THIS PROCESS  EPOCH  SURE FOR  TAKEOVERS  NEXT ENTRY  WRONG ENTRIES
orders         owns it           7     8.5 s          1  1 min 30 s              2
refunds        stands by         -         -          2           -              -

OUTBOX   COMMITS  FAILED  NOT WRITTEN YET  FAILS SINCE
!orders      5200       4                3         12 s
letters       12       0                0            -

GUARD     BREAKER  RETRIES LEFT  CALLS LEFT
!payments  open                -          50
mail      closed            9.2           -

SUPERVISOR  RUNNING  STARTING  WAITING  ENDING  STOPPED  RESTARTS  ESCALATED
!root#1            3         0        1       0        0        14          0





q quit   s sort: oldest   / filter   space freeze
)");
}

TEST(top_frame, fits_a_small_terminal) {
  EXPECT_EQ(text_of(frame_of(shop(), {}, {60, 16})),
            R"(http://127.0.0.1:9464                               21:03:12
4 senders, 3 of them owe 1204 messages; 2 dead letters
!Oldest: billing#17, 5 min 12 s, held back: Connection refus…

SENDER      STATE          OLDEST  OWED  WHY
!billing#17  held back  5 min 12 s  1200  Connection refused…
mailer#9    waiting         7.5 s     1  retries in 2.5 s
packer#4    running        250 ms     3  2 wait for a free …
log#2       running             -     0

OUTBOX   COMMITS  FAILED  NOT WRITTEN YET  FAILS SINCE
!orders      5200       4                3         12 s
letters       12       0                0            -


q quit   s sort: oldest   / filter   space freeze   no room…
)");
}

TEST(top_frame, is_exactly_as_large_as_the_terminal) {
  for (std::size_t columns = 1; columns < 140; ++columns)
    for (std::size_t rows = 1; rows < 50; ++rows) {
      const auto frame = frame_of(shop(), {}, {columns, rows});
      ASSERT_EQ(frame.lines.size(), rows);
      for (const auto& line : frame.lines)
        ASSERT_LE(backoff_actor::detail::count_characters(line.text), columns) << line.text;
    }
}

TEST(top_frame, of_nothing_says_so) {
  const TopMoment nothing{"http://127.0.0.1:9464", "21:03:12", {}, {}};
  EXPECT_EQ(text_of(frame_of(nothing, {}, {50, 9})),
            R"(http://127.0.0.1:9464                     21:03:12
0 senders, none of them owes a message
Nothing is owed.

SENDER  STATE  OLDEST  OWED  FAILURES  DEAD  WHY
no sender is observed


q quit   s sort: oldest   / filter   space freeze
)");
}

TEST(top_frame, shows_those_that_a_filter_leaves) {
  TopView view;
  view.filter = "HELD";
  const auto text = text_of(frame_of(shop(), view, {100, 40}));
  EXPECT_THAT(text, HasSubstr("billing#17"));
  EXPECT_THAT(text, Not(HasSubstr("packer#4")));
  EXPECT_THAT(text, HasSubstr("/ filter: HELD"));
  view.filter = "nobody";
  EXPECT_THAT(text_of(frame_of(shop(), view, {100, 40})), HasSubstr("no sender has nobody"));
}

TEST(top_frame, shows_the_filter_while_it_is_typed) {
  TopView view;
  view.filter = "bil";
  view.is_filtering = true;
  EXPECT_EQ(frame_of(shop(), view, {80, 24}).lines.back().text,
            "filter: bil_   Enter keeps it, Esc ends it");
}

TEST(top_frame, says_that_it_is_frozen) {
  TopView view;
  view.is_frozen = true;
  const auto frame = frame_of(shop(), view, {80, 24});
  EXPECT_TRUE(frame.lines.front().text.ends_with("frozen at 21:03:12")) << frame.lines.front().text;
  EXPECT_THAT(frame.lines.back().text, HasSubstr("space go on"));
}

TEST(top_frame, says_why_there_is_no_newer_status) {
  auto moment = shop();
  moment.trouble = "http://127.0.0.1:9464/status: Connection refused";
  const auto frame = frame_of(moment, {}, {80, 24});
  EXPECT_EQ(frame.lines.at(1).text, moment.trouble);
  EXPECT_EQ(frame.lines.at(1).look, TopLook::alarm);
}

TEST(top_frame, scrolls_as_far_as_the_last_sender) {
  auto moment = shop();
  moment.status.guards.rows.clear();
  moment.status.supervisors.rows.clear();
  moment.status.outboxes.rows.clear();
  moment.status.ownerships.rows.clear();
  moment.status.senders.clear();
  for (int i = 10; i < 40; ++i)
    moment.status.senders.push_back(quiet("s#" + std::to_string(i), 0));
  TopView view;
  view.order = TopOrder::name;
  auto frame = frame_of(moment, view, {80, 17});
  EXPECT_EQ(frame.page, 10u);
  EXPECT_THAT(text_of(frame), HasSubstr("s#19"));
  EXPECT_THAT(text_of(frame), Not(HasSubstr("s#20")));
  EXPECT_THAT(text_of(frame), HasSubstr("and 20 more\n"));
  view.first = 1000;
  frame = frame_of(moment, view, {80, 17});
  EXPECT_EQ(frame.first, 20u);
  EXPECT_THAT(text_of(frame), HasSubstr("s#39"));
  EXPECT_THAT(text_of(frame), Not(HasSubstr("more")));
}

TEST(top_frame, has_only_those_of_ten_thousand_senders_that_fit) {
  TopMoment moment{"http://127.0.0.1:9464", "21:03:12", {}, {}};
  for (int i = 10'000; i < 20'000; ++i) {
    moment.status.senders.push_back(quiet("s#" + std::to_string(i), 0));
    moment.status.senders.back().owed = 1;
    moment.status.senders.back().oldest_s = 50 - i * 0.001;
  }
  TopView view;
  view.first = 5000;
  EXPECT_EQ(text_of(frame_of(moment, view, {60, 10})),
            R"(http://127.0.0.1:9464                               21:03:12
10000 senders, 10000 of them owe 10000 messages
Oldest: s#10000, 40 s, running

SENDER   STATE    OLDEST  OWED  DONE/S  FAILURES  DEAD  WHY
s#15000  running    35 s     1    12.5         0     0
s#15001  running    34 s     1    12.5         0     0
s#15002  running    34 s     1    12.5         0     0
and 4997 more
q quit   s sort: oldest   / filter   space freeze
)");
}

TEST(top_frame, says_how_many_the_program_did_not_list) {
  auto moment = shop();
  moment.status.senders_left_out = 9900;
  moment.status.supervisors_left_out = 5;
  const auto text = text_of(frame_of(moment, {}, {100, 40}));
  EXPECT_THAT(text, HasSubstr("9904 senders, 3 or more of them owe 1204 messages"));
  EXPECT_THAT(text, HasSubstr("and 9900 more, of which the program does not list 9900\n"));
  EXPECT_THAT(text, HasSubstr("and 5 more\n"));
}

TEST(top_frame, lets_no_name_and_no_cause_control_the_terminal) {
  auto moment = shop();
  moment.status.senders[0].name = "evil\x1b[2J\n";
  moment.status.senders[0].cause = "\xc2\x9b"
                                   "31mred";
  moment.status.guards.rows[1].cells[0] = "bell\a";
  moment.trouble = "line\r\nline";
  TopView view;
  view.filter = "";
  const auto frame = frame_of(moment, view, {150, 40});
  for (const auto& line : frame.lines)
    EXPECT_TRUE(std::none_of(line.text.begin(), line.text.end(),
                             [](unsigned char c) { return c < ' ' || c == 0x7f; }))
      << line.text;
  EXPECT_THAT(text_of(frame), HasSubstr("evil?[2J?"));
  EXPECT_THAT(text_of(frame), HasSubstr("?31mred"));
  EXPECT_THAT(text_of(frame), HasSubstr("bell?"));
  EXPECT_THAT(text_of(frame), HasSubstr("line??line"));
}

TEST(top_tables, have_all_that_there_is_and_no_keys) {
  EXPECT_EQ(tables_of(shop(), {}), R"(http://127.0.0.1:9464  21:03:12
4 senders, 3 of them owe 1204 messages; 2 dead letters
Oldest: billing#17, 5 min 12 s, held back: Connection refused, 2.0 s ago; its guard lets )"
                                   R"(nothing through

SENDER      STATE          OLDEST  OWED  IN FLIGHT  DONE/S  FAILURES  DEAD  WHY
billing#17  held back  5 min 12 s  1200          8     0.0        12     2  Connection )"
                                   R"(refused, 2.0 s ago; its guard lets nothing through
mailer#9    waiting         7.5 s     1          0       -         3     0  retries in 2.5 s
packer#4    running        250 ms     3          3    12.5         0     0  2 wait for a free worker
log#2       running             -     0          0    12.5         0     0

POOL      SERVING  STARTING  WAITING  LEAVING  RESTING  NO FREE WORKER
packer#4        6         1        1        0        0               2

SHARED OUTBOX  THIS PROCESS  EPOCH  SURE FOR  TAKEOVERS  NEXT ENTRY  WRONG ENTRIES
orders         owns it           7     8.5 s          1  1 min 30 s              2
refunds        stands by         -         -          2           -              -

OUTBOX   COMMITS  FAILED  NOT WRITTEN YET  FAILS SINCE
orders      5200       4                3         12 s
letters       12       0                0            -

GUARD     BREAKER  RETRIES LEFT  CALLS LEFT
payments  open                -          50
mail      closed            9.2           -

SUPERVISOR  RUNNING  STARTING  WAITING  ENDING  STOPPED  RESTARTS  ESCALATED
root#1            3         0        1       0        0        14          0
)");
}

TEST(top_drawing, has_colours_only_where_they_may_be) {
  TopFrame frame;
  frame.lines = {{"a", TopLook::plain}, {"b", TopLook::alarm}, {"c", TopLook::heading}};
  EXPECT_EQ(drawing_of(frame, true),
            "\x1b[H\x1b[2Ka\r\n\x1b[2K\x1b[31mb\x1b[0m\r\n\x1b[2K\x1b[7mc\x1b[0m");
  EXPECT_EQ(drawing_of(frame, false), "\x1b[H\x1b[2Ka\r\n\x1b[2Kb\r\n\x1b[2K\x1b[7mc\x1b[0m");
}

} // namespace backoffctl::top_frame_test
