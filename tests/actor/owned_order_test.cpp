// What was accepted comes before what is submitted later, also over a start and a takeover.

#include "owned_fixture.hpp"

#include <caf/exit_reason.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace backoff_actor::actor_test {

using ::testing::SizeIs;

/// A store whose first handing over takes as long as `meanwhile` does.
class SlowPost final : public SharedStore {
public:
  SlowPost(std::shared_ptr<SharedStore> store, std::function<void()> meanwhile)
    : store_(std::move(store)), meanwhile_(std::move(meanwhile)) {}
  std::string name() const override { return store_->name(); }
  std::shared_ptr<OwnedStore> own(Duration at_most) override { return store_->own(at_most); }
  std::optional<StoreOwner> owner() override { return store_->owner(); }
  void interrupt() override { store_->interrupt(); }
  std::unique_ptr<IncomingWriter> open_writer() override {
    return std::make_unique<Writer>(store_->open_writer(), std::exchange(meanwhile_, {}));
  }

private:
  struct Writer final : IncomingWriter {
    Writer(std::unique_ptr<IncomingWriter> real, std::function<void()> first)
      : writer(std::move(real)), meanwhile(std::move(first)) {}
    void write(std::span<const IncomingMessage> messages, const std::string& format) override {
      if (const auto runs = std::exchange(meanwhile, {}))
        runs();
      writer->write(messages, format);
    }

    const std::unique_ptr<IncomingWriter> writer;
    std::function<void()> meanwhile;
  };

  const std::shared_ptr<SharedStore> store_;
  std::function<void()> meanwhile_;
};

/// Its new owners have not read yet what was handed over: their looks fail until `look_again`.
class OwnedOrder : public OwnedTest {
protected:
  OwnedOrder() { server.fail_looks(StoreFailure::unreachable); }

  void look_again() {
    server.fail_looks({});
    time.advance(20s); // a reader that failed waits for up to 10 s
  }

  // One that stands by has handed `texts` over, and owns the outbox now.
  Process& take_over_after(const Strings& texts, SenderOptions options = default_options()) {
    start_process("node-a");
    auto& b = start_process("node-b", {}, std::move(options));
    for (const auto& text : texts)
      EXPECT_EQ(submit_to(b, text)->get().id, 0u);
    die("node-a");
    time.advance(1s);
    EXPECT_EQ(owner(), "node-b, epoch 2");
    return b;
  }

  static IncomingMessage row(const std::string& text) {
    IncomingMessage result;
    result.type = "text";
    const auto bytes = std::as_bytes(std::span{text});
    result.payload = {bytes.begin(), bytes.end()};
    return result;
  }

  SharedOutbox with_decoder(const std::string& node) {
    auto result = shared(node);
    result.foreign("text", [](std::span<const std::byte> bytes) {
      return caf::make_message(
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    });
    return result;
  }

  std::size_t refused(const std::string& node, Refusal why) {
    const auto all = log.of(node).all<event::NotAccepted>();
    return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const auto& x) { return x.refusal == why; }));
  }
};

TEST_F(OwnedOrder, what_was_handed_over_comes_before_what_the_new_owner_gets_itself) {
  const auto& b = take_over_after({"1", "2"});
  const auto third = submit_to(b, "3");
  const auto fourth = ask_process(b, "4");
  EXPECT_FALSE(third->is_ready());
  EXPECT_THAT(b.danger.texts(), IsEmpty());

  look_again();
  EXPECT_THAT(b.danger.texts(), ElementsAre("1", "2", "3", "4"));
  EXPECT_EQ(third->get().id, 3u);
  EXPECT_EQ(fourth->value, "4");
}

TEST_F(OwnedOrder, a_process_alone_keeps_the_order_of_what_it_took_before_it_owned) {
  server.fail_sessions(StoreFailure::refused);
  const auto& a = start_process("node-a");
  EXPECT_EQ(submit_to(a, "1")->get().id, 0u);
  server.fail_sessions({});
  time.advance(10s);
  ASSERT_EQ(owner(), "node-a, epoch 1");
  time.tell(a.sender, std::string{"2"});
  time.run();
  EXPECT_THAT(a.danger.texts(), IsEmpty());

  look_again();
  EXPECT_THAT(a.danger.texts(), ElementsAre("1", "2"));
}

// The first hour ends 13 min 20 s after the beginning.
TEST_F(OwnedOrder, the_runs_of_an_entry_come_after_what_was_handed_over_and_at_once_then) {
  time.advance(300ms); // the rows are read between two looks at the calendar
  const auto& b = take_over_after({"1", "2"});
  const auto pulse =
    time.ask<RepeatAnswer>(b.sender, Repeat{.name = "pulse",
                                            .schedule = "every(1h)",
                                            .message = caf::make_message(std::string{"pulse"})});
  time.advance(15min);
  ASSERT_TRUE(pulse->value);
  EXPECT_THAT(b.danger.texts(), IsEmpty());
  server.fail_looks({});
  for (auto i = 0; i < 20'000 && b.danger.texts().empty(); ++i)
    time.advance(1ms);
  EXPECT_THAT(b.danger.texts(), ElementsAre("1", "2", "pulse"));
  time.advance(1h);
  EXPECT_THAT(b.danger.texts(), ElementsAre("1", "2", "pulse", "pulse"));
}

// They are owed again, and so they come before what the owner itself was sent meanwhile.
TEST_F(OwnedOrder, rows_that_the_store_has_refused_come_first_all_the_same) {
  for (const auto* text : {"1", "2", "3"})
    server.hand_over(row(text));
  auto is_refused = false;
  auto outbox = with_decoder("a");
  outbox.options.on_error = [&](const StoreError& error) {
    is_refused = is_refused || error.failure() == StoreFailure::full;
  };
  const DangerousActor worker;
  const auto& a = start_process("node-a", worker.factory(), default_options(), std::move(outbox));
  server.fail_commits(StoreFailure::full);
  server.fail_looks({});
  for (auto i = 0; i < 20'000 && !is_refused; ++i)
    time.advance(1ms);
  ASSERT_TRUE(is_refused);
  server.fail_commits({});
  time.tell(a.sender, std::string{"4"});
  time.advance(20s);
  EXPECT_THAT(worker.texts(), ElementsAre("1", "2", "3", "4"));
}

// The reader is careful then, and takes few at a time: it never has all of them.
TEST_F(OwnedOrder, what_waits_behind_rows_that_the_store_refuses_is_refused_with_them) {
  for (auto i = 0; i < 40; ++i)
    server.hand_over(row(std::to_string(i)));
  server.fail_commits(StoreFailure::full);
  const DangerousActor worker;
  const auto& a = start_process("node-a", worker.factory(), default_options(), with_decoder("a"));
  server.fail_looks({});
  time.advance(5s);
  const auto own = submit_to(a, "own");
  const auto cancel = time.ask<CancelAnswer>(a.sender, Cancel{"another"});
  time.advance(30s);
  EXPECT_THAT(text_of(own->error), HasSubstr("not_stored"));
  ASSERT_TRUE(cancel->value);
  EXPECT_EQ(cancel->value->found, CancelFound::unknown);
  server.fail_commits({});
  time.advance(5min);
  EXPECT_THAT(worker.texts(), SizeIs(40));
}

// More than a batch waits, so that the next one could be stored.
TEST_F(OwnedOrder, rows_behind_one_that_the_store_refuses_wait_for_it_however_many_there_are) {
  auto outbox = with_decoder("a");
  outbox.options.max_batch = 1;
  auto is_refused = false;
  outbox.options.on_error = [&](const StoreError& error) {
    if (error.failure() == StoreFailure::full && !std::exchange(is_refused, true))
      server.fail_commits({});
  };
  for (const auto* text : {"1", "2", "3"})
    server.hand_over(row(text));
  const DangerousActor worker;
  start_process("node-a", worker.factory(), default_options(), std::move(outbox));
  server.fail_commits(StoreFailure::full);
  server.fail_looks({});
  time.advance(1min);
  EXPECT_TRUE(is_refused);
  EXPECT_THAT(worker.texts(), ElementsAre("1", "2", "3"));
}

TEST_F(OwnedOrder, more_rows_than_a_look_returns_come_first_all_the_same) {
  for (auto i = 0; i < 2500; ++i)
    server.hand_over(row(std::to_string(i)));
  const DangerousActor worker;
  const auto& a = start_process("node-a", worker.factory(), default_options(), with_decoder("a"));
  time.tell(a.sender, std::string{"last"});
  look_again();
  const auto texts = worker.texts();
  ASSERT_THAT(texts, SizeIs(2501));
  for (auto i = 0; i < 2500; ++i)
    ASSERT_EQ(texts[static_cast<std::size_t>(i)], std::to_string(i));
  EXPECT_EQ(texts.back(), "last");
}

TEST_F(OwnedOrder, rows_that_come_all_the_time_do_not_keep_the_senders_own_messages_out) {
  auto& b = take_over_after({"1"});
  const auto second = submit_to(b, "2");
  server.fail_looks({});
  for (auto i = 0; i < 200 && !second->is_ready(); ++i) {
    server.hand_over(row("of another"));
    time.advance(100ms);
  }
  EXPECT_TRUE(second->value);
}

TEST_F(OwnedOrder, one_that_finds_the_room_taken_by_rows_is_refused) {
  auto options = default_options();
  options.capacity = 2;
  options.max_in_flight = 1;
  options.rare.overflow = Overflow::drop_oldest;
  for (const auto* text : {"1", "2", "3"})
    server.hand_over(row(text));
  const DangerousActor worker{FaultPlan{testing::slow(1h)}};
  const auto& a = start_process("node-a", worker.factory(), options, with_decoder("node-a"));
  const auto held = submit_to(a, "4");
  EXPECT_FALSE(held->is_ready()) << "nobody knows yet that there are so many rows";
  look_again();
  EXPECT_THAT(held->error_text, HasSubstr("outbox_full"));
  EXPECT_THAT(submit_to(a, "5")->error_text, HasSubstr("outbox_full"));
  EXPECT_EQ(refused("node-a", Refusal::outbox_full), 2u);
  EXPECT_THAT(log.of("node-a").all<event::DeadLettered>(), IsEmpty());

  time.advance(2h);
  EXPECT_THAT(worker.texts(), ElementsAre("1", "2", "3"));
  EXPECT_TRUE(submit_to(a, "6")->value);
}

TEST_F(OwnedOrder, what_waits_for_the_rows_is_bounded_by_the_capacity) {
  auto options = default_options();
  options.capacity = 3;
  const auto& b = take_over_after({"1"}, options);
  for (const auto* text : {"2", "3", "4", "5"})
    time.tell(b.sender, std::string{text});
  time.run();
  EXPECT_EQ(refused("node-b", Refusal::outbox_full), 1u);
  look_again();
  EXPECT_THAT(b.danger.texts(), ElementsAre("1", "2", "3"));
  EXPECT_EQ(refused("node-b", Refusal::outbox_full), 2u) << "the row takes room, too";
}

TEST_F(OwnedOrder, orders_that_wait_for_the_rows_are_bounded_by_the_capacity) {
  auto options = default_options();
  options.capacity = 2;
  const auto& b = take_over_after({"1"}, options);
  const auto first = time.ask<CancelAnswer>(b.sender, Cancel{"first"});
  const auto second = time.ask<CancelAnswer>(
    b.sender, Replace{.idempotency_key = "second", .payload = caf::make_message(std::string{"x"})});
  const auto third = time.ask<CancelAnswer>(b.sender, Cancel{"third"});
  const auto fourth =
    time.ask<RepeatAnswer>(b.sender, Repeat{.name = "pulse",
                                            .schedule = "every(1h)",
                                            .message = caf::make_message(std::string{"pulse"})});
  time.run();
  EXPECT_FALSE(first->is_ready());
  EXPECT_FALSE(second->is_ready());
  EXPECT_THAT(third->error_text, HasSubstr("outbox_full"));
  EXPECT_THAT(fourth->error_text, HasSubstr("outbox_full"));
  look_again();
  EXPECT_TRUE(first->value);
  EXPECT_TRUE(second->value);
}

TEST_F(OwnedOrder, what_waits_for_the_rows_is_told_of_the_senders_end) {
  const auto& b = take_over_after({"1"});
  const auto second = submit_to(b, "2");
  time.tell(b.sender, std::string{"3"});
  time.run();
  const auto stopped = time.ask<Stopped>(b.sender, Stop{1s});
  time.advance(2s);
  EXPECT_TRUE(stopped->value);
  EXPECT_THAT(second->error_text, HasSubstr("stopped"));
  EXPECT_EQ(refused("node-b", Refusal::stopped), 2u);
  EXPECT_THAT(server.incoming(), SizeIs(1)) << "the next owner does it";
}

TEST_F(OwnedOrder, a_deadline_counts_from_when_a_message_came) {
  const auto& b = take_over_after({"1"});
  time.tell(b.sender, Submit{.message = caf::make_message(std::string{"2"}), .time_to_live = 5s});
  time.tell(b.sender, Submit{.message = caf::make_message(std::string{"3"}), .time_to_live = 5min});
  time.advance(10s);
  look_again();
  EXPECT_THAT(b.danger.texts(), ElementsAre("1", "3"));
  const auto dead = log.of("node-b").all<event::DeadLettered>();
  ASSERT_THAT(dead, SizeIs(1));
  EXPECT_EQ(dead[0].reason, DeadLetterReason::expired);
}

TEST_F(OwnedOrder, a_sender_without_a_handle_lives_until_what_waits_is_done) {
  server.hand_over(row("1"));
  const auto outbox = with_decoder("node-a");
  const DangerousActor worker;
  auto options = default_options();
  options.outbox = {server.store("node-a")->own(0s), outbox.types, outbox.options};
  auto alone = spawn_back_off_sender(time.system(), worker.factory(), std::move(options));
  const auto end = watch_end_of(alone);
  time.tell(alone, std::string{"2"});
  time.run();
  alone = nullptr;
  look_again();
  EXPECT_THAT(worker.texts(), ElementsAre("1", "2"));
  EXPECT_TRUE(*end) << "it owes nothing";
}

// The process owns the outbox, and has read all its rows, before its own submission is written.
TEST_F(OwnedOrder, what_is_still_being_handed_over_comes_before_what_the_new_owner_gets_itself) {
  server.fail_looks({});
  start_process("node-a");
  auto outbox = shared("node-b");
  auto& b = processes["node-b"];
  std::shared_ptr<testing::Answer<Accepted>> second;
  auto meanwhile = [&] {
    die("node-a");
    time.advance(2s); // node-b looks whether it owns the outbox once a second
    EXPECT_EQ(owner(), "node-b, epoch 2");
    second = submit_to(b, "2");
    time.advance(2s);
    EXPECT_FALSE(second->is_ready());
    EXPECT_THAT(b.danger.texts(), IsEmpty());
  };
  outbox.store = std::make_shared<SlowPost>(outbox.store, meanwhile);
  const DangerousActor worker;
  b.danger = worker;
  start_process("node-b", worker.factory(), default_options(), outbox);

  const auto first = submit_to(b, "1");
  time.advance(2s);

  EXPECT_EQ(first->get().id, 0u);
  EXPECT_EQ(second->get().id, 2u);
  EXPECT_THAT(b.danger.texts(), ElementsAre("1", "2"));
}

} // namespace backoff_actor::actor_test
