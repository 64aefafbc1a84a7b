// When a queue calls the server of an outbox that other processes want, and what it makes of each
// answer. The test does what the writer's actor does.

#include "owned_fixture.hpp"

#include "backoff_actor/caf/outbox/internal/write_queue.hpp"

namespace backoff_actor::actor_test {

namespace {

using Kind = WriteQueue::Task::Kind;

// Fails as it is told to before it asks the server.
class Moody : public StoreInFront {
public:
  using StoreInFront::StoreInFront;

  void commit(std::span<const StoreChange> changes) override {
    std::vector<std::uint64_t> ids;
    for (const auto& x : changes)
      if (const auto* const insertion = std::get_if<change::Insert>(&x))
        ids.push_back(insertion->delivery.id);
    tried.push_back(ids);
    if (const auto mood = std::exchange(next, nullptr))
      mood(changes);
    StoreInFront::commit(changes);
  }

  void renew() override {
    if (const auto mood = std::exchange(next, nullptr))
      mood({});
    StoreInFront::renew();
  }

  std::function<void(std::span<const StoreChange>)> next;
  std::vector<std::vector<std::uint64_t>> tried; // the insertions of each commit
};

} // namespace

class WriteQueueLease : public OwnedTest {
protected:
  WriteQueueLease() : store(std::make_shared<Moody>(server.store("node-a")->own(0s))) {
    queue = std::make_shared<WriteQueue>(store, durable<std::string>(), writing());
    queue->attach(caf::actor_addr{});
    queue->wake_for_the_rest();
  }

  // What the writer does next, and how long it sleeps.
  struct Action {
    Kind kind;
    Duration span{0};
    friend bool operator==(const Action&, const Action&) = default;
    friend void PrintTo(const Action& x, std::ostream* out) {
      static const char* const names[] = {"rest", "sleep", "write", "renew", "tidy up"};
      *out << names[static_cast<int>(x.kind)] << ' ' << to_string(x.span);
    }
  };

  Action work() {
    const auto task = queue->next_task(time.now());
    last_sleep = task.sleep_id;
    if (task.kind == Kind::write)
      queue->write(time.now());
    else if (task.kind == Kind::renew)
      queue->renew(time.now());
    return {task.kind, task.span};
  }

  void sleep(Duration span) {
    time.advance(span);
    queue->wake(last_sleep);
  }

  void put(std::uint64_t id) {
    std::vector<StoreChange> changes;
    StoredDelivery delivery;
    delivery.id = id;
    changes.emplace_back(change::Insert{delivery});
    queue->put(changes);
  }

  static std::function<void(std::span<const StoreChange>)> failing(StoreFailure failure) {
    return [failure](std::span<const StoreChange>) { throw StoreError(failure, "told to"); };
  }

  // For how long the owner is sure.
  Duration sure() {
    const auto sureness = queue->take_sureness();
    return std::max<Duration>(sureness.until - time.now(), 0s);
  }

  // `1 stored`, `2 failed`: up to which number.
  Strings outcomes() {
    Strings result;
    for (const auto& x : queue->take_outcomes())
      result.push_back(std::to_string(x.last_id) + (x.failure ? " failed" : " stored"));
    return result;
  }

  std::shared_ptr<Moody> store;
  std::shared_ptr<WriteQueue> queue;
  std::uint64_t last_sleep = 0;
};

constexpr Duration third = Duration{5s} / 3;

TEST_F(WriteQueueLease, renews_at_once_and_then_after_each_third_of_the_lease) {
  EXPECT_EQ(sure(), 0s);
  EXPECT_EQ(work(), (Action{Kind::renew}));
  EXPECT_EQ(sure(), 4s) << "four fifths";
  EXPECT_EQ(work(), (Action{Kind::sleep, third}));
  sleep(third);
  EXPECT_EQ(work(), (Action{Kind::renew}));
  EXPECT_EQ(sure(), 4s);
}

TEST_F(WriteQueueLease, counts_from_the_beginning_of_a_call_and_not_from_its_answer) {
  work();
  work();
  sleep(third);
  store->next = [this](auto) { time.advance(1s); };
  EXPECT_EQ(work(), (Action{Kind::renew}));
  EXPECT_EQ(sure(), 3s);
}

TEST_F(WriteQueueLease, a_commit_renews_the_ownership) {
  work();
  work();
  sleep(1s);
  put(1);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_EQ(sure(), 4s);
  EXPECT_EQ(work(), (Action{Kind::sleep, third}));
  EXPECT_EQ(server.renewals(), 1u);
}

TEST_F(WriteQueueLease, a_call_without_an_answer_ends_the_sureness_at_once) {
  work();
  work();
  sleep(third);
  store->next = failing(StoreFailure::unreachable);
  EXPECT_EQ(work(), (Action{Kind::renew}));
  EXPECT_EQ(sure(), 0s) << "the session may be over";
  EXPECT_EQ(work(), (Action{Kind::sleep, 100ms})) << "an attempt soon";
  sleep(100ms);
  EXPECT_EQ(work(), (Action{Kind::renew}));
  EXPECT_EQ(sure(), 4s);
}

TEST_F(WriteQueueLease, a_commit_that_a_full_disk_refuses_does_not_end_the_sureness) {
  work();
  work();
  put(1);
  server.fail_commits(StoreFailure::full);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_EQ(sure(), 4s);
  EXPECT_THAT(outcomes(), ElementsAre("1 failed"));
  EXPECT_EQ(work(), (Action{Kind::sleep, 100ms}));
}

TEST_F(WriteQueueLease, a_failure_of_another_kind_is_doubtful_until_the_ownership_is_renewed) {
  work();
  put(1);
  store->next = failing(StoreFailure::refused);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_EQ(sure(), 0s) << "it may be a new connection that was refused";
  EXPECT_EQ(work(), (Action{Kind::renew}));
  EXPECT_EQ(sure(), 4s);
}

TEST_F(WriteQueueLease, changes_that_cannot_be_written_do_not_keep_it_from_renewing) {
  work();
  put(1);
  work();
  std::vector<StoreChange> changes;
  changes.emplace_back(change::Acknowledge{1, {}});
  queue->put(changes);
  server.fail_commits(StoreFailure::full);
  for (int i = 0; i < 1000; ++i)
    if (const auto action = work(); action.kind == Kind::sleep) {
      EXPECT_LE(action.span, third);
      sleep(action.span);
      EXPECT_GT(sure(), 2s);
    }
  EXPECT_GT(time.now(), Instant{1min});
  EXPECT_EQ(owner(), "node-a, epoch 1");
}

TEST_F(WriteQueueLease, a_commit_without_an_answer_comes_again_as_it_was_before_any_other) {
  work();
  put(1);
  put(2);
  store->next = failing(StoreFailure::unreachable);
  work();
  put(3);
  EXPECT_THAT(outcomes(), IsEmpty());
  EXPECT_EQ(work(), (Action{Kind::sleep, 100ms}));
  sleep(100ms);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_THAT(outcomes(), ElementsAre("2 stored"));
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_THAT(outcomes(), ElementsAre("3 stored"));
  EXPECT_THAT(store->tried, ElementsAre(ElementsAre(1, 2), ElementsAre(1, 2), ElementsAre(3)));
}

TEST_F(WriteQueueLease, what_a_new_connection_says_is_no_word_on_a_commit_without_an_answer) {
  work();
  put(1);
  server.cut_next_call(LostCommit::made);
  work();
  sleep(work().span);
  server.fail_sessions(StoreFailure::refused);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_THAT(outcomes(), IsEmpty()) << "it was made";

  server.fail_sessions({});
  sleep(work().span);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_THAT(outcomes(), ElementsAre("1 stored"));
  EXPECT_THAT(server.content()->owed(), ElementsAre(1));
}

TEST_F(WriteQueueLease, a_full_disk_is_the_servers_word_on_it) {
  work();
  put(1);
  server.cut_next_call(LostCommit::not_made);
  work();
  sleep(work().span);
  server.fail_commits(StoreFailure::full);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_THAT(outcomes(), ElementsAre("1 failed"));
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

TEST_F(WriteQueueLease, an_exception_of_any_other_kind_leaves_the_outcome_open) {
  work();
  put(1);
  store->next = [](auto) { throw std::runtime_error("no memory for the answer"); };
  work();
  EXPECT_THAT(outcomes(), IsEmpty());
  EXPECT_EQ(sure(), 0s);
  sleep(work().span);
  work();
  EXPECT_THAT(outcomes(), ElementsAre("1 stored"));
}

TEST_F(WriteQueueLease, of_a_batch_that_is_too_large_only_the_one_without_an_answer_comes_again) {
  work();
  put(1);
  put(2);
  put(3);
  store->next = failing(StoreFailure::too_large);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_EQ(work(), (Action{Kind::write}));
  server.cut_next_call(LostCommit::made);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_THAT(outcomes(), ElementsAre("1 stored"));
  put(4);
  sleep(work().span);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_THAT(outcomes(), ElementsAre("2 stored", "3 stored", "4 stored"));
  EXPECT_THAT(store->tried, ElementsAre(ElementsAre(1, 2, 3), ElementsAre(1), ElementsAre(2),
                                        ElementsAre(2), ElementsAre(3), ElementsAre(4)));
  EXPECT_THAT(server.content()->owed(), ElementsAre(1, 2, 3, 4));
}

TEST_F(WriteQueueLease, does_nothing_more_once_another_process_owns_the_outbox) {
  work();
  put(1);
  store->next = failing(StoreFailure::disowned);
  EXPECT_EQ(work(), (Action{Kind::write}));
  EXPECT_TRUE(queue->take_sureness().is_lost);
  EXPECT_EQ(sure(), 0s);
  put(2);
  EXPECT_EQ(work(), (Action{Kind::rest}));
  EXPECT_EQ(store->tried.size(), 1u);
}

TEST_F(WriteQueueLease, renews_nothing_once_its_sender_has_ended) {
  work();
  queue->detach({});
  EXPECT_EQ(work(), (Action{Kind::rest}));
}

} // namespace backoff_actor::actor_test
