// A store that fails for long: what is done without being written down is bounded, and it is told.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

// Has something to tell, once, and something to do in quiet moments.
class Talkative : public StoreInFront {
public:
  using StoreInFront::StoreInFront;
  std::vector<std::string> take_notices() override { return std::exchange(notices, {}); }
  bool is_untidy() const override { return untidy > 0; }
  void tidy_up() override { --untidy; }

  std::vector<std::string> notices{"orders.db: others may use files of it"};
  int untidy = 0;
};

class DurableFull : public DurableTest {
protected:
  // So many messages are stored, and the store fails when their hand-over begins.
  void fail_with_owed(int count, SenderOptions sender_options = default_options()) {
    auto options = durable_options();
    options.max_batch = 10;
    outbox = {store, durable<std::string>(), options};
    start({}, with(outbox, std::move(sender_options)));
    time.run();
    tell(Pause{});
    for (int i = 0; i < count; ++i)
      ask("a");
    store->fail_always(StoreFailure::full);
    tell(Resume{});
    time.advance(1min);
  }
};

TEST_F(DurableFull, hands_over_no_more_than_a_batch_and_a_window_that_cannot_be_written_down) {
  auto options = default_options();
  options.max_in_flight = 5;
  fail_with_owed(100, options);

  EXPECT_LE(log.count<event::HandedOver>(), 10u + 5u + 1u);
  EXPECT_GT(log.count<event::HandedOver>(), 10u);
  EXPECT_EQ(log.count<event::StoreFellBehind>(), 1u);
  EXPECT_TRUE(status().is_store_behind);
  EXPECT_THAT(to_string(status()), HasSubstr("held back by its store"));
  EXPECT_EQ(store->owed().size(), 100u);
}

TEST_F(DurableFull, goes_on_by_itself_when_there_is_room) {
  auto options = default_options();
  options.max_in_flight = 5;
  fail_with_owed(100, options);
  ASSERT_LT(log.count<event::Acknowledged>(), 100u);

  store->fail_always({});
  time.advance(15s);

  EXPECT_EQ(log.count<event::Acknowledged>(), 100u);
  EXPECT_EQ(log.count<event::StoreCaughtUp>(), 1u);
  EXPECT_FALSE(status().is_store_behind);
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(DurableFull, is_as_far_behind_in_each_life) {
  auto options = default_options();
  options.max_in_flight = 5;
  fail_with_owed(100, options);
  for (int life = 0; life < 3; ++life) {
    store = store->copy();
    const auto before = log.count<event::HandedOver>();
    store->fail_always(StoreFailure::full);
    auto writing = durable_options();
    writing.max_batch = 10;
    outbox = {store, durable<std::string>(), writing};
    start({}, with(outbox, options));
    time.advance(1min);
    EXPECT_LE(log.count<event::HandedOver>() - before, 10u + 5u + 1u) << "life " << life;
  }
}

TEST_F(DurableFull, tells_once_what_the_store_said_before_there_was_a_sender) {
  const auto talkative = std::make_shared<Talkative>(store);
  outbox = {talkative, durable<std::string>(), durable_options()};
  start({}, with(outbox));
  time.run();
  EXPECT_EQ(log.count<event::StoreNotice>(), 1u);
  EXPECT_THAT(status().store_notices, ElementsAre("orders.db: others may use files of it"));

  talkative->notices = {"orders.db: another program reads it all the while"};
  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(log.count<event::StoreNotice>(), 2u);
  EXPECT_EQ(status().store_notices.size(), 2u);
}

TEST_F(DurableFull, lets_the_store_tidy_up_when_nothing_was_written_for_a_second) {
  const auto talkative = std::make_shared<Talkative>(store);
  outbox = {talkative, durable<std::string>(), durable_options()};
  start({}, with(outbox));
  talkative->untidy = 2;
  ask("a");
  time.advance(999ms);
  EXPECT_EQ(talkative->untidy, 2);
  ask("b");
  time.advance(999ms);
  EXPECT_EQ(talkative->untidy, 2) << "a second begins anew";
  time.advance(1ms);
  EXPECT_EQ(talkative->untidy, 1);
  time.advance(1s);
  EXPECT_EQ(talkative->untidy, 0);
  time.advance(1min);
  EXPECT_EQ(talkative->untidy, 0);
}

} // namespace backoff_actor::actor_test
