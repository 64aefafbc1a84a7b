// What spawns an actor of this library in a system that `init` was not called for. CAF 1.x keeps
// what `init` registers for the whole program, so that only CAF 0.17.6 can be without it in a test.

#include "fixture.hpp"

#include <backoff_actor/caf/compat/internal/virtual_system.hpp>

#include <caf/scoped_actor.hpp>

namespace backoff_actor::actor_test {

class ForgottenInit : public ::testing::Test {
protected:
  static caf::behavior worker() {
    return {[](const std::string& text) { return text; }};
  }

  static std::string thrown_by(const std::function<void()>& call) {
    try {
      call();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "nothing";
  }

  void run() {
    while (time.step())
      continue;
  }

  compat::VirtualSystem time{[](caf::actor_system_config&) {}};
  caf::actor_system& system = time.system();

  const std::string what_to_write =
    "backoff_actor::init was not called. Before the caf::actor_system is made, write: "
    "backoff_actor::init(config); or, with your own type-id blocks: "
    "backoff_actor::init<caf::id_block::my_app>(config);";
};

TEST_F(ForgottenInit, is_told_by_whatever_spawns_an_actor) {
  {
    caf::scoped_actor self{system};
    const caf::actor target = system.spawn<Echo>();
    const SharedGuard guard{{.circuit_breaker = CircuitBreakerOptions{}}};
    const std::vector<std::function<void()>> calls{
      [&] { (void)spawn_back_off_sender(system, worker); },
      [&] { (void)SenderBlueprint{worker}.spawn(system); },
      [&] { (void)spawn_supervisor(system, std::vector{sender_spec("a", worker)}); },
      [&] { (void)spawn_supervisor(system, {.make = dynamic_child_of(worker)}); },
      [&] { (void)start_supervisor(system, {}); },
      [&] { (void)guarded(target, guard); },
      [&] { (void)retry_request(self, target, "fixed(1ms)", {}, {}, std::string{"a"}); },
    };
    for (std::size_t i = 0; i < calls.size(); ++i)
      EXPECT_EQ(thrown_by(calls[i]), what_to_write) << i;
    caf::anon_send_exit(target, caf::exit_reason::kill);
  }
  run();
}

// Senders and supervisors may be spawned by actors that are not of this library.
TEST_F(ForgottenInit, is_told_to_a_parent_that_makes_the_child_itself) {
  std::string of_sender;
  std::string of_supervisor;
  system.spawn<Caller>([&](caf::event_based_actor* parent) {
    of_sender = thrown_by([&] { child_of(SenderBlueprint{worker})(parent); });
    of_supervisor = thrown_by([&] { supervisor_spec("s", std::vector<ChildSpec>{}).make(parent); });
  });
  run();

  EXPECT_EQ(of_sender, what_to_write);
  EXPECT_EQ(of_supervisor, what_to_write);
}

} // namespace backoff_actor::actor_test
