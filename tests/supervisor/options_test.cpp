// What is wrong with options is said before anything is started, all together.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorOptionsCheck : public SupervisorTest {
protected:
  template <class Call>
  static std::string problems_of(Call call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(SupervisorOptionsCheck, name_every_field_of_every_child) {
  auto children = specs("aba");
  children[1].make = nullptr;
  children[1].options.restart_limit = RestartLimit{1, 0s};
  children[2].options.healthy_after = -1s;
  children[2].options.start_timeout = 1s;
  children.push_back(spec(""));
  children.back().options.is_significant = true;
  children.back().options.when_given_up = GivenUp::escalate;
  SupervisorOptions options;
  options.restart_limit = RestartLimit{2'000'000, 1s};
  options.kill_grace = -1s;
  EXPECT_EQ(
    problems_of([&] { return spawn_supervisor(time.system(), children, options); }),
    "SupervisorOptions: restart_limit.max_restarts: got 2000000, allowed 0..1000000\n"
    "SupervisorOptions: kill_grace: got -1s, allowed 0ns or more\n"
    "SupervisorOptions: children[1] (b).make: got an empty function, allowed a function that "
    "returns a fresh actor\n"
    "SupervisorOptions: children[1] (b).options.restart_limit.within: got 0ns, allowed more than "
    "0ns\n"
    "SupervisorOptions: children[2] (a).options.healthy_after: got -1s, allowed more than 0ns\n"
    "SupervisorOptions: children[2] (a).options.start_timeout: got 1s, allowed only with "
    "Readiness::when_it_is_up\n"
    "SupervisorOptions: children[2] (a).id: got a, allowed an id that no earlier child has\n"
    "SupervisorOptions: children[3].id: got an empty text, allowed a text that names the child\n"
    "SupervisorOptions: children[3].options.when_given_up: got escalate, allowed only with a "
    "restart_limit of its "
    "own\n"
    "SupervisorOptions: children[3].options.is_significant: got true, allowed only where restart "
    "is transient or "
    "temporary\n"
    "SupervisorOptions: children[3].options.is_significant: got true, allowed false, unless "
    "auto_shutdown is set");
  EXPECT_THAT(news(), IsEmpty());
}

TEST_F(SupervisorOptionsCheck, name_every_field_of_a_dynamic_supervisor) {
  DynamicSupervisorOptions options;
  options.max_children = 0;
  options.child.shutdown = Shutdown::within(-1s);
  options.supervisor.strategy = Strategy::rest_for_one;
  options.supervisor.auto_shutdown = AutoShutdown::any_significant;
  EXPECT_EQ(problems_of([&] { return spawn_supervisor(time.system(), options); }),
            "DynamicSupervisorOptions: make: got an empty function, allowed a function that "
            "returns a fresh actor\n"
            "DynamicSupervisorOptions: child.shutdown: got within -1s, allowed more than 0ns; "
            "Shutdown::at_once() kills without "
            "asking\n"
            "DynamicSupervisorOptions: max_children: got 0, allowed 1 or more\n"
            "DynamicSupervisorOptions: supervisor.strategy: got rest_for_one, allowed one_for_one: "
            "the children of a dynamic "
            "supervisor have no order\n"
            "DynamicSupervisorOptions: supervisor.auto_shutdown: got set, allowed never, unless "
            "child.is_significant is true");
}

TEST_F(SupervisorOptionsCheck, refuse_one_address_for_two_children) {
  const ChildRef ref{time.system()};
  auto children = specs("ab");
  children[0].address = ref;
  children[1].address = ref;
  EXPECT_EQ(problems_of([&] { supervisor_spec("s", children); }),
            "SupervisorOptions: children[1] (b).address: got that of another child, allowed an "
            "address of its own");
}

} // namespace
} // namespace backoff_actor::actor_test
