// Who waits for the end of a message by the rows of a store.

#include <backoff_actor/retry/wait_for_message.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::kit_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

namespace {

// What happens to the rows while somebody waits for a message.
struct Course {
  Instant now{};
  std::vector<Instant> looks{};
  Instant ends_at = Instant::never(); // when it is done, or dead
  bool is_dead = false;
  Instant cancelled_at = Instant::never();
};

// A clock that sleeps by being set forward.
class CourseClock {
public:
  explicit CourseClock(Course& course) : course_(&course) {}
  Instant now() const { return course_->now; }
  bool sleep_until(Instant due) const {
    course_->now = std::max(course_->now, std::min(due, course_->cancelled_at));
    return course_->now < course_->cancelled_at;
  }

private:
  Course* course_;
};

class CourseRows final : public testing::StoreInFront {
public:
  explicit CourseRows(Course& course)
    : StoreInFront(std::make_shared<testing::MemoryStore>()), course_(course) {
    behind().commit(
      std::vector<StoreChange>{change::Insert{StoredDelivery{.id = 1, .idempotency_key = "once"}}});
  }

  FoundMessage find_message(const std::string& key, std::uint64_t delivery) override {
    course_.looks.push_back(course_.now);
    if (course_.now >= course_.ends_at && course_.is_dead)
      behind().commit(
        std::vector<StoreChange>{change::Bury{1, DeadLetterReason::expired, 0, "", WallTime{5}}});
    else if (course_.now >= course_.ends_at)
      behind().commit(std::vector<StoreChange>{change::Acknowledge{1, WallTime{5}}});
    return StoreInFront::find_message(key, delivery);
  }

private:
  Course& course_;
};

MessageState wait(Course& course, Duration at_most) {
  CourseRows rows{course};
  return wait_for_message(rows, "once", at_most, CourseClock{course}).state;
}

} // namespace

TEST(wait_for_message, looks_after_longer_and_longer_pauses_up_to_a_second) {
  Course course{.ends_at = Instant{3500ms}};
  EXPECT_EQ(wait(course, 1h), MessageState::done);
  std::vector<Duration> at;
  for (const auto& look : course.looks)
    at.push_back(look.since_origin);
  EXPECT_THAT(at, ElementsAre(0ms, 2ms, 6ms, 14ms, 30ms, 62ms, 126ms, 254ms, 510ms, 1022ms, 2022ms,
                              3022ms, 4022ms));
}

TEST(wait_for_message, ends_with_a_dead_letter) {
  Course course{.ends_at = Instant{1ms}, .is_dead = true};
  EXPECT_EQ(wait(course, 1h), MessageState::dead);
  EXPECT_EQ(course.now, Instant{2ms});
}

TEST(wait_for_message, ends_when_its_time_is_over_after_a_last_look) {
  Course course;
  EXPECT_EQ(wait(course, 10ms), MessageState::owed);
  EXPECT_EQ(course.now, Instant{10ms});
  EXPECT_EQ(course.looks.back(), Instant{10ms});
}

TEST(wait_for_message, of_no_time_looks_once) {
  Course course;
  EXPECT_EQ(wait(course, 0ms), MessageState::owed);
  EXPECT_EQ(course.looks.size(), 1U);
}

TEST(wait_for_message, ends_when_its_clock_is_cancelled) {
  Course course{.cancelled_at = Instant{5ms}};
  EXPECT_EQ(wait(course, 1h), MessageState::owed);
  EXPECT_EQ(course.now, Instant{5ms});
}

} // namespace backoff_actor::kit_test
