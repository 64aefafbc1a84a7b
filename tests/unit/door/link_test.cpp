// A link between CAF and a node that does what it is told to.

#include "backoff_actor/caf/door/internal/link.hpp"

#include "common/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <sys/socket.h>

namespace backoff_actor::door {

namespace {

using namespace test;

class ToldWire final : public net::Wire {
public:
  ToldWire() : net::Wire(net::Descriptor{}) {}

  net::WireState handshake() override { return net::WireState::ready; }
  net::Moved read(std::span<std::byte> bytes) override {
    const auto count = std::min(bytes.size(), coming.size());
    if (count == 0)
      return {net::WireState::wants_read};
    std::transform(coming.begin(), coming.begin() + static_cast<std::ptrdiff_t>(count),
                   bytes.begin(), [](char x) { return static_cast<std::byte>(x); });
    coming.erase(0, count);
    return {net::WireState::ready, count};
  }
  net::Moved write(std::span<const std::byte> bytes) override {
    if (!takes)
      return {net::WireState::wants_write};
    for (const auto x : bytes)
      taken += static_cast<char>(x);
    return {net::WireState::ready, bytes.size()};
  }
  void say_end() override { has_end = true; }
  const std::string& subject() const override { return nobody_; }

  std::string coming; // from the node
  std::string taken;  // by the node
  bool takes = true;
  bool has_end = false; // the node was told that no more comes

private:
  std::string nobody_;
};

class LinkTest : public ::testing::Test {
protected:
  static constexpr std::uint32_t max_frame = 100'000;

  LinkTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    caf = net::Descriptor{ends[0]};
    auto told = std::make_unique<ToldWire>();
    wire = told.get();
    const auto greeting = client_greeting();
    link = std::make_unique<Link>(std::move(told), net::Descriptor{ends[1]}, Speaker::client,
                                  max_frame, std::as_bytes(std::span{greeting}));
    link->move();
    std::string come(greeting.size(), '\0');
    EXPECT_EQ(recv(caf.get(), come.data(), come.size(), 0), std::ssize(greeting));
  }

  void send_by_caf(const std::string& bytes) {
    ASSERT_EQ(send(caf.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  }

  net::Descriptor caf;
  ToldWire* wire = nullptr; // the link's
  std::unique_ptr<Link> link;
};

std::string message(std::uint32_t size) {
  return bytes_of({.operation = direct_message, .size = size}) + std::string(size, 'x');
}

} // namespace

TEST_F(LinkTest, notices_that_caf_has_gone_though_the_node_takes_nothing) {
  wire->takes = false;
  send_by_caf(server_greeting() + message(max_frame)); // more than a link holds
  EXPECT_EQ(link->move(), Link::State::waiting);
  EXPECT_FALSE(link->is_ending());
  caf.close();
  EXPECT_EQ(link->move(), Link::State::waiting);
  EXPECT_TRUE(link->is_ending());
  EXPECT_EQ(link->caf_events(), 0u) << "its end would be reported for ever";
}

TEST_F(LinkTest, passes_on_what_caf_sent_last_though_something_comes_for_it) {
  const auto last = server_greeting() + message(5);
  send_by_caf(last);
  caf.close();
  wire->coming = message(3);
  EXPECT_EQ(link->move(), Link::State::waiting);
  EXPECT_EQ(wire->taken, last);
  EXPECT_TRUE(wire->has_end);
  wire->coming = message(3);
  EXPECT_EQ(link->move(), Link::State::waiting) << "until the node has ended, too";
}

} // namespace backoff_actor::door
