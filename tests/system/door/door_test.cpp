// A door without TLS: what it admits, what it stops, and how it ends.

#include "system/door/door_fixture.hpp"

#include <filesystem>
#include <random>
#include <sys/resource.h>
#include <sys/socket.h>

namespace backoff_actor::door {

namespace {

class PlainDoor : public ::testing::Test {
protected:
  void make(DoorOptions options = {}, GateOptions gate = patient_gate) {
    options.on_event = events.hook();
    options.longest_pause = 1h; // a busy machine is no failure
    door.emplace(std::move(options));
    opened = door->open(net::loopback(0), gate, ends.admit());
    port = opened.address.port();
  }

  // A connection of which CAF has the other end, and has got the greeting.
  struct Pair {
    TcpStream node;
    TcpStream caf;
  };

  Pair connect(std::optional<int> unread_bytes = {}) {
    Pair result;
    EXPECT_TRUE(connects(result, unread_bytes));
    return result;
  }

  bool connects(Pair& pair, std::optional<int> unread_bytes = {}) {
    pair.node = TcpStream::connect(port, unread_bytes);
    pair.node.send(client_greeting());
    pair.caf = ends.take();
    return pair.caf.receive(client_greeting().size()).bytes == client_greeting();
  }

  // The node's kernel keeps so little that it cannot make room for what CAF sent last, some 200 KB,
  // while nobody receives.
  Pair connect_with_small_buffer() { return connect(16'384); }

  Events events;
  Ends ends;
  std::atomic<bool> is_slow = false; // a hook may be, once
  std::optional<Door> door;
  Door::Gate opened{};
  std::uint16_t port = 0;
};

std::size_t descriptors() {
  return static_cast<std::size_t>(std::distance(
    std::filesystem::directory_iterator{"/proc/self/fd"}, std::filesystem::directory_iterator{}));
}

std::string noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::string result(size, '\0');
  for (auto& x : result)
    x = static_cast<char>(random());
  return result;
}

// Sends until nothing more is taken for a second; returns how much was.
std::size_t send_until_full(const TcpStream& stream, std::string_view bytes) {
  std::size_t result = 0;
  for (int tries = 0; tries != 10 && result != bytes.size();) {
    const auto count = ::send(stream.get(), bytes.data() + result, bytes.size() - result,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
      result += static_cast<std::size_t>(count);
      tries = 0;
    } else {
      ++tries;
      std::this_thread::sleep_for(100ms);
    }
  }
  return result;
}

// A message with this payload.
std::string message(const std::string& payload) {
  return bytes_of({.size = static_cast<std::uint32_t>(payload.size())}) + payload;
}

} // namespace

TEST_F(PlainDoor, passes_frames_on_in_both_directions) {
  make();
  auto pair = connect();
  EXPECT_TRUE(pair.caf.send(server_greeting()));
  EXPECT_EQ(pair.node.receive(server_greeting().size()).bytes, server_greeting());
  for (const std::size_t size : {1u, 100u, 65'536u, 3'000'000u}) {
    const auto sent = message(noise(size, size));
    std::thread sender{[&] { pair.node.send(sent); }};
    EXPECT_TRUE(pair.caf.receive(sent.size()).bytes == sent) << size;
    sender.join();
    std::thread other_sender{[&] { pair.caf.send(sent); }};
    EXPECT_TRUE(pair.node.receive(sent.size()).bytes == sent) << size;
    other_sender.join();
  }
  EXPECT_TRUE(events.has(Kind::connected, 1));
  EXPECT_EQ(events.last(Kind::connected).peer.substr(0, 10), "127.0.0.1:");
}

TEST_F(PlainDoor, ends_caf_s_end_when_the_node_has_gone_and_all_has_come) {
  make();
  auto pair = connect();
  const auto sent = message(noise(200'000, 1));
  pair.node.send(sent);
  pair.node = {};
  const auto come = pair.caf.receive_all();
  EXPECT_TRUE(come.bytes == sent);
  EXPECT_EQ(come.ending, Ending::closed);
  EXPECT_TRUE(events.has(Kind::ended, 1));
}

TEST_F(PlainDoor, ends_the_node_s_end_when_caf_has_gone_and_all_has_come) {
  make();
  auto pair = connect();
  const auto sent = server_greeting() + message(noise(200'000, 2));
  pair.caf.send(sent);
  pair.caf = {};
  const auto come = pair.node.receive_all();
  EXPECT_TRUE(come.bytes == sent);
  EXPECT_EQ(come.ending, Ending::closed);
}

TEST_F(PlainDoor, ends_who_does_not_take_what_caf_sent_last) {
  make();
  auto pair = connect_with_small_buffer();
  const auto sent = server_greeting() + message(noise(16'000'000, 4));
  EXPECT_LT(send_until_full(pair.caf, sent), sent.size());
  pair.caf = {};
  EXPECT_EQ(events.last(Kind::ended).text, "it did not take what was sent last");
  EXPECT_LT(pair.node.receive_all().bytes.size(), sent.size());
}

TEST_F(PlainDoor, passes_on_what_caf_sent_last_though_something_comes_for_it) {
  make();
  auto pair = connect_with_small_buffer();
  const auto sent = server_greeting() + message(noise(16'000'000, 5));
  const auto count = send_until_full(pair.caf, sent);
  pair.caf = {};
  pair.node.send(message("too late"));
  const auto come = pair.node.receive_all();
  EXPECT_EQ(come.bytes.size(), count);
  EXPECT_TRUE(sent.starts_with(come.bytes));
}

TEST_F(PlainDoor, stays_open_until_the_node_has_taken_what_the_kernel_holds_for_it) {
  make();
  auto pair = connect_with_small_buffer();
  const auto sent = server_greeting() + message(noise(150'000, 6));
  ASSERT_TRUE(pair.caf.send(sent));
  pair.caf = {};
  EXPECT_FALSE(becomes_true([&] { return events.count(Kind::ended) != 0; }, 300ms));
  pair.node.send(message("too late"));
  pair.node.send(message("later still"));
  const auto come = pair.node.receive_all();
  EXPECT_TRUE(come.bytes == sent) << come.bytes.size();
  EXPECT_EQ(come.ending, Ending::closed);
  pair.node = {};
  EXPECT_EQ(events.last(Kind::ended).text, "");
}

TEST_F(PlainDoor, ends_who_takes_all_but_does_not_close) {
  make();
  auto pair = connect();
  pair.caf = {};
  EXPECT_EQ(pair.node.receive_all().ending, Ending::closed);
  EXPECT_EQ(events.last(Kind::ended).text,
            "it kept the connection open, which this node had ended");
}

TEST_F(PlainDoor, goes_on_though_the_hook_for_events_throws) {
  door.emplace(DoorOptions{.longest_pause = 1h, .on_event = [&](const NetworkEvent& event) {
                             events.hook()(event);
                             throw std::runtime_error("no events today");
                           }});
  port = door->open(net::loopback(0), patient_gate, ends.admit()).address.port();
  auto pair = connect();
  EXPECT_TRUE(events.has(Kind::connected, 1));
  TcpStream::connect(port).send(bytes_of({.operation = 9}));
  const auto of_stranger = ends.take(); // if CAF closed it, the connection would just end
  EXPECT_TRUE(events.has(Kind::broken_off, 1));
  EXPECT_TRUE(pair.node.send(message("still here")));
  EXPECT_EQ(pair.caf.receive(message("still here").size()).bytes, message("still here"));
}

TEST_F(PlainDoor, holds_little_for_one_who_does_not_read) {
  make();
  auto pair = connect();
  const auto sent = message(noise(12'000'000, 3));
  // The kernel's buffers hold some of it, the door 64 KiB.
  EXPECT_FALSE(pair.node.send(sent, 300ms));
  EXPECT_EQ(pair.caf.receive(1'000'000).bytes.size(), 1'000'000u) << "it goes on";
}

TEST_F(PlainDoor, stops_frames_that_may_not_come) {
  make();
  {
    auto node = TcpStream::connect(port);
    auto caf = ends.take();
    node.send(message("first"));
    const auto come = caf.receive_all();
    EXPECT_EQ(come.bytes, "");
    EXPECT_EQ(come.ending, Ending::closed);
    EXPECT_EQ(node.receive_all().bytes, "");
    EXPECT_EQ(events.last(Kind::broken_off).text, "it did not begin with a handshake of CAF");
  }
  auto pair = connect();
  pair.node.send(message("last") + bytes_of({.operation = 9}));
  const auto come = pair.caf.receive_all();
  EXPECT_EQ(come.bytes, message("last")) << "and not what followed it";
  EXPECT_EQ(come.ending, Ending::closed);
  ASSERT_TRUE(events.has(Kind::broken_off, 2));
  EXPECT_EQ(events.last(Kind::broken_off).text, "it sent something that is not a frame of CAF");
}

TEST_F(PlainDoor, stops_frames_above_the_limit_of_either_side) {
  make({.max_frame = 70'000});
  auto large = connect();
  large.node.send(bytes_of({.size = 70'001}));
  EXPECT_EQ(large.caf.receive_all().bytes, "") << "not even the header";
  EXPECT_EQ(events.last(Kind::broken_off).text,
            "it sent a frame of 70001 bytes, above max_frame, 70000 bytes");
  auto own = connect();
  own.caf.send(server_greeting() + bytes_of({.size = 70'001}));
  EXPECT_EQ(own.node.receive_all().ending, Ending::closed);
  ASSERT_TRUE(events.has(Kind::broken_off, 2));
  EXPECT_EQ(events.last(Kind::broken_off).text,
            "this node sent a frame of 70001 bytes, above max_frame, 70000 bytes");
}

TEST_F(PlainDoor, closes_who_says_nothing_or_half_a_handshake) {
  make({}, {.handshake_timeout = 200ms});
  Pair whole;
  ASSERT_TRUE(becomes_true([&] { return connects(whole); })); // a busy machine may be late with it
  const auto late = events.count(Kind::refused);
  auto silent = TcpStream::connect(port);
  auto half = TcpStream::connect(port);
  half.send(client_greeting().substr(0, 40));
  const std::array<TcpStream, 2> theirs{ends.take(), ends.take()};
  EXPECT_EQ(silent.receive_all().ending, Ending::closed);
  EXPECT_NE(half.receive_all().ending, Ending::silent);
  EXPECT_TRUE(events.has(Kind::refused, late + 2));
  EXPECT_EQ(events.last(Kind::refused).text, "it did not send CAF's handshake in time");
  EXPECT_TRUE(whole.node.send(message("still here")));
  EXPECT_EQ(whole.caf.receive(message("still here").size()).bytes, message("still here"));
}

TEST_F(PlainDoor, closes_the_oldest_stranger_when_there_are_too_many) {
  make({}, {.handshake_timeout = 1h, .max_unauthenticated = 3});
  auto first = connect(); // is no stranger any more
  std::vector<TcpStream> strangers;
  for (int i = 0; i != 5; ++i) {
    strangers.push_back(TcpStream::connect(port));
    ASSERT_TRUE(becomes_true([&] { return ends.count() == static_cast<std::size_t>(i + 1); }));
  }
  EXPECT_EQ(strangers[0].receive_all().ending, Ending::closed);
  EXPECT_EQ(strangers[1].receive_all().ending, Ending::closed);
  EXPECT_EQ(strangers[2].receive(1, 200ms).ending, Ending::silent) << "it may stay";
  EXPECT_TRUE(events.has(Kind::refused, 2));
  EXPECT_EQ(events.last(Kind::refused).text,
            "it had not proved who it is when max_unauthenticated, 3, others had come after it");
  EXPECT_EQ(first.node.receive(1, 1ms).ending, Ending::silent);
}

TEST_F(PlainDoor, takes_no_more_connections_than_it_may) {
  make({}, {.handshake_timeout = 1h, .max_connections = 2});
  auto first = connect();
  auto second = connect();
  auto third = TcpStream::connect(port);
  EXPECT_NE(third.receive_all().ending, Ending::silent);
  EXPECT_EQ(events.last(Kind::refused).text, "there are max_connections, 2, already");
  first.node = {};
  ASSERT_TRUE(events.has(Kind::ended, 1));
  connect();
}

TEST_F(PlainDoor, goes_on_accepting_when_descriptors_were_short) {
  make();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  auto waiting = TcpStream::connect(port); // its descriptor is there in time
  const auto its_end = ends.take();
  ASSERT_TRUE(its_end);
  std::vector<net::Descriptor> taken;
  auto lowered = before;
  lowered.rlim_cur = descriptors() + 20;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  net::Descriptor last{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  for (net::Descriptor next{dup(0)}; next; next = net::Descriptor{dup(0)})
    taken.push_back(std::move(next));
  const auto address = net::loopback(port);
  ASSERT_EQ(::connect(last.get(), address.generic(), address.size), 0);
  TcpStream refused{std::move(last)};
  EXPECT_NE(refused.receive_all().ending, Ending::silent);
  taken.clear();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(events.last(Kind::no_descriptors).text, HasSubstr("no descriptor left"));
  connect();
}

TEST_F(PlainDoor, leaves_no_descriptor_open) {
  make();
  connect();
  ASSERT_TRUE(events.has(Kind::ended, 1));
  const auto before = descriptors();
  for (int i = 0; i != 50; ++i) {
    connect();
    TcpStream::connect(port).send(bytes_of({.operation = 9}));
    ends.take();
  }
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= before; }));
}

TEST_F(PlainDoor, takes_nobody_at_a_gate_that_was_closed_but_keeps_who_is_there) {
  make();
  auto pair = connect();
  door->close(opened.number);
  EXPECT_FALSE(ends.is_admit_kept());
  EXPECT_THROW(TcpStream::connect(port), std::system_error);
  EXPECT_TRUE(pair.node.send(message("still here")));
  EXPECT_EQ(pair.caf.receive(message("still here").size()).bytes, message("still here"));
  opened = door->open(net::loopback(port), patient_gate, ends.admit()); // it is free at once
  connect();
}

TEST_F(PlainDoor, says_which_address_it_cannot_have) {
  make();
  EXPECT_THROW(door->open(net::loopback(port), patient_gate, ends.admit()), std::system_error);
}

TEST_F(PlainDoor, closes_the_connection_of_one_whom_caf_cannot_take) {
  make();
  const auto gate = door->open(net::loopback(0), patient_gate, [](net::Descriptor, std::uint16_t) {
    throw std::runtime_error("no CAF today");
  });
  auto node = TcpStream::connect(gate.address.port());
  EXPECT_EQ(node.receive_all().ending, Ending::closed);
  EXPECT_EQ(events.last(Kind::refused).text, "this node failed: no CAF today");
  EXPECT_EQ(gate.address.host(), "127.0.0.1");
}

TEST_F(PlainDoor, joins_caf_with_a_node_that_was_connected_to) {
  make();
  Door other{{.longest_pause = 1h, .on_event = events.hook()}};
  auto wire = other.wire_to(connect_to(port), "127.0.0.1");
  ASSERT_EQ(shake_hands(*wire), net::WireState::ready);
  auto server = ends.take();
  server.send(server_greeting() + message("first"));
  const auto greeting = receive(*wire, server_greeting().size()).bytes;
  TcpStream client{other.join(std::move(wire), std::as_bytes(std::span{greeting}))};
  EXPECT_EQ(client.receive(server_greeting().size()).bytes, server_greeting());
  EXPECT_EQ(client.receive(message("first").size()).bytes, message("first"));
  client.send(client_greeting());
  EXPECT_EQ(server.receive(client_greeting().size()).bytes, client_greeting());
  EXPECT_TRUE(events.has(Kind::connected, 2));
  server.send(bytes_of({.operation = client_handshake, .destination = 0}));
  EXPECT_EQ(client.receive_all().ending, Ending::closed);
}

TEST_F(PlainDoor, ends_all_connections_after_it_stood_still) {
  door.emplace(DoorOptions{.longest_pause = 200ms, .on_event = [&](const NetworkEvent& event) {
                             events.hook()(event);
                             if (is_slow.exchange(false))
                               std::this_thread::sleep_for(1500ms);
                           }});
  opened = door->open(net::loopback(0), patient_gate, ends.admit());
  port = opened.address.port();
  // A busy machine may let it stand still at any time.
  Pair pair;
  ASSERT_TRUE(becomes_true([&] { return connects(pair); }));
  ASSERT_TRUE(becomes_true([&] { return events.count(Kind::connected) != 0; }));
  is_slow = true;
  auto second = TcpStream::connect(port);
  const auto caf = ends.take();
  second.send(bytes_of({.operation = 9})); // is told, and the hook stands still
  EXPECT_EQ(pair.caf.receive_all().ending, Ending::closed);
  EXPECT_THAT(events.last(Kind::paused).text, HasSubstr("this process stood still for "));
  EXPECT_TRUE(becomes_true([&] { return connects(pair); }));
}

TEST_F(PlainDoor, ends_with_connections_open) {
  make();
  auto pair = connect();
  auto stranger = TcpStream::connect(port);
  door.reset();
  EXPECT_NE(pair.caf.receive_all().ending, Ending::silent);
  EXPECT_NE(pair.node.receive_all().ending, Ending::silent);
  EXPECT_NE(stranger.receive_all().ending, Ending::silent);
}

} // namespace backoff_actor::door
