// What the ledger of the cluster says about a run, and what its service refuses.

#include "cluster/calendar.hpp"
#include "cluster/ledger.hpp"
#include "cluster/ledger_service.hpp"
#include "cluster/lives.hpp"
#include "cluster/local_socket.hpp"
#include "common/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace cluster {

namespace {

Call call_of(std::uint64_t epoch, std::uint64_t delivery, std::uint64_t job,
             const std::string& key = "x", bool is_refused = false) {
  return {.epoch = epoch,
          .delivery = delivery,
          .job = job,
          .key = key,
          .node = "a",
          .is_refused = is_refused};
}

std::string answer_to(int socket, const Call& call) {
  LineReader reader;
  if (!send_text(socket, to_line(call)))
    return "not sent";
  for (;;) {
    if (const auto line = reader.next())
      return *line;
    if (!reader.read_from(socket))
      return "not answered";
  }
}

} // namespace

TEST(ClusterLedger, counts_a_confirmed_job_that_was_not_done_as_lost) {
  const auto verdict = judge({7, 8, 9}, {call_of(1, 1, 7), call_of(1, 3, 9)});
  EXPECT_EQ(verdict.confirmed, 3u);
  EXPECT_EQ(verdict.done, 2u);
  EXPECT_EQ(verdict.lost, 1u);
}

TEST(ClusterLedger, a_job_that_was_only_refused_is_not_done) {
  const auto verdict = judge({7}, {call_of(1, 1, 7, "x", true)});
  EXPECT_EQ(verdict.done, 0u);
  EXPECT_EQ(verdict.lost, 1u);
  EXPECT_EQ(verdict.stale_refused, 1u);
}

TEST(ClusterLedger, a_job_may_be_done_again_and_nobody_need_have_been_told_of_it) {
  const auto verdict = judge({7}, {call_of(1, 1, 7), call_of(2, 1, 7), call_of(2, 2, 8)});
  EXPECT_EQ(verdict.done, 2u);
  EXPECT_EQ(verdict.done_again, 1u);
  EXPECT_EQ(verdict.lost, 0u);
  EXPECT_EQ(verdict.out_of_order, 0u);
}

TEST(ClusterLedger, the_first_time_a_job_is_done_must_be_in_order_within_its_key) {
  const auto wrong = judge({}, {call_of(1, 2, 8), call_of(1, 1, 7)});
  EXPECT_EQ(wrong.out_of_order, 1u);
  EXPECT_THAT(
    wrong.first_out_of_order,
    ::testing::MatchesRegex("job 7 \\(delivery 1, .*\\) after job 8 \\(delivery 2, .*\\)"));
  EXPECT_EQ(judge({}, {call_of(1, 2, 8, "y"), call_of(1, 1, 7, "x")}).out_of_order, 0u);
  EXPECT_EQ(judge({}, {call_of(1, 1, 7), call_of(1, 2, 8), call_of(2, 1, 7)}).out_of_order, 0u);
}

TEST(ClusterLedger, a_lower_epoch_that_was_accepted_is_seen) {
  EXPECT_EQ(judge({}, {call_of(2, 1, 7), call_of(1, 2, 8)}).stale_accepted, 1u);
  EXPECT_EQ(judge({}, {call_of(2, 1, 7), call_of(1, 2, 8, "x", true)}).stale_accepted, 0u);
}

TEST(ClusterLedger, a_number_is_one_job_and_a_job_has_one_number) {
  EXPECT_EQ(judge({}, {call_of(1, 1, 7), call_of(2, 1, 8)}).renumbered, 1u);
  EXPECT_EQ(judge({}, {call_of(1, 1, 7), call_of(2, 2, 7)}).renumbered, 1u);
}

TEST(ClusterLedger, counts_what_was_handed_over_by_what_became_of_the_transaction) {
  const std::vector<Transaction> transactions{{.jobs = {7, 8, 9}, .is_committed = true},
                                              {.jobs = {10, 11}, .is_committed = false}};
  const auto result =
    judge_hand_over(transactions, {call_of(1, 1, 7), call_of(1, 2, 9), call_of(1, 2, 9),
                                   call_of(1, 3, 10), call_of(1, 4, 99)});
  EXPECT_EQ(to_string(result), "handed over by transaction 3, rolled back 2, done 2, "
                               "done of rolled back 1, lost 1");
}

TEST(ClusterLedger, jobs_of_a_key_are_in_order_of_the_commits_that_were_not_open_together) {
  const std::vector<Transaction> one_after_the_other{
    {.jobs = {7}, .begin = 1, .end = 2, .is_committed = true},
    {.jobs = {8}, .begin = 3, .end = 4, .is_committed = true}};
  const std::vector<Transaction> together{
    {.jobs = {7}, .begin = 1, .end = 3, .is_committed = true},
    {.jobs = {8}, .begin = 2, .end = 4, .is_committed = true}};
  const std::vector<Call> turned{call_of(1, 1, 8), call_of(1, 2, 7), call_of(1, 1, 8)};
  EXPECT_EQ(judge_hand_over(one_after_the_other, turned).out_of_order, 1u);
  EXPECT_EQ(judge_hand_over(together, turned).out_of_order, 0u);
  EXPECT_EQ(judge_hand_over(one_after_the_other, {call_of(1, 1, 8, "x"), call_of(1, 2, 7, "y")})
              .out_of_order,
            0u);
}

TEST(ClusterLedger, jobs_of_a_key_and_a_transaction_are_in_the_order_of_their_insertion) {
  const std::vector<Transaction> transactions{
    {.jobs = {7, 8}, .begin = 1, .end = 2, .is_committed = true}};
  EXPECT_EQ(judge_hand_over(transactions, {call_of(1, 1, 8), call_of(1, 2, 7)}).out_of_order, 1u);
  EXPECT_EQ(judge_hand_over(transactions, {call_of(1, 1, 7), call_of(1, 2, 8)}).out_of_order, 0u);
}

TEST(ClusterLedgerService, refuses_a_lower_epoch_than_it_has_seen_from_whomever) {
  const example::TemporaryFolder folder{"cluster_ledger"};
  LedgerService service{folder / "service"};
  const auto old_owner = connect_to(service.path());
  const auto new_owner = connect_to(service.path());
  EXPECT_EQ(answer_to(old_owner.get(), call_of(1, 1, 7)), "done");
  EXPECT_EQ(answer_to(new_owner.get(), call_of(2, 2, 8)), "done");
  EXPECT_EQ(answer_to(old_owner.get(), call_of(1, 3, 9)), "stale");
  EXPECT_EQ(answer_to(new_owner.get(), call_of(2, 3, 9)), "done");
  EXPECT_EQ(service.epoch(), 2u);
  ASSERT_EQ(service.count(), 4u);
  EXPECT_TRUE(service.calls(2).front().is_refused);
  EXPECT_EQ(service.calls(2).front().job, 9u);
}

TEST(ClusterLedger, counts_calls_of_a_delayed_job_before_its_time_as_early) {
  Lives lives;
  lives.take({2000, "a", "accepted", "3 1000"}); // waits for 700 ms
  lives.take({2000, "a", "accepted", "4 1000"}); // does not wait
  auto early = call_of(1, 1, 3);
  early.at = 700'999;
  auto in_time = call_of(1, 1, 3);
  in_time.at = 701'000;
  const auto verdict = lives.judge({early, in_time, call_of(1, 2, 4)});
  EXPECT_EQ(verdict.delayed, 1u);
  EXPECT_EQ(verdict.early, 1u);
}

TEST(ClusterLedger, counts_calls_of_a_job_after_it_was_said_to_be_cancelled) {
  Lives lives;
  lives.take({1000, "a", "cancelling", "11"});
  lives.take({1000, "a", "cancelling", "27"});
  lives.take({2000, "a", "gone", "11"});
  auto before = call_of(1, 1, 11);
  before.at = 1999;
  auto after = call_of(1, 1, 11);
  after.at = 2001;
  auto refused = call_of(1, 1, 11, "x", true);
  refused.at = 3000;
  const auto verdict = lives.judge({before, after, refused});
  EXPECT_EQ(verdict.gone, 1u);
  EXPECT_EQ(verdict.done_when_gone, 1u);
  EXPECT_TRUE(lives.may_be_gone(27)) << "it is not known what was answered";
  EXPECT_FALSE(lives.may_be_gone(3));
}

TEST(ClusterLedger, compares_the_note_that_a_job_got_with_the_last_that_was_left) {
  Lives lives;
  lives.take({1, "a", "began", "15 0 8 1"});
  lives.take({2, "a", "said", "15 1 8 1"});
  lives.take({3, "a", "said", "15 2 8 1"});
  lives.take({4, "b", "began", "15 2 8 2"});
  lives.take({5, "c", "began", "15 1 8 3"}); // the last was lost with its owner
  lives.take({6, "c", "began", "79 1 9 3"}); // nobody has left one
  const auto verdict = lives.judge({});
  EXPECT_EQ(verdict.notes, 3u);
  EXPECT_EQ(verdict.notes_behind, 1u);
  EXPECT_EQ(verdict.notes_behind_stored, 0u);
  EXPECT_EQ(verdict.notes_of_others, 1u);
}

TEST(ClusterLedger, knows_that_a_stale_owner_may_have_an_older_note_than_the_new_one) {
  Lives lives;
  lives.take({1, "a", "began", "15 0 8 1"});
  lives.take({2, "a", "said", "15 1 8 1"});
  lives.take({3, "b", "began", "15 1 8 2"});
  lives.take({4, "a", "began", "15 0 8 1"}); // it was frozen
  lives.take({5, "b", "began", "15 1 8 2"});
  EXPECT_EQ(lives.judge({}).notes_of_others, 0u);
}

TEST(ClusterLedger, counts_notes_that_are_older_than_the_last_that_an_earlier_owner_has_stored) {
  Lives lives;
  lives.take({1, "a", "began", "15 0 8 1"});
  lives.take({2, "a", "said", "15 1 8 1"});
  lives.take({3, "a", "said", "15 2 8 1"});
  lives.take({4, "b", "began", "15 1 8 2"});
  const StoredNote first{.delivery = 8, .step = 1, .epoch = 1};
  const StoredNote second{.delivery = 8, .step = 2, .epoch = 1};
  const StoredNote later{.delivery = 8, .step = 2, .epoch = 2};
  const StoredNote of_another{.delivery = 9, .step = 2, .epoch = 1};
  EXPECT_EQ(lives.judge({}, {first}).notes_behind_stored, 0u);
  EXPECT_EQ(lives.judge({}, {first, second}).notes_behind_stored, 1u);
  EXPECT_EQ(lives.judge({}, {first, later, of_another}).notes_behind_stored, 0u);
}

namespace {

// The server's clock, of which the ledger knows nothing.
CalendarTime time_of(const std::string& entry, std::int64_t time, std::uint64_t delivery) {
  return {.entry = entry, .time = time, .made_at = time * 1'000'000 + 5000, .delivery = delivery};
}

EntryChange change_at(std::int64_t second, bool is_on) {
  return {second * 1'000'000 - 1000, second * 1'000'000 + 1000, is_on};
}

} // namespace

TEST(ClusterCalendar, counts_times_that_became_no_message_though_a_later_one_did) {
  const Entry all{.name = "all", .period = 1, .changes = {change_at(100, true)}};
  const Entry last{.name = "last", .runs_all = false, .changes = {change_at(100, true)}};
  const std::vector<Call> calls{call_of(1, 1, 1), call_of(1, 2, 2)};
  const std::vector<CalendarTime> whole{time_of("all", 101, 1), time_of("all", 102, 2)};
  const std::vector<CalendarTime> with_a_hole{time_of("all", 101, 1), time_of("all", 104, 2)};
  const std::vector<CalendarTime> begun_late{time_of("all", 103, 1)};
  const std::vector<CalendarTime> for_the_others{time_of("last", 101, 1), time_of("last", 104, 2)};
  EXPECT_EQ(judge_calendar({all}, whole, calls).missing, 0u);
  EXPECT_EQ(judge_calendar({all}, whole, calls).times, 2u);
  EXPECT_EQ(judge_calendar({all}, with_a_hole, calls).missing, 2u);
  EXPECT_EQ(judge_calendar({all}, begun_late, calls).missing, 2u);
  EXPECT_EQ(judge_calendar({last}, for_the_others, calls).missing, 0u);
}

TEST(ClusterCalendar, counts_messages_that_the_service_has_not_done_as_missing) {
  const Entry all{.name = "all", .changes = {change_at(100, true)}};
  const std::vector<CalendarTime> times{time_of("all", 101, 1), time_of("all", 102, 2)};
  EXPECT_EQ(judge_calendar({all}, times, {call_of(1, 1, 1)}).missing, 1u);
  EXPECT_EQ(judge_calendar({all}, times, {call_of(1, 1, 1), call_of(1, 2, 2, "x", true)}).missing,
            1u);
  EXPECT_EQ(judge_calendar({all}, times, {call_of(1, 1, 1), call_of(1, 2, 2), call_of(2, 2, 2)}),
            (CalendarVerdict{.times = 2}));
}

TEST(ClusterCalendar, counts_times_that_became_two_messages_or_one_too_early) {
  const Entry all{.name = "all", .changes = {change_at(100, true)}};
  auto twice = time_of("all", 101, 1);
  twice.messages = 2;
  auto early = time_of("all", 102, 2);
  early.made_at = 101'999'999;
  EXPECT_EQ(to_string(judge_calendar({all}, {twice, early}, {call_of(1, 1, 1), call_of(1, 2, 2)})),
            "calendar: times 2, missing 0, twice 1, early 1, while paused 0");
}

TEST(ClusterCalendar, counts_times_of_an_entry_that_was_paused_for_certain) {
  const Entry paused{
    .name = "paused",
    .changes = {change_at(100, true), change_at(103, false), change_at(106, true)}};
  const std::vector<Call> calls{call_of(1, 1, 1), call_of(1, 2, 2), call_of(1, 3, 3)};
  // What was due when it was paused, as 103 was, may be dropped.
  const std::vector<CalendarTime> right{time_of("paused", 101, 1), time_of("paused", 102, 2),
                                        time_of("paused", 107, 3)};
  const std::vector<CalendarTime> wrong{time_of("paused", 101, 1), time_of("paused", 104, 2),
                                        time_of("paused", 105, 3)};
  EXPECT_EQ(judge_calendar({paused}, right, calls), (CalendarVerdict{.times = 3}));
  EXPECT_EQ(judge_calendar({paused}, wrong, calls).while_paused, 2u);
  EXPECT_EQ(judge_calendar({paused}, {time_of("paused", 106, 1)}, calls),
            (CalendarVerdict{.times = 1}));
}

TEST(ClusterLedger, counts_a_job_as_done_with_its_last_step) {
  auto step = call_of(1, 1, 15);
  step.step = 1;
  EXPECT_EQ(judge({15}, {step}).lost, 1u);
  EXPECT_EQ(judge({15}, {step, call_of(1, 1, 15)}).lost, 0u);
  EXPECT_EQ(judge({15}, {step, step, call_of(1, 1, 15)}).done_again, 0u);
}

TEST(ClusterLedger, lets_others_of_the_key_go_before_a_job_that_waits_for_its_time) {
  auto late = call_of(1, 1, 3);
  late.is_out_of_turn = true;
  EXPECT_EQ(judge({}, {call_of(1, 2, 4), late}).out_of_order, 0u);
}

} // namespace cluster
