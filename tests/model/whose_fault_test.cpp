// Which messages die while a service is down, and which because they are at fault: the rows of the
// table in docs/explanation/whose_fault.md.

#include "service_story.hpp"

#include "backoff_actor/guard/internal/guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>

namespace backoff_actor::model_test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

enum class Guarded { by_nothing, by_default, by_five_failures, by_slow_probes };

// What a sender is, and how its worker fails.
struct Shape {
  Ordering ordering;
  std::uint32_t workers;
  FailsBy fails_by;
  Guarded guarded;
  bool persist;
};

void PrintTo(const Shape& x, std::ostream* out) {
  const char* const orderings[] = {"strict", "per_key", "unordered"};
  const char* const failures[] = {"crash", "error_answer", "refusal", "hang"};
  const char* const guards[] = {"no_guard", "default_breaker", "five_failures", "slow_probes"};
  *out << orderings[static_cast<int>(x.ordering)] << '_' << x.workers << '_'
       << failures[static_cast<int>(x.fails_by)] << '_' << guards[static_cast<int>(x.guarded)]
       << (x.persist ? "_durable" : "_memory");
}

std::shared_ptr<GuardPort> guard_of(Guarded guarded) {
  if (guarded == Guarded::by_nothing)
    return nullptr;
  GuardOptions options;
  auto& breaker = options.circuit_breaker.emplace();
  if (guarded == Guarded::by_five_failures)
    breaker.trip = ConsecutiveFailures{5};
  if (guarded == Guarded::by_slow_probes)
    breaker.open = Exponential{.first = 5s, .factor = 2, .cap = 5min};
  return std::make_shared<Guard>(options);
}

ServiceStory story_of(const Shape& x) {
  ServiceStory story;
  auto& options = story.options;
  options.backoff = BackOff{Exponential{.first = 1s, .factor = 2, .cap = 5min} | full_jitter, 42};
  options.max_attempts = 8;
  options.ordering = x.ordering;
  if (x.workers > 1)
    options.pool.kinds = {{{x.workers, x.workers}, 1}};
  else
    options.max_in_flight = 1;
  if (x.fails_by == FailsBy::hang)
    options.ack_timeout = 2s;
  options.guard = guard_of(x.guarded);
  options.persist = x.persist;
  story.fails_by = x.fails_by;
  story.keys = x.ordering == Ordering::per_key ? 50 : 0;
  story.between = 100ms;
  if (x.persist)
    story.restarts = {20s, 10min, 59min, 61min};
  return story;
}

std::vector<Shape> shapes(std::vector<Ordering> orderings) {
  std::vector<Shape> result;
  for (const auto ordering : orderings)
    for (const std::uint32_t workers : {1U, 8U})
      for (const auto fails_by :
           {FailsBy::crash, FailsBy::error_answer, FailsBy::refusal, FailsBy::hang})
        for (const auto guarded : {Guarded::by_nothing, Guarded::by_default,
                                   Guarded::by_five_failures, Guarded::by_slow_probes})
          for (const auto persist : {false, true})
            if (ordering != Ordering::strict || workers == 1)
              result.push_back({ordering, workers, fails_by, guarded, persist});
  return result;
}

std::vector<Shape> all_shapes() {
  return shapes({Ordering::strict, Ordering::per_key, Ordering::unordered});
}

// What can go on with others while one message fails.
std::vector<Shape> shapes_among_others() {
  return shapes({Ordering::per_key, Ordering::unordered});
}

// A worker that hangs says nothing.
std::vector<Shape> shapes_with_words() {
  auto result = all_shapes();
  std::erase_if(result, [](const Shape& x) { return x.fails_by == FailsBy::hang; });
  return result;
}

// How long after the service is back all is done: a delay and an open time, each 5 min at the most,
// then what waits.
constexpr auto done_after = 12min;

void expect_that_nothing_dies(ServiceStory story, Duration outage) {
  story.outages = {{10s, 10s + outage}};

  const auto outcome = StoryTeller{story}.tell();

  EXPECT_THAT(outcome.dead, IsEmpty());
  EXPECT_EQ(outcome.done, 500u);
  EXPECT_LE(outcome.all_done_at, 10s + outage + done_after);
}

TEST(whose_fault, an_outage_of_an_hour_buries_nothing) {
  for (const auto& shape : all_shapes()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    expect_that_nothing_dies(story_of(shape), 1h);
  }
}

TEST(whose_fault, an_outage_of_a_day_buries_nothing) {
  for (const auto& shape : all_shapes()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    expect_that_nothing_dies(story_of(shape), 24h);
  }
}

TEST(whose_fault_among_others, one_poison_message_dies_after_eight_attempts) {
  for (const auto& shape : shapes_among_others()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.poison = {250};
    story.restarts = {};

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_THAT(outcome.dead,
                UnorderedElementsAre(Pair(250, Pair(DeadLetterReason::attempts_exhausted, 8u))));
    EXPECT_EQ(outcome.failed.at(250), 8);
  }
}

TEST(whose_fault_among_others, three_poison_messages_die_and_no_other) {
  for (const auto& shape : shapes_among_others()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.poison = {100, 101, 350};

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_THAT(outcome.dead, UnorderedElementsAre(Key(100), Key(101), Key(350)));
    EXPECT_EQ(outcome.done, 497u);
  }
}

TEST(whose_fault_among_others, poison_that_comes_during_an_outage_dies_when_the_service_is_back) {
  for (const auto& shape : shapes_among_others()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.poison = {110};
    story.outages = {{10s, 10s + 1h}};

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_THAT(outcome.dead,
                UnorderedElementsAre(Pair(110, Pair(DeadLetterReason::attempts_exhausted, 8u))));
    EXPECT_GT(outcome.died_at.at(110), 10s + 1h);
  }
}

TEST(whose_fault_among_others, random_failures_kill_no_more_than_eight_tries_in_a_row_would) {
  for (const auto& shape : shapes_among_others()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.random_failures = 0.5;
    story.calm_at = 1h;

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_LE(outcome.dead.size(), 8u) << "a 256th of 500 is 2";
    EXPECT_EQ(outcome.left, 0u);
  }
}

TEST(whose_fault, all_that_always_fails_is_given_up_after_three_days) {
  for (const auto& shape : all_shapes()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.messages = 20;
    story.restarts = {};
    for (std::uint64_t id = 1; id <= 20; ++id)
      story.poison.insert(id);
    story.until = 24h * 80; // in strict order one after the other

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_EQ(outcome.dead.size(), 20u);
    for (const auto& [id, died_at] : outcome.died_at)
      EXPECT_GE(died_at, 72h) << id;
  }
}

TEST(whose_fault_with_words, what_the_worker_says_of_a_message_is_believed) {
  for (const auto& shape : shapes_with_words()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.restarts = {};
    story.poison = {1, 250};
    story.word = [](std::uint64_t, bool) { return Blame::message; };

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_THAT(outcome.dead,
                UnorderedElementsAre(Pair(1, Pair(DeadLetterReason::attempts_exhausted, 8u)),
                                     Pair(250, Pair(DeadLetterReason::attempts_exhausted, 8u))));
    EXPECT_EQ(outcome.failed.at(250), 8);
  }
}

TEST(whose_fault_with_words, what_the_worker_says_of_the_service_is_believed) {
  for (const auto& shape : shapes_with_words()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.poison = {1};
    story.options.charging.give_up_after = std::nullopt;
    story.word = [](std::uint64_t, bool) { return Blame::service; };
    story.until = 24h * 10;

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_THAT(outcome.dead, IsEmpty());
    EXPECT_GT(outcome.failed.at(1), 1000);
  }
}

// In strict order nothing else is tried, so nobody can tell poison from an outage.
TEST(whose_fault_in_strict_order, poison_is_held_for_three_days_and_then_set_aside) {
  auto story = story_of({Ordering::strict, 1, FailsBy::error_answer, Guarded::by_nothing, false});
  story.poison = {250};

  const auto outcome = StoryTeller{story}.tell();

  EXPECT_THAT(outcome.dead, ElementsAre(Pair(250, Pair(DeadLetterReason::expired, 0u))));
  EXPECT_GE(outcome.died_at.at(250), 72h);
  EXPECT_LE(outcome.died_at.at(250), 72h + 10min);
  EXPECT_EQ(outcome.done, 499u);
}

// Others that share the guard, such as a health check, show that the service is well.
std::vector<Shape> strict_shapes_with_a_guard() {
  auto result = shapes({Ordering::strict});
  std::erase_if(result, [](const Shape& x) { return x.guarded == Guarded::by_nothing; });
  return result;
}

TEST(whose_fault_beside_others, poison_in_strict_order_dies_after_eight_attempts) {
  for (const auto& shape : strict_shapes_with_a_guard()) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.poison = {250};
    story.restarts = {};
    story.others_call_each = 1s;
    story.others_call_until = 6h;

    const auto outcome = StoryTeller{story}.tell();

    EXPECT_THAT(outcome.dead,
                UnorderedElementsAre(Pair(250, Pair(DeadLetterReason::attempts_exhausted, 8u))));
    EXPECT_LE(outcome.failed.at(250), 11) << "the first before another call has succeeded";
    EXPECT_LE(outcome.all_done_at, 1h);
  }
}

TEST(whose_fault_beside_others, an_outage_for_all_buries_nothing) {
  for (const auto& shape : all_shapes()) {
    if (shape.guarded == Guarded::by_nothing)
      continue;
    SCOPED_TRACE(::testing::PrintToString(shape));
    auto story = story_of(shape);
    story.others_call_each = 1s;
    story.others_call_until = 3h;
    expect_that_nothing_dies(story, 1h);
  }
}

// How many of 500 healthy messages die if strict order is to stand still for no more than an hour.
std::size_t dead_with_a_bound_of_an_hour(Duration outage) {
  auto story = story_of({Ordering::strict, 1, FailsBy::error_answer, Guarded::by_nothing, false});
  story.options.charging.give_up_after = 1h;
  story.outages = {{10s, 10s + outage}};
  return StoryTeller{story}.tell().dead.size();
}

TEST(whose_fault_in_strict_order, a_bound_of_an_hour_costs_a_message_an_hour) {
  EXPECT_EQ(dead_with_a_bound_of_an_hour(1h), 0u);
  EXPECT_EQ(dead_with_a_bound_of_an_hour(24h), 22u);
}

// How many of 500 healthy messages die in an outage of an hour if every failure is charged.
std::size_t dead_by_the_old_counting(Ordering ordering, std::uint32_t workers, Guarded guarded) {
  auto story = story_of({ordering, workers, FailsBy::error_answer, guarded, false});
  story.options.charging = Charging::every_failure();
  story.outages = {{10s, 10s + 1h}};
  return StoryTeller{story}.tell().dead.size();
}

TEST(whose_fault_by_the_old_counting, is_that_of_what_an_outage_meets) {
  std::vector<std::size_t> strict;
  std::vector<std::size_t> pool;
  for (const auto guarded : {Guarded::by_nothing, Guarded::by_default, Guarded::by_five_failures,
                             Guarded::by_slow_probes}) {
    strict.push_back(dead_by_the_old_counting(Ordering::strict, 1, guarded));
    pool.push_back(dead_by_the_old_counting(Ordering::unordered, 8, guarded));
  }

  EXPECT_THAT(strict, ElementsAre(4, 4, 4, 2));
  EXPECT_THAT(pool, ElementsAre(30, 29, 29, 2));
}

TEST(whose_fault_of_one_alone, is_not_known) {
  auto story = story_of({Ordering::unordered, 1, FailsBy::crash, Guarded::by_nothing, false});
  story.messages = 1;
  story.poison = {1};

  const auto outcome = StoryTeller{story}.tell();

  EXPECT_THAT(outcome.dead, ElementsAre(Pair(1, Pair(DeadLetterReason::expired, 0u))));
}

// One that failed while others did not is known: its failures are charged when it is alone, too.
TEST(whose_fault_of_one_alone, is_known_if_it_has_failed_before_among_others) {
  auto story = story_of({Ordering::unordered, 8, FailsBy::crash, Guarded::by_nothing, false});
  story.messages = 20;
  story.between = 0s;
  story.poison = {5};

  const auto outcome = StoryTeller{story}.tell();

  EXPECT_THAT(outcome.dead, ElementsAre(Pair(5, Pair(DeadLetterReason::attempts_exhausted, 8u))));
  EXPECT_LT(outcome.died_at.at(5), 15min);
}

} // namespace

} // namespace backoff_actor::model_test
