// The dead letters that are there are seen: as numbers, and when a sender begins.

#include "durable_fixture.hpp"

#include "backoff_actor/sinks/internal/operator.hpp"
#include "common/metric_value.hpp"

#include <stdexcept>

namespace backoff_actor::actor_test {

using testing::value_of;

class LettersSeen : public DurableTest {
protected:
  // The first failure of a message is its last.
  SenderOptions giving_up() const {
    auto options = default_options();
    options.name = "charger";
    options.observed_by = observatory;
    options.max_attempts = 1;
    options.charging = Charging::every_failure();
    return options;
  }

  void open_charges() {
    auto options = durable_options();
    options.name = "charges";
    options.observed_by = observatory;
    outbox = {store, durable<std::string>(), options};
  }

  void start_with_charges(FaultPlan faults) {
    open_charges();
    start(std::move(faults), with(outbox, giving_up()));
    time.run();
  }

  std::optional<double> kept_in(const char* where) {
    return value_of(observatory.metrics(time.now()), "backoff_dead_letters",
                    {{"sender", "charger"}, {"kept_in", where}});
  }

  std::optional<double> in_the_outbox() {
    return value_of(observatory.metrics(time.now()), "backoff_outbox_dead_letters",
                    {{"outbox", "charges"}});
  }

  void remove(std::vector<std::uint64_t> ids) { outbox.remove_dead_letters(ids); }

  Observatory observatory;
};

TEST_F(LettersSeen, in_memory_until_an_operator_removes_them) {
  const Operator anna{observatory, [](const OperatorEvent&) {}};
  start(testing::times(2, testing::crash()), giving_up());
  time.run();
  EXPECT_EQ(kept_in("memory"), 0);
  submit("a");
  time.advance(1min);
  submit("b");
  EXPECT_EQ(kept_in("memory"), 2);
  EXPECT_EQ(kept_in("outbox"), std::nullopt);

  const ActorName charger{"charger", sender.id()};
  anna.remove("anna", charger, {1, {}});
  EXPECT_EQ(kept_in("memory"), 1);
  anna.remove("anna", charger, {2, {}});
  EXPECT_EQ(kept_in("memory"), 0);
}

TEST_F(LettersSeen, in_memory_though_the_hook_for_them_throws) {
  const Operator anna{observatory, [](const OperatorEvent&) {}};
  auto options = giving_up();
  options.on_dead_letter = [](const DeadLetter&) { throw std::runtime_error("the disk is full"); };
  start({testing::crash()}, options);
  submit("a");
  time.advance(1min);
  EXPECT_EQ(kept_in("memory"), 1);
}

TEST_F(LettersSeen, in_memory_go_with_their_sender) {
  const Operator anna{observatory, [](const OperatorEvent&) {}};
  start(testing::crash(), giving_up());
  submit("a");
  EXPECT_EQ(kept_in("memory"), 1);
  stop_sender();
  EXPECT_EQ(kept_in("memory"), 0);
}

TEST_F(LettersSeen, in_an_outbox_as_they_come_and_go) {
  start_with_charges(testing::times(2, testing::crash()));
  EXPECT_EQ(kept_in("outbox"), 0);
  submit("a");
  time.advance(1min);
  submit("b");
  submit("c");
  EXPECT_EQ(kept_in("outbox"), 2);
  EXPECT_EQ(in_the_outbox(), 2);
  EXPECT_EQ(outbox.count_dead_letters(), store->count_dead_letters()) << "and since when";

  remove({1, 7});
  EXPECT_EQ(kept_in("outbox"), 1);
  EXPECT_EQ(in_the_outbox(), 1);
  EXPECT_EQ(outbox.count_dead_letters(), store->count_dead_letters()) << "the other is the oldest";
  remove({2});
  EXPECT_EQ(kept_in("outbox"), 0);
}

TEST_F(LettersSeen, of_an_earlier_process_as_soon_as_a_sender_begins) {
  start_with_charges(testing::times(3, testing::crash()));
  time.advance(1s);
  submit("a");
  time.advance(1h);
  submit("b");
  time.advance(1min);
  submit("c");
  stop_sender();

  store = store->copy();
  start_with_charges({});
  EXPECT_EQ(kept_in("outbox"), 3);
  EXPECT_EQ(in_the_outbox(), 3);
  EXPECT_EQ(status().counters.dead_lettered, 0u) << "this process has given nothing up";
  ASSERT_EQ(log.count<event::DeadLettersLeft>(), 1u);
  EXPECT_EQ(event::text_of(log.all<event::DeadLettersLeft>()[0]),
            "3 dead letters are left in charges, the oldest of 2001-09-09T01:46:41Z");
}

TEST_F(LettersSeen, in_an_outbox_without_a_name_where_its_store_is) {
  auto options = default_options();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  start_durable(testing::crash(), options);
  submit("a");
  kill_and_start({});
  ASSERT_EQ(log.count<event::DeadLettersLeft>(), 1u);
  EXPECT_EQ(log.all<event::DeadLettersLeft>()[0].outbox, "orders.db");
}

TEST_F(LettersSeen, in_a_store_say_what_the_message_was) {
  start_with_charges(testing::times(2, testing::crash()));
  submit("order 4711");
  time.advance(1min);
  submit(std::string(5000, 'x'));
  const auto dead = [this] {
    std::vector<std::string> result;
    store->for_each_dead_letter([&](const StoredDeadLetter& x) { result.push_back(x.text); });
    return result;
  }();
  ASSERT_EQ(dead.size(), 2u);
  EXPECT_EQ(dead[0], "(\"order 4711\")");
  EXPECT_EQ(dead[1], "(\"" + std::string(4094, 'x') + "...") << "no more than 4096 bytes of it";
}

TEST_F(LettersSeen, without_any_nobody_is_told) {
  start_with_charges({});
  ask("a");
  store = store->copy();
  start_with_charges({});
  EXPECT_EQ(log.count<event::DeadLettersLeft>(), 0u);
  EXPECT_EQ(kept_in("outbox"), 0);
}

TEST_F(LettersSeen, not_those_that_the_store_has_never_taken) {
  for (std::size_t max_batch = 1; max_batch <= 4; ++max_batch) {
    SCOPED_TRACE(max_batch);
    store = std::make_shared<testing::MemoryStore>("orders.db");
    auto options = durable_options();
    options.max_batch = max_batch;
    outbox = {store, durable<std::string>(), options};
    start({}, with(outbox, giving_up()));
    store->fail_always(StoreFailure::full);
    for (int i = 0; i < 12; ++i) {
      for (int k = 0; k <= i % 4; ++k)
        time.tell(sender, Submit{.message = caf::make_message(std::string{"late"}),
                                 .time_to_live = Duration{k * 40ms}});
      if (i % 3 == 0)
        time.run();
      time.advance(30ms);
    }
    time.advance(1s);
    store->fail_always({});
    time.advance(1min);
    EXPECT_EQ(outbox.count_dead_letters().count, outbox.dead_letters().size());
    stop_sender();
  }
}

TEST_F(LettersSeen, also_those_that_the_store_takes_only_later) {
  start_with_charges(testing::crash());
  tell(Pause{});
  ask("a");
  store->fail_always(StoreFailure::full);
  tell(Resume{});
  EXPECT_EQ(status().counters.dead_lettered, 1u);
  EXPECT_EQ(kept_in("outbox"), 0) << "it is not written yet";
  store->fail_always({});
  time.advance(1min);
  EXPECT_EQ(kept_in("outbox"), 1);
}

} // namespace backoff_actor::actor_test
