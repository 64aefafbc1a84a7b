// Several processes want one outbox: one owns it, and another takes over when it ends.

#include "owned_fixture.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>

namespace backoff_actor::actor_test {

using OwnedTakeOver = OwnedTest;

TEST_F(OwnedTakeOver, the_first_process_owns_and_the_others_say_who_it_is) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");

  EXPECT_EQ(ask_process(a, "x")->value, "x");
  const auto refused = ask_process(b, "y");

  EXPECT_EQ(owner(), "node-a, epoch 1");
  ASSERT_TRUE(refused->error);
  EXPECT_THAT(refused->error_text, HasSubstr("not_owner"));
  EXPECT_THAT(refused->error_text, HasSubstr("node-a owns memory"));
  EXPECT_THAT(b.danger.texts(), IsEmpty());
  EXPECT_THAT(notices("node-a"), ElementsAre("memory: this process owns it now"));
}

TEST_F(OwnedTakeOver, a_plain_send_to_a_process_that_stands_by_is_reported) {
  start_process("node-a");
  const auto& b = start_process("node-b");

  time.tell(b.sender, std::string{"lost"});
  time.run();

  const auto events = log.of("node-b").all<event::NotAccepted>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].refusal, Refusal::not_owner);
  EXPECT_EQ(events[0].at, time.now());
}

TEST_F(OwnedTakeOver, what_a_dead_process_owed_is_delivered_by_the_next) {
  const auto& a = start_process("node-a", {testing::hang()});
  const auto& b = start_process("node-b");
  for (const auto* text : {"1", "2", "3"})
    EXPECT_TRUE(submit_to(a, text)->value);

  die("node-a");
  time.advance(1s);

  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(a.danger.texts(), ElementsAre("1"));
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

TEST_F(OwnedTakeOver, a_job_goes_on_where_the_dead_process_was) {
  const auto notes = std::make_shared<Strings>();
  const ChildFactory factory = [notes](caf::event_based_actor* self) {
    return self->spawn<HandMade>([notes](caf::event_based_actor* child, const TrackedMsg& job) {
      notes->push_back(job.note);
      compat::send(*child, caf::actor_cast<caf::actor>(child->current_sender()),
                   Working{job.id, job.note + "row "});
      return caf::message{};
    });
  };
  const auto& a = start_process("node-a", factory, by_sent(), shared("node-a"));
  start_process("node-b", factory, by_sent(), shared("node-b"));
  EXPECT_TRUE(submit_to(a, "import")->value);
  time.advance(100ms);

  die("node-a");
  time.advance(1s);

  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(*notes, ElementsAre("", "row "));
}

TEST_F(OwnedTakeOver, another_actor_system_takes_over_when_one_ends) {
  auto other = std::make_unique<VirtualTime>(register_test_types);
  auto outbox = shared("node-a");
  outbox.options.wall_clock = [] { return WallTime{midnight}; };
  const DangerousActor worker{FaultPlan{testing::hang()}};
  const auto first = other->keep(
    spawn_owned_sender(other->system(), worker.factory(), default_options(), std::move(outbox)));
  other->run();
  const auto& b = start_process("node-b");
  Submit submission;
  submission.message = caf::make_message(std::string{"x"});
  submission.answer_when_accepted = true;
  const auto accepted = other->ask<Accepted>(first, std::move(submission));
  other->run();
  EXPECT_TRUE(accepted->value);

  other = nullptr;
  time.advance(1s);

  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), ElementsAre("x"));
}

TEST_F(OwnedTakeOver, a_disowned_process_ends_its_child_tells_its_clients_and_stands_by) {
  const auto& a = start_process("node-a", {testing::hang()});
  start_process("node-b");
  const auto waits = ask_process(a, "x");
  server.cut_off("node-a");
  time.advance(10s);
  ASSERT_EQ(owner(), "node-b, epoch 2");
  EXPECT_FALSE(waits->is_ready());
  EXPECT_EQ(a.danger.alive(), 1u) << "nobody has told this process";

  server.connect_again("node-a");
  time.advance(20s);

  EXPECT_EQ(a.danger.alive(), 0u);
  EXPECT_THAT(waits->error_text, HasSubstr("suspended"));
  EXPECT_THAT(ask_process(a, "y")->error_text, HasSubstr("node-b owns memory"));
  EXPECT_THAT(notices("node-a"), ::testing::Contains("memory: this process owns it no longer"));

  die("node-b");
  time.advance(1s);
  EXPECT_EQ(owner(), "node-a, epoch 3");
  EXPECT_EQ(ask_process(a, "z")->value, "z");
}

TEST_F(OwnedTakeOver, no_commit_of_a_stale_owner_is_made) {
  auto faults = FaultPlan{testing::slow(1s), testing::slow(20s)};
  const auto& a = start_process("node-a", faults);
  start_process("node-b");
  EXPECT_TRUE(submit_to(a, "1")->value);
  EXPECT_TRUE(submit_to(a, "2")->value);
  time.advance(1s);
  server.cut_off("node-a");
  time.advance(10s);
  server.connect_again("node-a"); // its child acknowledges the second one later
  time.advance(1min);

  std::uint64_t highest = 0;
  for (const auto& commit : server.commits()) {
    EXPECT_GE(commit.epoch, highest);
    EXPECT_EQ(commit.node, commit.epoch == 1 ? "node-a" : "node-b");
    highest = std::max(highest, commit.epoch);
  }
  EXPECT_EQ(highest, 2u);
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

TEST_F(OwnedTakeOver, an_owner_that_stops_with_a_grace_leaves_nothing_to_do_twice) {
  auto options = default_options();
  options.max_in_flight = 1;
  const auto& a = start_process("node-a", {testing::slow(2s)}, options);
  const auto& b = start_process("node-b");
  EXPECT_TRUE(submit_to(a, "1")->value);
  EXPECT_TRUE(submit_to(a, "2")->value);

  const auto stopped = time.ask<Stopped>(a.sender, Stop{10s});
  time.advance(4s);

  ASSERT_TRUE(stopped->value);
  EXPECT_EQ(stopped->value->acknowledged, 1u);
  EXPECT_EQ(stopped->value->suspended, 1u);
  EXPECT_THAT(a.danger.texts(), ElementsAre("1"));
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), ElementsAre("2"));
}

TEST_F(OwnedTakeOver, the_child_of_an_owner_gets_its_epoch) {
  std::vector<std::uint64_t> epochs;
  const auto noting = [&](caf::event_based_actor* self) {
    return self->spawn<HandMade>([&](auto*, const TrackedMsg& x) {
      epochs.push_back(x.epoch);
      return caf::make_message(sent(x, x.payload.get_as<std::string>(0)));
    });
  };
  const auto& a = start_process("node-a", noting, by_sent(), shared("node-a"));
  const auto& b = start_process("node-b", noting, by_sent(), shared("node-b"));
  ask_process(a, "1");
  die("node-a");
  time.advance(1s);
  ask_process(b, "2");
  EXPECT_THAT(epochs, ElementsAre(1, 2));
}

TEST_F(OwnedTakeOver, a_process_that_does_not_know_the_types_says_so_and_does_not_keep_the_outbox) {
  const auto& a = start_process("node-a", {testing::hang()});
  EXPECT_TRUE(submit_to(a, "x")->value);
  std::vector<StoreFailure> failures;
  auto outbox = shared("node-b");
  outbox.types = durable<std::int32_t>();
  outbox.options.on_error = [&](const StoreError& error) { failures.push_back(error.failure()); };
  start_process("node-b", DangerousActor{}.factory(), default_options(), outbox);

  die("node-a");
  time.advance(1s);

  EXPECT_THAT(failures, ElementsAre(StoreFailure::incompatible));
  ASSERT_EQ(notices("node-b").size(), 1u);
  EXPECT_THAT(notices("node-b")[0], HasSubstr("which this program does not list as durable types"));
  EXPECT_EQ(owner(), "(node-b, epoch 2)");

  const auto& c = start_process("node-c");
  time.run();
  EXPECT_EQ(owner(), "node-c, epoch 3");
  EXPECT_THAT(c.danger.texts(), ElementsAre("x"));
}

TEST_F(OwnedTakeOver, a_server_that_is_away_is_asked_again_sooner_than_one_that_refuses) {
  std::vector<StoreFailure> failures;
  auto outbox = shared("node-a");
  outbox.options.on_error = [&](const StoreError& error) {
    failures.push_back(error.failure());
    throw std::runtime_error("the callback fails, too");
  };
  server.fail_sessions(StoreFailure::refused);
  start_process("node-a", DangerousActor{}.factory(), default_options(), outbox);
  time.advance(9999ms);
  EXPECT_THAT(failures, ElementsAre(StoreFailure::refused)) << "a server may lock the user out";
  time.advance(1ms);
  EXPECT_EQ(failures.size(), 2u);

  server.fail_sessions({});
  server.crash();
  failures.clear();
  time.advance(11s);
  EXPECT_GE(failures.size(), 2u);
  EXPECT_EQ(failures.back(), StoreFailure::unreachable);
  EXPECT_THAT(notices("node-a"), ::testing::Contains("memory: the server does not answer"));

  server.start_again();
  time.advance(10s);
  EXPECT_EQ(owner(), "node-a, epoch 1");
}

// A store whose lock somebody holds who is no owner.
class Held final : public SharedStore {
public:
  Held(std::shared_ptr<SharedStore> store, std::shared_ptr<const std::string> held_by)
    : store_(std::move(store)), held_by_(std::move(held_by)) {}
  std::string name() const override { return store_->name(); }
  std::shared_ptr<OwnedStore> own(Duration at_most) override {
    return held_by_->empty() ? store_->own(at_most) : nullptr;
  }
  std::optional<StoreOwner> owner() override { return StoreOwner{.held_by = *held_by_}; }
  void interrupt() override { store_->interrupt(); }

private:
  const std::shared_ptr<SharedStore> store_;
  const std::shared_ptr<const std::string> held_by_;
};

TEST_F(OwnedTakeOver, a_stranger_that_keeps_all_from_an_outbox_is_told_once) {
  const auto held_by = std::make_shared<std::string>("process 7 of user bob");
  auto outbox = shared("node-a");
  outbox.store = std::make_shared<Held>(outbox.store, held_by);
  const auto& a = start_process("node-a", DangerousActor{}.factory(), default_options(), outbox);
  EXPECT_THAT(notices("node-a"), IsEmpty()) << "it may be a new owner";
  time.advance(10s);
  const auto text =
    "memory: process 7 of user bob holds its lock and is no owner, so nobody can own it";
  EXPECT_THAT(notices("node-a"), ElementsAre(text));
  EXPECT_THAT(ask_process(a, "x")->error_text,
              HasSubstr("memory has no owner yet: process 7 of user bob holds its lock"));
  held_by->clear();
  time.advance(2s);
  EXPECT_EQ(owner(), "node-a, epoch 1");
}

TEST_F(OwnedTakeOver, refuses_options_that_are_wrong) {
  auto options = default_options();
  options.outbox = {std::make_shared<MemoryStore>(), durable<std::string>(), writing()};
  options.capacity = 0;
  auto outbox = shared("node-a");
  outbox.store = nullptr;
  outbox.options.max_batch = 0;
  try {
    const auto none = spawn_owned_sender(time.system(), {}, options, outbox);
    FAIL() << "was taken";
  } catch (const InvalidArgument& error) {
    for (const auto* text :
         {"capacity", "outbox", "make_child", "shared.store", "shared.options.max_batch"})
      EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

} // namespace backoff_actor::actor_test
