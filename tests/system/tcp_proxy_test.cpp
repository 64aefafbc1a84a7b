// Real sockets, real time.

#include "common/tcp_server.hpp"
#include "common/tcp_stream.hpp"

#include <backoff_actor/core/problems.hpp>
#include <backoff_actor/testing/tcp_proxy.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace backoff_actor::system_test {

namespace {

using namespace std::chrono_literals;
using test::TcpServer;
using test::TcpStream;
using testing::ConnectionFault;
using testing::ConnectionPlan;
using testing::TcpProxy;
using testing::TcpProxyOptions;
using Clock = std::chrono::steady_clock;
using Ending = TcpStream::Ending;

bool becomes_true(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + TcpStream::patience;
  while (!condition()) {
    if (Clock::now() > deadline)
      return false;
    std::this_thread::yield();
  }
  return true;
}

// Its n-th byte tells n, more or less.
std::string pattern(std::size_t size) {
  std::string result(size, ' ');
  for (std::size_t i = 0; i != size; ++i)
    result[i] = static_cast<char>((i * 7 + i / 251) % 256);
  return result;
}

class TcpProxyTest : public ::testing::Test {
protected:
  // Before a service that does `handler` with each connection.
  TcpProxy& proxy(ConnectionPlan plan, TcpServer::Handler handler = test::echo,
                  TcpProxyOptions options = {}) {
    server.emplace(std::move(handler));
    return proxied.emplace("127.0.0.1", server->port(), std::move(plan), std::move(options));
  }

  TcpStream connect() const { return TcpStream::connect(proxied->port()); }

  // Waits until the proxy has accepted it: a connection is established at the client's end before the
  // other end knows of it.
  TcpStream connect_for_sure() const {
    const auto before = proxied->statistics().connections;
    auto result = connect();
    EXPECT_TRUE(becomes_true([&] { return proxied->statistics().connections == before + 1; }));
    return result;
  }

  // What comes back of `bytes`, and how that ends; within `limit` if it does not.
  TcpStream::Received echo_of(const std::string& bytes,
                              std::chrono::milliseconds limit = TcpStream::patience) const {
    auto client = connect();
    client.send(bytes);
    return client.receive(bytes.size(), limit);
  }

  std::optional<TcpServer> server;
  std::optional<TcpProxy> proxied;
};

// -- all is well ----------------------------------------------------------------------

TEST_F(TcpProxyTest, passes_megabytes_on_unchanged_in_both_directions_at_once) {
  proxy("ok");
  auto client = connect();
  const auto sent = pattern(8'000'003);
  std::thread sender{[&] { EXPECT_TRUE(client.send(sent)); }};

  const auto received = client.receive(sent.size());
  sender.join();

  EXPECT_EQ(received.ending, Ending::open);
  EXPECT_TRUE(received.bytes == sent);
  EXPECT_EQ(proxied->statistics().bytes_to_service, 8'000'003U);
  EXPECT_EQ(proxied->statistics().bytes_to_client, 8'000'003U);
}

TEST_F(TcpProxyTest, passes_on_with_a_buffer_of_one_byte) {
  proxy("ok", test::echo, {.buffer_bytes = 1});

  EXPECT_EQ(echo_of("one byte at a time").bytes, "one byte at a time");
}

TEST_F(TcpProxyTest, passes_on_the_end_of_a_request_and_then_the_answer) {
  proxy("ok", [](TcpStream& stream) {
    const auto all = stream.receive_all();
    stream.send(std::to_string(all.bytes.size()) + (all.ending == Ending::closed ? " closed" : ""));
  });
  auto client = connect();
  client.send("12345");
  client.end_sending();

  const auto received = client.receive_all();

  EXPECT_EQ(received.bytes, "5 closed");
  EXPECT_EQ(received.ending, Ending::closed);
}

TEST_F(TcpProxyTest, passes_on_the_end_of_an_answer_and_then_more_of_the_request) {
  std::promise<std::string> heard;
  proxy("ok", [&](TcpStream& stream) {
    stream.send("bye");
    stream.end_sending();
    heard.set_value(stream.receive_all().bytes);
  });
  auto client = connect();

  const auto received = client.receive_all();
  client.send("one thing more");
  client.end_sending();

  EXPECT_EQ(received.bytes, "bye");
  EXPECT_EQ(received.ending, Ending::closed);
  EXPECT_EQ(heard.get_future().get(), "one thing more");
  EXPECT_TRUE(becomes_true([&] { return proxied->statistics().open == 0; }));
}

TEST_F(TcpProxyTest, passes_on_what_a_service_said_before_it_reset_the_connection_and_the_reset) {
  proxy("ok", [](TcpStream& stream) {
    stream.receive(2);
    stream.send("half of");
    stream.end_by_reset();
  });
  auto client = connect();
  client.send("go");

  const auto received = client.receive_all();

  EXPECT_EQ(received.bytes, "half of");
  EXPECT_EQ(received.ending, Ending::reset);
}

TEST_F(TcpProxyTest, passes_on_that_a_client_reset_the_connection) {
  std::promise<TcpStream::Received> heard;
  proxy("ok", [&](TcpStream& stream) { heard.set_value(stream.receive_all()); });
  {
    auto client = connect();
    client.send("half of");
    // Otherwise the reset could overtake what waits in the proxy's socket.
    ASSERT_TRUE(becomes_true([&] { return proxied->statistics().bytes_to_service == 7; }));
    client.end_by_reset();
  }

  const auto received = heard.get_future().get();

  EXPECT_EQ(received.bytes, "half of");
  EXPECT_EQ(received.ending, Ending::reset);
}

TEST_F(TcpProxyTest, resets_a_client_whose_service_nobody_is) {
  std::uint16_t port = 0;
  {
    const TcpServer gone{test::echo};
    port = gone.port();
  }
  TcpProxy proxy{"127.0.0.1", port};
  auto client = TcpStream::connect(proxy.port());

  EXPECT_EQ(client.receive_all().ending, Ending::reset);
  EXPECT_EQ(proxy.statistics().unreachable, 1U);
}

TEST_F(TcpProxyTest, finds_a_service_by_name) {
  server.emplace(test::echo);
  proxied.emplace("localhost", server->port());

  EXPECT_EQ(echo_of("hello").bytes, "hello");
}

TEST_F(TcpProxyTest, lets_a_client_wait_whose_service_does_not_read) {
  std::promise<void> done;
  proxy("ok", [over = done.get_future().share()](TcpStream&) { over.wait(); });
  auto client = connect();

  // More than the buffers of two connections and of the proxy.
  EXPECT_FALSE(client.send(std::string(64'000'000, 'x'), 500ms));
  done.set_value();
}

// -- what goes wrong ------------------------------------------------------------------

TEST_F(TcpProxyTest, refuses_by_reset_and_the_service_hears_nothing) {
  proxy("refuse");
  auto client = connect();

  EXPECT_EQ(client.receive_all().ending, Ending::reset);
  EXPECT_EQ(echo_of("the next").bytes, "the next");
  EXPECT_EQ(server->accepted(), 1U);
  EXPECT_EQ(proxied->statistics().refused, 1U);
}

TEST_F(TcpProxyTest, swallows_what_a_dropped_client_says_until_that_goes) {
  proxy("drop");
  auto client = connect();

  EXPECT_TRUE(client.send(pattern(8'000'003)));
  EXPECT_EQ(client.receive(1, 100ms).ending, Ending::silent);
  EXPECT_EQ(server->accepted(), 0U);
  EXPECT_EQ(proxied->statistics().dropped, 1U);
  EXPECT_EQ(proxied->statistics().open, 1U);
  client = {};
  EXPECT_TRUE(becomes_true([&] { return proxied->statistics().open == 0; }));
}

TEST_F(TcpProxyTest, delays_every_byte_both_ways_and_the_end) {
  proxy("slow 100ms");
  auto client = connect();
  const auto begin = Clock::now();
  client.send("hello");
  client.end_sending();

  const auto received = client.receive(5);
  const auto heard_after = Clock::now() - begin;
  const auto end = client.receive_all();
  const auto ended_after = Clock::now() - begin;

  EXPECT_EQ(received.bytes, "hello");
  EXPECT_GE(heard_after, 200ms);
  EXPECT_EQ(end.ending, Ending::closed);
  EXPECT_GE(ended_after, 200ms);
}

TEST_F(TcpProxyTest, delays_the_bytes_of_a_line_side_by_side) {
  proxy("slow 100ms");
  auto client = connect();
  const auto begin = Clock::now();
  std::string all;
  for (auto i = 0; i != 50; ++i) {
    all += "part " + std::to_string(i) + " ";
    client.send("part " + std::to_string(i) + " ");
  }

  EXPECT_EQ(client.receive(all.size()).bytes, all);
  EXPECT_LT(Clock::now() - begin, 50 * 100ms);
}

TEST_F(TcpProxyTest, lets_through_as_much_as_one_buffer_in_each_delay_of_a_slow_line) {
  proxy("slow 50ms", test::echo, {.buffer_bytes = 10});
  const auto begin = Clock::now();

  // The first ten bytes are at the service after 50 ms, the last of forty after 200 ms.
  EXPECT_EQ(echo_of(std::string(40, 'x')).bytes, std::string(40, 'x'));
  EXPECT_GE(Clock::now() - begin, 250ms);
}

TEST_F(TcpProxyTest, cuts_a_connection_after_exactly_as_many_bytes_of_the_answer) {
  std::atomic<int> resets = 0;
  proxy("cut(after 100)...", [&](TcpStream& stream) {
    stream.send(pattern(100'000));
    resets += stream.receive_all().ending == Ending::reset ? 1 : 0;
  });

  for (auto i = 0; i != 100; ++i) {
    const auto received = connect().receive_all();
    EXPECT_EQ(received.bytes, pattern(100));
    EXPECT_EQ(received.ending, Ending::reset);
  }

  EXPECT_EQ(proxied->statistics().cut, 100U);
  EXPECT_TRUE(becomes_true([&] { return resets == 100; }));
}

TEST_F(TcpProxyTest, leaves_an_answer_alone_that_is_shorter_than_the_cut) {
  proxy("cut(after 100)", [](TcpStream& stream) { stream.send(pattern(99)); });
  auto client = connect();
  client.end_sending();

  const auto received = client.receive_all();

  EXPECT_EQ(received.bytes, pattern(99));
  EXPECT_EQ(received.ending, Ending::closed);
  EXPECT_EQ(proxied->statistics().cut, 0U);
}

TEST_F(TcpProxyTest, cuts_a_connection_when_the_service_has_worked_and_answers) {
  std::promise<std::string> heard;
  proxy("cut", [&](TcpStream& stream) {
    heard.set_value(stream.receive(4).bytes);
    stream.send("done");
    stream.receive_all();
  });
  auto client = connect();
  client.send("work");

  const auto received = client.receive_all();

  EXPECT_EQ(received.bytes, "");
  EXPECT_EQ(received.ending, Ending::reset);
  EXPECT_EQ(heard.get_future().get(), "work");
}

TEST_F(TcpProxyTest, cuts_a_connection_after_a_time_whatever_has_got_through) {
  proxy("cut(after 150ms)");
  const auto begin = Clock::now();
  auto client = connect();
  client.send("hello");

  const auto received = client.receive_all();

  EXPECT_EQ(received.bytes, "hello");
  EXPECT_EQ(received.ending, Ending::reset);
  EXPECT_GE(Clock::now() - begin, 150ms);
  EXPECT_EQ(proxied->statistics().cut, 1U);
}

TEST_F(TcpProxyTest, cuts_slowly_if_it_is_told_to) {
  proxy("cut(after 3, slow 50ms)");
  const auto begin = Clock::now();
  auto client = connect();
  client.send("hello");

  const auto received = client.receive_all();

  EXPECT_EQ(received.bytes, "hel");
  EXPECT_EQ(received.ending, Ending::reset);
  EXPECT_GE(Clock::now() - begin, 100ms);
}

TEST_F(TcpProxyTest, flips_a_bit_of_every_third_byte_of_the_answer_however_it_comes) {
  proxy("corrupt(every 3)*2");

  EXPECT_EQ(echo_of("0000000000").bytes, "0010010010");
  auto client = connect();
  std::string all;
  for (auto i = 0; i != 10; ++i) {
    client.send("0");
    all += client.receive(1).bytes;
  }
  EXPECT_EQ(all, "0010010010");
  EXPECT_EQ(proxied->statistics().corrupted_bytes, 6U);
}

TEST_F(TcpProxyTest, does_with_each_connection_what_the_plan_says_in_order) {
  proxy("ok, refuse*2, corrupt, ok");

  std::string story;
  for (auto i = 0; i != 6; ++i) {
    const auto received = echo_of("0");
    story += received.bytes.empty() ? "-" : received.bytes;
  }

  EXPECT_EQ(story, "0--100");
  EXPECT_EQ(proxied->statistics().connections, 6U);
}

// -- what is done to it meanwhile -----------------------------------------------------

TEST_F(TcpProxyTest, cuts_all_connections_that_are_open_and_no_later_one) {
  proxy("ok, drop, slow 1h");
  std::vector<TcpStream> clients;
  for (auto i = 0; i != 4; ++i)
    clients.push_back(connect_for_sure());

  EXPECT_EQ(proxied->cut_all(), 4U);
  EXPECT_EQ(proxied->statistics().open, 0U);
  for (auto& client : clients)
    EXPECT_EQ(client.receive_all().ending, Ending::reset);
  EXPECT_EQ(echo_of("later").bytes, "later");
  EXPECT_EQ(proxied->statistics().cut, 4U);
}

TEST_F(TcpProxyTest, refuses_as_if_nobody_listened_while_the_line_is_down) {
  proxy("ok");
  auto client = connect();
  for (auto i = 0; i != 3; ++i) {
    proxied->go_down();
    proxied->go_down();
    try {
      connect();
      ADD_FAILURE() << "there is a connection";
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code(), std::errc::connection_refused);
    }
    proxied->go_up();
    proxied->go_up();
    EXPECT_EQ(echo_of("up again").bytes, "up again");
  }
  EXPECT_EQ(client.receive_all().ending, Ending::reset);
}

TEST_F(TcpProxyTest, begins_a_new_plan_with_the_next_connection) {
  proxy("corrupt...");
  auto before = connect_for_sure();
  proxied->set_plan("ok, refuse");

  before.send("0");
  EXPECT_EQ(before.receive(1).bytes, "1");
  EXPECT_EQ(echo_of("0").bytes, "0");
  EXPECT_EQ(echo_of("0").ending, Ending::reset);
  EXPECT_EQ(echo_of("0").bytes, "0");
}

TEST_F(TcpProxyTest, tells_which_connections_the_plan_has_something_in_mind_with) {
  std::mutex mutex;
  std::vector<std::string> told;
  TcpProxyOptions options;
  options.on_fault = [&](std::uint64_t connection, const ConnectionFault& fault) {
    const std::lock_guard lock{mutex};
    told.push_back(std::to_string(connection) + " " + to_string(fault));
    throw std::runtime_error("that is dropped");
  };
  proxy("ok, refuse, ok, cut(after 1)", test::echo, options);
  for (auto i = 0; i != 5; ++i)
    echo_of("00");

  const std::lock_guard lock{mutex};
  EXPECT_THAT(told, ::testing::ElementsAre("1 refuse", "3 cut(after 1)"));
}

TEST_F(TcpProxyTest, can_be_called_by_its_own_hook) {
  TcpProxyOptions options;
  options.on_fault = [&](std::uint64_t, const ConnectionFault&) { proxied->cut_all(); };
  proxy("ok, refuse", test::echo, options);
  auto first = connect();
  first.send("0");
  first.receive(1);

  echo_of("0");

  EXPECT_EQ(first.receive_all().ending, Ending::reset);
}

TEST_F(TcpProxyTest, ends_at_once_and_resets_what_is_open) {
  proxy("slow 1h");
  auto client = connect();
  client.send("hello");
  ASSERT_TRUE(becomes_true([&] { return proxied->statistics().open == 1; }));
  const auto begin = Clock::now();

  proxied.reset();

  EXPECT_LT(Clock::now() - begin, 1s);
  EXPECT_EQ(client.receive_all().ending, Ending::reset);
}

// -- many -----------------------------------------------------------------------------

TEST_F(TcpProxyTest, accounts_for_every_connection_of_many_clients_that_meet_random_faults) {
  proxy("random(seed 11, refuse 10%, cut 10%, cut(after 50) 10%, cut(after 1ms) 10%, corrupt 10%, "
        "slow 1ms 10%)");
  constexpr auto clients = 4;
  constexpr auto each = 200;
  const auto bytes = pattern(100);
  std::atomic<int> right = 0;
  std::atomic<int> short_or_wrong = 0;
  std::vector<std::thread> threads;
  for (auto i = 0; i != clients; ++i)
    threads.emplace_back([&] {
      for (auto k = 0; k != each; ++k)
        ++(echo_of(bytes).bytes == bytes ? right : short_or_wrong);
    });
  for (auto& thread : threads)
    thread.join();

  ASSERT_TRUE(becomes_true([&] { return proxied->statistics().open == 0; }));
  const auto all = proxied->statistics();
  EXPECT_EQ(all.connections, 800U);
  EXPECT_EQ(right + short_or_wrong, 800);
  EXPECT_EQ(all.unreachable, 0U);
  // A cut after 1 ms may come too late, and a connection that is cut then was right.
  EXPECT_GE(static_cast<std::uint64_t>(short_or_wrong), all.refused);
  EXPECT_GE(all.refused + all.cut + all.corrupted_bytes / 100,
            static_cast<std::uint64_t>(short_or_wrong));
}

TEST_F(TcpProxyTest, obeys_while_it_works_hard) {
  proxy("ok");
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (auto i = 0; i != 3; ++i)
    threads.emplace_back([&] {
      while (!is_over) {
        auto client = connect();
        while (client.send(std::string(100'000, 'x'), 1s)
               && client.receive(100'000, 1s).ending == Ending::open && !is_over) {
        }
      }
    });
  const auto begin = Clock::now();
  std::size_t cut = 0;
  for (auto i = 0; i != 200 || (cut < 20 && Clock::now() - begin < 10s); ++i) {
    cut += proxied->cut_all();
    proxied->set_plan("ok");
    std::this_thread::yield();
  }
  is_over = true;
  for (auto& thread : threads)
    thread.join();

  EXPECT_GE(cut, 20U);
  EXPECT_EQ(proxied->statistics().cut, cut);
}

// -- bad input ------------------------------------------------------------------------

std::string refusal(const std::string& host, std::uint16_t port, TcpProxyOptions options = {}) {
  try {
    TcpProxy{host, port, {}, std::move(options)};
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "it is taken";
}

TEST(BadTcpProxy, is_refused_with_all_that_is_wrong) {
  EXPECT_EQ(refusal("127.0.0.1", 0), "port: got 0, allowed 1..65535");
  EXPECT_EQ(refusal("127.0.0.1", 0, {.buffer_bytes = 0}),
            "port: got 0, allowed 1..65535\n"
            "options.buffer_bytes: got 0, allowed 1..1073741824");
  EXPECT_THAT(refusal("no.such.host.invalid", 80),
              ::testing::StartsWith("host: got no.such.host.invalid, allowed an address or a name "
                                    "that can be resolved; "));
  EXPECT_THAT(refusal("", 80), ::testing::StartsWith("host: got "));
}

TEST(BadTcpProxy, says_that_its_port_is_taken) {
  const TcpServer server{test::echo};
  const TcpProxy first{"127.0.0.1", server.port()};

  try {
    TcpProxy{"127.0.0.1", server.port(), {}, {.listen_port = first.port()}};
    FAIL() << "two listen there";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::address_in_use);
  }
}

TEST(BadTcpProxy, takes_the_port_that_it_is_given) {
  const TcpServer server{test::echo};
  std::uint16_t port = 0;
  {
    const TcpProxy first{"127.0.0.1", server.port()};
    port = first.port();
  }

  EXPECT_EQ((TcpProxy{"127.0.0.1", server.port(), {}, {.listen_port = port}}.port()), port);
}

} // namespace

} // namespace backoff_actor::system_test
