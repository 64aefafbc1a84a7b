// Who may act by the web server.

#include "system/operator_fixture.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace backoff_actor::operator_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(OperatorTest, needs_the_token_and_a_name) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  const auto status = [&](const std::map<std::string, std::string>& other) {
    auto headers = with_token();
    for (const auto& [name, value] : other)
      headers[name] = value;
    const auto of_post = request("POST", "/act/pause?" + in_address(sender), headers).status;
    EXPECT_EQ(of_post, request("GET", "/letters?" + in_address(sender), headers).status);
    return of_post;
  };
  EXPECT_EQ(status({{"Authorization", ""}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer 0123456789abcdeF"}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer 0123456789abcde"}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer 0123456789abcdef0"}}), 401);
  EXPECT_EQ(status({{"Authorization", std::string{"Basic "} + token}}), 401);
  EXPECT_EQ(status({{"Authorization", token}}), 401);
  EXPECT_EQ(status({{"X-Operator", ""}}), 400);
  EXPECT_EQ(status({{"X-Operator", std::string(65, 'a')}}), 400);
  EXPECT_FALSE(status_of(sender).is_paused);
  EXPECT_EQ(status({}), 200);
  EXPECT_TRUE(status_of(sender).is_paused);
}

TEST_F(OperatorTest, does_nothing_for_a_page_of_another_site) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  const auto status = [&](const std::map<std::string, std::string>& other) {
    auto headers = with_token();
    for (const auto& [name, value] : other)
      headers[name] = value;
    return request("POST", "/act/pause?" + in_address(sender), headers).status;
  };
  EXPECT_EQ(status({{"Origin", "http://stranger.example"}}), 403);
  EXPECT_EQ(status({{"Origin", "null"}}), 403);
  EXPECT_EQ(status({{"Origin", "http://localhost:1"}}), 403) << "another port is another site";
  EXPECT_EQ(status({{"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(status({{"Sec-Fetch-Site", "same-site"}}), 403);
  EXPECT_EQ(status({{"Host", "stranger.example"}}), 403);
  EXPECT_EQ(request("OPTIONS", "/act/pause", with_token()).status, 405) << "no page may ask to";
  EXPECT_FALSE(status_of(sender).is_paused);
  EXPECT_EQ(status({{"Origin", "http://localhost"}, {"Sec-Fetch-Site", "same-origin"}}), 200);
}

TEST_F(OperatorTest, obeys_the_page_behind_a_proxy_that_has_tls) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  web_options_.allowed_hosts = {"shop.example"};
  web_ = std::make_unique<WebServer>(observatory_, web_options_);
  auto headers = with_token();
  headers["Host"] = "shop.example";
  headers["Origin"] = "https://shop.example";
  headers["Sec-Fetch-Site"] = "same-origin";
  EXPECT_EQ(request("POST", "/act/pause?" + in_address(sender), headers).status, 200);
  headers["Origin"] = "https://stranger.example";
  EXPECT_EQ(request("POST", "/act/pause?" + in_address(sender), headers).status, 403);
}

TEST_F(OperatorTest, obeys_no_request_that_a_link_can_make) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  EXPECT_EQ(request("GET", "/act/pause?" + in_address(sender), with_token()).status, 404);
  EXPECT_FALSE(status_of(sender).is_paused);
}

TEST_F(OperatorTest, is_not_there_without_a_token) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  web_options_.token = "";
  web_ = std::make_unique<WebServer>(observatory_, web_options_);
  EXPECT_EQ(act("pause?" + in_address(sender)).status, 404);
  EXPECT_EQ(letters(in_address(sender)).status, 404);
  EXPECT_FALSE(status_of(sender).is_paused);
  EXPECT_THAT(request("GET", "/", {}).body, HasSubstr(R"(data-act="no")"));
}

TEST_F(OperatorTest, shows_the_token_nowhere) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  for (const auto& page : {"/", "/status", "/metrics", "/nowhere"})
    EXPECT_THAT(request("GET", page, with_token()).body, Not(HasSubstr(token))) << page;
  EXPECT_THAT(act("pause?" + in_address(sender)).body, Not(HasSubstr(token)));
  EXPECT_THAT(request("GET", "/", {}).body, HasSubstr(R"(data-act="yes")"));
}

TEST_F(OperatorTest, goes_down_with_the_system_while_it_acts) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  std::atomic<bool> is_over = false;
  const auto path = "retry_now?" + in_address(sender);
  std::thread other{[&] {
    while (!is_over)
      act(path);
  }};
  EXPECT_TRUE(test::becomes_true([&] { return actions_.lines().size() > 3; }));
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  go_down();
  is_over = true;
  other.join();
}

TEST(operator_options, name_what_is_wrong_with_a_token) {
  const auto problem_of = [](const std::string& text, const std::string& address = "127.0.0.1") {
    WebOptions options;
    options.port = 0;
    options.token = text;
    options.address = address;
    try {
      const WebServer server{Observatory{}, options};
      return std::string{};
    } catch (const std::exception& error) {
      return std::string{error.what()};
    }
  };
  EXPECT_EQ(problem_of(token), "");
  EXPECT_THAT(problem_of("0123456789abcde"),
              HasSubstr("token: got 15 characters, allowed 16..200"));
  EXPECT_THAT(problem_of(std::string(201, 'a')), HasSubstr("token: got 201 characters"));
  EXPECT_THAT(problem_of("0123456789 abcdef"), HasSubstr("token: got other characters"));
  EXPECT_THAT(problem_of(token, "0.0.0.0"),
              HasSubstr("address: got \"0.0.0.0\", allowed a loopback"));
}

TEST(operator_token, comes_from_a_file_that_only_its_owner_may_use) {
  const auto file =
    (std::filesystem::temp_directory_path() / ("operator_token_" + std::to_string(getpid())))
      .string();
  { std::ofstream{file} << token << "\n"; }
  std::filesystem::permissions(file, std::filesystem::perms{0600});
  EXPECT_EQ(token_in_file(file), token);
  std::filesystem::permissions(file, std::filesystem::perms{0640});
  EXPECT_THROW(token_in_file(file), InvalidArgument);
  std::filesystem::remove(file);
  EXPECT_THROW(token_in_file(file), std::system_error);
}

} // namespace backoff_actor::operator_test
