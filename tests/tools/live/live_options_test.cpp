#include "backoffctl/live/live.hpp"

#include "../given.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace backoffctl {
namespace {

using namespace std::chrono_literals;
using backoff_actor::OutageClient;
using testing::ElementsAre;

// A command with the flags of the clients, or of the server, alone.
struct ClientsCommand final : Command {
  explicit ClientsCommand(CLI::App& program) : Command(program, "load", "", "") {
    declare_live_clients(*this, options);
  }
  void check(Problems& problems) override { check_live_clients(options, problems); }
  std::string run() override { return {}; }

  backoff_actor::OutageOptions options = live_options();
};

struct ServerCommand final : Command {
  explicit ServerCommand(CLI::App& program) : Command(program, "serve", "", "") {
    declare_server(*this, options);
  }
  std::string run() override { return {}; }

  ServerOptions options;
};

using Clients = test::Given<ClientsCommand>;
using Server = test::Given<ServerCommand>;

TEST(load_options, are_those_of_the_article_by_default) {
  const Clients given{{}};
  const auto& options = given.command.options;
  EXPECT_TRUE(given.problems.empty());
  EXPECT_EQ(options.clients, 1000u);
  EXPECT_EQ(options.mean_think, 10s);
  EXPECT_EQ(options.timeout, 2s);
  EXPECT_EQ(run_of(options).policy, "fixed(100ms)");
  EXPECT_EQ(run_of(options).guard, "none");
  EXPECT_EQ(run_of(options).client, "retry");
}

TEST(load_options, take_all_flags) {
  const Clients given{{"--clients", "5", "--lambda", "500ms", "--timeout", "300ms", "--policy",
                       "fixed(70ms)", "--guard", "rate(5/s)", "--client", "sender", "--seed", "9"}};
  const auto& options = given.command.options;
  EXPECT_TRUE(given.problems.empty()) << to_string(given.problems);
  EXPECT_EQ(options.clients, 5u);
  EXPECT_EQ(options.mean_think, 500ms);
  EXPECT_EQ(options.timeout, 300ms);
  EXPECT_EQ(run_of(options).policy, "fixed(70ms)");
  EXPECT_FALSE(options.guard.empty()) << "a rate alone is a guard";
  EXPECT_EQ(options.client, OutageClient::sender);
  EXPECT_EQ(options.seed, 9u);
}

TEST(load_options, the_published_client_is_a_policy_and_no_sender) {
  const Clients given{{"--policy", "smira_as_shipped"}};
  EXPECT_TRUE(given.problems.empty());
  EXPECT_EQ(run_of(given.command.options).policy, "smira_as_shipped");
  const Clients sender{{"--policy", "smira_as_shipped", "--client", "sender"}};
  EXPECT_THAT(sender.fields(), ElementsAre("--policy"));
}

TEST(load_options, no_guard_can_be_asked_for) {
  const Clients given{{"--guard", "none"}};
  EXPECT_TRUE(given.problems.empty());
  EXPECT_TRUE(given.command.options.guard.empty());
}

TEST(load_options, all_that_is_wrong_is_told_at_once) {
  const Clients given{{"--clients", "0", "--lambda", "-1", "--timeout", "0s", "--policy", "garbage",
                       "--guard", "dog", "--client", "cat", "--seed", "x"}};
  EXPECT_THAT(given.fields(), ElementsAre("--policy", "--guard", "--client", "--clients",
                                          "--lambda", "--timeout", "--seed"));
}

TEST(serve_options, are_those_of_the_article_by_default) {
  const Server given{{}};
  EXPECT_TRUE(given.problems.empty());
  EXPECT_EQ(given.command.options.port, 8070);
  EXPECT_EQ(given.command.options.service, backoff_actor::ServiceOptions{});
  EXPECT_EQ(service_time(given.command.options.service, 1040), 2671444385ns);
}

TEST(serve_options, take_all_flags) {
  const Server given{{"--limit", "3", "--factor", "2", "--scale", "1.5", "--base-delay", "10ms",
                      "--backlog", "128", "--abandoned-work", "dropped", "--port", "0"}};
  const auto& options = given.command.options;
  EXPECT_TRUE(given.problems.empty()) << to_string(given.problems);
  EXPECT_EQ(options.service.limit, 3u);
  EXPECT_EQ(options.service.factor, 2);
  EXPECT_EQ(options.service.scale, 1.5);
  EXPECT_EQ(options.service.base_delay, 10ms);
  EXPECT_EQ(options.service.backlog, 128u);
  EXPECT_EQ(options.service.abandoned_work, backoff_actor::AbandonedWork::dropped);
  EXPECT_EQ(options.port, 0);
}

TEST(serve_options, all_that_is_wrong_is_told_at_once) {
  const Server given{{"--limit", "-1", "--factor", "0.5", "--scale", "0", "--base-delay", "0s",
                      "--backlog", "0", "--abandoned-work", "lost", "--port", "65536"}};
  EXPECT_THAT(given.fields(), ElementsAre("--backlog", "--abandoned-work", "--limit", "--factor",
                                          "--scale", "--base-delay", "--port"));
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
