// Real sockets, real time.

#include "common/patience.hpp"
#include "tcp_proxy.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

namespace backoff_actor::system_test {

namespace {

// -- as the documentation shows it ------------------------------------------------------

// [connections]
TEST(RealConnections, are_broken_by_a_plan) {
  const TcpServer service{test::echo};
  const TcpProxy proxy{"127.0.0.1", service.port(), "refuse, cut(after 3), ok"};
  const auto echo_of = [&](const std::string& text) {
    auto connection = TcpStream::connect(proxy.port());
    connection.send(text);
    return connection.receive(text.size()).bytes;
  };

  EXPECT_EQ(echo_of("hello"), "");
  EXPECT_EQ(echo_of("hello"), "hel");
  EXPECT_EQ(echo_of("hello"), "hello");
}
// [connections]

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
  proxy("slow 100ms...");
  const auto one_after_the_other = 50 * 100ms;
  const auto time_of_all = [&] {
    auto client = connect();
    return test::time_of([&] {
      std::string all;
      for (auto i = 0; i != 50; ++i) {
        all += "part " + std::to_string(i) + " ";
        client.send("part " + std::to_string(i) + " ");
      }
      EXPECT_EQ(client.receive(all.size()).bytes, all);
    });
  };

  EXPECT_LT(test::shortest_of_many(one_after_the_other, time_of_all), one_after_the_other);
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
  const auto has_got_through = [&](std::chrono::milliseconds span) {
    proxy("cut(after " + std::to_string(span.count()) + "ms)");
    const auto begin = Clock::now();
    auto client = connect();
    client.send("hello");

    const auto received = client.receive_all();

    EXPECT_EQ(received.ending, Ending::reset);
    EXPECT_GE(Clock::now() - begin, span);
    EXPECT_EQ(proxied->statistics().cut, 1U);
    return received.bytes == "hello";
  };

  auto span = 150ms;
  while (span < 30s && !has_got_through(span))
    span *= 2; // a busy machine was late with the echo
  EXPECT_LT(span, 30s);
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

} // namespace

} // namespace backoff_actor::system_test
