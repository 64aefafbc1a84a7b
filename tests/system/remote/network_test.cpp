// What init_network makes of a configuration.

#include "system/remote/nodes.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace backoff_actor::remote_test {

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> identifiers_of(const caf::actor_system_config& config) {
  return io_compat::identifiers(config);
}

} // namespace

TEST(Network, takes_any_interval_with_a_timeout_of_two) {
  EXPECT_TRUE(check(NetworkOptions{}).empty());
  EXPECT_TRUE(check(NetworkOptions{1ns, 2ns}).empty());
  EXPECT_TRUE(check(NetworkOptions{50ms, 100ms}).empty());
}

TEST(Network, refuses_options_by_which_nobody_would_be_noticed_or_everybody_would) {
  EXPECT_EQ(to_string(check(NetworkOptions{0s, 2s})),
            "NetworkOptions: heartbeat_interval: got 0ns, allowed more than 0ns");
  EXPECT_EQ(to_string(check(NetworkOptions{-1ms, 2s})),
            "NetworkOptions: heartbeat_interval: got -1ms, allowed more than 0ns");
  EXPECT_EQ(
    to_string(check(NetworkOptions{500ms, 999ms})),
    "NetworkOptions: connection_timeout: got 999ms, allowed at least two heartbeat_interval: 1s");
  EXPECT_EQ(to_string(check(NetworkOptions{0s, 0s})),
            "NetworkOptions: heartbeat_interval: got 0ns, allowed more than 0ns\n"
            "NetworkOptions: connection_timeout: got 0ns, allowed at least two heartbeat_interval");
  EXPECT_FALSE(check(NetworkOptions{Duration::max(), Duration::max() - 1ns}).empty());
}

TEST(Network, says_what_is_wrong_before_anything_is_set) {
  caf::actor_system_config config;
  const auto before = identifiers_of(config);
  EXPECT_THROW(init_network(config, {.heartbeat_interval = 0s}), InvalidArgument);
  EXPECT_EQ(identifiers_of(config), before);
}

TEST(Network, adds_an_identifier_for_each_block_of_types_to_those_of_caf) {
  caf::actor_system_config config;
  init_network<caf::id_block::remote_test>(config);
  const auto identifiers = identifiers_of(config);
  EXPECT_THAT(identifiers, Contains("generic-caf-app"));
  EXPECT_THAT(identifiers, Contains(AllOf(StartsWith("backoff_actor:types:"), HasSubstr(":7600-"),
                                          EndsWith(":backoff_actor::TrackedMsg"))));
  EXPECT_THAT(identifiers,
              Contains(AllOf(StartsWith("backoff_actor:types:"), HasSubstr(":207-208:"),
                             EndsWith(":backoff_actor::remote_test::Order"))));
}

TEST(Network, keeps_the_identifiers_that_the_program_has_set) {
  caf::actor_system_config config;
  io_compat::load_middleman(config, 500ms, 2s); // else CAF 1.x does not know the option
  io_compat::set_identifiers(config, {"mine", "yours"});
  init_network(config);
  const auto identifiers = identifiers_of(config);
  EXPECT_THAT(identifiers, Contains("mine"));
  EXPECT_THAT(identifiers, Contains("yours"));
  EXPECT_THAT(identifiers, Not(Contains("generic-caf-app")));
}

TEST(Network, shows_its_identifiers_at_run_time) {
  Node node;
  EXPECT_THAT(identifiers_of(node.system->config()),
              Contains(EndsWith(":backoff_actor::remote_test::Order")));
}

} // namespace backoff_actor::remote_test
