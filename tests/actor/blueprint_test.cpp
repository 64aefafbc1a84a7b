// Senders that share what they are made of, and children that are started on first use.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class Blueprints : public SenderTest {
protected:
  caf::actor spawn(const SenderBlueprint& blueprint) {
    return time.keep(blueprint.spawn(time.system()));
  }

  std::string ask(const caf::actor& whom, const std::string& text) {
    const auto answer = time.ask<std::string>(whom, text);
    time.advance(1h);
    return answer->value.value_or("nothing");
  }

  SenderStatus status_of(const caf::actor& whom) {
    const auto answer = time.ask<SenderStatus>(whom, Status{});
    time.run();
    return answer->value.value();
  }
};

TEST_F(Blueprints, make_senders_that_work_each_with_a_child_of_its_own) {
  const DangerousActor worker;
  const SenderBlueprint blueprint{worker.factory(), default_options()};
  const auto one = spawn(blueprint);
  const auto other = spawn(blueprint);

  EXPECT_EQ(ask(one, "a"), "a");
  EXPECT_EQ(ask(other, "b"), "b");
  EXPECT_EQ(worker.started(), 2u);
  EXPECT_EQ(status_of(one).counters.acknowledged, 1u);
  EXPECT_EQ(status_of(other).counters.acknowledged, 1u);
}

TEST_F(Blueprints, outlive_a_sender_that_has_ended) {
  const DangerousActor worker;
  const SenderBlueprint blueprint{worker.factory(), default_options()};
  auto one = blueprint.spawn(time.system());
  time.run();
  time.stop(one);
  time.run();
  EXPECT_EQ(worker.alive(), 0u);

  EXPECT_EQ(ask(spawn(blueprint), "a"), "a");
}

TEST_F(Blueprints, need_not_outlive_their_senders) {
  auto blueprint =
    std::make_unique<SenderBlueprint>(DangerousActor{"crash*2"}.factory(), default_options());
  const auto one = spawn(*blueprint);
  blueprint = nullptr;

  EXPECT_EQ(ask(one, "a"), "a");
}

TEST_F(Blueprints, of_many_devices_start_those_that_are_used) {
  auto& system = time.system();
  // [blueprint]
  SenderOptions options;
  options.rare.child_start = FirstStart::on_first_use;
  const SenderBlueprint device{child_of<Echo>(), options};
  std::vector<caf::actor> devices(1000);
  for (auto& one : devices)
    one = device.spawn(system);
  // [blueprint]
  for (const auto& one : devices)
    time.keep(one);
  time.run();

  EXPECT_EQ(ask(devices[7], "a"), "a");
  EXPECT_EQ(status_of(devices[7]).incarnation, 1u);
  EXPECT_EQ(status_of(devices[8]).incarnation, 0u);
}

// -- started on first use --------------------------------------------------------------------

class FirstUse : public SenderTest {
protected:
  static SenderOptions on_first_use() {
    auto options = default_options();
    options.rare.child_start = FirstStart::on_first_use;
    return options;
  }

  caf::actor child_of_sender() {
    const auto answer = time.ask<ChildHandle>(sender, CurrentChild{});
    time.run();
    return answer->value.value().child;
  }
};

TEST_F(FirstUse, no_child_is_made_before_the_first_message) {
  start({}, on_first_use());
  time.advance(1h);
  EXPECT_EQ(danger.started(), 0u);
  EXPECT_EQ(status().phase, Phase::starting);
  EXPECT_FALSE(child_of_sender());

  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(danger.started(), 1u);
  EXPECT_EQ(status().phase, Phase::running);
  EXPECT_TRUE(child_of_sender());
}

} // namespace backoff_actor::actor_test
