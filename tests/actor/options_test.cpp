// Options that no sender can be made with.

#include "fixture.hpp"

#include <caf/actor_cast.hpp>

#include <ostream>
#include <vector>

namespace backoff_actor::actor_test {

struct BadOption {
  std::function<void(SenderOptions&)> set;
  const char* problem;
};

const ChildFactory some_fallback = [](caf::event_based_actor*) { return caf::actor{}; };

TEST(BadOptions, are_named_with_what_was_given_and_what_is_allowed) {
  const std::vector<BadOption> rows{
    {[](auto& x) { x.name = "Billing 2\n"; },
     "name: got Billing 2\\n, allowed 1 to 64 characters of a-z, 0-9, _, . and -"},
    {[](auto& x) { x.max_attempts = 0; }, "max_attempts: got 0, allowed 1..1000000000"},
    {[](auto& x) { x.retry_after = -1ns; }, "retry_after.bound: got -1ns, allowed 0 or more"},
    {[](auto& x) {
       x.restart_limit = RestartLimit{1'000'001, 1s};
     },
     "restart_limit.max_restarts: got 1000001, allowed 0..1000000"},
    {[](auto& x) {
       x.restart_limit = RestartLimit{1, 0s};
     },
     "restart_limit.within: got 0ns, allowed 1us or more"},
    {[](auto& x) { x.max_elapsed = 0s; }, "max_elapsed: got 0ns, allowed 1us or more"},
    {[](auto& x) {
       x.max_elapsed = 1h;
       x.backoff_by = BackoffBy::message;
       x.ordering = Ordering::unordered;
     },
     "max_elapsed: got 1h, allowed nothing, unless backoff_by is worker_and_message or "
     "ordering is strict"},
    {[](auto& x) { x.guard = SharedGuard{parse_guard("retry_budget(20%, 0/s)")}; },
     "guard.retry_budget.per_second: got 0/s, allowed more than 0/s"},
    {[](auto& x) {
       x.guard = SharedGuard{parse_guard("retry_budget(20%, 10/s, window 10s)")};
       x.by_reason = "dear: cost 101";
     },
     "by_reason.dear.cost: got 101, allowed at most 100, what the retry budget holds after "
     "a rest"},
    {[](auto& x) { x.rare.fallback = some_fallback; },
     "rare.fallback: got a function, allowed nothing, unless restart_limit or max_elapsed is "
     "set"},
    {[](auto& x) { x.max_in_flight = 0; }, "max_in_flight: got 0, allowed 1..1000000000"},
    {[](auto& x) { x.ack_timeout = 0s; }, "ack_timeout: got 0ns, allowed 1us or more"},
    {[](auto& x) { x.kill_grace = -5s; }, "kill_grace: got -5s, allowed 0ns or more"},
    {[](auto& x) { x.rare.after_grace = AfterGrace::wait; },
     "rare.after_grace: got wait, allowed abandon, unless ack_timeout is set"},
    {[](auto& x) { x.capacity = 0; }, "capacity: got 0, allowed 1..268435455"},
    {[](auto& x) { x.capacity = 268'435'456; }, "capacity: got 268435456, allowed 1..268435455"},
    {[](auto& x) { x.rare.capacity_bytes = 0; },
     "rare.capacity_bytes: got 0, allowed 1..9223372036854775807"},
    {[](auto& x) { x.rare.weight_of = [](const caf::message&) { return std::size_t{1}; }; },
     "rare.weight_of: got a function, allowed nothing, unless rare.capacity_bytes is set"},
    {[](auto& x) { x.time_to_live = -1s; }, "time_to_live: got -1s, allowed 1us or more"},
    {[](auto& x) {
       x.acknowledgement = Acknowledgement::by_sent;
       x.rare.origin = "orders";
     },
     "rare.origin: got 'orders', allowed nothing, unless outbox is set and acknowledgement is "
     "by_sent"},
    {[](auto& x) { x.rare.key_of = [](const caf::message&) { return std::string{}; }; },
     "rare.key_of: got a function, allowed nothing, unless ordering is per_key"}};
  for (const auto& row : rows) {
    SenderOptions options;
    row.set(options);

    EXPECT_EQ(to_string(check(options)), std::string{"SenderOptions: "} + row.problem);
  }
}

struct GoodOption {
  const char* name;
  std::function<void(SenderOptions&)> set;
};

TEST(GoodOptions, at_the_edge_of_what_is_allowed_are_taken) {
  const std::vector<GoodOption> rows{
    {"the_defaults", [](auto&) {}},
    {"the_longest_name",
     [](auto& x) { x.name = "0123456789abcdefghijklmnopqrstuvwxyz_.-0123456789abcdefghijklmno"; }},
    {"one_attempt", [](auto& x) { x.max_attempts = 1; }},
    {"no_waiting_for_services", [](auto& x) { x.retry_after = 0s; }},
    {"no_restart",
     [](auto& x) {
       x.restart_limit = RestartLimit{0, 1us};
     }},
    {"many_restarts",
     [](auto& x) {
       x.restart_limit = RestartLimit{1'000'000, 1h};
     }},
    {"a_microsecond",
     [](auto& x) {
       x.max_elapsed = x.ack_timeout = x.time_to_live = 1us;
       x.rare.idempotency_retention = 1us;
     }},
    {"a_billion", [](auto& x) { x.max_attempts = x.max_in_flight = 1'000'000'000; }},
    {"all_bytes", [](auto& x) { x.rare.capacity_bytes = 9'223'372'036'854'775'807; }},
    {"largest_answer", [](auto& x) { x.rare.largest_kept_answer = 16'384; }},
    {"no_grace", [](auto& x) { x.kill_grace = 0s; }},
    {"one_in_flight", [](auto& x) { x.max_in_flight = 1; }},
    {"one_delivery", [](auto& x) { x.capacity = 1; }},
    {"all_deliveries", [](auto& x) { x.capacity = 268'435'455; }},
    {"a_byte",
     [](auto& x) {
       x.rare.capacity_bytes = 1;
       x.rare.weight_of = [](const caf::message&) { return std::size_t{1}; };
     }},
    {"a_fallback",
     [](auto& x) {
       x.max_elapsed = 1s;
       x.rare.fallback = some_fallback;
     }},
    {"keys", [](auto& x) {
       x.ordering = Ordering::per_key;
       x.rare.key_of = [](const caf::message&) { return std::string{}; };
     }}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    SenderOptions options;
    row.set(options);

    EXPECT_TRUE(check(options).empty()) << to_string(check(options));
  }
}

TEST(options, without_a_seed_give_no_two_senders_the_same_draws) {
  EXPECT_EQ(engine_options(SenderOptions{}).backoff.seed(),
            engine_options(SenderOptions{}).backoff.seed());
  EXPECT_NE(detail::stream_of_draws({}, 1), detail::stream_of_draws({}, 1));
}

TEST(options, with_a_seed_give_the_sender_of_a_number_the_same_draws_in_every_run) {
  SenderOptions options;
  options.seed = 7;
  EXPECT_EQ(engine_options(options).backoff.seed(), 7u);
  EXPECT_EQ(detail::stream_of_draws(options, 3), 3u);
  options.stream = 5;
  EXPECT_EQ(detail::stream_of_draws(options, 3), 5u);
}

// -- what is left open ---------------------------------------------------------------------

struct Window {
  const char* name;
  std::function<void(SenderOptions&)> set;
  std::uint32_t max_in_flight;

  friend void PrintTo(const Window& row, std::ostream* out) { *out << row.name; }
};

class OptionsLeftOpen : public ::testing::TestWithParam<Window> {};

TEST_P(OptionsLeftOpen, a_child_holds_one_where_a_refusal_could_break_the_order_and_else_many) {
  SenderOptions options;
  GetParam().set(options);

  EXPECT_EQ(engine_options(options).max_in_flight, GetParam().max_in_flight);
}

TEST_P(OptionsLeftOpen, a_child_on_another_node_holds_at_most_64_unless_told) {
  SenderOptions options;
  GetParam().set(options);
  const auto expected = std::min(GetParam().max_in_flight, std::uint32_t{64});
  auto far = ChildFactory{[](caf::event_based_actor*, const ChildPromise&) {}}.on_another_node();
  const auto wrapped = far.wrapped([](caf::event_based_actor*, const caf::actor& x) { return x; });

  for (const auto& child : {far, wrapped})
    EXPECT_EQ(detail::SenderSettings(child, options).engine_options.max_in_flight, expected);
  options.rare.fallback = far;
  EXPECT_EQ(engine_options(options).max_in_flight, expected);
  EXPECT_FALSE(ChildFactory{}.is_remote());
}

const Decider some_decider = [](FailureKind, const caf::error&) {
  return Decision{Verdict::retry};
};

INSTANTIATE_TEST_SUITE_P(
  table, OptionsLeftOpen,
  ::testing::Values(Window{"strict_by_reply", [](auto&) {}, 1024},
                    Window{"strict_by_sent",
                           [](auto& x) { x.acknowledgement = Acknowledgement::by_sent; }, 1},
                    Window{"strict_with_a_decider", [](auto& x) { x.decider = some_decider; }, 1},
                    Window{"unordered_by_sent",
                           [](auto& x) {
                             x.acknowledgement = Acknowledgement::by_sent;
                             x.ordering = Ordering::unordered;
                           },
                           1024},
                    Window{"per_key_with_a_decider",
                           [](auto& x) {
                             x.decider = some_decider;
                             x.ordering = Ordering::per_key;
                           },
                           1024},
                    Window{"strict_by_sent_but_told",
                           [](auto& x) {
                             x.acknowledgement = Acknowledgement::by_sent;
                             x.max_in_flight = 7;
                           },
                           7}),
  [](const auto& row) { return std::string{row.param.name}; });

} // namespace backoff_actor::actor_test
