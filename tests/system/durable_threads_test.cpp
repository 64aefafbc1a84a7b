// The writer of a durable outbox on a thread of its own.

#include "common/patience.hpp"
#include "system.hpp"

#include <span>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;
using testing::MemoryStore;

class Doubler : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](std::uint64_t x) { return 2 * x; }};
  }
};

// Its commits wait while it is shut.
class ShutStore : public testing::StoreInFront {
public:
  using StoreInFront::StoreInFront;

  void commit(std::span<const StoreChange> changes) override {
    is_shut_.wait(true);
    StoreInFront::commit(changes);
  }

  void shut() { is_shut_ = true; }
  void open() {
    is_shut_ = false;
    is_shut_.notify_all();
  }

private:
  std::atomic<bool> is_shut_{false};
};

class DurableThreads : public System {
protected:
  SenderOptions options() const {
    SenderOptions result;
    result.outbox = outbox;
    return result;
  }

  SenderStatus status_of(const caf::actor& sender) {
    caf::scoped_actor self{*system};
    SenderStatus result;
    self->request(sender, test::patience, Status{})
      .receive([&](const SenderStatus& x) { result = x; },
               [&](const caf::error& error) { ADD_FAILURE() << render(*system, error); });
    return result;
  }

  caf::actor start() { return spawn_back_off_sender(*system, child_of<Doubler>(), options()); }

  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>("numbers.db");
  DurableOutbox outbox{store, durable<std::uint64_t>()};
};

TEST_F(DurableThreads, whoever_was_told_that_a_sender_stopped_may_start_the_next) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    caf::scoped_actor self{*system};
    const auto sender = start();
    std::uint64_t answer = 0;
    self->request(sender, test::patience, i)
      .receive([&](std::uint64_t x) { answer = x; }, [](const caf::error&) {});
    ASSERT_EQ(answer, 2 * i);
    auto is_stopped = false;
    self->request(sender, test::patience, Stop{})
      .receive([&](const SenderStatus&) { is_stopped = true; }, [](const caf::error&) {});
    ASSERT_TRUE(is_stopped);
  }
  go_down();
  EXPECT_TRUE(store->owed().empty());
}

TEST_F(DurableThreads, whoever_sees_that_a_sender_is_down_may_start_the_next) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    caf::scoped_actor self{*system};
    const auto sender = start();
    compat::enqueue(sender, i);
    self->send_exit(sender, caf::exit_reason::user_shutdown);
    self->wait_for(sender);
  }
  {
    caf::scoped_actor self{*system};
    const auto sender = start();
    std::uint64_t answer = 0;
    self->request(sender, test::patience, std::uint64_t{7})
      .receive([&](std::uint64_t x) { answer = x; }, [](const caf::error&) {});
    EXPECT_EQ(answer, 14u);
    self->send_exit(sender, caf::exit_reason::user_shutdown);
  }
  go_down();
  EXPECT_TRUE(store->owed().empty()) << "a message that was not accepted in time is a dead letter";
}

TEST_F(DurableThreads,
       a_change_that_waits_for_company_does_not_hold_up_the_end_of_the_actor_system) {
  DurableOptions slow;
  slow.max_wait = 1h;
  outbox = {store, durable<std::uint64_t>(), slow};
  {
    const auto sender = start();
    compat::enqueue(sender, std::uint64_t{1});
    caf::scoped_actor self{*system};
    auto owed = std::uint64_t{0};
    self->request(sender, test::patience, Status{})
      .receive([&](const SenderStatus& x) { owed = x.owed; }, [](const caf::error&) {});
    EXPECT_EQ(owed, 1u);
    self->send_exit(sender, caf::exit_reason::user_shutdown);
  }
  go_down();
  EXPECT_EQ(outbox.dead_letters().size(), 1u);
}

TEST_F(DurableThreads, while_a_commit_takes_long_no_more_is_done_than_two_batches_and_a_window) {
  constexpr std::uint64_t count = 100;
  const auto shut_store = std::make_shared<ShutStore>(store);
  testing::EventLog log;
  DurableOptions writing;
  writing.max_batch = 10;
  outbox = {shut_store, durable<std::uint64_t>(), writing};
  auto sender_options = options();
  sender_options.max_in_flight = 5;
  sender_options.on_event = log.hook();
  {
    const auto sender = spawn_back_off_sender(*system, child_of<Doubler>(), sender_options);
    compat::enqueue(sender, Pause{});
    for (std::uint64_t i = 0; i < count; ++i)
      compat::enqueue(sender, i);
    while (status_of(sender).counters.accepted != count)
      std::this_thread::yield();
    shut_store->shut();
    compat::enqueue(sender, Resume{});
    auto status = status_of(sender);
    while (status.counters.acknowledged != count
           && (!status.is_store_behind || status.in_flight != 0)) {
      std::this_thread::yield();
      status = status_of(sender);
    }
    EXPECT_GE(status.counters.acknowledged, 20U);
    EXPECT_LE(status.counters.acknowledged, 25U);

    shut_store->open();
    while (status_of(sender).counters.acknowledged != count)
      std::this_thread::yield();
    compat::enqueue(sender, Stop{});
  }
  go_down();
  EXPECT_TRUE(store->owed().empty());
  EXPECT_EQ(log.count<event::StoreFellBehind>(), 0U) << "it was slow, and did not fail";
}

} // namespace backoff_actor::system_test
