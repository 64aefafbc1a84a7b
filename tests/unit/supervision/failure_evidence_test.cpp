#include "backoff_actor/supervision/internal/failure_evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace backoff_actor::failure_evidence_test {

using namespace std::chrono_literals;
using Finding = FailureEvidence::Finding;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Deliveries have the numbers 1, 2, 3 ..., each in the slot of its number.
class FailureEvidenceTest : public ::testing::Test {
public:
  Finding fail(std::uint64_t id, bool was_charged, bool has_failed = false) {
    now = now + 1s;
    return evidence.note_failure(static_cast<std::uint32_t>(id), id, was_charged, has_failed,
                                 now + -Duration{500ms}, now,
                                 [&](const auto& x) { taken_back.push_back(x.id); });
  }

  void answer(std::uint64_t id = 99) {
    now = now + 1s;
    evidence.note_answer(id, now, [&](const auto& x) { charged.push_back(x.id); });
  }

  void blame_service() {
    evidence.note_service_failure(now, [&](const auto& x) { taken_back.push_back(x.id); });
  }

  Instant now{};
  FailureEvidence evidence{};
  std::vector<std::uint64_t> charged{};
  std::vector<std::uint64_t> taken_back{};
};

TEST_F(FailureEvidenceTest, four_messages_that_were_charged_before_are_charged_again) {
  for (const std::uint64_t id : {1U, 2U, 3U, 4U, 1U, 2U})
    EXPECT_EQ(fail(id, true), Finding::message) << id;
  EXPECT_FALSE(evidence.is_down());
}

TEST_F(FailureEvidenceTest, the_fifth_that_was_charged_before_shows_that_the_service_is_down) {
  for (const std::uint64_t id : {1U, 2U, 3U, 4U})
    fail(id, true);

  EXPECT_EQ(fail(5, true), Finding::service);

  EXPECT_TRUE(evidence.is_down());
  EXPECT_THAT(taken_back, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(fail(1, true), Finding::service);
}

TEST_F(FailureEvidenceTest, an_answer_charges_what_is_open_once_and_not_what_was_answered) {
  EXPECT_EQ(fail(1, false), Finding::open);
  EXPECT_EQ(fail(1, false), Finding::open);
  answer();
  EXPECT_THAT(charged, ElementsAre(1));

  charged.clear();
  fail(2, false);
  answer(2);
  EXPECT_THAT(charged, IsEmpty());
}

TEST_F(FailureEvidenceTest, it_is_news_that_the_service_is_down_and_once_before_each_answer) {
  fail(1, false);
  EXPECT_FALSE(evidence.is_news());
  fail(2, false);
  EXPECT_TRUE(evidence.is_news());
  EXPECT_FALSE(evidence.is_news());
  EXPECT_EQ(evidence.failing_since(), Instant{1s});

  answer();
  EXPECT_FALSE(evidence.is_told());
  fail(1, false);
  fail(2, false);
  EXPECT_TRUE(evidence.is_news());
}

TEST_F(FailureEvidenceTest, it_is_news_that_one_message_has_failed_ten_times) {
  for (int i = 0; i < 9; ++i) {
    fail(7, false);
    EXPECT_FALSE(evidence.is_news()) << i;
  }
  fail(7, false);
  EXPECT_TRUE(evidence.is_news());
  EXPECT_EQ(evidence.failures(), 10u);
  EXPECT_FALSE(evidence.is_down());
}

TEST_F(FailureEvidenceTest, it_is_news_that_several_messages_have_failed_ten_times_together) {
  for (std::uint64_t i = 0; i < 9; ++i) {
    fail(1 + i % 4, true);
    EXPECT_FALSE(evidence.is_news()) << i;
  }
  EXPECT_EQ(fail(2, true), Finding::message);
  EXPECT_TRUE(evidence.is_news());
  EXPECT_FALSE(evidence.is_down());
}

TEST_F(FailureEvidenceTest, a_word_against_the_service_is_news_at_once) {
  fail(7, false);
  EXPECT_FALSE(evidence.is_news());
  blame_service();
  EXPECT_TRUE(evidence.is_down());
  EXPECT_TRUE(evidence.is_news());
}

} // namespace backoff_actor::failure_evidence_test
