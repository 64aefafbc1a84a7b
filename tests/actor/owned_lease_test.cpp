// What an owner of a shared outbox does while it does not hear the server: nobody is told what may
// be wrong, and nothing is lost.

#include "owned_fixture.hpp"

#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "common/metric_value.hpp"

#include <backoff_actor/testing/stores/store_in_front.hpp>

#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace backoff_actor::actor_test {

using testing::value_of;

// Calls a function before each commit.
class Watched : public OwnedStoreInFront {
public:
  Watched(std::shared_ptr<OwnedStore> store, std::function<void(std::span<const StoreChange>)> hook)
    : OwnedStoreInFront(std::move(store)), hook_(std::move(hook)) {}
  void commit(std::span<const StoreChange> changes) override {
    OwnedStoreInFront::commit(changes);
    hook_(changes);
  }

private:
  std::function<void(std::span<const StoreChange>)> hook_;
};

// Throws once, before it asks the server.
class Forgetful : public OwnedStoreInFront {
public:
  using OwnedStoreInFront::OwnedStoreInFront;
  void commit(std::span<const StoreChange> changes) override {
    if (std::exchange(is_first_, false))
      throw std::runtime_error("no memory for the answer");
    OwnedStoreInFront::commit(changes);
  }

private:
  bool is_first_ = true;
};

class OwnedLease : public OwnedTest {
protected:
  static SenderOptions one_at_a_time() {
    auto options = default_options();
    options.max_in_flight = 1;
    return options;
  }
};

TEST_F(OwnedLease, an_idle_owner_keeps_the_outbox_for_hours) {
  const auto& a = start_process("node-a");
  start_process("node-b");
  time.advance(3h);
  EXPECT_EQ(owner(), "node-a, epoch 1");
  EXPECT_GE(server.renewals(), 6480u) << "every third of the lease";
  EXPECT_LE(server.renewals(), 6500u);
  EXPECT_EQ(ask_process(a, "x")->value, "x");
}

TEST_F(OwnedLease, a_full_disk_costs_no_ownership) {
  std::size_t failures = 0;
  auto outbox = shared("node-a");
  outbox.options.on_error = [&](const StoreError&) { ++failures; };
  const DangerousActor worker{FaultPlan{testing::slow(1s)}};
  const auto& a = start_process("node-a", worker.factory(), default_options(), outbox);
  start_process("node-b");
  EXPECT_TRUE(submit_to(a, "1")->value);
  server.fail_commits(StoreFailure::full);
  time.advance(1s); // the acknowledgement waits
  for (int i = 0; i < 60; ++i) {
    EXPECT_THAT(submit_to(a, "2")->error_text, HasSubstr("not_stored"));
    time.advance(1s);
  }
  EXPECT_EQ(owner(), "node-a, epoch 1");
  EXPECT_GE(failures, 60u);

  server.fail_commits({});
  time.advance(10s);
  EXPECT_EQ(owner(), "node-a, epoch 1");
  EXPECT_THAT(server.content()->owed(), IsEmpty());
  EXPECT_TRUE(submit_to(a, "3")->value);
  EXPECT_THAT(worker.texts(), ElementsAre("1", "3"));
}

TEST_F(OwnedLease, a_submission_without_an_answer_of_the_server_is_neither_accepted_nor_refused) {
  const auto& a = start_process("node-a");
  server.cut_off("node-a");
  const auto accepted = submit_to(a, "x");
  time.advance(4s);
  EXPECT_FALSE(accepted->is_ready());
  EXPECT_THAT(a.danger.texts(), IsEmpty());

  server.connect_again("node-a");
  time.advance(4s);

  EXPECT_TRUE(accepted->value);
  EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
  EXPECT_EQ(owner(), "node-a, epoch 1");
}

TEST_F(OwnedLease, an_owner_without_an_answer_hands_over_nothing_but_takes_acknowledgements) {
  const auto& a = start_process("node-a", {testing::slow(2s)}, one_at_a_time());
  for (const auto* text : {"1", "2", "3"})
    EXPECT_TRUE(submit_to(a, text)->value);
  server.cut_off("node-a");
  time.advance(4s);
  EXPECT_EQ(log.of("node-a").count<event::Acknowledged>(), 1u);
  EXPECT_THAT(a.danger.texts(), ElementsAre("1"));

  server.connect_again("node-a");
  time.advance(4s);

  EXPECT_THAT(a.danger.texts(), ElementsAre("1", "2", "3"));
  EXPECT_EQ(owner(), "node-a, epoch 1");
}

TEST_F(OwnedLease, a_server_that_crashes_and_comes_back_finds_the_same_owner) {
  const auto& a = start_process("node-a", {testing::slow(1s)}, one_at_a_time());
  for (const auto* text : {"1", "2", "3"})
    EXPECT_TRUE(submit_to(a, text)->value);
  server.crash();
  time.advance(3s);
  server.start_again();
  time.advance(10s);
  EXPECT_EQ(owner(), "node-a, epoch 1");
  EXPECT_THAT(a.danger.texts(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

TEST_F(OwnedLease, an_owner_makes_again_what_a_replica_did_not_have) {
  const auto& a = start_process("node-a", {testing::ok(), testing::hang()});
  ask_process(a, "1");
  EXPECT_TRUE(submit_to(a, "2")->value);
  EXPECT_TRUE(submit_to(a, "3")->value);
  server.forget_last(3);
  EXPECT_THAT(server.content()->owed(), ElementsAre(1));

  time.advance(10s);

  EXPECT_THAT(server.content()->owed(), ElementsAre(2, 3));
  EXPECT_EQ(owner(), "node-a, epoch 1");
}

TEST_F(OwnedLease, an_outcome_that_nobody_knows_is_not_told_when_the_outbox_is_lost) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  server.cut_off("node-a");
  const auto waits = submit_to(a, "x");
  time.advance(10s);
  ASSERT_EQ(owner(), "node-b, epoch 2");
  EXPECT_FALSE(waits->is_ready());
  server.connect_again("node-a");
  time.advance(20s);
  EXPECT_TRUE(waits->error);
  EXPECT_THAT(a.danger.texts(), IsEmpty());
  EXPECT_THAT(b.danger.texts(), IsEmpty());
}

TEST_F(OwnedLease, a_hand_over_that_was_written_down_waits_while_another_may_own_the_outbox) {
  auto options = default_options();
  options.rare.max_hand_overs = 3;
  const auto lasting = std::make_shared<Watched>(
    server.store("node-a")->own(0s), [this](std::span<const StoreChange> changes) {
      if (!std::holds_alternative<change::CountHandOvers>(changes[0])
          || log.count<event::Acknowledged>() != 1)
        return;
      time.freeze(sender); // between the commit and its news
      server.cut_off("node-a");
    });
  options.outbox = {lasting, durable<std::string>(), writing()};
  start({}, options);
  ask("1");
  ASSERT_THAT(danger.texts(), ElementsAre("1"));
  tell(std::string{"2"});
  time.advance(4s);
  time.thaw(sender);
  time.run();
  EXPECT_THAT(danger.texts(), ElementsAre("1")) << "the owner is doubtful";

  server.connect_again("node-a");
  time.advance(4s);
  EXPECT_THAT(danger.texts(), ElementsAre("1", "2"));
  time.stop(sender);
  time.advance(1s);
}

TEST_F(OwnedLease, an_outbox_that_was_lost_takes_no_other_sender) {
  DurableOutbox outbox{server.store("node-a")->own(0s), durable<std::string>(), writing()};
  auto options = default_options();
  options.outbox = outbox;
  start({}, options);
  const auto reason = watch_sender();
  server.end_session();
  const auto other = server.store("node-b")->own(0s);
  time.advance(10s);
  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, make_error(SenderError::not_owner));
  try {
    start({}, options);
    FAIL() << "was taken";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), StoreFailure::disowned);
  }
}

// -- metrics --------------------------------------------------------------------------

class OwnedSeen : public OwnedLease {
protected:
  struct Numbers {
    double owned;
    double epoch;
    double takeovers;
    double lease_left;
    friend bool operator==(const Numbers&, const Numbers&) = default;
    friend void PrintTo(const Numbers& x, std::ostream* out) {
      *out << x.owned << " owned, epoch " << x.epoch << ", " << x.takeovers << " takeovers, "
           << x.lease_left << " s left";
    }
  };

  void start_seen(const std::string& node) {
    auto outbox = shared(node);
    outbox.options.name = "orders";
    outbox.options.observed_by = observatories[node];
    start_process(node, DangerousActor{}.factory(), default_options(), std::move(outbox));
  }

  Numbers numbers(const std::string& node) {
    const auto metrics = observatories[node].metrics(time.now());
    const auto value = [&](const std::string& metric) {
      return value_of(metrics, "backoff_outbox_" + metric, {{"outbox", "orders"}}).value_or(-1);
    };
    return {value("owned"), value("epoch"), value("takeovers_total"), value("lease_left_seconds")};
  }

  // What the calendar of the process says that is the owner; none: it stands by, or has none.
  std::optional<CalendarOutlook> calendar(const std::string& node) {
    std::optional<CalendarOutlook> result;
    for (const auto& one : observatories[node].status(1, time.now()).ownerships)
      if (one.calendar)
        result = one.calendar;
    return result;
  }

  std::map<std::string, Observatory> observatories;
};

namespace {

// An intake whose owner has a calendar.
class IntakeWithCalendar final : public Intake {
public:
  IntakeWithCalendar(std::unique_ptr<Intake> intake, std::shared_ptr<const CalendarOutlook> outlook)
    : intake_(std::move(intake)), outlook_(std::move(outlook)) {}

  std::vector<IncomingMessage> take(std::size_t at_most,
                                    const std::unordered_set<std::uint64_t>& held) override {
    return intake_->take(at_most, held);
  }
  void catch_up() override { intake_->catch_up(); }
  bool has_caught_up() const override { return intake_->has_caught_up(); }
  void give_back(std::span<const std::uint64_t> rows) override { intake_->give_back(rows); }
  void wait(Duration at_most) override { intake_->wait(at_most); }
  std::optional<CalendarOutlook> calendar() const override { return *outlook_; }
  void interrupt() override { intake_->interrupt(); }

private:
  const std::unique_ptr<Intake> intake_;
  const std::shared_ptr<const CalendarOutlook> outlook_;
};

class OwnedWithCalendar final : public testing::OwnedStoreInFront {
public:
  OwnedWithCalendar(std::shared_ptr<OwnedStore> store,
                    std::shared_ptr<const CalendarOutlook> outlook)
    : OwnedStoreInFront(std::move(store)), outlook_(std::move(outlook)) {}

  std::unique_ptr<Intake> open_intake() override {
    return std::make_unique<IntakeWithCalendar>(OwnedStoreInFront::open_intake(), outlook_);
  }

private:
  const std::shared_ptr<const CalendarOutlook> outlook_;
};

class SharedWithCalendar final : public SharedStore {
public:
  SharedWithCalendar(std::shared_ptr<SharedStore> store,
                     std::shared_ptr<const CalendarOutlook> outlook)
    : store_(std::move(store)), outlook_(std::move(outlook)) {}

  std::string name() const override { return store_->name(); }
  std::shared_ptr<OwnedStore> own(Duration at_most) override {
    auto owned = store_->own(at_most);
    return owned ? std::make_shared<OwnedWithCalendar>(std::move(owned), outlook_) : nullptr;
  }
  void interrupt() override { store_->interrupt(); }
  std::optional<StoreOwner> owner() override { return store_->owner(); }

private:
  const std::shared_ptr<SharedStore> store_;
  const std::shared_ptr<const CalendarOutlook> outlook_;
};

} // namespace

TEST_F(OwnedSeen, shows_what_the_calendar_of_the_owner_says) {
  const auto outlook = std::make_shared<CalendarOutlook>(CalendarOutlook{10s, 2});
  for (const auto* node : {"node-a", "node-b"}) {
    auto outbox = shared(node);
    outbox.store = std::make_shared<SharedWithCalendar>(outbox.store, outlook);
    outbox.options.name = "orders";
    outbox.options.observed_by = observatories[node];
    outbox.foreign("text", [](std::span<const std::byte>) { return caf::make_message("x"); });
    start_process(node, DangerousActor{}.factory(), default_options(), std::move(outbox));
  }
  const auto value = [&](const std::string& node, const std::string& metric) {
    return value_of(observatories[node].metrics(time.now()), "backoff_outbox_" + metric,
                    {{"outbox", "orders"}});
  };
  time.advance(1s);
  EXPECT_EQ(calendar("node-a"), (CalendarOutlook{10s, 2}));
  EXPECT_EQ(value("node-a", "next_entry_seconds"), 10);
  EXPECT_EQ(value("node-a", "entry_problems"), 2);
  EXPECT_EQ(calendar("node-b"), std::nullopt) << "it stands by";
  EXPECT_EQ(value("node-b", "next_entry_seconds"), std::nullopt);
  EXPECT_EQ(value("node-b", "entry_problems"), std::nullopt);

  *outlook = {};
  time.advance(1s);
  EXPECT_EQ(calendar("node-a"), CalendarOutlook{}) << "no entry will be due";
  EXPECT_EQ(value("node-a", "next_entry_seconds"), std::nullopt);
  EXPECT_EQ(value("node-a", "entry_problems"), 0);
}

TEST_F(OwnedSeen, shows_no_calendar_of_an_owner_that_has_none) {
  start_seen("node-a");
  time.advance(2s);
  EXPECT_EQ(calendar("node-a"), std::nullopt);
}

TEST_F(OwnedSeen, shows_who_owns_who_doubts_and_who_stands_by) {
  start_seen("node-a");
  start_seen("node-b");
  EXPECT_EQ(numbers("node-a"), (Numbers{1, 1, 1, 4}));
  EXPECT_EQ(numbers("node-b"), (Numbers{0, 0, 0, 0}));

  time.advance(1s);
  EXPECT_EQ(numbers("node-a"), (Numbers{1, 1, 1, 3}));

  server.cut_off("node-a");
  time.advance(2s);
  EXPECT_EQ(numbers("node-a"), (Numbers{0, 1, 1, 0})) << "doubtful";

  time.advance(10s);
  EXPECT_EQ(numbers("node-b").owned, 1);
  EXPECT_EQ(numbers("node-b").epoch, 2);
  EXPECT_EQ(numbers("node-b").takeovers, 1);

  server.connect_again("node-a");
  time.advance(20s);
  EXPECT_EQ(numbers("node-a"), (Numbers{0, 0, 1, 0})) << "it stands by";

  die("node-b");
  time.advance(1s);
  EXPECT_EQ(numbers("node-a").owned, 1);
  EXPECT_EQ(numbers("node-a").epoch, 3);
  EXPECT_EQ(numbers("node-a").takeovers, 2);
}

TEST_F(OwnedSeen, an_owner_that_is_frozen_does_not_count_as_one) {
  start_seen("node-a");
  const auto metrics = [&](Instant at) {
    return value_of(observatories["node-a"].metrics(at), "backoff_outbox_owned",
                    {{"outbox", "orders"}});
  };
  EXPECT_EQ(metrics(time.now() + (4s - 1ns)), 1);
  EXPECT_EQ(metrics(time.now() + 4s), 0);
}

// The server may have made the changes before the exception came.
TEST_F(OwnedLease, an_exception_of_any_other_kind_leaves_the_outcome_open) {
  const auto store = std::make_shared<Forgetful>(server.store("node-a")->own(0s));
  WriteQueue queue{store, durable<std::string>(), writing()};
  queue.attach(caf::actor_addr{}, time.now());
  ASSERT_TRUE(queue.wake_for_the_rest());
  queue.work(time.now()); // renews
  std::vector<StoreChange> changes;
  changes.emplace_back(change::Insert{{.id = 1}});
  queue.put(changes);
  queue.take_replies();
  queue.work(time.now());
  auto replies = queue.take_replies();
  EXPECT_THAT(replies.insertions, IsEmpty());
  ASSERT_TRUE(replies.sure);
  EXPECT_LE(replies.sure->until, time.now());

  const auto next = queue.work(time.now());
  time.advance(next.sleep);
  ASSERT_TRUE(queue.wake(next.sleep_id, time.now()));
  queue.work(time.now());
  replies = queue.take_replies();
  ASSERT_EQ(replies.insertions.size(), 1u);
  EXPECT_FALSE(replies.insertions[0].failure);
  EXPECT_THAT(server.content()->owed(), ElementsAre(1));
}

// While one sender takes over from another, there may be two writers.
TEST_F(OwnedLease, a_writer_that_ends_at_rest_leaves_the_next_one_at_work) {
  WriteQueue queue{server.store("node-a")->own(0s), durable<std::string>(), writing()};
  queue.attach(caf::actor_addr{}, time.now());
  queue.wake_for_the_rest();
  auto rest = queue.work(time.now());
  while (rest.goes_on)
    rest = queue.work(time.now());
  std::vector<StoreChange> changes;
  changes.emplace_back(change::Insert{{.id = 1}});
  queue.put(changes);
  queue.forget_writer(false, rest.sleep_id);
  queue.work(time.now());
  EXPECT_THAT(server.content()->owed(), ElementsAre(1));
}

} // namespace backoff_actor::actor_test
