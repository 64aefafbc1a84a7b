// What an outbox holds at the most, and for how long.

#include "fixture.hpp"

#include <caf/sec.hpp>

#include <limits>

namespace backoff_actor::actor_test {

class Bounds : public SenderTest {
protected:
  using Answer = std::shared_ptr<testing::Answer<std::string>>;

  // A sender with one delivery in flight for ever.
  Answer start_busy(SenderOptions options) {
    options.max_in_flight = 1;
    start({{testing::silence()}}, std::move(options));
    return ask("in flight");
  }

  static SenderOptions holding(std::size_t capacity, Overflow overflow) {
    auto options = default_options();
    options.capacity = capacity;
    options.rare.overflow = overflow;
    return options;
  }

  static SenderOptions holding_letters(std::uint64_t count) {
    auto options = default_options();
    options.rare.capacity_bytes = count;
    options.rare.weight_of = [](const caf::message& message) {
      return message.get_as<std::string>(0).size();
    };
    return options;
  }

  static bool has(const Answer& answer, SenderError code) {
    return answer->error && *answer->error == make_error(code);
  }
};

// -- how many ----------------------------------------------------------------------------

TEST_F(Bounds, what_comes_to_a_full_outbox_is_refused_at_once) {
  const auto first = start_busy(holding(2, Overflow::refuse));
  const auto second = ask("b");

  const auto third = ask("c");

  EXPECT_TRUE(has(third, SenderError::outbox_full));
  EXPECT_FALSE(first->is_ready());
  EXPECT_FALSE(second->is_ready());
  EXPECT_EQ(status().counters.refused, 1u);
  EXPECT_EQ(status().counters.accepted, 2u);
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(Bounds, a_client_that_used_a_plain_send_hears_nothing_of_a_full_outbox) {
  start_busy(holding(1, Overflow::refuse));
  const auto received = std::make_shared<Strings>();
  const auto client = plain_client(received);
  time.tell(client, std::uint64_t{1});
  time.run();

  EXPECT_EQ(status().counters.refused, 1u);
  EXPECT_THAT(*received, IsEmpty());
}

// -- how much ----------------------------------------------------------------------------

TEST_F(Bounds, without_a_scale_a_message_weighs_what_cafs_serializer_makes_of_it) {
  auto options = default_options();
  options.rare.capacity_bytes = 1000;
  start_busy(options);
  const auto before = status().owed_bytes;

  EXPECT_TRUE(has(ask(std::string(1000, 'x')), SenderError::outbox_full));
  EXPECT_FALSE(ask(std::string(200, 'x'))->is_ready());
  EXPECT_GE(status().owed_bytes - before, 200u);
  EXPECT_LE(status().owed_bytes - before, 250u);
}

TEST_F(Bounds, a_message_that_cannot_be_weighed_is_refused_with_what_the_scale_said) {
  auto options = holding_letters(100);
  options.rare.weight_of = [](const caf::message& message) -> std::size_t {
    if (message.match_elements<std::string>() && message.get_as<std::string>(0) != "feather")
      return 1;
    throw std::runtime_error("too light");
  };
  start({}, options);

  const auto feather = ask("feather");

  ASSERT_TRUE(feather->error);
  EXPECT_EQ(*feather->error, caf::sec::runtime_error);
  EXPECT_THAT(text_of(feather->error), ::testing::HasSubstr("too light"));
  EXPECT_EQ(status().counters.accepted, 0u);
  EXPECT_EQ(ask("a")->value, "a");
}

TEST_F(Bounds, what_is_heavier_than_can_be_counted_counts_as_the_heaviest) {
  auto options = holding_letters(std::numeric_limits<std::uint32_t>::max());
  options.rare.weight_of = [](const caf::message&) {
    return std::numeric_limits<std::size_t>::max();
  };
  start_busy(options);

  EXPECT_EQ(status().owed_bytes, 4'294'967'295u);
  EXPECT_TRUE(has(ask("b"), SenderError::outbox_full));
}

// -- how long ----------------------------------------------------------------------------

TEST_F(Bounds, what_waits_expires_at_its_deadline_and_not_a_nanosecond_earlier) {
  start({});
  tell(Pause{});
  const auto answer = submit("a", {.time_to_live = 50ms});
  time.advance(50ms - 1ns);
  EXPECT_FALSE(answer->is_ready());

  time.advance(1ns);

  EXPECT_TRUE(has(answer, SenderError::expired));
  tell(Resume{});
  EXPECT_THAT(danger.texts(), IsEmpty());
}

TEST_F(Bounds, what_is_overdue_expires_at_once_and_reaches_no_child) {
  start({});
  for (const Duration time_to_live : {Duration{0}, Duration{-1}, Duration::min()})
    EXPECT_TRUE(has(submit("a", {.time_to_live = time_to_live}), SenderError::expired));

  EXPECT_THAT(danger.texts(), IsEmpty());
  EXPECT_EQ(status().counters.accepted, 3u);
  EXPECT_EQ(status().counters.dead_lettered, 3u);
}

TEST_F(Bounds, a_sender_may_have_a_time_to_live_for_those_that_do_not_say) {
  auto options = default_options();
  options.time_to_live = 50ms;
  start({}, options);
  tell(Pause{});
  const auto bare = ask("bare");
  const auto silent = submit("silent");
  const auto longer = submit("longer", {.time_to_live = 100ms});
  time.advance(50ms);
  EXPECT_TRUE(has(bare, SenderError::expired));
  EXPECT_TRUE(has(silent, SenderError::expired));
  EXPECT_FALSE(longer->is_ready());
  time.advance(50ms);
  EXPECT_TRUE(has(longer, SenderError::expired));
}

TEST_F(Bounds, what_is_owed_is_no_older_than_the_turn_in_which_it_was_taken) {
  danger = DangerousActor{"ok, silence"};
  // Without a hook: then the clock is not read for every message.
  sender = time.keep(spawn_back_off_sender(time.system(), danger.factory(), default_options()));
  EXPECT_EQ(ask("a")->value, "a");
  time.advance(1h);
  ask("b");

  EXPECT_EQ(status().oldest_age, 0ns);
}

} // namespace backoff_actor::actor_test
