// Processes that want one outbox, with real threads: each waiter and each writer has its own.

#include "system.hpp"

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;
using testing::MemoryServer;

class OwnedThreads : public System {
protected:
  SharedOutbox shared(const std::string& node) {
    return {server.store(node), durable<std::string>(), {}};
  }

  caf::actor start(const std::string& node, const DangerousActor& worker) {
    return spawn_owned_sender(*system, worker.factory(), {}, shared(node));
  }

  // Asks until the answer is no error.
  std::string ask(const caf::actor& sender, const std::string& text) {
    caf::scoped_actor self{*system};
    std::string result;
    for (int attempt = 0; attempt < 1000 && result.empty(); ++attempt) {
      self->request(sender, 10s, text)
        .receive([&](const std::string& answer) { result = answer; },
                 [](const caf::error&) { std::this_thread::sleep_for(10ms); });
    }
    return result;
  }

  // Whether it refuses a request, because it does not own the outbox.
  bool stands_by(const caf::actor& sender) {
    caf::scoped_actor self{*system};
    bool result = false;
    self->request(sender, 10s, std::string{"0"})
      .receive([](const std::string&) {},
               [&](const caf::error& error) { result = error == SenderError::not_owner; });
    return result;
  }

  static constexpr auto lease = 1s; // a shorter one runs out if the machine is busy

  MemoryServer server{[] { return Instant{std::chrono::steady_clock::now().time_since_epoch()}; },
                      lease};
};

} // namespace

TEST_F(OwnedThreads, one_that_stands_by_goes_on_when_the_owner_stops) {
  const DangerousActor worker;
  auto first = start("node-a", worker);
  EXPECT_EQ(ask(first, "1"), "1");
  const auto second = start("node-b", worker);
  EXPECT_TRUE(stands_by(second));
  caf::anon_send_exit(first, caf::exit_reason::user_shutdown);
  first = nullptr;
  EXPECT_EQ(ask(second, "2"), "2");
  EXPECT_EQ(server.owner()->epoch, 2u);
  caf::anon_send_exit(second, caf::exit_reason::user_shutdown);
}

TEST_F(OwnedThreads, an_idle_owner_keeps_the_outbox_for_several_leases) {
  const DangerousActor worker;
  const auto owner = start("node-a", worker);
  EXPECT_EQ(ask(owner, "1"), "1");
  std::this_thread::sleep_for(3 * lease);
  EXPECT_EQ(server.owner()->epoch, 1u);
  EXPECT_TRUE(server.owner()->is_alive);
  caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
}

TEST_F(OwnedThreads, the_end_of_one_that_stands_by_waits_for_nobody) {
  const DangerousActor worker;
  auto owner = start("node-a", worker);
  EXPECT_EQ(ask(owner, "1"), "1");
  auto other = start("node-b", worker);
  EXPECT_TRUE(stands_by(other));
  caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
  owner = other = nullptr;
  go_down_within(3s);
}

TEST_F(OwnedThreads, the_end_of_one_that_the_server_refuses_waits_for_nobody) {
  server.fail_sessions(StoreFailure::refused);
  const DangerousActor worker;
  auto refused = start("node-a", worker);
  EXPECT_TRUE(stands_by(refused));
  caf::anon_send_exit(refused, caf::exit_reason::user_shutdown);
  refused = nullptr;
  go_down_within(3s);
}

} // namespace backoff_actor::system_test
