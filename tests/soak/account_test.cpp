#include "account.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace backoff_actor::soak {

namespace {

using Way = Account::Way;

TEST(SoakAccount, closes_a_submission_by_each_of_its_ends) {
  Account account;
  account.answered(account.submit(Way::request));
  account.answered(account.submit(Way::plain_send));
  account.refused(account.submit(Way::request));
  const auto failed_first = account.submit(Way::request);
  account.failed(failed_first);
  account.dead_lettered(failed_first);
  const auto buried_first = account.submit(Way::request);
  account.dead_lettered(buried_first);
  account.failed(buried_first);
  account.dead_lettered(account.submit(Way::plain_send));

  const auto totals = account.totals();

  EXPECT_EQ(totals.submitted, 6u);
  EXPECT_EQ(totals.answered, 2u);
  EXPECT_EQ(totals.refused, 1u);
  EXPECT_EQ(totals.dead_lettered, 3u);
  EXPECT_EQ(totals.open(), 0u);
  EXPECT_EQ(totals.ended_twice, 0u);
}

TEST(SoakAccount, notices_what_never_ends) {
  Account account;
  account.submit(Way::request);
  account.submit(Way::plain_send);
  account.failed(account.submit(Way::request));        // whose dead letter never comes
  account.dead_lettered(account.submit(Way::request)); // whose client is never told

  EXPECT_EQ(account.totals().open(), 4u);
}

TEST(SoakAccount, notices_what_ends_twice) {
  Account account;
  const auto twice = account.submit(Way::request);
  account.answered(twice);
  account.answered(twice);
  const auto answered_and_buried = account.submit(Way::request);
  account.dead_lettered(answered_and_buried);
  account.answered(answered_and_buried);
  const auto buried_twice = account.submit(Way::request);
  account.dead_lettered(buried_twice);
  account.dead_lettered(buried_twice);
  account.failed(buried_twice);

  EXPECT_EQ(account.totals().ended_twice, 3u);
  EXPECT_EQ(account.totals().open(), 0u);
}

TEST(SoakAccount, notices_an_answer_to_somebody_elses_submission) {
  Account account;
  account.submit(Way::request);
  const auto other = account.submit(Way::request);
  account.answered(other);
  account.answered(other);

  EXPECT_EQ(account.totals().ended_twice, 1u);
  EXPECT_EQ(account.totals().open(), 1u);
}

TEST(SoakAccount, is_right_when_threads_enter_at_once) {
  Account account;
  std::vector<std::thread> threads;
  for (auto i = 0; i != 4; ++i)
    threads.emplace_back([&] {
      for (auto k = 0; k != 10'000; ++k)
        account.answered(account.submit(Way::request));
    });
  for (auto& thread : threads)
    thread.join();

  EXPECT_EQ(account.totals().answered, 40'000u);
  EXPECT_EQ(account.totals().ended_twice, 0u);
}

} // namespace

} // namespace backoff_actor::soak
