// Options that go with one guarantee and not with the other.

#include "fixture.hpp"

#include <ostream>

namespace backoff_actor::actor_test {

namespace {

struct OptionRow {
  const char* name;
  std::function<void(SenderOptions&)> set;
  std::string problem;

  friend void PrintTo(const OptionRow& row, std::ostream* out) { *out << row.name; }
};

const ChildFactory some_factory = [](caf::event_based_actor*) { return caf::actor{}; };

// What needs to know what became of a message.
std::string tracked(const std::string& got) {
  return got
         + ", allowed nothing, unless delivery is at_least_once: nothing is known of what was "
           "passed "
           "on";
}

std::string name_of(const ::testing::TestParamInfo<OptionRow>& row) { return row.param.name; }

} // namespace

class UselessAtMostOnce : public ::testing::TestWithParam<OptionRow> {
protected:
  // CAF 1.x can free no message before.
  static void SetUpTestSuite() {
    caf::actor_system_config config;
    init(config);
  }
};

TEST_P(UselessAtMostOnce, is_named_with_what_it_would_need) {
  SenderOptions options;
  options.delivery = Guarantee::at_most_once;
  GetParam().set(options);

  EXPECT_EQ(to_string(check(options)), GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
  table, UselessAtMostOnce,
  ::testing::Values(
    OptionRow{"max_attempts", [](auto& x) { x.max_attempts = 3; }, tracked("max_attempts: got 3")},
    OptionRow{"retry_after_ceiling", [](auto& x) { x.retry_after_ceiling = 1s; },
              tracked("retry_after_ceiling: got 1s")},
    OptionRow{"guard", [](auto& x) { x.guard = SharedGuard{parse_guard("circuit_breaker()")}; },
              tracked("guard: got a guard (put `guarded` before the worker)")},
    OptionRow{"fallback",
              [](auto& x) {
                x.max_elapsed = 1s;
                x.fallback = some_factory;
              },
              tracked("fallback: got a function")},
    OptionRow{"acknowledgement", [](auto& x) { x.acknowledgement = Acknowledgement::by_sent; },
              tracked("acknowledgement: got by_sent")},
    OptionRow{"works_on", [](auto& x) { x.works_on = WorksOn::many; },
              tracked("works_on: got many")},
    OptionRow{"unordered", [](auto& x) { x.ordering = Ordering::unordered; },
              tracked("ordering: got unordered")},
    OptionRow{"per_key", [](auto& x) { x.ordering = Ordering::per_key; },
              tracked("ordering: got per_key")},
    OptionRow{"max_in_flight", [](auto& x) { x.max_in_flight = 9; },
              tracked("max_in_flight: got 9")},
    OptionRow{"ack_timeout", [](auto& x) { x.ack_timeout = 9s; }, tracked("ack_timeout: got 9s")},
    OptionRow{"origin", [](auto& x) { x.origin = "orders"; }, tracked("origin: got 'orders'")},
    OptionRow{
      "capacity", [](auto& x) { x.capacity = 9; },
      "capacity: got 9, allowed nothing, unless delivery is at_least_once; use while_down = "
      "BufferWhileDown{n}"},
    OptionRow{"capacity_bytes",
              [](auto& x) {
                x.while_down = DropWhileDown{};
                x.capacity_bytes = 9;
              },
              "capacity_bytes: got 9, allowed nothing, unless while_down is BufferWhileDown"},
    OptionRow{"overflow",
              [](auto& x) {
                x.while_down = DropWhileDown{};
                x.overflow = Overflow::drop_oldest;
              },
              "overflow: got drop_oldest, allowed nothing, unless while_down is BufferWhileDown"},
    OptionRow{"time_to_live",
              [](auto& x) {
                x.while_down = ReplyWhileDown{caf::make_message(1)};
                x.time_to_live = 9s;
              },
              "time_to_live: got 9s, allowed nothing, unless while_down is BufferWhileDown"},
    OptionRow{"no_buffer", [](auto& x) { x.while_down = BufferWhileDown{0}; },
              "while_down.capacity: got 0, allowed 1..268435455"},
    OptionRow{"too_large_a_buffer", [](auto& x) { x.while_down = BufferWhileDown{268'435'456}; },
              "while_down.capacity: got 268435456, allowed 1..268435455"},
    OptionRow{
      "no_reply", [](auto& x) { x.while_down = ReplyWhileDown{}; },
      "while_down.message: got an empty message, allowed a message, for clients that used a plain "
      "send get it too"},
    OptionRow{
      "an_error_as_reply",
      [](auto& x) {
        x.while_down = ReplyWhileDown{caf::make_message(make_error(SenderError::no_child))};
      },
      "while_down.message: got a bare error, allowed a message, for clients that used a plain send "
      "get it too"},
    OptionRow{"nobody", [](auto& x) { x.while_down = ForwardWhileDown{}; },
              "while_down.to: got an invalid handle, allowed an actor"},
    OptionRow{"healthy_after", [](auto& x) { x.healthy_after = 0s; },
              "healthy_after: got 0ns, allowed more than 0ns"}),
  name_of);

class UselessAtLeastOnce : public ::testing::TestWithParam<OptionRow> {};

TEST_P(UselessAtLeastOnce, is_named_with_what_it_would_need) {
  SenderOptions options;
  GetParam().set(options);

  EXPECT_EQ(to_string(check(options)), GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
  table, UselessAtLeastOnce,
  ::testing::Values(
    OptionRow{"while_down", [](auto& x) { x.while_down = BufferWhileDown{}; },
              "while_down: got a value, allowed nothing, unless delivery is at_most_once"},
    OptionRow{"healthy_after", [](auto& x) { x.healthy_after = 1s; },
              "healthy_after: got 1s, allowed nothing, unless delivery is at_most_once"},
    OptionRow{"restart", [](auto& x) { x.after_normal_stop = AfterNormalStop::restart; },
              "after_normal_stop: got restart, allowed nothing, unless delivery is at_most_once"},
    OptionRow{"end", [](auto& x) { x.after_normal_stop = AfterNormalStop::end; },
              "after_normal_stop: got end, allowed nothing, unless delivery is at_most_once"},
    OptionRow{
      "final_stop", [](auto& x) { x.final_stop = [](const caf::message&) { return true; }; },
      "final_stop: got a function (to end when all is done, use Drain and then Stop), allowed "
      "nothing, unless delivery is at_most_once"}),
  name_of);

TEST(at_most_once_options, all_that_is_of_use_is_taken) {
  SenderOptions options;
  options.delivery = Guarantee::at_most_once;
  options.restart = RestartTiming::at_tick;
  options.decider = [](FailureKind, const caf::error&) { return Decision{Verdict::retry}; };
  options.restart_limit = RestartLimit{3, 1h};
  options.max_elapsed = 1h;
  options.while_down = BufferWhileDown{1};
  options.capacity_bytes = 100;
  options.weight_of = [](const caf::message&) { return std::size_t{1}; };
  options.overflow = Overflow::drop_oldest;
  options.time_to_live = 1s;
  options.healthy_after = Duration::max();
  options.after_normal_stop = AfterNormalStop::restart;
  options.final_stop = [](const caf::message&) { return false; };

  EXPECT_TRUE(check(options).empty()) << to_string(check(options));
}

TEST(at_most_once_options, the_child_is_well_after_the_longest_delay_unless_said_otherwise) {
  SenderOptions options;
  options.delivery = Guarantee::at_most_once;
  options.backoff = Exponential{.first = 1s, .factor = 2, .cap = 30s};
  EXPECT_EQ(engine_options(options).healthy_after, 30s);

  options.healthy_after = 5s;
  EXPECT_EQ(engine_options(options).healthy_after, 5s);
}

TEST(at_most_once_options, a_thousand_messages_are_buffered_unless_said_otherwise) {
  SenderOptions options;
  options.delivery = Guarantee::at_most_once;

  EXPECT_EQ(engine_options(options).capacity, 1000u);
  EXPECT_EQ(engine_options(options).when_down, WhenDown::buffer);
}

} // namespace backoff_actor::actor_test
