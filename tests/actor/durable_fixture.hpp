#pragma once

#include "fixture.hpp"

#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::actor_test {

using testing::MemoryStore;
using testing::OwnedStoreInFront;
using testing::StoreInFront;

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
    options.wall_clock = [this] {
      return WallTime{midnight + (time.now().since_origin + clock_step).count()};
    };
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

  Duration clock_step{0}; ///< how far somebody has set the wall clock
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>("orders.db");
  DurableOutbox outbox;
};

} // namespace backoff_actor::actor_test
