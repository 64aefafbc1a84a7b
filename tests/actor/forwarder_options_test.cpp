// What is wrong with the options of a forwarder, and what it does if they say nothing.

#include "fixture.hpp"

#include <ostream>

namespace backoff_actor::actor_test {

namespace {

struct ForwarderRow {
  const char* name;
  std::function<void(ForwarderOptions&)> set;
  std::string problem;

  friend void PrintTo(const ForwarderRow& row, std::ostream* out) { *out << row.name; }
};

} // namespace

class WrongForwarderOptions : public ::testing::TestWithParam<ForwarderRow> {
protected:
  // CAF 1.x can free no message before.
  static void SetUpTestSuite() {
    caf::actor_system_config config;
    init(config);
  }
};

TEST_P(WrongForwarderOptions, are_named_with_the_range) {
  ForwarderOptions options;
  GetParam().set(options);

  EXPECT_EQ(to_string(check(options)), "ForwarderOptions: " + GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
  table, WrongForwarderOptions,
  ::testing::Values(
    ForwarderRow{"name", [](auto& x) { x.name = "a/b"; },
                 "name: got a/b, allowed 1 to 64 characters of a-z, 0-9, _, . and -"},
    ForwarderRow{"no_buffer", [](auto& x) { x.while_down = BufferWhileDown{0}; },
                 "while_down.capacity: got 0, allowed 1..268435455"},
    ForwarderRow{"too_large_a_buffer", [](auto& x) { x.while_down = BufferWhileDown{268'435'456}; },
                 "while_down.capacity: got 268435456, allowed 1..268435455"},
    ForwarderRow{"no_bytes", [](auto& x) { x.while_down = BufferWhileDown{.capacity_bytes = 0}; },
                 "while_down.capacity_bytes: got 0, allowed 1 or more"},
    ForwarderRow{"weight_of_nothing",
                 [](auto& x) {
                   x.while_down =
                     BufferWhileDown{.weight_of = [](const caf::message&) { return 1; }};
                 },
                 "while_down.weight_of: got a function, allowed nothing, unless "
                 "while_down.capacity_bytes is set"},
    ForwarderRow{"no_time", [](auto& x) { x.while_down = BufferWhileDown{.time_to_live = 0s}; },
                 "while_down.time_to_live: got 0ns, allowed more than 0ns"},
    ForwarderRow{"no_reply", [](auto& x) { x.while_down = ReplyWhileDown{}; },
                 "while_down.message: got an empty message, allowed a message; clients that used a "
                 "plain send get it too"},
    ForwarderRow{"an_error_as_reply",
                 [](auto& x) {
                   x.while_down =
                     ReplyWhileDown{caf::make_message(make_error(SenderError::no_child))};
                 },
                 "while_down.message: got a bare error, allowed a message; clients that used a "
                 "plain send get it too"},
    ForwarderRow{"nobody", [](auto& x) { x.while_down = ForwardWhileDown{}; },
                 "while_down.to: got an invalid handle, allowed an actor"},
    ForwarderRow{"healthy_after", [](auto& x) { x.healthy_after = 0s; },
                 "healthy_after: got 0ns, allowed more than 0ns"},
    ForwarderRow{"several",
                 [](auto& x) {
                   x.max_elapsed = 0s;
                   x.kill_grace = -1s;
                 },
                 "max_elapsed: got 0ns, allowed more than 0ns\n"
                 "ForwarderOptions: kill_grace: got -1s, allowed 0ns or more"}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST(forwarder_options, are_taken_where_nothing_is_wrong_with_them) {
  ForwarderOptions options;
  options.restart = RestartTiming::at_tick;
  options.decider = [](FailureKind, const caf::error&) { return Decision{Verdict::retry}; };
  options.restart_limit = RestartLimit{3, 1h};
  options.max_elapsed = 1h;
  options.while_down = BufferWhileDown{.capacity = 1,
                                       .overflow = Overflow::drop_oldest,
                                       .capacity_bytes = 100,
                                       .weight_of = [](const caf::message&) { return 1; },
                                       .time_to_live = 1s};
  options.healthy_after = Duration::max();
  options.after_normal_stop = AfterNormalStop::restart;
  options.final_stop = [](const caf::message&) { return false; };

  EXPECT_TRUE(check(options).empty()) << to_string(check(options));
}

TEST(forwarder_options, let_a_child_be_well_after_the_longest_delay_unless_they_say_otherwise) {
  ForwarderOptions options;
  options.backoff = Exponential{.first = 1s, .factor = 2, .cap = 30s};
  EXPECT_EQ(engine_options(options).healthy_after, 30s);

  options.healthy_after = 5s;
  EXPECT_EQ(engine_options(options).healthy_after, 5s);
}

TEST(forwarder_options, buffer_a_thousand_messages_unless_they_say_otherwise) {
  const auto of_engine = engine_options(ForwarderOptions{});
  EXPECT_EQ(of_engine.capacity, 1000u);
  EXPECT_EQ(of_engine.when_down, WhenDown::buffer);
}

TEST(forwarder_options, bound_what_is_buffered) {
  ForwarderOptions options;
  options.while_down = BufferWhileDown{.overflow = Overflow::drop_oldest, .capacity_bytes = 100};
  const auto of_engine = engine_options(options);
  EXPECT_EQ(of_engine.overflow, Overflow::drop_oldest);
  EXPECT_EQ(of_engine.capacity_bytes, 100u);
}

} // namespace backoff_actor::actor_test
