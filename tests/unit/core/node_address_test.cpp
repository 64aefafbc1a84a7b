#include "backoff_actor/core/node_address.hpp"

#include "backoff_actor/core/problems.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::node_address_test {

using Nodes = std::vector<NodeAddress>;

// -- what is read ---------------------------------------------------------------------

struct Good {
  const char* text;
  Nodes nodes;
};

TEST(GoodNodes, are_read) {
  const std::vector<Good> rows{
    {"worker-1:4711", {{"worker-1", 4711}}},
    {"a:1,b:2,a:1", {{"a", 1}, {"b", 2}, {"a", 1}}},
    {"\t a:1 ,\n b:2 \r\n", {{"a", 1}, {"b", 2}}},
    {"10.0.0.7:80", {{"10.0.0.7", 80}}},
    {"[::1]:4711, [fe80::1%eth0]:1", {{"::1", 4711}, {"fe80::1%eth0", 1}}},
    {"[worker-1]:4711", {{"worker-1", 4711}}},
    {"a:1,a:65535", {{"a", 1}, {"a", 65535}}},
    {"a:0080", {{"a", 80}}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(parse_nodes(row.text), row.nodes);
  }
}

// -- what is refused ------------------------------------------------------------------

struct Bad {
  const char* text;
  const char* problems;
};

TEST(BadNodes, are_named_with_what_was_given_and_what_is_allowed) {
  const std::vector<Bad> rows{
    {"", "nodes: got '', allowed host:port, and more of them separated by commas"},
    {" \t", "nodes: got ' \\t', allowed host:port, and more of them separated by commas"},
    {"worker-1",
     "nodes[0]: got 'worker-1', allowed host:port, or [host]:port for a host with a colon"},
    {"worker-1:", "nodes[0].port: got '', allowed 1..65535"},
    {"worker-1:0", "nodes[0].port: got '0', allowed 1..65535"},
    {"worker-1:65536", "nodes[0].port: got '65536', allowed 1..65535"},
    {"worker-1:99999999999999999999",
     "nodes[0].port: got '99999999999999999999', allowed 1..65535"},
    {"worker-1:-1", "nodes[0].port: got '-1', allowed 1..65535"},
    {"worker-1:+1", "nodes[0].port: got '+1', allowed 1..65535"},
    {"worker-1:80x", "nodes[0].port: got '80x', allowed 1..65535"},
    {"worker-1: 80", "nodes[0].port: got ' 80', allowed 1..65535"},
    {":80", "nodes[0].host: got '', allowed a name or an address"},
    {"[]:80", "nodes[0].host: got '', allowed a name or an address"},
    {"worker 1:80", "nodes[0].host: got 'worker 1', allowed a name or an address"},
    {"::1:4711",
     "nodes[0]: got '::1:4711', allowed host:port, or [host]:port for a host with a colon"},
    {"[::1:4711",
     "nodes[0]: got '[::1:4711', allowed host:port, or [host]:port for a host with a colon"},
    {"a]:1", "nodes[0].host: got 'a]', allowed a name or an address"},
    {"[[::1]]:1", "nodes[0].host: got '[::1]', allowed a name or an address"},
    {"a:1,", "nodes[1]: got '', allowed host:port, or [host]:port for a host with a colon"},
    {"a:1, ,b:2", "nodes[1]: got '', allowed host:port, or [host]:port for a host with a colon"},
    {"a:1,:0,b,c:2,d:x",
     "nodes[1].host: got '', allowed a name or an address\n"
     "nodes[1].port: got '0', allowed 1..65535\n"
     "nodes[2]: got 'b', allowed host:port, or [host]:port for a host with a colon\n"
     "nodes[4].port: got 'x', allowed 1..65535"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    try {
      parse_nodes(row.text);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& thrown) {
      EXPECT_STREQ(thrown.what(), row.problems);
    }
  }
}

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
