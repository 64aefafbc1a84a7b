#pragma once

#include "fixture.hpp"

#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::actor_test {

using testing::MemoryStore;

/// A store in front of another, for tests in which one of the members does something else.
class StoreInFront : public DeliveryStore {
public:
  explicit StoreInFront(std::shared_ptr<MemoryStore> store) : store_(std::move(store)) {}

  std::string name() const override { return store_->name(); }
  void commit(std::span<const StoreChange> changes) override { store_->commit(changes); }
  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override {
    store_->for_each_owed(visit);
  }
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override {
    store_->for_each_acknowledged_key(visit);
  }
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    store_->for_each_dead_letter(visit);
  }
  std::uint64_t last_id() override { return store_->last_id(); }
  std::string message_format() override { return store_->message_format(); }
  void set_message_format(const std::string& x) override { store_->set_message_format(x); }
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override {
    return store_->remove_dead_letters(ids);
  }
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override {
    return store_->resubmit_dead_letters(ids);
  }

private:
  std::shared_ptr<MemoryStore> store_;
};

/// A sender with a durable outbox over a store in memory, which writes in the same thread. A day of
/// wall-clock time begins with the virtual time.
class DurableTest : public SenderTest {
protected:
  // What a writer still has to do is done while the test is there to be told of it.
  void TearDown() override {
    if (store)
      store->fail_always({});
    if (sender)
      time.stop(sender);
    time.advance(1min);
  }

  static constexpr std::int64_t midnight = 1'000'000'000'000'000'000;

  DurableOptions durable_options() {
    DurableOptions options;
    options.thread = WriterThread::scheduler;
    options.wall_clock = [this] { return WallTime{midnight + time.now().since_origin.count()}; };
    return options;
  }

  SenderOptions with(DurableOutbox used, SenderOptions options = default_options()) {
    options.outbox = std::move(used);
    return options;
  }

  DurableOutbox open(const std::shared_ptr<MemoryStore>& in) {
    return {in, durable<std::string>(), durable_options()};
  }

  void start_durable(FaultPlan faults, SenderOptions options = default_options()) {
    outbox = open(store);
    start(std::move(faults), with(outbox, std::move(options)));
    time.run();
  }

  /// The sender ends, in order, and another takes its place.
  void restart(FaultPlan faults, SenderOptions options = default_options()) {
    stop_sender();
    start(std::move(faults), with(outbox, std::move(options)));
    time.run();
  }

  void stop_sender() {
    time.stop(sender);
    time.run();
    sender = nullptr;
  }

  /// The process is killed: what was not committed is lost. Another one opens what is there.
  void kill_and_start(FaultPlan faults, SenderOptions options = default_options()) {
    store = store->copy();
    start_durable(std::move(faults), std::move(options));
  }

  std::shared_ptr<testing::Answer<Accepted>> submit_durably(const std::string& text,
                                                            Submit how = {}) {
    how.message = caf::make_message(text);
    how.answer_when_accepted = true;
    auto answer = time.ask<Accepted>(sender, std::move(how));
    time.run();
    return answer;
  }

  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>("orders.db");
  DurableOutbox outbox;
};

} // namespace backoff_actor::actor_test
