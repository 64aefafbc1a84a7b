// A node from which nothing comes any more, over a connection that stays open.

#include "common/tcp_server.hpp"
#include "system/remote/nodes.hpp"

#include <caf/after.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/system_messages.hpp>

#include <array>
#include <atomic>
#include <poll.h>

namespace backoff_actor::remote_test {

namespace {

using Clock = std::chrono::steady_clock;

// A line to a service at 127.0.0.1 that can be stalled: then its connections stay open, and nothing
// gets through.
class Line {
public:
  explicit Line(std::uint16_t service)
    : server_([this, service](TcpStream& client) { serve(client, service); }) {}

  ~Line() { is_over_ = true; }

  std::uint16_t port() const { return server_.port(); }
  void stall() { is_stalled_ = true; }

private:
  void serve(TcpStream& client, std::uint16_t service_port) {
    auto service = TcpStream::connect(service_port);
    while (!is_over_) {
      const short events = is_stalled_ ? 0 : POLLIN;
      std::array<pollfd, 2> asked{{{client.get(), events, 0}, {service.get(), events, 0}}};
      poll(asked.data(), asked.size(), 5); // ms: how soon it sees that it is stalled
      if (is_stalled_)
        continue;
      if ((asked[0].revents != 0 && !test::pass_on(client, service))
          || (asked[1].revents != 0 && !test::pass_on(service, client)))
        return;
    }
  }

  std::atomic<bool> is_stalled_ = false;
  std::atomic<bool> is_over_ = false;
  test::TcpServer server_; // before all else it goes
};

} // namespace

TEST(Heartbeats, keep_an_idle_connection_and_notice_a_stalled_one_in_time) {
  // A machine that is busy for the difference would be taken for a stalled line.
  const NetworkOptions options{.heartbeat_interval = 100ms, .connection_timeout = 600ms};
  Node node{options};
  Node peer{options};
  Line line{peer.publish_clerk()};
  const auto connected = remote_test::connected(*node.system, line.port());
  ASSERT_TRUE(connected && connected->published);

  caf::scoped_actor self{*node.system};
  self->monitor(connected->published);
  std::optional<caf::error> down;
  const auto wait = [&](Duration span) {
    self->receive([&](const caf::down_msg& x) { down = x.reason; },
                  caf::after(caf::timespan{span}) >> [] {});
  };
  wait(1800ms);
  ASSERT_FALSE(down) << "nothing was said for three timeouts, but the heartbeats: "
                     << caf::to_string(*down);

  line.stall();
  const auto begin = Clock::now();
  wait(20s);
  const auto took = Clock::now() - begin;
  ASSERT_TRUE(down);
  EXPECT_EQ(*down, caf::exit_reason::remote_link_unreachable);
  // The last heartbeat got through up to an interval before, and a busy machine may be late.
  EXPECT_GE(took, 600ms - 100ms - 10ms);
  EXPECT_LT(took, 600ms + 100ms + 2s);
  std::printf(
    "noticed after %ld ms\n",
    static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
}

} // namespace backoff_actor::remote_test
