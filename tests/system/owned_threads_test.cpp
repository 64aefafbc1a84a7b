// Processes that want one outbox, with real threads: each waiter and each writer has its own.

#include "common/patience.hpp"
#include "system.hpp"

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;
using testing::MemoryServer;

class OwnedThreads : public System {
protected:
  // Its lease is long: on a busy machine no thread may have a turn for seconds.
  OwnedThreads() { make_server(10min); }

  SharedOutbox shared(const std::string& node) {
    return {server->store(node), durable<std::string>(), {}};
  }

  caf::actor start(const std::string& node, const DangerousActor& worker) {
    return spawn_owned_sender(*system, worker.factory(), {}, shared(node));
  }

  // Asks until the answer is no error.
  std::string ask(const caf::actor& sender, const std::string& text) {
    caf::scoped_actor self{*system};
    std::string result;
    for (int attempt = 0; attempt < 1000 && result.empty(); ++attempt) {
      self->request(sender, test::patience, text)
        .receive([&](const std::string& answer) { result = answer; },
                 [](const caf::error&) { std::this_thread::sleep_for(10ms); });
    }
    return result;
  }

  // Whether it refuses a request, because it does not own the outbox.
  bool stands_by(const caf::actor& sender) {
    caf::scoped_actor self{*system};
    bool result = false;
    self->request(sender, test::patience, std::string{"0"})
      .receive([](const std::string&) {},
               [&](const caf::error& error) { result = error == SenderError::not_owner; });
    return result;
  }

  // How long the end of an actor system takes, after `before_it`.
  std::chrono::nanoseconds time_of_end(const std::function<void()>& before_it) {
    caf::actor_system_config own_config;
    init(own_config);
    system.emplace(own_config);
    before_it();
    return test::time_of([this] { go_down(); });
  }

  void make_server(Duration lease) {
    server.emplace([] { return Instant{std::chrono::steady_clock::now().time_since_epoch()}; },
                   lease);
  }

  std::optional<MemoryServer> server;
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
  EXPECT_EQ(server->owner()->epoch, 2u);
  caf::anon_send_exit(second, caf::exit_reason::user_shutdown);
}

TEST_F(OwnedThreads, an_idle_owner_keeps_the_outbox_for_several_leases) {
  const DangerousActor worker;
  const auto is_kept_for_three = [&](Duration lease) {
    make_server(lease);
    const auto owner = start("node-a", worker);
    EXPECT_EQ(ask(owner, "1"), "1");
    std::this_thread::sleep_for(3 * lease);
    const auto result = server->owner()->epoch == 1 && server->owner()->is_alive;
    caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
    return result;
  };
  Duration lease = 1s;
  while (lease < 30s && !is_kept_for_three(lease))
    lease *= 2; // a busy machine kept it from renewing in time
  EXPECT_LT(lease, 30s);
}

TEST_F(OwnedThreads, the_end_of_one_that_stands_by_waits_for_nobody) {
  const DangerousActor worker;
  const auto try_once = [&] {
    return time_of_end([&] {
      const auto owner = start("node-a", worker);
      EXPECT_EQ(ask(owner, "1"), "1");
      const auto other = start("node-b", worker);
      EXPECT_TRUE(stands_by(other));
      caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
      caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
    });
  };
  EXPECT_LT(test::shortest_of_many(3s, try_once), 3s) << "a wait takes 5 s";
}

TEST_F(OwnedThreads, the_end_of_one_that_the_server_refuses_waits_for_nobody) {
  server->fail_sessions(StoreFailure::refused);
  const DangerousActor worker;
  const auto try_once = [&] {
    return time_of_end([&] {
      const auto refused = start("node-a", worker);
      EXPECT_TRUE(stands_by(refused));
      caf::anon_send_exit(refused, caf::exit_reason::user_shutdown);
    });
  };
  EXPECT_LT(test::shortest_of_many(3s, try_once), 3s) << "a wait takes 10 s";
}

} // namespace backoff_actor::system_test
