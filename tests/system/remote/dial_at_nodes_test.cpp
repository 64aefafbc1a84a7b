// Dialing at nodes of CAF that would be connected to, and at such that would not, or should not.

#include "common/patience.hpp"
#include "system/remote/nodes.hpp"

#include <future>
#include <utility>

namespace backoff_actor::remote_test {

namespace {

class DialAtNodes : public ::testing::Test {
protected:
  std::string dial_at(std::uint16_t port) { return dial_at(port, {}); }

  std::string dial_at(std::uint16_t port, DialOptions options) {
    options.host = "127.0.0.1";
    options.port = port;
    options.limit = test::patience;
    return dial(node, std::move(options));
  }

  Node node;
};

// A step that changes one of a node's identifiers of blocks: that of the block that begins with
// `first`.
Node::Step change(const std::string& first, const std::function<void(std::string&)>& change) {
  return [=](Node& made) {
    auto all = io_compat::identifiers(made.config);
    std::erase_if(all, [&](std::string& x) {
      if (x.ends_with(":" + first))
        change(x);
      return x.empty();
    });
    io_compat::set_identifiers(made.config, all);
  };
}

constexpr auto own_first = "backoff_actor::TrackedMsg";
constexpr auto test_first = "backoff_actor::remote_test::Order";

Node::Step identify_as(const std::string& name) {
  return [=](Node& made) {
    auto all = io_compat::identifiers(made.config);
    std::erase(all, "generic-caf-app");
    all.push_back(name);
    io_compat::set_identifiers(made.config, all);
  };
}

} // namespace

TEST_F(DialAtNodes, at_one_like_this_all_is_well) {
  Node peer;
  EXPECT_EQ(dial_at(peer.listen()), "");
  EXPECT_EQ(dial_at(peer.publish_clerk(), {.needs_published_actor = true}), "");
}

TEST_F(DialAtNodes, at_a_port_without_an_actor_says_so_if_one_is_needed) {
  Node peer;
  EXPECT_EQ(dial_at(peer.listen(), {.needs_published_actor = true}), "no actor is published there");
}

TEST_F(DialAtNodes, at_itself_all_is_well) { EXPECT_EQ(dial_at(node.listen()), ""); }

TEST_F(DialAtNodes, tries_the_addresses_of_a_name_until_one_answers) {
  Node peer;
  const auto port = peer.listen(); // of 127.0.0.1 alone: another address of the name is refused
  std::promise<std::string> said;
  const auto dial =
    Dial::start(*node.system, {.host = "localhost", .port = port, .limit = test::patience},
                [&](const std::string& problem) { said.set_value(problem); });
  EXPECT_EQ(said.get_future().get(), "");
  const test::TcpStream caf{dial->take_connection()};
  EXPECT_TRUE(caf) << "CAF's end";
}

TEST_F(DialAtNodes, at_one_that_was_not_set_up_with_init_network_says_so_if_types_count) {
  const auto peer = Node::without_init_network();
  const auto port = peer->listen();
  EXPECT_EQ(dial_at(port), "it knows no message types of backoff_actor: its program was not set up "
                           "with init_network");
  EXPECT_EQ(dial_at(port, {.checks_types = false}), "");
}

TEST_F(DialAtNodes, at_one_without_a_block_of_types_names_the_block_and_its_numbers) {
  Node peer{calm(), change(test_first, [](std::string& x) { x.clear(); })};
  EXPECT_EQ(dial_at(peer.listen()),
            "it does not know the message types of the block that begins with "
            "backoff_actor::remote_test::Order (numbers 207..208)");
}

TEST_F(DialAtNodes, at_one_with_other_types_in_a_block_names_the_block_and_its_numbers) {
  // The last digit of the hash, before the colon and the name.
  const auto other_hash = [](std::string& x) {
    auto& digit = x[x.find(test_first) - 2];
    digit = digit == '0' ? '1' : '0';
  };
  Node peer{calm(), change(test_first, other_hash)};
  EXPECT_EQ(dial_at(peer.listen()),
            "it has other message types than this program in the block that begins with "
            "backoff_actor::remote_test::Order (numbers 207..208)");
}

TEST_F(DialAtNodes, at_one_with_the_same_types_under_other_numbers_says_so) {
  const auto other_numbers = [](std::string& x) { x.replace(x.find(":207-208:"), 9, ":208-209:"); };
  Node peer{calm(), change(test_first, other_numbers)};
  EXPECT_EQ(dial_at(peer.listen()),
            "it has other message types than this program in the block that begins with "
            "backoff_actor::remote_test::Order (numbers 207..208)");
}

TEST_F(DialAtNodes, at_one_with_other_types_of_this_library_says_so) {
  Node peer{calm(), change(own_first, [](std::string& x) { x.clear(); })};
  EXPECT_EQ(dial_at(peer.listen()).substr(0, 91),
            "it does not know the message types of the block that begins with "
            "backoff_actor::TrackedMsg ");
}

TEST_F(DialAtNodes, at_one_of_another_version_of_this_library_names_the_protocols_of_both) {
  const auto with_protocol = [](const std::string& number) -> Node::Step {
    return [=](Node& made) {
      auto all = io_compat::identifiers(made.config);
      ASSERT_EQ(std::erase_if(all, [](const auto& x) { return x.find(":protocol:") != x.npos; }),
                1u);
      if (!number.empty())
        all.push_back("backoff_actor:protocol:0123456789abcdef:" + number);
      io_compat::set_identifiers(made.config, all);
    };
  };
  Node newer{calm(), with_protocol("4")};
  const auto port = newer.listen();
  EXPECT_EQ(dial_at(port), "its backoff_actor speaks protocol 4, that of this program 3: use "
                           "versions that speak the same");
  EXPECT_EQ(dial_at(port, {.checks_types = false}), "");
  Node silent{calm(), with_protocol("")};
  EXPECT_EQ(dial_at(silent.listen()),
            "its backoff_actor speaks protocol 1, that of this program 3: "
            "use versions that speak the same")
    << "0.2.0 says nothing of it";
}

TEST_F(DialAtNodes, at_one_with_more_types_all_is_well) {
  Node peer{calm(), [](Node& made) {
              auto all = io_compat::identifiers(made.config);
              all.push_back("backoff_actor:types:0:300-301:0123456789abcdef:more::Types");
              io_compat::set_identifiers(made.config, all);
            }};
  EXPECT_EQ(dial_at(peer.listen()), "");
}

TEST_F(DialAtNodes, at_one_of_another_application_names_the_identifiers_of_both) {
  Node peer{calm(), identify_as("another one")};
  EXPECT_EQ(dial_at(peer.listen()),
            "a node of another application: its app-identifiers are 'another one', those of this "
            "program 'generic-caf-app'");
}

TEST_F(DialAtNodes, agrees_with_caf_on_applications) {
  // CAF connects nodes with any identifier in common, and those of types are in common with nobody.
  Node other{calm(), identify_as("another one")};
  const auto port = other.listen();
  EXPECT_FALSE(io_compat::connected(connect(*node.system, port)));
  Node same;
  const auto same_port = same.listen();
  EXPECT_TRUE(connected(*node.system, same_port));
}

} // namespace backoff_actor::remote_test
