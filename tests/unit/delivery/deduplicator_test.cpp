#include "backoff_actor/delivery/deduplicator.hpp"

#include "backoff_actor/core/unit_random.hpp"
#include "common/seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::deduplicator_test {

// What is remembered of the first deliveries of an origin: their numbers, in one line.
template <class Answer>
std::string known(const Deduplicator<Answer>& seen, std::uint64_t origin, std::uint64_t last) {
  std::string result;
  for (std::uint64_t delivery = 1; delivery <= last; ++delivery)
    if (seen.find(origin, delivery) != nullptr)
      result.append(result.empty() ? "" : " ").append(std::to_string(delivery));
  return result;
}

TEST(deduplicator, knows_nothing_at_first) {
  const Deduplicator<> seen;

  EXPECT_EQ(seen.find(1, 1), nullptr);
  EXPECT_EQ(seen.find(0, 0), nullptr);
  EXPECT_EQ(seen.size(), 0U);
  EXPECT_EQ(seen.capacity(), 10'000U);
}

TEST(deduplicator, gives_the_answer_again) {
  Deduplicator<std::string> seen{3};
  seen.remember(7, 1, "one");
  seen.remember(7, 2);

  ASSERT_NE(seen.find(7, 1), nullptr);
  EXPECT_EQ(*seen.find(7, 1), "one");
  ASSERT_NE(seen.find(7, 2), nullptr);
  EXPECT_EQ(*seen.find(7, 2), "");
}

TEST(deduplicator, takes_the_same_number_of_another_sender_for_another_delivery) {
  Deduplicator<std::string> seen{3};
  seen.remember(7, 1, "of 7");
  seen.remember(1, 7, "of 1");

  EXPECT_EQ(*seen.find(7, 1), "of 7");
  EXPECT_EQ(*seen.find(1, 7), "of 1");
  EXPECT_EQ(seen.find(8, 1), nullptr);
  EXPECT_EQ(seen.find(7, 7), nullptr);
}

TEST(deduplicator, tells_the_ends_of_the_range_apart) {
  constexpr auto last = ~std::uint64_t{0};
  Deduplicator<int> seen{4};
  seen.remember(0, 0, 1);
  seen.remember(0, last, 2);
  seen.remember(last, 0, 3);
  seen.remember(last, last, 4);

  EXPECT_EQ(*seen.find(0, 0), 1);
  EXPECT_EQ(*seen.find(0, last), 2);
  EXPECT_EQ(*seen.find(last, 0), 3);
  EXPECT_EQ(*seen.find(last, last), 4);
}

TEST(deduplicator, forgets_the_oldest_first_when_it_is_full) {
  Deduplicator<> seen{3};
  seen.remember(1, 5);
  seen.remember(1, 2);
  seen.remember(1, 9);
  EXPECT_EQ(known(seen, 1, 9), "2 5 9");

  seen.remember(1, 1);
  EXPECT_EQ(known(seen, 1, 9), "1 2 9") << "5 was the oldest";
  seen.remember(1, 7);
  EXPECT_EQ(known(seen, 1, 9), "1 7 9") << "2 was the oldest";
  seen.remember(1, 8);
  EXPECT_EQ(known(seen, 1, 9), "1 7 8") << "9 was the oldest";
  seen.remember(1, 5);
  EXPECT_EQ(known(seen, 1, 9), "5 7 8") << "the second time around too";
  EXPECT_EQ(seen.size(), 3U);
}

TEST(deduplicator, replaces_the_answer_of_what_it_knows_and_forgets_nothing_for_it) {
  Deduplicator<std::string> seen{2};
  seen.remember(1, 1, "early");
  seen.remember(1, 2, "other");

  seen.remember(1, 1, "late");

  EXPECT_EQ(seen.size(), 2U);
  EXPECT_EQ(*seen.find(1, 1), "late");
  EXPECT_EQ(*seen.find(1, 2), "other");
}

TEST(deduplicator, makes_nothing_younger_that_it_knows) {
  Deduplicator<> seen{2};
  seen.remember(1, 1);
  seen.remember(1, 2);

  seen.remember(1, 1);
  seen.remember(1, 3);

  EXPECT_EQ(known(seen, 1, 3), "2 3");
}

TEST(deduplicator, of_capacity_one_knows_the_last) {
  Deduplicator<std::string> seen{1};
  seen.remember(1, 1, "a");
  EXPECT_EQ(*seen.find(1, 1), "a");
  seen.remember(1, 1, "b");
  EXPECT_EQ(*seen.find(1, 1), "b");

  seen.remember(2, 1, "c");

  EXPECT_EQ(seen.find(1, 1), nullptr);
  EXPECT_EQ(*seen.find(2, 1), "c");
  EXPECT_EQ(seen.size(), 1U);
}

TEST(deduplicator, that_is_full_knows_each_of_a_hundred_thousand) {
  Deduplicator<std::uint64_t> seen{100'000};
  for (std::uint64_t delivery = 1; delivery <= 250'000; ++delivery)
    seen.remember(3, delivery, 2 * delivery);

  EXPECT_EQ(seen.size(), 100'000U);
  for (std::uint64_t delivery = 1; delivery <= 150'000; ++delivery)
    ASSERT_EQ(seen.find(3, delivery), nullptr) << delivery;
  for (std::uint64_t delivery = 150'001; delivery <= 250'000; ++delivery) {
    const auto* const answer = seen.find(3, delivery);
    ASSERT_NE(answer, nullptr) << delivery;
    ASSERT_EQ(*answer, 2 * delivery);
  }
}

TEST(deduplicator, lets_go_of_the_answer_that_it_forgets) {
  Deduplicator<std::shared_ptr<int>> seen{1};
  const auto answer = std::make_shared<int>(5);
  seen.remember(1, 1, answer);
  EXPECT_EQ(answer.use_count(), 2);

  seen.remember(1, 2);

  EXPECT_EQ(answer.use_count(), 1);
}

TEST(deduplicator, takes_answers_that_can_only_be_moved) {
  Deduplicator<std::unique_ptr<int>> seen{20};
  for (std::uint64_t delivery = 1; delivery <= 50; ++delivery)
    seen.remember(1, delivery, std::make_unique<int>(static_cast<int>(delivery)));

  EXPECT_EQ(**seen.find(1, 31), 31);
  EXPECT_EQ(**seen.find(1, 50), 50);
  EXPECT_EQ(seen.find(1, 30), nullptr);
}

struct BadCapacity {
  std::size_t capacity;
  const char* problem;
};

TEST(BadCapacities, of_a_deduplicator_are_refused) {
  const std::vector<BadCapacity> rows{
    {0, "capacity: got 0, allowed 1..1073741824"},
    {1'073'741'825, "capacity: got 1073741825, allowed 1..1073741824"}};
  for (const auto& row : rows) {
    try {
      const Deduplicator<> seen{row.capacity};
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& thrown) {
      EXPECT_STREQ(thrown.what(), row.problem);
    }
  }
}

// The obvious way: all of it is looked through each time.
class Reference {
public:
  explicit Reference(std::size_t capacity) : capacity_(capacity) {}

  const int* find(std::uint64_t origin, std::uint64_t delivery) const {
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& x) {
      return x.origin == origin && x.delivery == delivery;
    });
    return found == known_.end() ? nullptr : &found->answer;
  }

  void remember(std::uint64_t origin, std::uint64_t delivery, int answer) {
    for (auto& x : known_)
      if (x.origin == origin && x.delivery == delivery) {
        x.answer = answer;
        return;
      }
    if (known_.size() == capacity_)
      known_.pop_front();
    known_.push_back({origin, delivery, answer});
  }

  std::size_t size() const { return known_.size(); }

private:
  struct Known {
    std::uint64_t origin;
    std::uint64_t delivery;
    int answer;
  };

  std::size_t capacity_;
  std::deque<Known> known_;
};

TEST(deduplicator, agrees_with_a_list_over_many_random_operations) {
  for (const auto seed : test::seeds(40)) {
    SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(seed));
    const auto capacity = 1 + static_cast<std::size_t>(unit_random(seed, 0, 0) * 60);
    Deduplicator<int> seen{capacity};
    Reference expected{capacity};
    // Few enough names that most are remembered, or enough that most are not.
    const auto deliveries = unit_random(seed, 0, 1) * 3 * static_cast<double>(capacity);
    for (std::uint64_t n = 0; n < 3000; ++n) {
      const auto draw = [&](std::uint64_t stream) { return unit_random(seed, stream, n); };
      const auto origin = static_cast<std::uint64_t>(draw(1) * 3);
      const auto delivery = static_cast<std::uint64_t>(draw(2) * deliveries);
      if (draw(3) < 0.6) {
        seen.remember(origin, delivery, static_cast<int>(n));
        expected.remember(origin, delivery, static_cast<int>(n));
      }
      const auto* const found = seen.find(origin, delivery);
      const auto* const wanted = expected.find(origin, delivery);
      ASSERT_EQ(found == nullptr, wanted == nullptr);
      if (found != nullptr) {
        ASSERT_EQ(*found, *wanted);
      }
      ASSERT_EQ(seen.size(), expected.size());
    }
    for (std::uint64_t origin = 0; origin < 3; ++origin)
      for (std::uint64_t delivery = 0; delivery < 200; ++delivery)
        ASSERT_EQ(seen.find(origin, delivery) == nullptr,
                  expected.find(origin, delivery) == nullptr);
  }
}

} // namespace backoff_actor::deduplicator_test
