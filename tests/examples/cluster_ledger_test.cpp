// What the ledger of the cluster says about a run, and what its service refuses.

#include "cluster/ledger.hpp"
#include "cluster/ledger_service.hpp"
#include "cluster/lives.hpp"
#include "cluster/local_socket.hpp"
#include "common/temporary_folder.hpp"

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
  EXPECT_EQ(judge({}, {call_of(1, 2, 8), call_of(1, 1, 7)}).out_of_order, 1u);
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
  lives.take({1, "a", "began", "15 0"});
  lives.take({2, "a", "said", "15 1"});
  lives.take({3, "a", "said", "15 2"});
  lives.take({4, "b", "began", "15 1"}); // the one before the last
  lives.take({5, "b", "said", "15 2"});
  lives.take({6, "c", "began", "15 0"}); // older than that
  lives.take({7, "c", "began", "79 1"}); // nobody has left one
  const auto verdict = lives.judge({});
  EXPECT_EQ(verdict.notes, 3u);
  EXPECT_EQ(verdict.notes_older, 1u);
  EXPECT_EQ(verdict.notes_of_others, 1u);
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
