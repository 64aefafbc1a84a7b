// What a process does that offers workers.

#include <backoff_actor/engine/offers/worker_offer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace backoff_actor {
namespace {

using namespace std::chrono_literals;
using Act = WorkerOffer::Act;
using Phase = WorkerOffer::Phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant at(Duration x) { return Instant{} + x; }

// Waits of 1 s, 2 s, 4 s ...
class WorkerOfferTest : public ::testing::Test {
protected:
  // The owner has taken its two workers at 0 s.
  void take() {
    offer.begin();
    offer.found(at(0s));
    offer.taken(at(0s));
  }

  WorkerOffer offer{BackOff{Exponential{.first = 1s}}, 2};
};

TEST_F(WorkerOfferTest, is_made_once_an_owner_is_found) {
  EXPECT_THAT(offer.begin(), ElementsAre(Act::find_owner));
  EXPECT_FALSE(offer.may_make(0));
  EXPECT_THAT(offer.found(at(0s)), ElementsAre(Act::offer));
  EXPECT_TRUE(offer.may_make(1)) << "the owner may ask before its answer is here";
  EXPECT_FALSE(offer.may_make(2)) << "two are offered";
  offer.taken(at(0s));
  EXPECT_EQ(offer.phase(), Phase::working);
}

TEST_F(WorkerOfferTest, waits_longer_after_each_failure_in_a_row) {
  offer.begin();
  EXPECT_THAT(offer.not_found(at(0s)), IsEmpty());
  EXPECT_EQ(offer.due(), at(1s));
  EXPECT_THAT(offer.wake(at(999ms)), IsEmpty());
  EXPECT_THAT(offer.wake(at(1s)), ElementsAre(Act::find_owner));
  offer.found(at(1s));
  EXPECT_THAT(offer.refused(at(1s)), IsEmpty());
  EXPECT_EQ(offer.due(), at(3s));
  offer.wake(at(3s));
  offer.found(at(3s));
  EXPECT_EQ(offer.due(), at(5s)) << "the owner has 2 s to answer";
  EXPECT_THAT(offer.wake(at(5s)), IsEmpty());
  EXPECT_EQ(offer.due(), at(9s)) << "4 s, as it did not";
  offer.wake(at(9s));
  offer.found(at(9s));
  offer.taken(at(10s));
  offer.owner_gone(at(20s));
  EXPECT_EQ(offer.due(), at(21s)) << "after a success the waits begin anew";
}

TEST_F(WorkerOfferTest, ends_its_workers_with_their_owner) {
  take();
  offer.note_made(1);
  EXPECT_THAT(offer.owner_gone(at(1s)), ElementsAre(Act::end_workers));
  EXPECT_FALSE(offer.may_make(0));
  EXPECT_THAT(offer.note_gone(1), IsEmpty()) << "it goes on";
  EXPECT_THAT(offer.wake(at(2s)), ElementsAre(Act::find_owner));
}

TEST_F(WorkerOfferTest, is_renewed_each_second_and_an_owner_that_then_refuses_is_gone) {
  take();
  offer.note_made(0);
  EXPECT_THAT(offer.wake(at(999ms)), IsEmpty());
  EXPECT_THAT(offer.wake(at(1s)), ElementsAre(Act::offer));
  EXPECT_EQ(offer.due(), Instant::never()) << "a busy owner has any time to answer";
  EXPECT_TRUE(offer.may_make(1));
  offer.taken(at(5s));
  EXPECT_EQ(offer.due(), at(6s));
  EXPECT_THAT(offer.wake(at(6s)), ElementsAre(Act::offer));
  EXPECT_THAT(offer.refused(at(6s)), ElementsAre(Act::end_workers));
  EXPECT_EQ(offer.phase(), Phase::waiting);
}

TEST_F(WorkerOfferTest, leaves_when_its_workers_have_ended) {
  take();
  offer.note_made(0);
  offer.note_made(1);
  EXPECT_THAT(offer.stop(at(0s), 10s), ElementsAre(Act::withdraw));
  EXPECT_FALSE(offer.may_make(0));
  EXPECT_THAT(offer.note_gone(0), IsEmpty());
  EXPECT_THAT(offer.note_gone(1), ElementsAre(Act::quit));
  EXPECT_EQ(offer.phase(), Phase::ended);
  EXPECT_THAT(offer.stop(at(1s), 0s), IsEmpty());
}

TEST_F(WorkerOfferTest, kills_its_workers_when_the_grace_is_over) {
  take();
  offer.note_made(0);
  offer.stop(at(0s), 10s);
  EXPECT_THAT(offer.wake(at(9s)), IsEmpty());
  EXPECT_THAT(offer.wake(at(10s)), ElementsAre(Act::kill_workers, Act::quit));
}

TEST_F(WorkerOfferTest, leaves_at_once_without_a_grace_or_without_workers) {
  take();
  offer.note_made(0);
  EXPECT_THAT(offer.stop(at(0s), 0s), ElementsAre(Act::withdraw, Act::kill_workers, Act::quit));
  WorkerOffer idle{BackOff{}, 1};
  idle.begin();
  EXPECT_THAT(idle.stop(at(0s), 10s), ElementsAre(Act::quit)) << "nobody knows of it";
}

TEST_F(WorkerOfferTest, has_the_least_time_that_it_was_given_to_leave) {
  take();
  offer.note_made(0);
  offer.stop(at(0s), 10s);
  offer.stop(at(1s), 2s);
  EXPECT_EQ(offer.due(), at(3s));
  offer.stop(at(1s), 60s);
  EXPECT_EQ(offer.due(), at(3s));
}

TEST_F(WorkerOfferTest, leaves_although_its_owner_is_gone) {
  take();
  offer.note_made(0);
  offer.stop(at(0s), 10s);
  EXPECT_THAT(offer.owner_gone(at(1s)), ElementsAre(Act::end_workers));
  EXPECT_THAT(offer.note_gone(0), ElementsAre(Act::quit));
}

TEST_F(WorkerOfferTest, ignores_what_comes_too_late) {
  EXPECT_THAT(offer.found(at(0s)), IsEmpty()) << "it did not begin";
  take();
  EXPECT_THAT(offer.found(at(1s)), IsEmpty());
  EXPECT_THAT(offer.not_found(at(1s)), IsEmpty());
  EXPECT_EQ(offer.phase(), Phase::working);
  offer.stop(at(1s), 0s);
  offer.taken(at(2s));
  EXPECT_THAT(offer.refused(at(2s)), IsEmpty());
  EXPECT_EQ(offer.phase(), Phase::ended);
}

} // namespace
} // namespace backoff_actor
