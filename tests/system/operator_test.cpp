// An operator acts on senders that work, by the web server.

#include "backoff_actor/sinks/operator.hpp"

#include "backoff_actor/web/web_server.hpp"

#include "common/becomes_true.hpp"
#include "system/system.hpp"
#include "system/web_client.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <unistd.h>

namespace backoff_actor::operator_test {

namespace {

using namespace std::chrono_literals;
using test::ask_raw;
using test::WebAnswer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Result = DeedOutcome::Result;

constexpr auto token = "0123456789abcdef";

std::atomic<bool> is_mended = false;
std::atomic<int> done = 0;

// Fails at `poison` until it is mended.
caf::behavior parser(caf::event_based_actor*) {
  return {[](const std::string& order) {
    if (order.starts_with("poison") && !is_mended)
      throw std::runtime_error("cannot parse " + order);
    ++done;
    return order + " parsed";
  }};
}

// What an operator did, as lines.
class Deeds {
public:
  std::function<void(const DeedEvent&)> hook() {
    return [this](const DeedEvent& event) {
      const std::lock_guard lock{mutex_};
      lines_.push_back(event.who + " " + std::string{to_string(event.deed)} + " "
                       + (event.is_done ? "done" : "not done") + " "
                       + std::to_string(event.letters));
    };
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock{mutex_};
    return lines_;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class OperatorTest : public system_test::System {
protected:
  OperatorTest() {
    is_mended = false;
    done = 0;
    web_options_.port = 0;
    web_options_.token = token;
    web_options_.on_deed = deeds_.hook();
    web_ = std::make_unique<WebServer>(observatory_, web_options_);
  }

  SenderOptions options() const {
    SenderOptions result;
    result.name = "parser";
    result.backoff = RandomSlots{.slot_time = 1ms};
    result.max_attempts = 2;
    result.observed_by = observatory_;
    return result;
  }

  static std::string name_of(const caf::actor& sender) {
    return "parser#" + std::to_string(sender->id());
  }
  static std::string in_address(const caf::actor& sender) {
    return "sender=parser%23" + std::to_string(sender->id());
  }

  // With these headers, and without those that are empty.
  WebAnswer request(std::string_view method, const std::string& path,
                    std::map<std::string, std::string> headers) const {
    std::string text = std::string{method} + " " + path + " HTTP/1.1\r\n";
    headers.try_emplace("Host", "localhost");
    for (const auto& [name, value] : headers)
      if (!value.empty())
        text += name + ": " + value + "\r\n";
    return ask_raw(web_->port(), text + "\r\n");
  }
  static std::map<std::string, std::string> with_token() {
    return {{"Authorization", std::string{"Bearer "} + token}, {"X-Operator", "anna"}};
  }
  WebAnswer act(const std::string& path) const {
    return request("POST", "/act/" + path, with_token());
  }
  WebAnswer letters(const std::string& query) const {
    return request("GET", "/letters?" + query, with_token());
  }

  SenderStatus status_of(const caf::actor& sender) {
    caf::scoped_actor self{*system};
    SenderStatus result;
    self->request(sender, 10s, Status{})
      .receive([&](const SenderStatus& x) { result = x; }, [](const caf::error&) { FAIL(); });
    return result;
  }
  bool becomes_dead(const caf::actor& sender, std::uint64_t count) {
    return test::becomes_true([&] { return status_of(sender).counters.dead_lettered == count; });
  }
  void send(const caf::actor& sender, const std::string& order) { compat::enqueue(sender, order); }

  Observatory observatory_;
  Deeds deeds_;
  WebOptions web_options_;
  std::unique_ptr<WebServer> web_;
};

} // namespace

// -- senders ------------------------------------------------------------------------

TEST_F(OperatorTest, pauses_and_resumes_a_sender) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  const auto answer = act("pause?" + in_address(sender));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_THAT(answer.body, HasSubstr(R"({"is_done":true,"letters":0,"text":")" + name_of(sender)));
  EXPECT_TRUE(status_of(sender).is_paused);
  send(sender, "first");
  EXPECT_EQ(status_of(sender).owed, 1U);
  EXPECT_EQ(act("resume?" + in_address(sender)).status, 200);
  EXPECT_FALSE(status_of(sender).is_paused);
  EXPECT_TRUE(test::becomes_true([] { return done == 1; }));
  EXPECT_THAT(deeds_.lines(), ElementsAre("anna pause done 0", "anna resume done 0"));
}

TEST_F(OperatorTest, drains_a_sender_until_it_resumes) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  act("pause?" + in_address(sender));
  send(sender, "first");
  EXPECT_EQ(act("drain?" + in_address(sender)).status, 200);
  EXPECT_EQ(status_of(sender).phase, Phase::draining);
  EXPECT_EQ(act("resume?" + in_address(sender)).status, 200);
  EXPECT_NE(status_of(sender).phase, Phase::draining);
}

TEST_F(OperatorTest, ends_a_delay) {
  auto slow = options();
  slow.backoff = parse_policy("fixed(1h)");
  slow.max_attempts = std::nullopt;
  const auto sender = spawn_back_off_sender(*system, parser, slow);
  send(sender, "poison");
  EXPECT_TRUE(test::becomes_true([&] { return status_of(sender).is_delayed; }));
  is_mended = true;
  EXPECT_EQ(act("retry_now?" + in_address(sender)).status, 200);
  EXPECT_TRUE(test::becomes_true([] { return done == 1; }));
}

TEST_F(OperatorTest, finds_nobody_of_a_wrong_name) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  EXPECT_EQ(act("pause?sender=parser%230").status, 404);
  EXPECT_EQ(act("pause?sender=packer%23" + std::to_string(sender->id())).status, 404);
  EXPECT_EQ(act("pause?sender=parser").status, 400);
  EXPECT_EQ(act("pause").status, 400);
  EXPECT_EQ(act("fly?" + in_address(sender)).status, 404);
  EXPECT_FALSE(status_of(sender).is_paused);
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  EXPECT_TRUE(test::becomes_true([&] { return act("pause?" + in_address(sender)).status == 404; }));
}

TEST_F(OperatorTest, waits_for_no_sender_that_ends) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  caf::scoped_actor self{*system};
  self->send_exit(sender, caf::exit_reason::kill);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(act("pause?" + in_address(sender)).status, 404);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s);
}

// -- guards -------------------------------------------------------------------------

TEST_F(OperatorTest, closes_a_circuit_breaker) {
  const SharedGuard guard{parse_guard("circuit_breaker(5 failures, open 1h)")};
  guard.observed_by(observatory_, "payments");
  guard.isolate();
  const SharedGuard budget{parse_guard("retry_budget(20%, 1/s)")};
  budget.observed_by(observatory_, "budget");
  EXPECT_EQ(act("close_guard?guard=payments").status, 200);
  EXPECT_EQ(guard.status().breaker, BreakerState::closed);
  EXPECT_EQ(act("close_guard?guard=budget").status, 409);
  EXPECT_EQ(act("close_guard?guard=nobody").status, 404);
}

// -- dead letters -------------------------------------------------------------------

TEST_F(OperatorTest, sees_resubmits_and_removes_dead_letters) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  send(sender, "poison 1");
  send(sender, "poison 2");
  send(sender, "well");
  ASSERT_TRUE(becomes_dead(sender, 2));
  const auto all = letters(in_address(sender));
  EXPECT_EQ(all.status, 200);
  EXPECT_THAT(all.body,
              HasSubstr(R"("id":1,"reason":"attempts_exhausted","attempts":2,"cause":")"));
  EXPECT_THAT(all.body, HasSubstr("cannot parse poison 1"));
  EXPECT_THAT(all.body, HasSubstr(R"("left_out":0,"dropped":0})"));
  EXPECT_LT(all.body.find(R"("id":2)"), all.body.find(R"("id":1)")) << "the newest first";
  EXPECT_THAT(letters(in_address(sender) + "&find=poison%202").body, Not(HasSubstr(R"("id":1)")));
  EXPECT_THAT(letters(in_address(sender) + "&at_most=1").body, HasSubstr(R"("left_out":1)"));
  is_mended = true;
  const auto answer = act("resubmit?id=1&" + in_address(sender));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("letters":1)"));
  EXPECT_TRUE(test::becomes_true([] { return done == 2; }));
  EXPECT_THAT(letters(in_address(sender)).body, Not(HasSubstr("poison 1")));
  EXPECT_EQ(act("resubmit?id=1&" + in_address(sender)).status, 404) << "it is gone";
  EXPECT_EQ(act("remove?" + in_address(sender)).status, 400) << "all must be said";
  EXPECT_EQ(act("remove?all=yes&" + in_address(sender)).status, 200);
  EXPECT_EQ(letters(in_address(sender)).body, "{\"letters\":[],\"left_out\":0,\"dropped\":0}\n");
  EXPECT_THAT(deeds_.lines(), ElementsAre("anna resubmit done 1", "anna resubmit not done 0",
                                          "anna remove done 1"));
}

TEST_F(OperatorTest, resubmits_all_that_match) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  for (int i = 0; i != 30; ++i)
    send(sender, i % 3 == 0 ? "poison red" : "poison blue");
  ASSERT_TRUE(becomes_dead(sender, 30));
  is_mended = true;
  const auto answer = act("resubmit?all=yes&find=red&" + in_address(sender));
  EXPECT_THAT(answer.body, HasSubstr(R"("is_done":true,"letters":10)"));
  EXPECT_TRUE(test::becomes_true([] { return done == 10; }));
  EXPECT_THAT(letters(in_address(sender)).body, Not(HasSubstr("red")));
  EXPECT_THAT(letters(in_address(sender) + "&at_most=5").body, HasSubstr(R"("left_out":15)"));
}

TEST_F(OperatorTest, keeps_what_the_sender_does_not_take) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  send(sender, "poison");
  ASSERT_TRUE(becomes_dead(sender, 1));
  act("pause?" + in_address(sender));
  send(sender, "first");
  act("drain?" + in_address(sender));
  const auto answer = act("resubmit?id=1&" + in_address(sender));
  EXPECT_EQ(answer.status, 409) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("draining"));
  EXPECT_THAT(letters(in_address(sender)).body, HasSubstr("poison"));
  act("resume?" + in_address(sender));
}

TEST_F(OperatorTest, sees_the_last_thousand_letters) {
  auto many = options();
  many.time_to_live = 1us; // each is given up at once
  const auto sender = spawn_back_off_sender(*system, parser, many);
  for (int i = 0; i != 1003; ++i)
    send(sender, "late");
  ASSERT_TRUE(becomes_dead(sender, 1003));
  const auto body = letters(in_address(sender) + "&at_most=1").body;
  EXPECT_THAT(body, HasSubstr(R"("id":1003,"reason":"expired")"));
  EXPECT_THAT(body, HasSubstr(R"("left_out":999,"dropped":3})"));
}

TEST_F(OperatorTest, acts_on_the_letters_of_a_durable_outbox) {
  const auto file =
    std::filesystem::temp_directory_path() / ("operator_test_" + std::to_string(getpid()) + ".db");
  std::filesystem::remove(file);
  {
    auto with_file = options();
    with_file.outbox = DurableOutbox{open_sqlite_store(file), durable<std::string>()};
    const auto sender = spawn_back_off_sender(*system, parser, with_file);
    send(sender, "poison 1");
    send(sender, "poison 2");
    ASSERT_TRUE(becomes_dead(sender, 2));
    EXPECT_TRUE(test::becomes_true([&] { return with_file.outbox.dead_letters().size() == 2; }));
    is_mended = true;
    EXPECT_EQ(act("resubmit?id=1&" + in_address(sender)).status, 200);
    EXPECT_TRUE(test::becomes_true([] { return done == 1; }));
    ASSERT_EQ(with_file.outbox.dead_letters().size(), 1U);
    EXPECT_EQ(with_file.outbox.dead_letters().front().id, 2U);
    EXPECT_EQ(act("remove?id=2&" + in_address(sender)).status, 200);
    EXPECT_TRUE(with_file.outbox.dead_letters().empty());
    caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  }
  system->await_all_actors_done();
  std::filesystem::remove(file);
}

// -- who may ------------------------------------------------------------------------

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
  EXPECT_TRUE(test::becomes_true([&] { return deeds_.lines().size() > 3; }));
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  go_down_within(10s);
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
