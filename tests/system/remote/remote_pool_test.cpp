// A pool whose workers are on two other nodes. Real sockets, real time.

#include "common/patience.hpp"
#include "system/remote/remote_fixture.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace backoff_actor::remote_child_test {

namespace {

class RemotePool : public Remote {
protected:
  static ChildFactory workers_at(std::uint16_t port, const std::string& name) {
    return remote_spawn({at(port)}, "worker", caf::make_message(name), {.step_timeout = 2s});
  }

  // Starts a pool with four workers on each of two nodes.
  void start_pool(std::uint16_t one, std::uint16_t two) {
    auto options = default_options();
    options.ordering = Ordering::unordered;
    options.pool.workers = {4, 4};
    options.pool.others = {{workers_at(two, "two"), {4, 4}}};
    start(workers_at(one, "one"), options);
    ASSERT_TRUE(serve_of(4, 4));
  }

  SenderStatus status() {
    SenderStatus result;
    caf::scoped_actor self{*here.system};
    self->request(sender, caf::timespan{test::patience}, Status{})
      .receive([&](const SenderStatus& x) { result = x; },
               [](const caf::error& error) { ADD_FAILURE() << caf::to_string(error); });
    return result;
  }

  // Waits until so many workers of each node take messages.
  bool serve_of(long one, long two) {
    return becomes_true([&] {
      const auto workers = status().pool.workers;
      const auto serving = [&](std::uint32_t kind) {
        return std::count_if(workers.begin(), workers.end(), [=](const WorkerStatus& x) {
          return x.kind == kind && x.state == WorkerState::serving;
        });
      };
      return serving(0) == one && serving(1) == two;
    });
  }

  // Sends so many messages, and waits until all are acknowledged.
  void work(int messages) {
    const auto before = log.count<event::Acknowledged>();
    for (int i = 0; i < messages; ++i)
      caf::anon_send(sender, "job " + std::to_string(i));
    EXPECT_TRUE(becomes_true([&] {
      return log.count<event::Acknowledged>() == before + static_cast<std::size_t>(messages);
    }));
  }
};

} // namespace

TEST_F(RemotePool, goes_on_with_one_node_when_the_other_is_gone_and_uses_it_when_it_is_back) {
  auto one = std::make_unique<Node>();
  Node two;
  const auto port = one->open();
  start_pool(port, two.open());
  work(200);
  one.reset(); // as if it had been killed: its connections are closed
  work(200);
  EXPECT_TRUE(serve_of(0, 4));
  Node again;
  again.open(port);
  EXPECT_TRUE(serve_of(4, 4));
  work(200);
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
  stop();
}

} // namespace backoff_actor::remote_child_test
