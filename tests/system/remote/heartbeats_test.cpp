// A node from which nothing comes any more, over a connection that stays open.

#include "common/patience.hpp"
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

// Whether a connection stays for three timeouts in which nothing is said, and is given up in time
// when it is stalled. If the machine is busy for as long, that is taken for a stalled line.
bool all_is_noticed(Duration timeout) {
  const Duration interval = timeout / 6;
  const NetworkOptions options{.heartbeat_interval = interval, .connection_timeout = timeout};
  Node node{options};
  Node peer{options};
  Line line{peer.publish_clerk()};
  const auto connected = io_compat::connected(connect(*node.system, line.port()));
  if (!connected || !connected->published)
    return false;

  caf::scoped_actor self{*node.system};
  self->monitor(connected->published);
  std::optional<caf::error> down;
  const auto wait = [&](Duration span) {
    self->receive([&](const caf::down_msg& x) { down = x.reason; },
                  caf::after(caf::timespan{span}) >> [] {});
  };
  wait(3 * timeout);
  if (down)
    return false;

  line.stall();
  const auto begin = Clock::now();
  wait(test::patience);
  const auto took = Clock::now() - begin;
  if (!down)
    return false;
  EXPECT_EQ(*down, caf::exit_reason::remote_link_unreachable);
  std::cout << "timeout " << to_string(timeout) << ", noticed after " << to_string(Duration{took})
            << '\n';
  // The last heartbeat got through up to an interval before.
  return took >= timeout - interval - 10ms && took < timeout + interval + 2s;
}

} // namespace

TEST(Heartbeats, keep_an_idle_connection_and_notice_a_stalled_one_in_time) {
  Duration timeout = 600ms;
  while (timeout < 20s && !all_is_noticed(timeout))
    timeout *= 2; // the machine is busy
  EXPECT_LT(timeout, 20s);
}

} // namespace backoff_actor::remote_test
