// Which child of a sender is at which place of the processes that offer workers.

#include <backoff_actor/engine/offers/offer_book.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace backoff_actor {
namespace {

using State = OfferBook::State;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OfferBook, spreads_children_over_the_processes) {
  OfferBook book;
  const auto one = book.add(2);
  const auto two = book.add(3);
  EXPECT_EQ(book.places(), 5u);
  EXPECT_EQ(book.take(1, 1), (OfferBook::Place{two, 0}));
  EXPECT_EQ(book.take(2, 2), (OfferBook::Place{one, 0})) << "both have two free ones";
  EXPECT_EQ(book.take(3, 3), (OfferBook::Place{two, 1}));
  EXPECT_EQ(book.take(4, 4), (OfferBook::Place{one, 1}));
  EXPECT_EQ(book.take(5, 5), (OfferBook::Place{two, 2}));
  EXPECT_EQ(book.take(6, 6), std::nullopt);
  EXPECT_EQ(book.release(3), State::stands);
  EXPECT_EQ(book.take(7, 3), (OfferBook::Place{two, 1})) << "the place that was freed";
}

TEST(OfferBook, knows_nothing_of_other_children) {
  OfferBook book;
  const auto one = book.add(1);
  EXPECT_EQ(book.release(9), std::nullopt);
  EXPECT_EQ(book.offer_of(9), std::nullopt);
  book.take(9, 1);
  EXPECT_EQ(book.offer_of(9), one);
  EXPECT_EQ(book.release(9), State::stands);
  EXPECT_EQ(book.release(9), std::nullopt) << "once";
}

TEST(OfferBook, names_the_workers_of_an_offer_that_ends_and_forgets_it_after_them) {
  OfferBook book;
  const auto one = book.add(2);
  const auto two = book.add(2);
  book.take(1, 7);
  book.take(2, 5);
  ASSERT_EQ(book.offer_of(1), one);
  ASSERT_EQ(book.offer_of(2), two);
  EXPECT_THAT(book.end(one, State::withdrawn), ElementsAre(7));
  EXPECT_EQ(book.places(), 2u);
  EXPECT_TRUE(book.knows(one));
  book.take(3, 9);
  EXPECT_EQ(book.take(4, 9), std::nullopt) << "its free place is free no more";
  EXPECT_EQ(book.release(1), State::withdrawn);
  EXPECT_FALSE(book.knows(one));
  EXPECT_THAT(book.end(two, State::lost), ElementsAre(5, 9));
  EXPECT_EQ(book.places(), 0u);
  EXPECT_EQ(book.release(2), State::lost);
}

TEST(OfferBook, may_lose_an_offer_that_was_withdrawn_and_not_the_other_way_round) {
  OfferBook book;
  const auto one = book.add(2);
  book.take(1, 1);
  book.end(one, State::withdrawn);
  EXPECT_THAT(book.end(one, State::lost), ElementsAre(1));
  EXPECT_THAT(book.end(one, State::withdrawn), IsEmpty());
  EXPECT_EQ(book.places(), 0u) << "counted once";
  EXPECT_EQ(book.release(1), State::lost);
  EXPECT_THAT(book.end(one, State::lost), IsEmpty()) << "nobody knows it";
}

TEST(OfferBook, forgets_an_offer_without_children_at_once) {
  OfferBook book;
  const auto one = book.add(3);
  EXPECT_THAT(book.end(one, State::withdrawn), IsEmpty());
  EXPECT_FALSE(book.knows(one));
  EXPECT_EQ(book.places(), 0u);
}

} // namespace
} // namespace backoff_actor
