#include "backoff_actor/observe/supervision_tree.hpp"

#include <gtest/gtest.h>

#include <string>

namespace backoff_actor {
namespace {

using namespace std::chrono_literals;

TEST(SupervisorStatusTest, a_child_is_rendered_with_what_there_is_to_say) {
  ChildStatus child;
  child.id = "db";
  EXPECT_EQ(to_string(child), "db: stopped");
  child.stopped = StoppedBecause::terminated;
  EXPECT_EQ(to_string(child), "db: stopped (terminated)");
  child.stopped = StoppedBecause::not_stopped;
  child.state = ChildState::waiting;
  EXPECT_EQ(to_string(child), "db: waiting, until its turn comes");
  child.is_due = true;
  child.due_in = 70ms;
  child.incarnation = 3;
  child.failures = 1;
  EXPECT_EQ(to_string(child), "db: waiting, restart in 70ms, child 3, 1 failure");
  child.failures = 2;
  child.cause = "connection refused";
  EXPECT_EQ(to_string(child),
            "db: waiting, restart in 70ms, child 3, 2 failures in a row, last: connection refused");
}

TEST(SupervisorStatusTest, counts_are_rendered_with_what_there_is_to_say) {
  EXPECT_EQ(to_string(ChildCounts{}), "0 children: 0 running; 0 restarts");
  EXPECT_EQ(to_string(ChildCounts{.specs = 1, .active = 1, .running = 1, .restarts = 1}),
            "1 child: 1 running; 1 restart");
  EXPECT_EQ(
    to_string(ChildCounts{.specs = 9,
                          .active = 5,
                          .running = 3,
                          .waiting = 1,
                          .stopped = 3,
                          .restarts = 12,
                          .abandoned = 2}),
    "9 children: 3 running, 2 starting or ending, 1 waiting, 3 stopped; 12 restarts, 2 abandoned");
}

TEST(SupervisorStatusTest, numbers_that_are_none_have_no_name) {
  EXPECT_EQ(to_string(ChildState{77}), "unknown");
  EXPECT_EQ(to_string(StoppedBecause{77}), "unknown");
  EXPECT_EQ(to_string(SupervisorPhase{77}), "unknown");
}

TEST(SupervisorStatusTest, a_tree_is_rendered_a_line_a_child) {
  const TreeNode leaf{{.id = "leaf", .state = ChildState::running, .incarnation = 1}, {}, {}};
  const TreeNode branch{{.id = "branch", .state = ChildState::running, .incarnation = 2},
                        ChildKind::supervisor,
                        {leaf, leaf}};
  SupervisionTree tree{
    SupervisorPhase::running, {.specs = 2, .active = 2, .running = 2}, {branch, branch}};
  EXPECT_EQ(to_string(tree), "supervisor running, 2 children: 2 running; 0 restarts\n"
                             "|- branch: running, child 2\n"
                             "|  |- leaf: running, child 1\n"
                             "|  `- leaf: running, child 1\n"
                             "`- branch: running, child 2\n"
                             "   |- leaf: running, child 1\n"
                             "   `- leaf: running, child 1");
}

TEST(SupervisorStatusTest, a_tree_is_a_line_a_child_whatever_its_texts_have) {
  TreeNode leaf{{.id = "w\n1", .state = ChildState::running, .failures = 1}, {}, {}};
  leaf.status.cause = "two\r\n\tlines, \x1b[31mred\x7f, \xc2\x85 and \xe2\x80\xa8";
  TreeNode branch{
    {.id = "pool", .failures = 1, .cause = "caf\xe9\n"}, ChildKind::supervisor, {leaf}};
  const SupervisionTree tree{SupervisorPhase::running, {.specs = 2}, {branch, leaf}};
  EXPECT_EQ(
    to_string(tree),
    "supervisor running, 2 children: 0 running; 0 restarts\n"
    "|- pool: stopped, 1 failure, last: caf\xef\xbf\xbd\\n\n"
    "|  `- w\\n1: running, 1 failure, last: two\\r\\n\\tlines, \\u001b[31mred\\u007f, \\u0085 and "
    "\\u2028\n"
    "`- w\\n1: running, 1 failure, last: two\\r\\n\\tlines, \\u001b[31mred\\u007f, \\u0085 and "
    "\\u2028");
}

TEST(SupervisorStatusTest, a_tree_is_utf_8_for_machines_whatever_bytes_a_cause_has) {
  SupervisionTree tree;
  tree.children.push_back({{.id = "a", .failures = 1}, {}, {}});
  tree.children.back().status.cause = "caf\xe9 \xc3\xa9 \xed\xa0\x80 \xf0\x9f\x92\xa5 \xe2\x82";
  EXPECT_EQ(
    to_json(tree),
    R"({"name":null,"phase":"starting","restarts":0,"children":[{"id":"a","name":null,)"
    R"("kind":"worker","state":"stopped","restart":"permanent","stopped":null,"incarnation":0,)"
    R"("restarts":0,"failures":1,"due_in_seconds":null,"up_seconds":0.000000000,)"
    "\"cause\":\"caf\xef\xbf\xbd \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xf0\x9f\x92\xa5 "
    "\xef\xbf\xbd\xef\xbf\xbd\",\"children\":[]}]}");
}

TEST(SupervisorStatusTest, actors_are_named_where_their_kind_is_known) {
  const TreeNode named{
    {.id = "db", .name = {"postgres", 12}, .state = ChildState::running, .incarnation = 3}, {}, {}};
  const TreeNode unknown{{.id = "cache", .name = {"", 13}, .state = ChildState::running}, {}, {}};
  const SupervisionTree tree{SupervisorPhase::running,
                             {.specs = 2, .active = 2, .running = 2},
                             {named, unknown},
                             {"root", 5}};
  EXPECT_EQ(to_string(tree), "root#5 running, 2 children: 2 running; 0 restarts\n"
                             "|- db (postgres#12): running, child 3\n"
                             "`- cache: running");
  const auto json = to_json(tree);
  EXPECT_EQ(json.substr(0, 68),
            R"({"name":"root#5","phase":"running","restarts":0,"children":[{"id":"d)");
  EXPECT_NE(json.find(R"({"id":"db","name":"postgres#12","kind":"worker",)"), json.npos);
  EXPECT_NE(json.find(R"({"id":"cache","name":null,"kind":"worker",)"), json.npos);
}

TEST(SupervisorStatusTest, texts_are_escaped_for_machines) {
  SupervisionTree tree;
  tree.children.push_back({{.id = "a\"b\\c\n\x01", .due_in = 1ns, .up_for = 90min}, {}, {}});
  tree.children.back().status.is_due = true;
  EXPECT_EQ(
    to_json(tree),
    R"({"name":null,"phase":"starting","restarts":0,"children":[{"id":"a\"b\\c\n\u0001",)"
    R"("name":null,)"
    R"("kind":"worker","state":"stopped","restart":"permanent","stopped":null,"incarnation":0,)"
    R"("restarts":0,"failures":0,"due_in_seconds":0.000000001,"up_seconds":5400.000000000,)"
    R"("cause":null,"children":[]}]})");
}

} // namespace
} // namespace backoff_actor
