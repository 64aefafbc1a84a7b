// Clients that a web server must stand.

#include "backoff_actor/web/web_server.hpp"

#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "system/hanging_page.hpp"
#include "system/web_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <future>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

namespace backoff_actor::web_clients_test {

namespace {

using namespace std::chrono_literals;
using test::ask_raw;
using test::get;
using test::HangingPage;
using test::request_for;
using test::shortest_of_many;
using test::TcpStream;
using test::time_of;
using ::testing::Lt;

using Clock = std::chrono::steady_clock;

WebOptions at_any_port(std::function<std::string()> more_metrics = {}) {
  WebOptions result;
  result.port = 0;
  result.more_metrics = std::move(more_metrics);
  return result;
}

// What a probe of Kubernetes would see; it waits for a second by default.
constexpr auto time_for_probe = 1s;

std::chrono::nanoseconds time_of_probe(const WebServer& server) {
  return time_of([&] { EXPECT_EQ(get(server, "/healthz").status, 200); });
}

// A limit of descriptors, until its destructor.
class DescriptorLimit {
public:
  explicit DescriptorLimit(rlim_t limit) {
    getrlimit(RLIMIT_NOFILE, &before_);
    auto now = before_;
    now.rlim_cur = std::min(limit, before_.rlim_max);
    setrlimit(RLIMIT_NOFILE, &now);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

private:
  rlimit before_{};
};

// Whether the peer has closed its end.
bool is_closed(const TcpStream& stream) {
  pollfd asked{stream.get(), POLLIN, 0};
  return poll(&asked, 1, 0) == 1;
}

} // namespace

// -- many, and slow ones ------------------------------------------------------------

TEST(web_clients, a_thousand_that_are_idle_keep_no_probe_waiting) {
  const DescriptorLimit enough{4096};
  const WebServer server{Observatory{}, at_any_port()};
  const auto probe = [&] {
    std::vector<TcpStream> idle;
    for (int i = 0; i != 1000; ++i)
      idle.push_back(TcpStream::connect(server.port()));
    const auto result = time_of_probe(server);
    EXPECT_GE(std::ranges::count_if(idle, is_closed), 1000 - 128) << "it holds 128 connections";
    return result;
  };
  EXPECT_THAT(shortest_of_many(time_for_probe, probe), Lt(time_for_probe));
  EXPECT_EQ(get(server, "/metrics").status, 200);
}

TEST(web_clients, a_thousand_that_stop_within_a_request_keep_no_probe_waiting) {
  const DescriptorLimit enough{4096};
  const WebServer server{Observatory{}, at_any_port()};
  auto is_served = false;
  const auto probe = [&] {
    std::vector<TcpStream> slow;
    for (int i = 0; i != 1000; ++i) {
      slow.push_back(TcpStream::connect(server.port()));
      slow.back().send("GET /metrics HTTP/1.1\r\nHost: local");
    }
    const auto result = time_of_probe(server);
    slow.back().send("host\r\n\r\n");
    is_served = test::web_answer_of(slow.back().receive_all()).status == 200;
    return is_served ? result : std::chrono::nanoseconds::max(); // it may have come too late
  };
  EXPECT_THAT(shortest_of_many(time_for_probe, probe), Lt(time_for_probe));
  EXPECT_TRUE(is_served) << "a late one is served";
}

TEST(web_clients, one_that_sends_a_byte_now_and_then_is_not_listened_to_for_ever) {
  const WebServer server{Observatory{}, at_any_port()};
  const auto begin = Clock::now();
  auto silent = TcpStream::connect(server.port());
  auto slow = TcpStream::connect(server.port());
  slow.send("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(test::becomes_true([&] {
    slow.send("X");
    std::this_thread::sleep_for(50ms);
    return is_closed(slow);
  }));
  EXPECT_GE(Clock::now() - begin, 5s);
  EXPECT_EQ(slow.receive_all().bytes, "");
  EXPECT_EQ(silent.receive_all().ending, TcpStream::Ending::closed);
}

TEST(web_clients, one_that_sends_its_request_in_pieces_is_served) {
  const WebServer server{Observatory{}, at_any_port()};
  const auto request = request_for("/healthz");
  for (std::size_t size = 1; size != request.size(); ++size) {
    auto stream = TcpStream::connect(server.port());
    stream.send(std::string_view{request}.substr(0, size));
    EXPECT_EQ(get(server, "/healthz").status, 200) << "the first piece has come now";
    stream.send(std::string_view{request}.substr(size));
    EXPECT_EQ(test::web_answer_of(stream.receive_all()).body, "ok\n") << size;
  }
}

TEST(web_clients, one_that_sends_no_more_after_its_request_is_served) {
  const WebServer server{Observatory{}, at_any_port()};
  for (const auto* path : {"/healthz", "/metrics"}) {
    auto stream = TcpStream::connect(server.port());
    stream.send(request_for(path));
    stream.end_sending();
    EXPECT_EQ(test::web_answer_of(stream.receive_all()).status, 200) << path;
  }
}

// -- those who do not take what they asked for --------------------------------------

TEST(web_clients, those_who_never_read_cost_a_bounded_memory_and_keep_nobody_waiting) {
  constexpr std::size_t size = std::size_t{7} * 1024 * 1024; // more than the system holds
  const WebServer server{Observatory{}, at_any_port([] { return std::string(size, 'x'); })};
  std::vector<TcpStream> deaf;
  const auto probe = [&] {
    deaf.clear();
    for (int i = 0; i != 12; ++i) { // 84 MiB, of which 64 may be held
      deaf.push_back(TcpStream::connect(server.port()));
      deaf.back().send(request_for("/metrics"));
    }
    auto last = TcpStream::connect(server.port());
    last.send(request_for("/metrics"));
    if (last.receive_all().bytes.size() <= size)
      return std::chrono::nanoseconds::max(); // not all pages are made
    return time_of_probe(server);
  };
  EXPECT_THAT(shortest_of_many(time_for_probe, probe), Lt(time_for_probe));
  const auto is_whole = [](TcpStream& stream) { return stream.receive_all().bytes.size() > size; };
  EXPECT_LE(std::ranges::count_if(deaf, is_whole), 9);
}

TEST(web_clients, one_that_reads_slowly_gets_the_whole_page) {
  constexpr std::size_t size = std::size_t{65} * 1024 * 1024; // more than what many may hold
  const WebServer server{Observatory{}, at_any_port([] { return std::string(size, 'x'); })};
  auto is_whole = false;
  const auto probe =
    [&] { // a busy machine may need more than the 30 s that there are for an answer
      auto slow = TcpStream::connect(server.port());
      slow.send(request_for("/metrics"));
      if (slow.receive(1).bytes != "H")
        return std::chrono::nanoseconds::max();
      const auto result = time_of_probe(server);
      const auto rest = slow.receive_all();
      is_whole = rest.bytes.size() > size && rest.ending == TcpStream::Ending::closed;
      return is_whole ? result : std::chrono::nanoseconds::max();
    };
  EXPECT_THAT(shortest_of_many(time_for_probe, probe), Lt(time_for_probe));
  EXPECT_TRUE(is_whole);
}

TEST(web_clients, those_who_go_away_do_no_harm) {
  std::atomic<int> pages = 0;
  const WebServer server{Observatory{}, at_any_port([&] {
                           ++pages;
                           return std::string(std::size_t{4} * 1024 * 1024, 'x');
                         })};
  for (int i = 0; i != 20; ++i) {
    auto stream = TcpStream::connect(server.port());
    stream.send(request_for("/metrics"));
    if (i % 2 == 0)
      stream.receive(1000);
    stream.end_by_reset();
  }
  EXPECT_GT(get(server, "/metrics").body.size(), 1000u);
  EXPECT_GE(pages, 11);
}

// -- pages that take long -----------------------------------------------------------

TEST(web_clients, a_page_that_hangs_keeps_no_probe_waiting) {
  HangingPage hanging;
  const WebServer server{Observatory{}, at_any_port(hanging.function())};
  auto stream = TcpStream::connect(server.port());
  stream.send(request_for("/metrics"));
  ASSERT_TRUE(hanging.has_begun());
  EXPECT_EQ(get(server, "/healthz").status, 200);
  EXPECT_EQ(get(server, "/readyz").status, 200);
  EXPECT_FALSE(hanging.has_returned());
  hanging.let_go();
  EXPECT_TRUE(test::web_answer_of(stream.receive_all()).body.ends_with("late 1\n"));
}

TEST(web_clients, those_who_wait_for_a_page_keep_no_probe_waiting) {
  HangingPage hanging;
  const WebServer server{Observatory{}, at_any_port(hanging.function())};
  std::vector<TcpStream> waiting;
  for (int i = 0; i != 300; ++i) {
    waiting.push_back(TcpStream::connect(server.port()));
    waiting.back().send(request_for("/metrics"));
  }
  ASSERT_TRUE(hanging.has_begun());
  EXPECT_EQ(get(server, "/healthz").status, 200) << "while the page hangs";
  EXPECT_GE(std::ranges::count_if(waiting, is_closed), 300 - 128);
  EXPECT_FALSE(hanging.has_returned());
  hanging.let_go();
  EXPECT_EQ(test::web_answer_of(waiting.back().receive_all()).status, 200);
}

TEST(web_clients, the_idle_do_not_push_out_those_who_wait_for_a_page) {
  HangingPage hanging;
  const WebServer server{Observatory{}, at_any_port(hanging.function())};
  auto first = TcpStream::connect(server.port());
  first.send(request_for("/metrics"));
  ASSERT_TRUE(hanging.has_begun());
  std::vector<TcpStream> idle;
  for (int i = 0; i != 300; ++i)
    idle.push_back(TcpStream::connect(server.port()));
  EXPECT_EQ(get(server, "/healthz").status, 200);
  hanging.let_go();
  EXPECT_EQ(test::web_answer_of(first.receive_all()).status, 200);
}

// -- requests that are none, or too large -------------------------------------------

TEST(web_clients, are_told_that_their_request_is_none) {
  const WebServer server{Observatory{}, at_any_port()};
  using namespace std::string_literals;
  for (const auto& request : {"\r\n\r\n"s, "GET /\r\n\r\n"s, "GET / HTTP/2.0\r\n\r\n"s,
                              "GET / HTTP/1.1\nHost: x\r\n\r\n"s, "get / HTTP/1.1\r\n\r\n"s,
                              "GET\0 / HTTP/1.1\r\n\r\n"s, "GET / / HTTP/1.1\r\n\r\n"s}) {
    const auto answer = ask_raw(server.port(), request);
    EXPECT_EQ(answer.status, 400) << ::testing::PrintToString(request);
    EXPECT_EQ(answer.body, "this is no request of HTTP/1.1 or HTTP/1.0\n");
  }
  EXPECT_EQ(get(server, "/healthz").status, 200);
}

TEST(web_clients, are_told_that_their_request_is_too_large) {
  const WebServer server{Observatory{}, at_any_port()};
  const auto with_header_of = [&](std::size_t size) {
    return ask_raw(server.port(), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: "
                                    + std::string(size, 'x') + "\r\n\r\n");
  };
  EXPECT_EQ(with_header_of(16'000).status, 200);
  for (const std::size_t size : {16'384u, 1'000'000u}) {
    const auto answer = with_header_of(size);
    EXPECT_EQ(answer.status, 431) << size;
    EXPECT_EQ(answer.body, "the request has more than 16384 bytes\n");
    EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
  }
  EXPECT_EQ(get(server, "/" + std::string(9000, 'x')).status, 414);
}

TEST(web_clients, send_headers_of_any_number) {
  const WebServer server{Observatory{}, at_any_port()};
  std::string headers;
  for (int i = 0; i != 3000; ++i)
    headers += "a:b\r\n";
  EXPECT_EQ(ask_raw(server.port(), "GET / HTTP/1.1\r\n" + headers + "\r\n").status, 200);
}

TEST(web_clients, send_bodies_that_nobody_reads) {
  const WebServer server{Observatory{}, at_any_port()};
  const std::string body(10'000, 'x');
  for (const auto& [head, status] :
       {std::pair{"GET /healthz HTTP/1.1\r\nContent-Length: 10000\r\n\r\n", 200},
        std::pair{"POST /healthz HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 405},
        std::pair{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 405}}) {
    const auto answer = ask_raw(server.port(), head + body);
    EXPECT_EQ(answer.status, status) << head;
    EXPECT_EQ(answer.ending, TcpStream::Ending::closed) << "by a reset, the answer could be lost";
  }
}

// The client takes little at a time: the end of the answer still waits in the server's system when
// all of it was sent.
TEST(web_clients, get_all_of_a_page_though_nobody_reads_their_body) {
  constexpr std::size_t size = std::size_t{2} * 1024 * 1024;
  const WebServer server{Observatory{}, at_any_port([] { return std::string(size, 'x'); })};
  auto client = TcpStream::connect(server.port(), 16'384);
  ASSERT_TRUE(client.send("GET /metrics HTTP/1.1\r\nContent-Length: 10000\r\n\r\n"
                          + std::string(10'000, 'x')));
  const auto answer = test::web_answer_of(client.receive_all());
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
}

TEST(web_clients, get_one_answer_on_a_connection) {
  const WebServer server{Observatory{}, at_any_port()};
  const auto answer = ask_raw(server.port(), request_for("/healthz") + request_for("/healthz"));
  EXPECT_EQ(answer.body, "ok\n");
}

// -- the process --------------------------------------------------------------------

TEST(web_clients, are_served_though_the_process_has_no_descriptor_left) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "UBSan needs a descriptor to look at an object's type";
#endif
#endif
  const WebServer server{Observatory{}, at_any_port()};
  std::vector<TcpStream> clients;
  for (int i = 0; i != 3; ++i)
    clients.emplace_back(net::Descriptor{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)});
  const auto lowest_free = [] {
    return net::Descriptor{open("/dev/null", O_RDONLY | O_CLOEXEC)}.get();
  };
  const DescriptorLimit used_up{static_cast<rlim_t>(lowest_free())};
  ASSERT_EQ(lowest_free(), -1);
  const auto address = net::loopback(server.port());
  for (auto& client : clients) {
    ASSERT_EQ(connect(client.get(), address.generic(), address.size), 0);
    EXPECT_EQ(client.receive(1, 100ms).ending, TcpStream::Ending::silent) << "nobody else waits";
    client.send(request_for("/healthz"));
    EXPECT_EQ(test::web_answer_of(client.receive_all()).body, "ok\n");
    client = TcpStream{};
  }
}

TEST(web_clients, do_not_delay_the_end) {
  const auto page = [] { return std::string(std::size_t{8} * 1024 * 1024, 'x'); };
  const auto time_of_end = [&] {
    std::optional<WebServer> server{std::in_place, Observatory{}, at_any_port(page)};
    std::vector<TcpStream> clients;
    for (int i = 0; i != 30; ++i) {
      clients.push_back(TcpStream::connect(server->port()));
      clients.back().send(i % 3 == 0 ? "" : i % 3 == 1 ? "GET / HT" : request_for("/metrics"));
    }
    EXPECT_EQ(clients[2].receive(100).bytes.size(), 100u);
    const auto result = time_of([&] { server.reset(); });
    for (auto& client : clients)
      EXPECT_NE(client.receive_all().ending, TcpStream::Ending::silent);
    return result;
  };
  EXPECT_THAT(shortest_of_many(1s, time_of_end), Lt(1s));
}

TEST(web_clients, are_let_go_of_before_the_end_waits_for_a_page) {
  HangingPage hanging;
  std::optional<WebServer> server{std::in_place, Observatory{}, at_any_port(hanging.function())};
  auto stream = TcpStream::connect(server->port());
  stream.send(request_for("/metrics"));
  ASSERT_TRUE(hanging.has_begun());
  std::atomic<bool> is_closed_first = false;
  std::thread client{[&] {
    is_closed_first = stream.receive_all().ending != TcpStream::Ending::silent;
    hanging.let_go();
  }};
  server.reset();
  EXPECT_TRUE(hanging.has_returned());
  client.join();
  EXPECT_TRUE(is_closed_first);
}

} // namespace backoff_actor::web_clients_test
