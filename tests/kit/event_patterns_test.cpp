#include "stories.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <variant>
#include <vector>

// As in the tests of a user: no name of the one namespace hides one of the other.
using namespace backoff_actor;
using namespace backoff_actor::testing;
using namespace backoff_actor::kit_test;

namespace {

// One event of each type, in the order of `Event`.
const std::vector<Event>& one_of_each() {
  static const BackOff backoff{Policy{RandomSlots{}}, 1, 0};
  static const std::vector<Event> result{
    event::Accepted{at(0s), 3},
    event::NotAccepted{at(0s), Refusal::draining},
    event::ChildStarted{at(0s), 2},
    event::StartFailed{at(0s), 2, {7, "no voltage"}},
    event::ChildDown{at(0s), 2, {7, "High Voltage"}, true},
    event::AckTimedOut{at(0s), 3, 2},
    event::ChildOverdue{at(0s), 2, true},
    event::AbandonedChildEnded{at(0s), 2},
    event::Refused{at(0s), 3, {7, "busy"}, Duration{1s}},
    event::RetryScheduled{at(0s), 10ms, at(30ms), backoff},
    event::DelayEnded{at(0s)},
    event::HandedOver{at(0s), 3, 2, true},
    event::GuardHeldBack{at(1s), HeldBackBy::probe, at(3s)},
    event::Acknowledged{at(0s), 3, 2, 4, 12ms},
    event::UnknownAcknowledgement{at(0s), 99},
    event::BackOffReset{at(0s), backoff},
    event::DeadLettered{at(0s), 3, DeadLetterReason::expired, 4, {7, "busy"}},
    event::FellBack{at(0s), {7, "busy"}},
    event::CameBack{at(0s)},
    event::GaveUp{at(0s), {7, "busy"}},
    event::Paused{at(0s)},
    event::Resumed{at(0s)},
    event::DrainBegan{at(0s)},
    event::Drained{at(0s), 5},
    event::SenderStopped{at(0s)},
    event::Restored{at(0s), 3, 4},
    event::Suspended{at(0s), 3, 4},
    event::StoreFellBehind{at(0s), {7, "no room"}},
    event::StoreCaughtUp{at(0s)},
    event::StoreNotice{at(0s), "its log is kept"},
    event::Finishing{at(0s), 2, at(3s)},
    event::DeadLetterHookFailed{at(0s), 3, "the disk is full", "", {}},
    event::DeadLettersLeft{at(0s), "charges", 3, {}},
    event::NothingSucceeds{at(3s), at(0s), 10, 3, false},
    event::SucceedsAgain{at(3s), at(0s), 10, false},
    event::Hint{at(0s), event::Hint::About::no_key, 3, 0},
    event::Scheduled{at(0s), 3, at(3s)},
    event::CancelRequested{at(0s), 3, 2},
    event::Cancelled{at(0s), 3, 4},
    event::Replaced{at(0s), 3, 4},
    event::CalendarEntryChanged{at(0s), "a", event::CalendarEntryChanged::What::added, {}},
    event::CalendarEntryDue{at(0s), "a", 1, {}},
    event::WorkersOffered{at(0s), "n", 4, 5},
    event::OfferEnded{at(0s), "n", 4, 1, "withdrawn"},
  };
  return result;
}

// The bare patterns, in the order of `one_of_each`.
std::vector<EventPattern> patterns() {
  return {accepted,
          not_accepted,
          child_started,
          start_failed,
          child_down,
          ack_timed_out,
          child_overdue,
          abandoned_child_ended,
          refused,
          retry_scheduled,
          delay_ended,
          handed_over,
          guard_held_back,
          acknowledged,
          unknown_acknowledgement,
          back_off_reset,
          dead_lettered,
          fell_back,
          came_back,
          gave_up,
          paused,
          resumed,
          drain_began,
          drained,
          sender_stopped,
          restored,
          suspended,
          store_fell_behind,
          store_caught_up,
          store_notice,
          finishing,
          dead_letter_hook_failed,
          dead_letters_left,
          nothing_succeeds,
          succeeds_again,
          hint,
          scheduled,
          cancel_requested,
          cancelled,
          replaced,
          calendar_entry_changed,
          calendar_entry_due,
          workers_offered,
          offer_ended};
}

bool fits(const EventPattern& pattern, const Event& event) { return pattern.fits(event); }

TEST(event_patterns, there_is_one_for_every_type_and_it_fits_no_other) {
  const auto& events = one_of_each();
  const auto list = patterns();
  ASSERT_EQ(events.size(), std::variant_size_v<Event::variant>);
  ASSERT_EQ(list.size(), std::variant_size_v<Event::variant>);

  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t j = 0; j < events.size(); ++j) {
      EXPECT_EQ(list[i].fits(events[j]), i == j) << list[i].description() << ", " << j;
      EXPECT_EQ(list[i].is_near(events[j]), i == j) << list[i].description() << ", " << j;
    }
}

TEST(event_patterns, say_in_words_what_fits) {
  EXPECT_EQ(EventPattern{child_down}.description(), "child down");
  EXPECT_EQ(EventPattern{back_off_reset}.description(), "backoff reset");
  EXPECT_EQ(child_down(2, "High Voltage").description(),
            "child down (incarnation 2, cause with \"High Voltage\")");
  EXPECT_EQ(retry_scheduled(10ms).description(), "retry scheduled (delay 10ms)");
  EXPECT_EQ(acknowledged(3, incarnation(2), attempts(4), 12ms).description(),
            "acknowledged (delivery 3, incarnation 2, 4 failed attempts, latency 12ms)");
  EXPECT_EQ(acknowledged(attempts(1)).description(), "acknowledged (1 failed attempt)");
  EXPECT_EQ(dead_lettered(DeadLetterReason::expired).description(),
            "dead-lettered (reason expired)");
  EXPECT_EQ(not_accepted(Refusal::draining).description(), "not accepted (reason draining)");
  EXPECT_EQ(refused(1s).description(), "refused (retry after 1s)");
  EXPECT_EQ(guard_held_back(2s, HeldBackBy::probe).description(),
            "guard held back (to ask again in 2s, reason probe)");
  EXPECT_EQ(unknown_acknowledgement(99).description(), "unknown acknowledgement (hand-over 99)");
  EXPECT_EQ(drained(5).description(), "drained (5 left)");
}

TEST(event_patterns, a_number_is_the_delivery_or_else_the_child) {
  const auto& events = one_of_each();
  for (const auto& [pattern, other, index] :
       std::vector<std::tuple<EventPattern, EventPattern, std::size_t>>{
         {accepted(3), accepted(2), 0},
         {child_started(2), child_started(3), 2},
         {start_failed(2), start_failed(3), 3},
         {child_down(2), child_down(3), 4},
         {ack_timed_out(3), ack_timed_out(2), 5},
         {child_overdue(2), child_overdue(3), 6},
         {abandoned_child_ended(2), abandoned_child_ended(3), 7},
         {refused(3), refused(2), 8},
         {handed_over(3), handed_over(2), 11},
         {acknowledged(3), acknowledged(2), 13},
         {unknown_acknowledgement(99), unknown_acknowledgement(9), 14},
         {dead_lettered(3), dead_lettered(2), 16},
         {drained(5), drained(0), 23},
         {restored(3), restored(2), 25},
         {suspended(3), suspended(2), 26},
         {scheduled(3), scheduled(2), 36}}) {
    EXPECT_TRUE(fits(pattern, events[index])) << pattern.description();
    EXPECT_FALSE(fits(other, events[index])) << other.description();
    EXPECT_TRUE(other.is_near(events[index])) << other.description();
  }
}

TEST(event_patterns, other_arguments_narrow_what_their_type_says) {
  const auto& events = one_of_each();
  for (const auto& [pattern, other, index] :
       std::vector<std::tuple<EventPattern, EventPattern, std::size_t>>{
         {not_accepted(Refusal::draining), not_accepted(Refusal::outbox_full), 1},
         {start_failed("no volt"), start_failed("No volt"), 3},
         {child_down(std::string{"Voltage"}), child_down("no voltage"), 4},
         {ack_timed_out(incarnation(2)), ack_timed_out(incarnation(3)), 5},
         {refused(1s), refused(2s), 8},
         {refused("busy"), refused("free"), 8},
         {retry_scheduled(10ms), retry_scheduled(30ms), 9},
         {handed_over(incarnation(2)), handed_over(incarnation(3)), 11},
         {guard_held_back(HeldBackBy::probe), guard_held_back(HeldBackBy::open_breaker), 12},
         {guard_held_back(2s), guard_held_back(3s), 12},
         {acknowledged(12ms), acknowledged(10ms), 13},
         {acknowledged(attempts(4)), acknowledged(attempts(3)), 13},
         {acknowledged(incarnation(2)), acknowledged(incarnation(4)), 13},
         {dead_lettered(DeadLetterReason::expired), dead_lettered(DeadLetterReason::stopped), 16},
         {dead_lettered(attempts(4), "busy"), dead_lettered(attempts(4), "free"), 16},
         {fell_back("busy"), fell_back("free"), 17},
         {gave_up("busy"), gave_up("free"), 19}}) {
    EXPECT_TRUE(fits(pattern, events[index])) << pattern.description();
    EXPECT_FALSE(fits(other, events[index])) << other.description();
  }
}

TEST(event_patterns, all_arguments_count) {
  const Event event = event::HandedOver{at(0s), 3, 2, true};

  EXPECT_TRUE(fits(handed_over(3, incarnation(2)), event));
  EXPECT_TRUE(fits(handed_over(incarnation(2), 3), event));
  EXPECT_FALSE(fits(handed_over(3, incarnation(1)), event));
  EXPECT_FALSE(fits(handed_over(1, incarnation(2)), event));
}

TEST(event_patterns, some_tell_apart_what_a_type_holds_together) {
  const Event failed = event::ChildDown{at(0s), 2, {7, "High Voltage"}, true};
  const Event stopped = event::ChildDown{at(0s), 2, {}, false};
  EXPECT_TRUE(fits(child_failed, failed) && fits(child_stopped, stopped));
  EXPECT_FALSE(fits(child_failed, stopped) || fits(child_stopped, failed));
  EXPECT_TRUE(fits(child_failed(2), failed));
  EXPECT_FALSE(fits(child_failed(3), failed) || fits(child_failed(2), stopped));

  EXPECT_TRUE(fits(child_abandoned, event::ChildOverdue{at(0s), 2, true}));
  EXPECT_FALSE(fits(child_abandoned, event::ChildOverdue{at(0s), 2, false}));

  EXPECT_TRUE(fits(handed_over_again(3), event::HandedOver{at(0s), 3, 2, true}));
  EXPECT_FALSE(fits(handed_over_again, event::HandedOver{at(0s), 3, 2, false}));
}

TEST(event_patterns, can_be_narrowed_to_a_sender) {
  const Event event = event::Paused{at(0s)};
  const auto pattern = paused.of("orders");

  EXPECT_EQ(pattern.description(), "paused of orders");
  EXPECT_TRUE(pattern.fits(event, "orders"));
  EXPECT_FALSE(pattern.fits(event, "mails"));
  EXPECT_FALSE(pattern.fits(event));
  EXPECT_FALSE(pattern.is_near(event, "mails"));
  EXPECT_TRUE(child_down(2).of("orders").fits(one_of_each()[4], "orders"));
}

TEST(event_patterns, either_of_two_fits) {
  const auto ended = acknowledged(3) || dead_lettered(3);

  EXPECT_EQ(ended.description(), "acknowledged (delivery 3) or dead-lettered (delivery 3)");
  EXPECT_TRUE(fits(ended, one_of_each()[13]));
  EXPECT_TRUE(fits(ended, one_of_each()[16]));
  EXPECT_FALSE(fits(ended, one_of_each()[0]));
  EXPECT_TRUE(fits(paused || resumed, event::Resumed{at(0s)})) << "bare ones too";
}

TEST(event_patterns, can_be_made_by_hand) {
  const EventPattern late{"late", [](const Event& x) { return time_of(x) > at(1h); }};

  EXPECT_TRUE(late.fits(event::Paused{at(2h)}));
  EXPECT_FALSE(late.fits(event::Paused{at(1h)}));
  EXPECT_FALSE(late.is_near(event::Paused{at(2h)})) << "it knows no type";
}

// What an event does not have does not compile.
template <class P, class... Args>
concept Takes = requires(const P& pattern, Args... args) {
  pattern(args...);
};

static_assert(Takes<decltype(child_down), int, const char*>);
static_assert(!Takes<decltype(child_down), DeadLetterReason>);
static_assert(!Takes<decltype(child_down), bool>);
static_assert(!Takes<decltype(paused), int>);
static_assert(!Takes<decltype(dead_lettered), Refusal>);
static_assert(!Takes<decltype(delay_ended), int>);
static_assert(!Takes<decltype(handed_over), Attempts>);

} // namespace
