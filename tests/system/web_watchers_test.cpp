// Those who watch the live page, and what they cost others.

#include "backoff_actor/retry/steady_clock.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"
#include "backoff_actor/web/web_server.hpp"

#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "system/web_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace backoff_actor::web_watchers_test {

namespace {

using namespace std::chrono_literals;
using test::ask_raw;
using test::get;
using test::request_for;
using test::shortest_of_many;
using test::TcpStream;
using test::time_of;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::StartsWith;

using Clock = std::chrono::steady_clock;

WebOptions at_any_port() {
  WebOptions result;
  result.port = 0;
  return result;
}

TcpStream watch(const WebServer& server) {
  auto stream = TcpStream::connect(server.port());
  stream.send(request_for("/events"));
  return stream;
}

// Adds what comes to `seen` until it has `text`; whether it came.
bool sees(const TcpStream& stream, std::string& seen, std::string_view text) {
  const auto limit = Clock::now() + test::patience;
  std::string bytes(1'000'000, '\0');
  for (std::size_t from = 0; seen.find(text, from) == seen.npos;) {
    pollfd asked{stream.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0 || poll(&asked, 1, static_cast<int>(left)) != 1)
      return false;
    const auto count = recv(stream.get(), bytes.data(), bytes.size(), 0);
    if (count <= 0)
      return false;
    from = seen.size() - std::min(seen.size(), text.size());
    seen.append(bytes, 0, static_cast<std::size_t>(count));
  }
  return true;
}

// A sender that others see.
class Seen {
public:
  explicit Seen(const Observatory& observatory, std::uint64_t number = 1)
    : seat_(observatory.state()->senders("orders"), number) {
    owe(0);
  }
  void owe(std::uint64_t owed) {
    SenderGlance glance;
    glance.owed = owed;
    seat_.publish(glance, SteadyClock{}.now());
  }

private:
  detail::SenderSeat seat_;
};

} // namespace

TEST(web_watchers, see_everything_and_then_what_changes) {
  const Observatory observatory;
  Seen sender{observatory};
  const WebServer server{observatory, at_any_port()};
  auto watcher = watch(server);
  std::string seen;
  EXPECT_TRUE(sees(watcher, seen, "\n\nevent: changes\n"));
  EXPECT_THAT(seen, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\nContent-Type: text/event-stream; charset=utf-8\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\nCache-Control: no-store\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\n\r\nretry: 1000\n\nevent: all\ndata: {\"at\":"));
  EXPECT_THAT(seen, HasSubstr(R"("kinds":["orders"],"senders":[[0,1,0,0,0,)"));
  sender.owe(4711);
  EXPECT_TRUE(sees(watcher, seen, R"("senders":[[0,1,0,0,4711,)"));
}

TEST(web_watchers, see_a_change_within_a_second) {
  const Observatory observatory;
  Seen sender{observatory};
  const WebServer server{observatory, at_any_port()};
  auto watcher = watch(server);
  std::string seen;
  ASSERT_TRUE(sees(watcher, seen, "event: all"));
  std::uint64_t owed = 1000;
  const auto time_of_change = [&] {
    return time_of([&] {
      sender.owe(++owed);
      EXPECT_TRUE(sees(watcher, seen, "[0,1,0,0," + std::to_string(owed)));
    });
  };
  EXPECT_THAT(shortest_of_many(1s, time_of_change), Lt(1s));
}

TEST(web_watchers, are_at_most_32) {
  const WebServer server{Observatory{}, at_any_port()};
  std::vector<TcpStream> watchers;
  for (int i = 0; i != 32; ++i) {
    watchers.push_back(watch(server));
    EXPECT_THAT(watchers.back().receive(15).bytes, "HTTP/1.1 200 OK") << i;
  }
  const auto answer = get(server, "/events");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "as many watch already as there may\n");
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
  EXPECT_EQ(get(server, "/healthz").status, 200);
  EXPECT_EQ(get(server, "/").status, 200);
  watchers.pop_back();
  EXPECT_TRUE(test::becomes_true([&] {
    auto next = watch(server);
    return next.receive(15).bytes == "HTTP/1.1 200 OK";
  }))
    << "the server does not notice that a watcher has gone";
}

TEST(web_watchers, that_take_nothing_delay_nobody) {
  const Observatory observatory;
  std::vector<std::unique_ptr<Seen>> senders;
  for (std::uint64_t i = 1; i <= 20'000; ++i)
    senders.push_back(std::make_unique<Seen>(observatory, i));
  const WebServer server{observatory, at_any_port()};
  std::vector<TcpStream> stopped;
  for (int i = 0; i != 8; ++i)
    stopped.push_back(watch(server)); // they take nothing of it
  auto watcher = watch(server);
  std::string seen;
  ASSERT_TRUE(sees(watcher, seen, "event: changes"));
  seen.clear();
  senders.front()->owe(4711);
  EXPECT_TRUE(sees(watcher, seen, R"([0,1,0,0,4711,)"));
  EXPECT_EQ(get(server, "/healthz").status, 200);
}

TEST(web_watchers, keep_their_place_when_many_others_come) {
  const WebServer server{Observatory{}, at_any_port()};
  auto watcher = watch(server);
  std::string seen;
  ASSERT_TRUE(sees(watcher, seen, "event: all"));
  std::vector<TcpStream> idle;
  for (int i = 0; i != 200; ++i)
    idle.push_back(TcpStream::connect(server.port()));
  EXPECT_EQ(get(server, "/healthz").status, 200);
  seen.clear();
  EXPECT_TRUE(sees(watcher, seen, "event: changes"));
}

TEST(web_watchers, come_and_go_without_a_trace) {
  const WebServer server{Observatory{}, at_any_port()};
  const auto descriptors = [] {
    std::filesystem::directory_iterator all{"/proc/self/fd"};
    return std::distance(begin(all), end(all));
  };
  const auto before = descriptors();
  for (int i = 0; i != 2'880; ++i) { // as a browser that comes back each half minute for a day
    auto watcher = watch(server);
    ASSERT_EQ(watcher.receive(15).bytes, "HTTP/1.1 200 OK") << i;
  }
  EXPECT_TRUE(test::becomes_true([&] { return descriptors() <= before; }));
}

TEST(web_watchers, may_talk_without_being_heard) {
  const WebServer server{Observatory{}, at_any_port()};
  auto watcher = watch(server);
  std::string seen;
  ASSERT_TRUE(sees(watcher, seen, "event: all"));
  watcher.send(std::string(1'000'000, 'x'));
  seen.clear();
  EXPECT_TRUE(sees(watcher, seen, "event: changes"));
}

TEST(web_watchers, of_a_strangers_page_see_nothing) {
  const WebServer server{Observatory{}, at_any_port()};
  const auto answer = ask_raw(server.port(), request_for("/events", "stranger.example"));
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.body, Not(HasSubstr("event:")));
}

TEST(web_watchers, end_with_the_server) {
  const auto time_of_end = [] {
    auto server = std::make_unique<WebServer>(Observatory{}, at_any_port());
    auto watcher = watch(*server);
    std::string seen;
    EXPECT_TRUE(sees(watcher, seen, "event: all"));
    const auto result = time_of([&] { server = nullptr; });
    EXPECT_NE(watcher.receive_all().ending, TcpStream::Ending::silent);
    return result;
  };
  EXPECT_THAT(shortest_of_many(1s, time_of_end), Lt(1s));
}

TEST(web_live_page, is_one_page_that_talks_only_to_its_server) {
  const WebServer server{Observatory{}, at_any_port()};
  const auto answer = get(server, "/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(answer.headers.at("x-frame-options"), "DENY");
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  const auto policy = answer.headers.at("content-security-policy");
  EXPECT_THAT(policy, StartsWith("default-src 'none'; script-src 'nonce-"));
  EXPECT_THAT(policy, HasSubstr("; connect-src 'self'; "));
  const auto nonce = policy.substr(policy.find("nonce-") + 6, 32);
  EXPECT_THAT(answer.body, HasSubstr("<script nonce=\"" + nonce + "\">"));
  EXPECT_THAT(answer.body, HasSubstr(R"(data-act="no")"));
  EXPECT_NE(policy, get(server, "/").headers.at("content-security-policy"));
}

} // namespace backoff_actor::web_watchers_test
