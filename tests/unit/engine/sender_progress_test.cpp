// `input::Working` with a note: which one the driver is to keep.

#include "engine_driver.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

EngineDriver at_work(EngineOptions options = {}) {
  EngineDriver result{std::move(options)};
  result.start();
  result.submit();
  return result;
}

std::uint64_t with_note(const EngineDriver& sender) { return sender.engine->glance().with_note; }

std::uint64_t late_answers(const EngineDriver& sender) {
  return sender.engine->glance().counters.late_answers;
}

} // namespace

TEST(sender_progress, is_kept_with_each_note_and_counted_once) {
  auto sender = at_work();
  EXPECT_THAT(sender.working(1, "row 1"), ElementsAre("keep note of 1"));
  EXPECT_THAT(sender.working(1, "row 2"), ElementsAre("keep note of 1"));
  EXPECT_EQ(with_note(sender), 1U);
  sender.submit();
  EXPECT_THAT(sender.working(2, "page 1"), ElementsAre("keep note of 2"));
  EXPECT_EQ(with_note(sender), 2U);
}

TEST(sender_progress, without_a_note_keeps_the_last_one) {
  auto sender = at_work();
  EXPECT_THAT(sender.working(1), IsEmpty());
  EXPECT_EQ(with_note(sender), 0U);
  sender.working(1, "row 1");
  EXPECT_THAT(sender.working(1), IsEmpty());
  EXPECT_EQ(with_note(sender), 1U);
}

TEST(sender_progress, begins_the_ack_timeout_anew) {
  auto sender = at_work({.ack_timeout = 100ms});
  sender.now = sender.now + 99ms;
  sender.working(1, "row 1");
  EXPECT_THAT(sender.wake_after(99ms), ElementsAre("wake at 199ms"));
}

TEST(sender_progress, ends_with_the_delivery) {
  auto sender = at_work();
  sender.working(1, "row 1");
  sender.ack(1);
  EXPECT_EQ(with_note(sender), 0U);
  sender.submit();
  sender.working(2, "row 1");
  sender.reject(2);
  EXPECT_EQ(with_note(sender), 0U);
  EXPECT_THAT(sender.working(1, "row 2"), IsEmpty()) << "it has ended";
  EXPECT_EQ(late_answers(sender), 1U);
}

TEST(sender_progress, outlives_the_child_and_comes_from_the_last_hand_over_alone) {
  auto sender = at_work();
  sender.working(1, "row 1");
  sender.crash_and_resend(10ms);
  EXPECT_EQ(with_note(sender), 1U);
  const auto first = sender.hand_overs.at(1).front();
  EXPECT_THAT(sender.take(input::Working{first, first.value, "row 2"}), IsEmpty());
  EXPECT_EQ(late_answers(sender), 1U);
  EXPECT_THAT(sender.working(1, "row 3"), ElementsAre("keep note of 1"));
}

TEST(sender_progress, of_a_child_that_is_gone_counts_until_the_next_has_the_delivery) {
  auto sender = at_work();
  sender.crash();
  EXPECT_THAT(sender.working(1, "row 1"), ElementsAre("keep note of 1"));
  EXPECT_EQ(late_answers(sender), 0U);
  EXPECT_THAT(sender.working(1), IsEmpty());
  EXPECT_EQ(late_answers(sender), 1U) << "a sign of life of a child that is gone";
}

TEST(sender_progress, of_a_child_that_was_told_to_end_counts) {
  auto sender = at_work({.ack_timeout = 100ms});
  EXPECT_THAT(sender.wake_after(100ms), Contains("tell to end 1"));
  EXPECT_THAT(sender.working(1, "row 1"), ElementsAre("keep note of 1"));
  sender.down(1);
  EXPECT_EQ(with_note(sender), 1U);
}

TEST(sender_progress,
     of_a_child_that_ends_with_its_sender_is_kept_before_the_store_is_left_to_the_next) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});
  sender.take(input::Stop{});
  EXPECT_THAT(sender.working(1, "row 1"), ElementsAre("keep note of 1"));
  EXPECT_THAT(sender.down(1), Contains("suspend 1"));
}

TEST(sender_progress, is_not_kept_of_what_an_earlier_child_has_done) {
  auto sender = at_work();
  sender.crash_and_resend(10ms);
  sender.ack(sender.hand_overs.at(1).front());
  EXPECT_THAT(sender.working(1, "row 1"), IsEmpty()) << "the child still works on a ghost";
  EXPECT_EQ(with_note(sender), 0U);
}

TEST(sender_progress, keeps_64_kib_and_gives_a_hint_of_more_once) {
  std::vector<event::Hint> hints;
  auto sender = at_work({.on_event = [&](const Event& x) {
    if (const auto* const hint = std::get_if<event::Hint>(&x))
      hints.push_back(*hint);
  }});
  EXPECT_THAT(sender.working(1, std::string(65'536, 'x')), ElementsAre("keep note of 1"));
  EXPECT_THAT(hints, IsEmpty());
  EXPECT_THAT(sender.working(1, std::string(65'537, 'x')), IsEmpty());
  EXPECT_THAT(sender.working(1, std::string(65'537, 'x')), IsEmpty());
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_EQ(hints[0].about, event::Hint::About::large_note);
  EXPECT_EQ(hints[0].delivery, 1U);
  EXPECT_EQ(with_note(sender), 1U) << "that of before";
}

TEST(sender_progress, is_counted_of_what_an_earlier_sender_has_left) {
  EngineDriver sender{{.persist = true}};
  sender.take(input::Restore{.delivery = 4, .own = own_with_note()});
  sender.take(input::Restore{.delivery = 5});
  EXPECT_EQ(with_note(sender), 1U);
}

TEST(sender_progress, of_a_payload_is_nothing_for_another_one) {
  auto sender = at_work();
  sender.working(1, "row 1");
  sender.crash();
  EXPECT_THAT(sender.replace(1), IsEmpty());
  EXPECT_EQ(with_note(sender), 1U);
}

TEST(sender_progress, comes_too_late_once_the_payload_is_replaced) {
  auto sender = at_work();
  sender.crash();
  EXPECT_THAT(sender.replace(1), ElementsAre("replace 1"));
  sender.working(1, "row 1");
  EXPECT_EQ(with_note(sender), 0U);
}

} // namespace backoff_actor::engine_test
