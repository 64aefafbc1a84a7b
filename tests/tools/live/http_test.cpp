// Server and caller in one event loop, over real sockets.

#include "backoffctl/live/http_caller.hpp"
#include "backoffctl/live/http_server.hpp"

#include <event2/listener.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>

namespace backoffctl {
namespace {

using namespace std::chrono_literals;
using backoff_actor::AbandonedWork;
using Kind = CallResult::Kind;

class HttpTest : public testing::Test {
protected:
  HttpTest() { std::signal(SIGPIPE, SIG_IGN); }

  static ServerOptions any_port(backoff_actor::Duration base_delay,
                                AbandonedWork abandoned_work = AbandonedWork::kept) {
    ServerOptions result;
    result.port = 0;
    result.service.base_delay = base_delay;
    result.service.abandoned_work = abandoned_work;
    return result;
  }

  CallResult call(std::uint16_t port, const std::string& path, backoff_actor::Duration timeout) {
    HttpCaller caller{loop_, {"127.0.0.1", port, path}, timeout};
    std::optional<CallResult> result;
    caller.call([&](const CallResult& x) {
      result = x;
      loop_.stop();
    });
    loop_.run();
    return result.value();
  }

  void run_for(backoff_actor::Duration span) {
    LoopEvent end{loop_, [this] { loop_.stop(); }};
    end.in(span);
    loop_.run();
  }

  bool runs_until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!condition() && std::chrono::steady_clock::now() < end)
      run_for(10ms);
    return condition();
  }

  // How long a test waits for what must come.
  static constexpr auto patience = 2min;

  EventLoop loop_;
};

TEST_F(HttpTest, a_call_is_answered_after_the_delay) {
  HttpServer server{loop_, any_port(100ms)};
  const auto result = call(server.port(), "/api", patience);
  EXPECT_EQ(result.kind, Kind::answered);
  EXPECT_EQ(result.status, 200);
  EXPECT_GE(result.latency, 100ms);
  const auto counts = server.take();
  EXPECT_EQ(counts.requests, 1u);
  EXPECT_EQ(counts.answered, 1u);
  EXPECT_EQ(counts.peak_concurrency, 1u);
  EXPECT_EQ(server.concurrency(), 0u);
}

TEST_F(HttpTest, another_path_is_not_found) {
  HttpServer server{loop_, any_port(100ms)};
  EXPECT_EQ(call(server.port(), "/other", patience).status, 404);
  EXPECT_EQ(server.take().requests, 0u);
}

TEST_F(HttpTest, a_call_that_takes_too_long_is_timed_out_and_its_work_is_kept) {
  const auto is_seen_at_work = [this](backoff_actor::Duration work) {
    HttpServer server{loop_, any_port(work)};
    const auto result = call(server.port(), "/api", 100ms);
    EXPECT_EQ(result.kind, Kind::timedout);
    EXPECT_GE(result.latency, 100ms);
    EXPECT_TRUE(runs_until(
      [&] { return server.take().worked_on_for_nobody == 1 || server.concurrency() == 0; }));
    if (server.concurrency() == 0)
      return false;
    EXPECT_EQ(server.concurrency(), 1u);
    EXPECT_TRUE(runs_until([&] { return server.concurrency() == 0; }));
    const auto counts = server.take();
    EXPECT_EQ(counts.worked_on_for_nobody, 0u);
    EXPECT_EQ(counts.finished_for_nobody, 1u);
    EXPECT_EQ(counts.answered, 0u);
    return true;
  };
  backoff_actor::Duration work = 300ms;
  while (work < 30s && !is_seen_at_work(work))
    work *= 2; // a busy machine came too late to see it
  EXPECT_LT(work, 30s);
}

TEST_F(HttpTest, abandoned_work_is_dropped_on_request) {
  HttpServer server{loop_, any_port(1h, AbandonedWork::dropped)};
  EXPECT_EQ(call(server.port(), "/api", 100ms).kind, Kind::timedout);
  EXPECT_TRUE(runs_until([&] { return server.concurrency() == 0; }));
  EXPECT_EQ(server.take().dropped, 1u);
}

TEST_F(HttpTest, a_server_with_work_for_nobody_can_end) {
  std::uint16_t port = 0;
  {
    HttpServer server{loop_, any_port(1h)};
    port = server.port();
    EXPECT_EQ(call(port, "/api", 50ms).kind, Kind::timedout);
    EXPECT_TRUE(runs_until([&] { return server.take().worked_on_for_nobody == 1; }));
    EXPECT_EQ(server.concurrency(), 1u);
  }
  run_for(50ms); // nothing of it looks at the clock any more
  EXPECT_EQ(call(port, "/api", patience).kind, Kind::failed);
}

TEST_F(HttpTest, a_server_with_calls_under_way_can_end) {
  std::optional<HttpServer> server{std::in_place, loop_, any_port(1h)};
  HttpCaller caller{loop_, {"127.0.0.1", server->port(), "/api"}, patience};
  auto failed = 0;
  for (auto i = 0; i < 3; ++i)
    caller.call([&](const CallResult& result) { failed += result.kind == Kind::failed ? 1 : 0; });
  EXPECT_TRUE(runs_until([&] { return server->concurrency() == 3; }));
  server.reset();
  EXPECT_TRUE(runs_until([&] { return failed == 3; }));
}

TEST_F(HttpTest, a_call_to_a_port_where_nobody_listens_fails) {
  std::uint16_t port = 0;
  {
    const HttpServer server{loop_, any_port(100ms)};
    port = server.port();
  }
  const auto result = call(port, "/api", patience);
  EXPECT_EQ(result.kind, Kind::failed);
  EXPECT_EQ(result.error, "Connection refused");
}

TEST_F(HttpTest, a_call_whose_connection_is_closed_without_an_answer_says_so) {
  const auto close_at_once = [](evconnlistener*, evutil_socket_t connection, sockaddr*, int,
                                void*) { evutil_closesocket(connection); };
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::unique_ptr<evconnlistener, decltype(&evconnlistener_free)> listener{
    evconnlistener_new_bind(loop_.base(), close_at_once, nullptr, LEV_OPT_CLOSE_ON_FREE, -1,
                            reinterpret_cast<sockaddr*>(&address), sizeof address),
    &evconnlistener_free};
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(evconnlistener_get_fd(listener.get()),
                        reinterpret_cast<sockaddr*>(&address), &size),
            0);
  const auto result = call(ntohs(address.sin_port), "/api", patience);
  EXPECT_EQ(result.kind, Kind::failed);
  // The kernel resets the connection if the request has come before it is closed.
  EXPECT_THAT(result.error, testing::AnyOf("the server closed the connection without an answer",
                                           "Connection reset by peer"));
}

TEST_F(HttpTest, a_port_that_is_taken_is_told) {
  const HttpServer server{loop_, any_port(100ms)};
  auto options = any_port(100ms);
  options.port = server.port();
  try {
    const HttpServer second{loop_, options};
    FAIL() << "two servers on one port";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string{error.what()},
              "the server cannot listen on 127.0.0.1:" + std::to_string(options.port)
                + ": Address already in use");
  }
}

TEST_F(HttpTest, what_a_callback_throws_comes_out_of_the_loop) {
  LoopEvent event{loop_, [] { throw std::runtime_error{"thrown"}; }};
  event.soon();
  EXPECT_THROW(loop_.run(), std::runtime_error);
}

TEST_F(HttpTest, calls_under_way_end_with_their_caller) {
  HttpServer server{loop_, any_port(1h)};
  {
    HttpCaller caller{loop_, {"127.0.0.1", server.port(), "/api"}, 20s};
    caller.call([](const CallResult&) { FAIL() << "was told"; });
    run_for(100ms);
    EXPECT_EQ(caller.open(), 1u);
  }
  run_for(100ms);
}

} // namespace
} // namespace backoffctl
