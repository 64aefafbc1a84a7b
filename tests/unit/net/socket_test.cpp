#include "backoff_actor/net/internal/socket.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

namespace backoff_actor::net {

namespace {

using namespace std::chrono_literals;

Patience until(std::chrono::milliseconds span) { return {Clock::now() + span}; }

class Sockets : public ::testing::Test {
protected:
  Sockets() : listener(bind_to_loopback(0)), address(loopback(port_of(listener))) {}

  // Connects `client` and `server`.
  void connect_both() {
    ASSERT_EQ(listen(listener.get(), 1), 0);
    client = connect(address, until(10s)).socket;
    ASSERT_EQ(wait_for(listener, POLLIN, until(10s)), Wait::done);
    server = Descriptor{accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    ASSERT_TRUE(client && server);
  }

  void serve(const char* text) const { EXPECT_GT(dprintf(server.get(), "%s", text), 0); }

  Descriptor listener;
  Address address;
  Descriptor client;
  Descriptor server;
  std::array<std::byte, 4> bytes{};
};

} // namespace

TEST_F(Sockets, refuse_until_they_listen_and_keep_their_port) {
  const auto refused = connect(address, until(10s));
  EXPECT_EQ(refused.ending, Wait::failed);
  EXPECT_EQ(refused.error, ECONNREFUSED);
  EXPECT_FALSE(refused.socket);
  connect_both();
  EXPECT_FALSE(bind_to_loopback(port_of(listener)));
  EXPECT_EQ(errno, EADDRINUSE);
}

TEST_F(Sockets, receive_what_is_wanted_or_what_comes_until_the_deadline) {
  connect_both();
  serve("12345");
  const auto all = receive(client, bytes, until(10s));
  EXPECT_EQ(all.ending, Wait::done);
  EXPECT_EQ(all.count, 4u);
  EXPECT_EQ(bytes[3], std::byte{'4'});

  const auto begin = Clock::now();
  const auto rest = receive(client, bytes, {begin + 50ms});
  EXPECT_GE(Clock::now() - begin, 50ms);
  EXPECT_EQ(rest.ending, Wait::late);
  EXPECT_EQ(rest.count, 1u);
  EXPECT_EQ(bytes[0], std::byte{'5'});
}

TEST_F(Sockets, receive_until_they_are_told_to_stop) {
  connect_both();
  const Descriptor stop{open("/dev/null", O_RDONLY | O_CLOEXEC)}; // always readable
  EXPECT_EQ(receive(client, bytes, {Clock::now() + 1h, stop.get()}).ending, Wait::stopped);
}

TEST_F(Sockets, tell_an_end_from_a_reset) {
  connect_both();
  serve("1");
  server.close();
  const auto ended = receive(client, bytes, until(10s));
  EXPECT_EQ(ended.ending, Wait::failed);
  EXPECT_EQ(ended.count, 1u);
  EXPECT_EQ(ended.error, 0);

  connect_both();
  reset_when_closed(server);
  server.close();
  const auto broken = receive(client, bytes, until(10s));
  EXPECT_EQ(broken.ending, Wait::failed);
  EXPECT_EQ(broken.error, ECONNRESET);
}

TEST(resolve, takes_numeric_addresses_and_says_why_a_name_has_none) {
  const auto numeric = resolve("::1", 80, AI_NUMERICHOST);
  ASSERT_EQ(numeric.ending, Wait::done);
  EXPECT_EQ(numeric.addresses.front().host(), "::1");
  EXPECT_EQ(loopback(80).host(), "127.0.0.1");

  const auto unknown = resolve("localhost", 80, AI_NUMERICHOST);
  EXPECT_EQ(unknown.ending, Wait::failed);
  EXPECT_EQ(unknown.error, "Name or service not known");
}

} // namespace backoff_actor::net
