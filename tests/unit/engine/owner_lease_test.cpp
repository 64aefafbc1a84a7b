// What the owner of a shared outbox knows of its ownership, by its own clock.

#include "backoff_actor/engine/outbox/owner_lease.hpp"

#include <gtest/gtest.h>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

// An owner whose call began at `began` and was answered.
OwnerLease renewed(Instant began, Duration lease = 5s) {
  OwnerLease result{lease};
  result.begin(began);
  result.answered();
  return result;
}

constexpr Instant before_all{Duration::min()};

} // namespace

TEST(owner_lease, without_a_lease_nobody_else_can_ever_own_the_store) {
  OwnerLease lease;
  EXPECT_FALSE(lease.is_limited());
  EXPECT_EQ(lease.sure_until(), Instant::never());
  EXPECT_EQ(lease.renew_at(), Instant::never());
  lease.begin(Instant{1s});
  lease.answered();
  lease.begin(Instant{2s});
  lease.doubt();
  EXPECT_EQ(lease.sure_until(), Instant::never());
  EXPECT_EQ(lease.renew_at(), Instant::never());
  EXPECT_FALSE(lease.is_lost());
}

TEST(owner_lease, a_new_owner_is_doubtful_and_calls_at_once) {
  const OwnerLease lease{5s};
  EXPECT_TRUE(lease.is_limited());
  EXPECT_EQ(lease.sure_until(), before_all);
  EXPECT_EQ(lease.renew_at(), before_all);
}

TEST(owner_lease, an_answer_makes_it_sure_for_four_fifths_from_the_beginning_of_the_call) {
  const auto lease = renewed(Instant{10s});
  EXPECT_EQ(lease.sure_until(), Instant{14s});
}

TEST(owner_lease, it_calls_again_after_a_third_of_the_lease) {
  const auto lease = renewed(Instant{10s}, 6s);
  EXPECT_EQ(lease.renew_at(), Instant{12s});
}

TEST(owner_lease, a_call_that_has_begun_changes_nothing_until_its_answer) {
  auto lease = renewed(Instant{10s});
  lease.begin(Instant{12s});
  EXPECT_EQ(lease.sure_until(), Instant{14s});
  lease.answered();
  EXPECT_EQ(lease.sure_until(), Instant{16s});
}

TEST(owner_lease, an_answer_never_makes_it_less_sure) {
  auto lease = renewed(Instant{10s});
  lease.begin(Instant{9s}); // a clock of a test may
  lease.answered();
  EXPECT_EQ(lease.sure_until(), Instant{14s});
}

TEST(owner_lease, a_call_that_fails_makes_it_doubtful_until_the_next_answer) {
  auto lease = renewed(Instant{10s});
  lease.begin(Instant{11s});
  lease.doubt();
  EXPECT_EQ(lease.sure_until(), before_all);
  EXPECT_EQ(lease.renew_at(), before_all) << "at once";
  EXPECT_FALSE(lease.is_lost());
  lease.begin(Instant{12s});
  lease.answered();
  EXPECT_EQ(lease.sure_until(), Instant{16s});
}

TEST(owner_lease, a_lost_one_stays_lost_whatever_the_server_says) {
  auto lease = renewed(Instant{10s});
  lease.lose();
  lease.begin(Instant{11s});
  lease.answered();
  EXPECT_TRUE(lease.is_lost());
  EXPECT_EQ(lease.sure_until(), before_all);
  EXPECT_EQ(lease.renew_at(), Instant::never());
  lease.doubt();
  EXPECT_EQ(lease.renew_at(), Instant::never());
}

TEST(owner_lease, its_end_is_never_beyond_the_end_of_time) {
  const auto lease = renewed(Instant{Duration::max() - 1s});
  EXPECT_EQ(lease.sure_until(), Instant::never());
}

} // namespace backoff_actor
