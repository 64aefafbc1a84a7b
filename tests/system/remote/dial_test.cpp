// Dialing where no node is, or none that answers.

#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "common/tcp_server.hpp"
#include "system/remote/nodes.hpp"

#include <atomic>
#include <filesystem>
#include <poll.h>

namespace backoff_actor::remote_test {

namespace {

using Clock = std::chrono::steady_clock;
using test::TcpServer;

class DialTest : public ::testing::Test {
protected:
  std::string dial_at(std::uint16_t port, Duration limit = test::patience,
                      const std::string& host = "127.0.0.1") {
    const auto begin = Clock::now();
    auto result = dial(node, {.host = host, .port = port, .limit = limit});
    took = Clock::now() - begin;
    return result;
  }

  Node node;
  Duration took{0};
};

// Sends something, and then nothing more.
TcpServer::Handler says(const std::string& bytes) {
  return [bytes](TcpStream& stream) {
    stream.send(bytes);
    stream.receive_all();
  };
}

// Sends something, and then the end.
TcpServer::Handler says_and_goes(const std::string& bytes) {
  return [bytes](TcpStream& stream) { stream.send(bytes); };
}

// Listens, but accepts nobody, and has no room for more who wait: connecting to it comes to no end.
class FullListener {
public:
  FullListener() {
    if (!listener_ || ::listen(listener_.get(), 0) != 0)
      throw std::runtime_error("no port for the listener");
    for (auto is_full = false; !is_full;) {
      waiting_.push_back(net::begin_connection(net::loopback(port())));
      is_full = net::wait_for(waiting_.back(), POLLOUT, {Clock::now() + 200ms}) == net::Wait::late;
    }
  }

  std::uint16_t port() const { return net::port_of(listener_); }

private:
  net::Descriptor listener_ = net::bind_to_loopback(0);
  std::vector<net::Descriptor> waiting_;
};

std::size_t count_of(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder},
                                                std::filesystem::directory_iterator{}));
}

std::size_t descriptors() { return count_of("/proc/self/fd"); }
std::size_t threads() { return count_of("/proc/self/task"); }

constexpr auto other_bytes = "not a CAF node: its greeting has another format";
constexpr auto hung_up = "connected, but it closed the connection before its greeting was "
                         "complete: not a CAF node, or one that is shutting down";

} // namespace

TEST_F(DialTest, at_a_port_where_nobody_listens_is_refused) {
  EXPECT_EQ(dial_at(test::free_port()), "connection refused: nothing listens there");
}

TEST_F(DialTest, at_a_name_that_nobody_has_says_so) {
  // A part of a name has 63 letters at the most, so nobody needs to be asked.
  const auto said = dial_at(4711, test::patience, std::string(64, 'x') + ".invalid");
  EXPECT_EQ(said.substr(0, 14), "unknown host (") << said;
}

TEST_F(DialTest, at_a_host_that_does_not_answer_ends_at_the_limit) {
  const FullListener full;
  const auto try_once = [&] {
    EXPECT_EQ(dial_at(full.port(), 200ms), "no answer within 200ms");
    EXPECT_GE(took, 200ms);
    return took;
  };
  EXPECT_LT(test::shortest_of_many(5s, try_once), 5s);
}

TEST_F(DialTest, at_one_who_accepts_and_says_nothing_ends_at_the_limit) {
  TcpServer silent{says("")};
  const auto try_once = [&] {
    EXPECT_EQ(
      dial_at(silent.port(), 200ms),
      "connected, but no greeting came within 200ms: frozen, not a CAF node, or one with TLS");
    EXPECT_GE(took, 200ms);
    return took;
  };
  EXPECT_LT(test::shortest_of_many(5s, try_once), 5s);
}

TEST_F(DialTest, at_one_who_says_half_a_greeting_and_no_more_ends_at_the_limit) {
  const auto greeting = greeting_of(node.listen());
  for (const std::size_t size : {3u, 4u, 31u, 32u, 40u}) {
    TcpServer half{says(greeting.substr(0, size))};
    EXPECT_EQ(
      dial_at(half.port(), 100ms),
      "connected, but no greeting came within 100ms: frozen, not a CAF node, or one with TLS")
      << size << " bytes";
  }
}

TEST_F(DialTest, at_one_who_hangs_up_early_says_so) {
  const auto greeting = greeting_of(node.listen());
  for (const std::size_t size : {0u, 3u, 4u, 31u, 32u, 40u}) {
    TcpServer half{says_and_goes(greeting.substr(0, size))};
    EXPECT_EQ(dial_at(half.port()), hung_up) << size << " bytes";
  }
  TcpServer resetting{[](TcpStream& stream) { stream.end_by_reset(); }};
  EXPECT_EQ(dial_at(resetting.port()), hung_up);
}

TEST_F(DialTest, at_another_service_tells_it_from_a_node_by_its_first_bytes) {
  for (const std::string said :
       {"SSH-2.0-OpenSSH_9.2\r\n", "220 mail\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n"}) {
    TcpServer other{says(said)};
    EXPECT_EQ(dial_at(other.port()), other_bytes) << said;
    EXPECT_LT(took, test::patience) << "it need not wait for more of " << said;
  }
}

TEST_F(DialTest, at_one_whose_greeting_begins_well_finds_what_is_wrong_behind) {
  const auto real = greeting_of(node.listen());
  auto no_node = real;
  no_node.replace(32, no_node.size() - 32, no_node.size() - 32, '\xff');
  auto huge = real;
  huge[4] = '\x10'; // 2^28 bytes of payload
  auto no_protocol = real;
  no_protocol.replace(8, 8, 8, '\0');
  for (const auto& said : {no_node, huge, no_protocol}) {
    TcpServer other{says(said)};
    EXPECT_EQ(dial_at(other.port()), other_bytes);
    EXPECT_LT(took, test::patience);
  }
}

TEST_F(DialTest, at_a_node_that_speaks_another_protocol_names_both) {
  auto greeting = greeting_of(node.listen());
  greeting[15] = 77;
  TcpServer other{says(greeting)};
  EXPECT_EQ(dial_at(other.port()),
            "a node of another version of CAF: it speaks protocol 77, this program "
              + std::to_string(io_compat::own_protocol()));
}

TEST_F(DialTest, that_is_cancelled_ends_at_once_and_is_never_done) {
  NetworkNode::of(*node.system)->door(); // has descriptors and a thread of its own
  TcpServer silent{says("")};
  const FullListener full;
  struct Place {
    std::string host;
    std::uint16_t port;
  };
  for (const auto& place : {Place{"127.0.0.1", silent.port()}, Place{"127.0.0.1", full.port()},
                            Place{"localhost", silent.port()}}) {
    const auto descriptors_before = descriptors();
    const auto threads_before = threads();
    const auto accepted_before = silent.accepted();
    std::atomic<int> calls = 0;
    auto held = std::make_shared<int>(7);
    const std::weak_ptr<int> is_held{held};
    auto dial = Dial::start(*node.system, {.host = place.host, .port = place.port, .limit = 1h},
                            [&calls, held](const std::string&) { ++calls; });
    held = nullptr;
    if (place.port == silent.port()) {
      ASSERT_TRUE(test::becomes_true([&] { return silent.accepted() == accepted_before + 1; }));
    }
    EXPECT_FALSE(is_held.expired());

    const auto begin = Clock::now();
    dial->cancel();
    EXPECT_LT(Clock::now() - begin, test::patience);
    EXPECT_TRUE(is_held.expired()) << "what it held is gone with it";
    dial = nullptr;
    EXPECT_TRUE(test::becomes_true([&] { return descriptors() <= descriptors_before; }));
    EXPECT_TRUE(test::becomes_true([&] { return threads() <= threads_before; }));
    EXPECT_EQ(calls, 0);
  }
}

TEST_F(DialTest, that_is_done_can_be_cancelled_and_is_done_once) {
  for (auto round = 0; round != 200; ++round) {
    std::atomic<int> calls = 0;
    const auto dial = Dial::start(*node.system, {.host = "127.0.0.1", .port = test::free_port()},
                                  [&](const std::string&) { ++calls; });
    if (round % 2 == 0) {
      ASSERT_TRUE(test::becomes_true([&] { return calls == 1; }));
    }
    dial->cancel(); // which races with `done` in every other round
    const auto calls_then = calls.load();
    EXPECT_LE(calls_then, 1);
    dial->cancel();
    EXPECT_EQ(calls, calls_then);
  }
}

TEST_F(DialTest, leaves_no_descriptor_open) {
  TcpServer silent{says("")};
  const auto port = node.listen();
  ASSERT_EQ(dial_at(port), "");
  const auto before = descriptors();
  for (auto i = 0; i != 20; ++i) {
    EXPECT_EQ(dial_at(port), "");
    EXPECT_NE(dial_at(silent.port(), 1ms), "");
  }
  EXPECT_TRUE(test::becomes_true([&] { return descriptors() <= before; }));
}

} // namespace backoff_actor::remote_test
