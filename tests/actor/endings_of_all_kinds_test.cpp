// What is promised of a stop holds for each kind of actor that takes messages: letters S, E and V
// of the guarantees.

#include "owned_fixture.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <ostream>

namespace backoff_actor::actor_test {

namespace {

struct Kind {
  const char* name;
  bool is_owned;
  bool is_below; // a supervisor, which is told to stop
  std::uint32_t workers;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

constexpr Kind kinds[] = {{"sender", false, false, 1},    {"pool", false, false, 2},
                          {"owned", true, false, 1},      {"owned_pool", true, false, 2},
                          {"below", false, true, 1},      {"pool_below", false, true, 2},
                          {"owned_below", true, true, 1}, {"owned_pool_below", true, true, 2}};

} // namespace

class EndingsOfAllKinds : public OwnedTest, public ::testing::WithParamInterface<Kind> {
protected:
  void start_kind(FaultPlan faults) {
    danger = DangerousActor{std::move(faults)};
    auto options = default_options();
    options.kill_grace = 5s;
    options.on_event = log.hook();
    if (GetParam().workers > 1) {
      options.pool.workers = {GetParam().workers, GetParam().workers};
      options.ordering = Ordering::unordered;
    } else {
      options.max_in_flight = 1;
    }
    const auto make = [this, options](caf::actor_system& system) {
      return GetParam().is_owned
               ? spawn_owned_sender(system, danger.factory(), options, shared("node-a"))
               : spawn_back_off_sender(system, danger.factory(), options);
    };
    if (GetParam().is_below) {
      ChildSpec spec;
      spec.id = "s";
      spec.options.shutdown = Shutdown::within(20s);
      spec.make = [this, make](caf::event_based_actor* self) {
        return sender = make(self->system());
      };
      root = time.keep(spawn_supervisor(time.system(), {std::move(spec)}));
    } else {
      root = sender = time.keep(make(time.system()));
    }
    time.run();
  }

  std::shared_ptr<testing::Answer<Stopped>> stop(Duration grace) {
    auto answer = time.ask<Stopped>(root, Stop{grace});
    time.run();
    return answer;
  }

  // What was not done: an owned outbox keeps it.
  Stopped stopped(std::uint64_t done, std::uint64_t left) const {
    return GetParam().is_owned ? Stopped{done, left, 0, 0} : Stopped{done, 0, left, 0};
  }

  void TearDown() override {
    sender = nullptr;
    time.stop(root);
    OwnedTest::TearDown();
  }

  caf::actor root;
};

INSTANTIATE_TEST_SUITE_P(kinds, EndingsOfAllKinds, ::testing::ValuesIn(kinds),
                         [](const auto& x) { return std::string{x.param.name}; });

TEST_P(EndingsOfAllKinds, finish_what_is_in_flight_and_take_nothing_new) {
  start_kind({{testing::slow(1s)}});
  const auto first = ask("a");
  const auto end = watch_end_of(root);
  const auto answer = stop(30s);
  EXPECT_EQ(*ask("b")->error, make_error(SenderError::draining));
  time.advance(1s - 1ns);
  EXPECT_FALSE(first->is_ready() || answer->is_ready() || *end);
  time.advance(1ns);
  EXPECT_EQ(first->value, "a");
  EXPECT_EQ(answer->value, stopped(1, 0));
  EXPECT_THAT(danger.texts(), ElementsAre("a"));
  EXPECT_EQ(danger.alive(), 0u);
  ASSERT_TRUE(*end);
  EXPECT_FALSE(**end);
}

TEST_P(EndingsOfAllKinds, retry_nothing_and_count_what_is_left) {
  start_kind({{testing::slow(1s), testing::silence()}, {testing::slow(1s)}});
  for (const auto* const text : {"a", "b", "c", "d"})
    ask(text);
  const auto answer = stop(30s);
  const auto workers = danger.started();
  time.tell(danger.child(), caf::exit_msg{{}, caf::make_error(caf::sec::runtime_error)});
  time.advance(1s);
  EXPECT_EQ(answer->value, stopped(GetParam().workers - 1, 5 - GetParam().workers));
  EXPECT_EQ(danger.started(), workers) << "no other worker was made";
}

TEST_P(EndingsOfAllKinds, kill_a_worker_that_hangs_when_the_grace_is_over) {
  start_kind({{testing::silence()}});
  const auto first = ask("a");
  const auto answer = stop(3s);
  time.advance(3s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  EXPECT_GE(danger.alive(), 1u);
  time.advance(1ns);
  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_EQ(answer->value, stopped(0, 1));
  EXPECT_TRUE(first->error);
}

TEST_P(EndingsOfAllKinds, abandon_a_worker_that_cannot_be_killed) {
  start_kind({{testing::silence()}});
  ask("a");
  const auto child = danger.child();
  time.freeze(child);
  const auto answer = stop(3s);
  time.advance(1min);
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->abandoned, 1u);
  time.thaw(child);
}

TEST_P(EndingsOfAllKinds, heed_the_shortest_of_several_graces_and_answer_each) {
  start_kind({{testing::silence()}});
  ask("a");
  const auto first = stop(30s);
  const auto second = stop(3s);
  const auto third = stop(60s);
  time.advance(3s);
  for (const auto& answer : {first, second, third})
    EXPECT_EQ(answer->value, stopped(0, 1));
}

// Without a grace: the worker is asked to end, and answers that it still gives count.
TEST_P(EndingsOfAllKinds, end_after_their_workers_when_they_are_told_to_end) {
  start_kind({{testing::slow(1s)}});
  ask("a");
  const auto end = watch_end_of(root);
  const auto child = danger.child();
  time.freeze(child);
  time.tell(root, caf::exit_msg{{}, caf::exit_reason::user_shutdown});
  time.advance(GetParam().is_below ? 12s : 4s); // the spec limits it, not `kill_grace`
  EXPECT_FALSE(*end);
  time.thaw(child);
  time.run();
  ASSERT_TRUE(*end);
  EXPECT_EQ(**end, caf::error{caf::exit_reason::user_shutdown});
  EXPECT_EQ(danger.alive(), 0u);
}

// `GracefulShutdown` stops what says so with a grace, and supervisors do.
TEST_P(EndingsOfAllKinds, say_that_they_can_finish) {
  start_kind({});
  for (const auto& actor : {root, sender}) {
    const auto* const own =
      compat::RequestingActorBase::own_kind(caf::actor_cast<caf::strong_actor_ptr>(actor));
    ASSERT_NE(own, nullptr);
    EXPECT_TRUE(own->can_finish_work());
  }
}

} // namespace backoff_actor::actor_test
