// Real sockets, real time.

#include "common/patience.hpp"
#include "tcp_proxy.hpp"

#include <backoff_actor/core/problems.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace backoff_actor::system_test {

namespace {

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

  EXPECT_LT(Clock::now() - begin, test::patience);
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
  for (auto i = 0; i < 200 || (cut < 20 && Clock::now() - begin < test::patience); ++i) {
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
