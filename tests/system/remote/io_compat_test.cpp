// Connecting and spawning through CAF, as this library words it.

#include "system/remote/nodes.hpp"

#include <caf/actor_cast.hpp>
#include <caf/sec.hpp>

#include <atomic>
#include <stdexcept>

namespace backoff_actor::remote_test {

namespace {

class IoCompat : public ::testing::Test {
protected:
  caf::message spawn_at(const caf::node_id& where, const std::string& name,
                        caf::message arguments) {
    return ask(*node.system, io_compat::middleman_of(*node.system),
               io_compat::spawn_request(where, name, std::move(arguments)));
  }

  void expect_works(const caf::actor& clerk) {
    const auto answer = ask(*node.system, clerk, caf::make_message(Order{7}));
    ASSERT_TRUE(answer.match_elements<Receipt>()) << caf::to_string(answer);
    EXPECT_EQ(answer.get_as<Receipt>(0).number, 7u);
  }

  Node node;
};

} // namespace

TEST_F(IoCompat, connects_to_a_node_and_its_published_actor) {
  Node peer;
  const auto answer = connected(*node.system, peer.publish_clerk());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->node, peer.system->node());
  ASSERT_TRUE(answer->published);
  EXPECT_EQ(answer->published.node(), peer.system->node());
  expect_works(answer->published);
}

TEST_F(IoCompat, connects_to_a_node_without_a_published_actor) {
  Node peer;
  const auto answer = connected(*node.system, peer.listen());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->node, peer.system->node());
  EXPECT_FALSE(answer->published);
}

TEST_F(IoCompat, takes_an_error_for_no_connection_and_no_actor) {
  const auto error = caf::make_message(caf::make_error(caf::sec::runtime_error));
  EXPECT_FALSE(io_compat::connected(error));
  EXPECT_FALSE(io_compat::spawned(error));
  EXPECT_FALSE(io_compat::connected({}));
  EXPECT_FALSE(io_compat::spawned({}));
}

TEST_F(IoCompat, spawns_a_worker_with_its_arguments_on_the_other_node) {
  std::atomic<std::uint64_t> argument = 0;
  Node peer{calm(), [&](Node& made) {
              io_compat::add_worker_type(
                made.config, "clerk",
                [&](caf::actor_system&, caf::actor_config&, const caf::message& arguments) {
                  argument = arguments.get_as<Order>(0).number;
                  return caf::actor_cast<caf::strong_actor_ptr>(made.spawn_clerk());
                });
            }};
  const auto answer = connected(*node.system, peer.listen());
  ASSERT_TRUE(answer);
  const auto clerk =
    io_compat::spawned(spawn_at(answer->node, "clerk", caf::make_message(Order{9})));
  ASSERT_TRUE(clerk);
  EXPECT_EQ(clerk.node(), peer.system->node());
  EXPECT_EQ(argument, 9u);
  expect_works(clerk);
}

TEST_F(IoCompat, a_worker_that_cannot_be_made_is_an_error_and_the_next_one_is_made) {
  std::atomic<int> calls = 0;
  Node peer{calm(), [&](Node& made) {
              io_compat::add_worker_type(
                made.config, "clerk",
                [&](caf::actor_system&, caf::actor_config&, const caf::message&) {
                  if (++calls == 1)
                    throw std::runtime_error("no desk");
                  return caf::actor_cast<caf::strong_actor_ptr>(made.spawn_clerk());
                });
            }};
  const auto answer = connected(*node.system, peer.listen());
  ASSERT_TRUE(answer);
  const auto refused = spawn_at(answer->node, "clerk", {});
  EXPECT_FALSE(io_compat::spawned(refused));
  ASSERT_TRUE(refused.match_elements<caf::error>()) << caf::to_string(refused);
  EXPECT_EQ(refused.get_as<caf::error>(0), caf::sec::cannot_spawn_actor_from_arguments);
  EXPECT_TRUE(io_compat::spawned(spawn_at(answer->node, "clerk", {})));

  const auto unknown = spawn_at(answer->node, "plumber", {});
  ASSERT_TRUE(unknown.match_elements<caf::error>());
  EXPECT_EQ(unknown.get_as<caf::error>(0), caf::sec::unknown_type);
}

TEST(IoCompatWithoutNetwork, says_what_to_call) {
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  try {
    io_compat::middleman_of(system);
    FAIL() << "it has no middleman";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "the actor system has no network layer: set its configuration up with "
                           "backoff_actor::init_network instead of init");
  }
}

} // namespace backoff_actor::remote_test
