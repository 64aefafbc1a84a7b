#include "backoffctl/live/load_options.hpp"
#include "backoffctl/live/serve_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace backoffctl {
namespace {

using namespace std::chrono_literals;
using backoff_actor::Policy;
using backoff_actor::Problems;
using testing::ElementsAre;

std::vector<std::string> fields(const Problems& problems) {
  std::vector<std::string> result;
  for (const auto& problem : problems.list())
    result.push_back(problem.field);
  return result;
}

TEST(load_options, are_those_of_the_article_by_default) {
  Problems problems;
  const auto options = read_clients({}, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(options.clients, 1000u);
  EXPECT_EQ(options.mean_think, 10s);
  EXPECT_EQ(options.timeout, 2s);
  EXPECT_EQ(to_string(options.pace), "fixed(100ms)");
  EXPECT_TRUE(options.any_answer_is_ok);
  EXPECT_FALSE(options.guard);
}

TEST(load_options, take_the_articles_flags) {
  Problems problems;
  const auto options = read_clients({.clients = "5",
                                     .lambda = "0.5",
                                     .timeout = "300ms",
                                     .simple_backoff_delay = "70ms",
                                     .seed = "9"},
                                    problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(options.clients, 5u);
  EXPECT_EQ(options.mean_think, 500ms);
  EXPECT_EQ(options.timeout, 300ms);
  EXPECT_EQ(to_string(options.pace), "fixed(70ms)");
  EXPECT_EQ(options.seed, 9u);
}

TEST(load_options, the_time_to_think_may_be_a_span) {
  Problems problems;
  EXPECT_EQ(read_clients({.lambda = "10.0"}, problems).mean_think, 10s);
  EXPECT_EQ(read_clients({.lambda = "2min"}, problems).mean_think, 2min);
  EXPECT_TRUE(problems.empty());
}

TEST(load_options, the_published_backoff_has_two_names) {
  Problems problems;
  const auto by_flag = read_clients({.exponential_backoff = true}, problems);
  const auto by_policy = read_clients({.policy = "smira_as_shipped"}, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(to_string(by_flag.pace), "smira_as_shipped");
  EXPECT_EQ(to_string(by_policy.pace), "smira_as_shipped");
}

TEST(load_options, errors_of_the_server_count_with_a_policy_a_guard_or_senders) {
  Problems problems;
  EXPECT_FALSE(read_clients({.policy = "fixed(1s)"}, problems).any_answer_is_ok);
  EXPECT_FALSE(read_clients({.guard = "circuit_breaker"}, problems).any_answer_is_ok);
  EXPECT_FALSE(read_clients({.senders = true}, problems).any_answer_is_ok);
  EXPECT_TRUE(read_clients({.exponential_backoff = true}, problems).any_answer_is_ok);
  EXPECT_TRUE(problems.empty());
}

TEST(load_options, a_rate_alone_is_a_guard) {
  Problems problems;
  EXPECT_TRUE(read_clients({.guard = "rate(5/s)"}, problems).guard);
}

TEST(load_options, no_guard_can_be_asked_for) {
  Problems problems;
  EXPECT_FALSE(read_clients({.guard = "none"}, problems).guard);
  EXPECT_TRUE(problems.empty());
}

TEST(load_options, all_that_is_wrong_is_told_at_once) {
  Problems problems;
  read_clients({.clients = "0",
                .lambda = "-1",
                .timeout = "0s",
                .exponential_backoff = true,
                .simple_backoff_delay = "1s",
                .policy = "garbage",
                .guard = "dog",
                .seed = "x"},
               problems);
  EXPECT_THAT(fields(problems),
              ElementsAre("--clients", "--lambda", "--timeout", "--seed", "--exponential-backoff",
                          "--simple-backoff-delay", "--policy", "--guard"));
}

TEST(load_options, the_published_client_is_no_sender) {
  Problems problems;
  read_clients({.exponential_backoff = true, .senders = true}, problems);
  EXPECT_THAT(fields(problems), ElementsAre("--senders"));
}

TEST(load_options, go_to_another_process_as_they_were_given) {
  EXPECT_THAT(arguments_of(ClientFlags{.clients = "7", .policy = "fixed(1s)", .senders = true}),
              ElementsAre("--clients", "7", "--policy", "fixed(1s)", "--senders"));
  EXPECT_THAT(arguments_of(ClientFlags{}), ElementsAre());
}

TEST(serve_options, are_those_of_the_article_by_default) {
  Problems problems;
  const auto options = read_server({}, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(options.port, 8070);
  EXPECT_EQ(options.service, backoff_actor::ServiceOptions{});
  EXPECT_EQ(service_time(options.service, 1040), 2671444385ns);
}

TEST(serve_options, take_all_flags) {
  Problems problems;
  const auto options = read_server({.limit = "3",
                                    .factor = "2",
                                    .scale = "1.5",
                                    .base_delay = "10ms",
                                    .backlog = "128",
                                    .abandoned_work = "dropped",
                                    .port = "0"},
                                   problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(options.service.limit, 3u);
  EXPECT_EQ(options.service.factor, 2);
  EXPECT_EQ(options.service.scale, 1.5);
  EXPECT_EQ(options.service.base_delay, 10ms);
  EXPECT_EQ(options.service.backlog, 128u);
  EXPECT_EQ(options.service.abandoned_work, backoff_actor::AbandonedWork::dropped);
  EXPECT_EQ(options.port, 0);
}

TEST(serve_options, all_that_is_wrong_is_told_at_once) {
  Problems problems;
  read_server({.limit = "-1",
               .factor = "0.5",
               .scale = "0",
               .base_delay = "0s",
               .backlog = "0",
               .abandoned_work = "lost",
               .port = "65536"},
              problems);
  EXPECT_THAT(fields(problems), ElementsAre("--limit", "--factor", "--scale", "--base-delay",
                                            "--backlog", "--abandoned-work", "--port"));
}

TEST(serve_options, go_to_another_process_as_they_were_given) {
  EXPECT_THAT(arguments_of(ServerFlags{.limit = "3", .port = "0"}),
              ElementsAre("--limit", "3", "--port", "0"));
}

TEST(serve_options, a_backlog_that_the_kernel_cuts_is_noted) {
  EXPECT_EQ(note_on_backlog(4096, 4096), std::nullopt);
  EXPECT_EQ(note_on_backlog(4097, std::nullopt), std::nullopt);
  EXPECT_EQ(note_on_backlog(4097, 128),
            "--backlog: the kernel cuts 4097 to 128, its net.core.somaxconn; to raise that: sysctl "
            "-w net.core.somaxconn=4097");
}

TEST(http_url, is_read) {
  const auto url = parse_http_url("http://localhost:81/a/b?c=d");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "localhost");
  EXPECT_EQ(url->port, 81);
  EXPECT_EQ(url->path, "/a/b?c=d");
  EXPECT_EQ(parse_http_url("http://x")->path, "/");
  EXPECT_EQ(parse_http_url("http://x")->port, 80);
  EXPECT_FALSE(parse_http_url("http://x")->is_https);
  EXPECT_EQ(parse_http_url("https://x")->port, 443);
  EXPECT_TRUE(parse_http_url("https://x")->is_https);
  for (const auto* wrong : {"", "x", "ftp://x/", "http://", "http:///a", "http://x:0/",
                            "http://x:65536/", "http://x:y/"})
    EXPECT_FALSE(parse_http_url(wrong)) << wrong;
}

} // namespace
} // namespace backoffctl
