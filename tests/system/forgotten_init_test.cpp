// What spawns an actor of this library in a system that `init` was not called for. CAF 1.x keeps what
// `init` registers for the whole program, so that only CAF 0.17.6 can be without it in a test.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor::forgotten_init_test {

caf::behavior worker() {
  return {[](const std::string& text) { return text; }};
}

class ForgottenInit : public ::testing::Test {
protected:
  std::string thrown_by(const std::function<void()>& call) {
    try {
      call();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "nothing";
  }

  caf::actor_system_config config;
  caf::actor_system system{config};

  const std::string what_to_write =
    "backoff_actor::init was not called. Before the caf::actor_system is made, write: "
    "backoff_actor::init(config); or, with your own type-id blocks: "
    "backoff_actor::init<caf::id_block::my_app>(config);";
};

TEST_F(ForgottenInit, is_told_by_whatever_spawns_an_actor) {
  caf::scoped_actor self{system};
  const auto target = system.spawn(worker);
  const SharedGuard guard{{.circuit_breaker = CircuitBreakerOptions{}}};
  const std::vector<std::function<void()>> calls{
    [&] { (void)spawn_back_off_sender(system, worker); },
    [&] { (void)spawn_forwarder(system, worker); },
    [&] { (void)SenderBlueprint{worker}.spawn(system); },
    [&] { (void)spawn_supervisor(system, {sender_spec("a", worker)}); },
    [&] { (void)spawn_supervisor(system, {.make = dynamic_child_of(worker)}); },
    [&] { (void)start_supervisor(system, {}); },
    [&] { (void)guarded(target, guard); },
    [&] { (void)retry_request(self, target, "fixed(1ms)", {}, {}, std::string{"a"}); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i)
    EXPECT_EQ(thrown_by(calls[i]), what_to_write) << i;
  caf::anon_send_exit(target, caf::exit_reason::kill);
}

// Senders and supervisors may be spawned by actors that are not of this library.
TEST_F(ForgottenInit, is_told_to_a_parent_that_makes_the_child_itself) {
  std::string of_sender;
  std::string of_supervisor;
  {
    caf::scoped_actor self{system};
    const auto parent = system.spawn([&](caf::event_based_actor* me) -> caf::behavior {
      of_sender = thrown_by([&] { child_of(SenderBlueprint{worker})(me); });
      of_supervisor = thrown_by([&] { supervisor_spec("s", std::vector<ChildSpec>{}).make(me); });
      return {};
    });
    self->wait_for(parent);
  }
  EXPECT_EQ(of_sender, what_to_write);
  EXPECT_EQ(of_supervisor, what_to_write);
}

TEST_F(ForgottenInit, costs_nobody_anything_who_called_it) {
  caf::actor_system_config own_config;
  init(own_config);
  caf::actor_system own_system{own_config};
  const auto sender = spawn_back_off_sender(own_system, worker);
  caf::scoped_actor self{own_system};
  std::string answer;
  self->request(sender, caf::infinite, std::string{"a"})
    .receive([&](const std::string& x) { answer = x; }, [](const caf::error&) {});
  EXPECT_EQ(answer, "a");
}

} // namespace backoff_actor::forgotten_init_test
