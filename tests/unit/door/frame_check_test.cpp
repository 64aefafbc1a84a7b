#include "backoff_actor/caf/door/internal/frame_check.hpp"

#include "common/frames.hpp"
#include "common/seeds.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace backoff_actor::door {

namespace {

using namespace test;

constexpr std::uint32_t max_frame = 100'000;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span{text});
}

// What a check says of bytes that come all at once.
std::string problem_of(Speaker speaker, const std::string& bytes) {
  FrameCheck check{speaker, max_frame};
  check.pass(as_bytes(bytes));
  return check.problem();
}

std::string of_client(const std::string& bytes) { return problem_of(Speaker::client, bytes); }
std::string of_server(const std::string& bytes) { return problem_of(Speaker::server, bytes); }

// One frame of each kind that nodes send after their handshakes.
std::string ordinary_frames() {
  return frame({.operation = direct_message, .size = 5})
         + frame({.operation = heartbeat, .destination = 0})
         + frame({.operation = routed_message, .size = 1})
         + frame({.operation = monitor_message, .size = 42})
         + frame({.operation = direct_message, .size = max_frame})
         + frame({.operation = down_message, .size = 60, .source = 9, .destination = 0});
}

} // namespace

TEST(frame_check, lets_what_nodes_send_each_other_pass) {
  const auto from_server = server_greeting() + ordinary_frames();
  FrameCheck server{Speaker::server, max_frame};
  EXPECT_EQ(server.pass(as_bytes(from_server)), from_server.size());
  EXPECT_EQ(server.problem(), "");
  // CAF 0.17 repeats a client's handshake.
  const auto from_client = client_greeting() + client_greeting() + ordinary_frames();
  FrameCheck client{Speaker::client, max_frame};
  EXPECT_EQ(client.pass(as_bytes(from_client)), from_client.size());
  EXPECT_EQ(client.problem(), "");
}

TEST(frame_check, passes_the_same_in_whatever_pieces_the_bytes_come) {
  const auto bytes = client_greeting() + ordinary_frames() + frame({.operation = heartbeat})
                     + frame({.operation = 7}) + "more";
  const auto right = bytes.size() - 36;
  for (const auto seed : seeds(200)) {
    std::mt19937_64 random{seed};
    FrameCheck check{Speaker::client, max_frame};
    std::size_t passed = 0;
    for (std::size_t come = 0; come != bytes.size() && check.problem().empty();) {
      come += std::min<std::size_t>(1 + random() % (random() % 2 == 0 ? 40 : 60'000),
                                    bytes.size() - come);
      passed += check.pass(as_bytes(bytes).subspan(passed, come - passed));
      EXPECT_LE(come - passed, check.problem().empty() ? 31u : bytes.size()) << "seed " << seed;
    }
    EXPECT_EQ(passed, right) << "seed " << seed;
    EXPECT_EQ(check.problem(), "sent something that is not a frame of CAF") << "seed " << seed;
  }
}

TEST(frame_check, stops_in_front_of_a_frame_that_is_wrong) {
  const auto right = client_greeting() + frame({.size = 3});
  FrameCheck check{Speaker::client, max_frame};
  EXPECT_EQ(check.pass(as_bytes(right + frame({.size = 0}))), right.size());
  EXPECT_EQ(check.pass(as_bytes(frame({.size = 3}))), 0u) << "nothing passes any more";
}

TEST(frame_check, wants_the_handshake_first) {
  const auto expected = "did not begin with a handshake of CAF";
  EXPECT_EQ(of_client(frame({.size = 3})), expected);
  EXPECT_EQ(of_client(frame({.operation = heartbeat, .destination = 0})), expected);
  EXPECT_EQ(of_client(server_greeting()), expected);
  EXPECT_EQ(of_server(client_greeting()), expected);
  EXPECT_EQ(of_client("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            "sent something that is not a frame of CAF");
}

TEST(frame_check, wants_no_other_handshake_later) {
  EXPECT_EQ(of_client(client_greeting() + server_greeting()),
            "sent a handshake of a server in the middle of a connection");
  EXPECT_EQ(of_server(server_greeting() + server_greeting()),
            "sent a handshake of a server in the middle of a connection");
  EXPECT_EQ(of_server(server_greeting() + client_greeting()),
            "sent a handshake of a client, but was connected to");
  EXPECT_EQ(of_client(client_greeting() + client_greeting()), "") << "CAF 0.17 sends it twice";
}

TEST(frame_check, knows_the_operations_that_there_are) {
  for (const auto operation : {std::uint8_t{7}, std::uint8_t{9}, std::uint8_t{255}}) {
    const auto unknown = bytes_of({.operation = operation});
    EXPECT_EQ(of_client(unknown), "sent something that is not a frame of CAF");
    EXPECT_EQ(of_client(client_greeting() + unknown), "sent something that is not a frame of CAF");
    EXPECT_EQ(of_server(server_greeting() + unknown), "sent something that is not a frame of CAF");
  }
}

TEST(frame_check, bounds_what_memory_is_taken_for) {
  FrameHeader large{.size = max_frame};
  EXPECT_EQ(of_client(client_greeting() + bytes_of(large)), "");
  ++large.size;
  EXPECT_EQ(of_client(client_greeting() + bytes_of(large)),
            "sent a frame of 100001 bytes, above max_frame, 100000 bytes");
  FrameHeader greeting{.operation = client_handshake, .size = 65'536, .destination = 0};
  EXPECT_EQ(of_client(bytes_of(greeting)), "");
  ++greeting.size;
  EXPECT_EQ(of_client(bytes_of(greeting)), "sent a handshake of 65537 bytes, above 65536 bytes");
}

TEST(frame_check, wants_payloads_where_caf_reads_them_and_nowhere_else) {
  for (const auto operation : {direct_message, routed_message, monitor_message, down_message})
    EXPECT_EQ(of_client(client_greeting() + frame({.operation = operation})),
              "sent a frame without the payload that it needs")
      << int{operation};
  EXPECT_EQ(of_client(client_greeting() + frame({.operation = heartbeat, .size = 1})),
            "sent a heartbeat with a payload");
}

TEST(frame_check, knows_what_is_no_frame) {
  EXPECT_EQ(of_client(std::string{"\x16\x03\x01\x02\x00\x01", 6} + std::string(100, 'x')),
            "speaks TLS, and this node has no TLS");
  auto padded = bytes_of({.size = 3});
  for (const std::size_t place : {1u, 2u}) {
    auto other = padded;
    other[place] = 1;
    EXPECT_EQ(of_client(client_greeting() + other), "sent something that is not a frame of CAF");
  }
  EXPECT_EQ(of_server(frame({.operation = server_handshake, .size = 9, .destination = 0})),
            "sent a handshake of no version of CAF");
}

TEST(frame_check, has_the_handshake_when_it_has_come_whole) {
  const auto greeting = client_greeting();
  FrameCheck check{Speaker::client, max_frame};
  EXPECT_FALSE(check.has_handshake());
  std::size_t passed = 0;
  for (std::size_t come = 1; come < greeting.size(); ++come) {
    passed += check.pass(as_bytes(greeting).subspan(passed, come - passed));
    EXPECT_FALSE(check.has_handshake()) << come;
  }
  check.pass(as_bytes(greeting).subspan(passed));
  EXPECT_TRUE(check.has_handshake());
  check.pass(as_bytes(bytes_of({.size = 5})));
  EXPECT_TRUE(check.has_handshake()) << "in the middle of a later frame";
}

} // namespace backoff_actor::door
