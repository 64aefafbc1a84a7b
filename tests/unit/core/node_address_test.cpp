#include "backoff_actor/core/node_address.hpp"

#include "backoff_actor/core/problems.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace backoff_actor::node_address_test {

using Nodes = std::vector<NodeAddress>;

void PrintNodes(const Nodes& nodes, std::ostream& out) {
  for (const auto& node : nodes)
    out << to_string(node) << ' ';
}

// -- what is read ---------------------------------------------------------------------

struct Good {
  const char* name;
  const char* text;
  Nodes nodes;

  friend void PrintTo(const Good& row, std::ostream* out) { PrintNodes(row.nodes, *out); }
};

class GoodNodes : public ::testing::TestWithParam<Good> {};

TEST_P(GoodNodes, are_read) { EXPECT_EQ(parse_nodes(GetParam().text), GetParam().nodes); }

INSTANTIATE_TEST_SUITE_P(
  table, GoodNodes,
  ::testing::Values(Good{"one", "worker-1:4711", {{"worker-1", 4711}}},
                    Good{"several", "a:1,b:2,a:1", {{"a", 1}, {"b", 2}, {"a", 1}}},
                    Good{"blanks_around", "\t a:1 ,\n b:2 \r\n", {{"a", 1}, {"b", 2}}},
                    Good{"ipv4", "10.0.0.7:80", {{"10.0.0.7", 80}}},
                    Good{
                      "ipv6", "[::1]:4711, [fe80::1%eth0]:1", {{"::1", 4711}, {"fe80::1%eth0", 1}}},
                    Good{"brackets_without_need", "[worker-1]:4711", {{"worker-1", 4711}}},
                    Good{"least_and_greatest_port", "a:1,a:65535", {{"a", 1}, {"a", 65535}}},
                    Good{"zeros_in_front", "a:0080", {{"a", 80}}}),
  [](const auto& row) { return std::string{row.param.name}; });

// -- what is refused ------------------------------------------------------------------

struct Bad {
  const char* name;
  const char* text;
  const char* problems;

  friend void PrintTo(const Bad& row, std::ostream* out) { *out << row.text; }
};

class BadNodes : public ::testing::TestWithParam<Bad> {};

TEST_P(BadNodes, are_named_with_what_was_given_and_what_is_allowed) {
  try {
    parse_nodes(GetParam().text);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& thrown) {
    EXPECT_STREQ(thrown.what(), GetParam().problems);
  }
}

INSTANTIATE_TEST_SUITE_P(
  table, BadNodes,
  ::testing::Values(
    Bad{"empty", "", "nodes: got '', allowed host:port, and more of them separated by commas"},
    Bad{"blank", " \t",
        "nodes: got ' \\t', allowed host:port, and more of them separated by commas"},
    Bad{"no_port", "worker-1",
        "nodes[0]: got 'worker-1', allowed host:port, or [host]:port for a host with a colon"},
    Bad{"empty_port", "worker-1:", "nodes[0].port: got '', allowed 1..65535"},
    Bad{"port_zero", "worker-1:0", "nodes[0].port: got '0', allowed 1..65535"},
    Bad{"port_too_large", "worker-1:65536", "nodes[0].port: got '65536', allowed 1..65535"},
    Bad{"port_far_too_large", "worker-1:99999999999999999999",
        "nodes[0].port: got '99999999999999999999', allowed 1..65535"},
    Bad{"port_negative", "worker-1:-1", "nodes[0].port: got '-1', allowed 1..65535"},
    Bad{"port_with_a_sign", "worker-1:+1", "nodes[0].port: got '+1', allowed 1..65535"},
    Bad{"port_with_letters", "worker-1:80x", "nodes[0].port: got '80x', allowed 1..65535"},
    Bad{"port_after_a_blank", "worker-1: 80", "nodes[0].port: got ' 80', allowed 1..65535"},
    Bad{"no_host", ":80", "nodes[0].host: got '', allowed a name or an address"},
    Bad{"no_host_in_brackets", "[]:80", "nodes[0].host: got '', allowed a name or an address"},
    Bad{"host_with_a_blank", "worker 1:80",
        "nodes[0].host: got 'worker 1', allowed a name or an address"},
    Bad{"ipv6_without_brackets", "::1:4711",
        "nodes[0]: got '::1:4711', allowed host:port, or [host]:port for a host with a colon"},
    Bad{"bracket_that_is_not_closed", "[::1:4711",
        "nodes[0]: got '[::1:4711', allowed host:port, or [host]:port for a host with a colon"},
    Bad{"bracket_that_is_not_opened", "a]:1",
        "nodes[0].host: got 'a]', allowed a name or an address"},
    Bad{"brackets_twice", "[[::1]]:1", "nodes[0].host: got '[::1]', allowed a name or an address"},
    Bad{"nothing_after_a_comma", "a:1,",
        "nodes[1]: got '', allowed host:port, or [host]:port for a host with a colon"},
    Bad{"nothing_between_commas", "a:1, ,b:2",
        "nodes[1]: got '', allowed host:port, or [host]:port for a host with a colon"},
    Bad{"all_together", "a:1,:0,b,c:2,d:x",
        "nodes[1].host: got '', allowed a name or an address\n"
        "nodes[1].port: got '0', allowed 1..65535\n"
        "nodes[2]: got 'b', allowed host:port, or [host]:port for a host with a colon\n"
        "nodes[4].port: got 'x', allowed 1..65535"}),
  [](const auto& row) { return std::string{row.param.name}; });

// -- what is written ------------------------------------------------------------------

TEST(node_address, is_written_in_brackets_if_the_host_has_a_colon) {
  EXPECT_EQ(to_string(NodeAddress{"worker-1", 4711}), "worker-1:4711");
  EXPECT_EQ(to_string(NodeAddress{"::1", 4711}), "[::1]:4711");
}

TEST(node_address, is_another_with_another_host_or_port) {
  EXPECT_EQ((NodeAddress{"a", 1}), (NodeAddress{"a", 1}));
  EXPECT_NE((NodeAddress{"a", 1}), (NodeAddress{"b", 1}));
  EXPECT_NE((NodeAddress{"a", 1}), (NodeAddress{"a", 2}));
}

} // namespace backoff_actor::node_address_test
