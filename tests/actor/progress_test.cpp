// `Working::note`: what the next child of a delivery is told of how far it is.

#include "durable_fixture.hpp"

#include <stdexcept>

namespace backoff_actor::actor_test {

namespace {

// Does nothing by itself: the test says what it would say. A number lets it crash.
class LongWorker : public caf::event_based_actor {
public:
  LongWorker(caf::actor_config& config, std::shared_ptr<std::vector<TrackedMsg>> given)
    : caf::event_based_actor(config), given_(std::move(given)) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg& x) { given_->push_back(x); },
            [](std::int32_t) { throw std::runtime_error("no voltage"); }};
  }

private:
  std::shared_ptr<std::vector<TrackedMsg>> given_;
};

} // namespace

class ProgressTest : public DurableTest {
protected:
  void TearDown() override {
    given->clear(); // which holds clients
    DurableTest::TearDown();
  }

  void start_worker(SenderOptions options = by_sent()) {
    start_with(
      [given = given](caf::event_based_actor* self) { return self->spawn<LongWorker>(given); },
      std::move(options));
  }

  void start_worker_durably(SenderOptions options = by_sent()) {
    outbox = open(store);
    start_worker(with(outbox, std::move(options)));
    time.run();
  }

  void kill_and_start_worker() {
    store = store->copy();
    start_worker_durably();
  }

  void say(const std::string& note) { tell(Working{given->back().id, note}); }

  void crash_worker() {
    const auto child = time.ask<ChildHandle>(sender, CurrentChild{});
    time.run();
    time.tell(child->value->child, std::int32_t{1});
    time.run();
    time.advance(10ms);
  }

  std::string context() { return store->find(1)->context; }

  std::shared_ptr<std::vector<TrackedMsg>> given = std::make_shared<std::vector<TrackedMsg>>();
};

TEST_F(ProgressTest, is_told_to_the_next_child) {
  start_worker();
  submit("import");
  EXPECT_EQ(given->at(0).note, "");
  say("row 1");
  say("row 2");
  EXPECT_EQ(status().with_note, 1u);
  crash_worker();
  ASSERT_EQ(given->size(), 2u);
  EXPECT_EQ(given->at(1).note, "row 2");
  tell(Working{given->at(1).id});
  crash_worker();
  time.advance(30ms);
  ASSERT_EQ(given->size(), 3u);
  EXPECT_EQ(given->at(2).note, "row 2") << "Working without a note leaves the last one";
}

TEST_F(ProgressTest, leaves_the_payload_as_it_is) {
  start_worker();
  submit("import", {.idempotency_key = "a"});
  say("row 1");
  crash_worker();
  tell(Nack{given->at(1).id});
  const auto answer = time.ask<CancelAnswer>(
    sender, Replace{.idempotency_key = "a", .payload = caf::make_message(std::string{"other"})});
  time.run();
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::in_work);
  time.advance(1min);
  ASSERT_EQ(given->size(), 3u);
  EXPECT_EQ(given->at(2).note, "row 1");
  EXPECT_EQ(given->at(2).payload.get_as<std::string>(0), "import");
}

TEST_F(ProgressTest, may_have_any_bytes) {
  start_worker();
  submit("import");
  const std::string note{"\0\n%\xff", 4};
  say(note);
  tell(Nack{given->at(0).id});
  time.advance(10ms);
  EXPECT_EQ(given->at(1).note, note);
}

TEST_F(ProgressTest, of_a_message_is_gone_with_it) {
  start_worker();
  submit("import");
  say("row 1");
  tell(Sent{given->at(0).id});
  EXPECT_EQ(status().with_note, 0u);
  submit("another, in the same slot");
  EXPECT_EQ(given->at(1).note, "");
}

TEST_F(ProgressTest, counts_only_from_the_last_child_that_was_given_the_message) {
  start_worker();
  submit("import");
  say("row 1");
  crash_worker();
  tell(Working{given->at(0).id, "row 7"});
  tell(Nack{given->at(1).id});
  time.advance(30ms);
  ASSERT_EQ(given->size(), 3u);
  EXPECT_EQ(given->at(2).note, "row 1");
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 1u);
}

TEST_F(ProgressTest, of_more_than_64_kib_is_refused_and_the_child_still_works) {
  auto options = by_sent();
  options.ack_timeout = 1s;
  start_worker(std::move(options));
  submit("import");
  say(std::string(Working::largest_note, 'x'));
  time.advance(900ms);
  const auto refusal =
    time.ask<std::string>(sender, Working{given->at(0).id, std::string(65'537, 'y')});
  time.advance(900ms);
  EXPECT_THAT(text_of(refusal->error),
              HasSubstr("Working: note: got 65537 bytes, allowed 0..65536 bytes"));
  EXPECT_EQ(log.all<event::Hint>().at(0).about, event::Hint::About::large_note);
  EXPECT_EQ(crashes(), 0u) << "it has said that it works";
  crash_worker();
  EXPECT_EQ(given->at(1).note, std::string(65'536, 'x'));
}

// -- with a durable outbox ----------------------------------------------------------------------

TEST_F(ProgressTest, outlives_the_process) {
  start_worker_durably();
  submit("import", {.retries = "max_attempts 5"});
  say("row 1");
  say("row 2");
  time.advance(100ms);
  EXPECT_EQ(context(), "retries: max_attempts 5\nnote: row 2");
  kill_and_start_worker();
  ASSERT_EQ(given->size(), 2u);
  EXPECT_EQ(given->at(1).note, "row 2");
  EXPECT_EQ(status().with_note, 1u);
}

TEST_F(ProgressTest, is_written_with_the_next_commit_that_is_made_anyway) {
  auto options = by_sent();
  options.max_in_flight = 1;
  start_worker_durably(std::move(options));
  submit("import");
  const auto before = store->commits();
  for (auto row = 1; row <= 100; ++row)
    say("row " + std::to_string(row));
  EXPECT_EQ(store->commits(), before);
  submit("another");
  EXPECT_EQ(store->commits(), before + 1);
  EXPECT_EQ(context(), "note: row 100");
}

TEST_F(ProgressTest, is_written_after_100_ms_if_nothing_else_is) {
  start_worker_durably();
  submit("import");
  const auto before = store->commits();
  say("row 1");
  time.advance(50ms);
  say("row 2");
  time.advance(50ms - 1ns);
  EXPECT_EQ(store->commits(), before);
  time.advance(1ns);
  EXPECT_EQ(store->commits(), before + 1);
  EXPECT_EQ(context(), "note: row 2");
}

TEST_F(ProgressTest, that_was_not_written_is_what_it_was_before) {
  start_worker_durably();
  submit("import");
  say("row 1");
  time.advance(100ms);
  say("row 2");
  kill_and_start_worker();
  EXPECT_EQ(given->at(1).note, "row 1");
}

TEST_F(ProgressTest, goes_over_to_the_next_sender_of_the_process) {
  start_worker_durably();
  submit("import");
  say("row 1");
  stop_sender();
  start_worker(with(outbox, by_sent()));
  time.run();
  EXPECT_EQ(given->at(1).note, "row 1");
}

TEST_F(ProgressTest, of_a_dead_letter_stays_with_it_and_of_one_that_is_done_is_gone) {
  start_worker_durably();
  submit("import");
  say("row 1");
  tell(Reject{given->at(0).id});
  EXPECT_EQ(store->dead_letter(1)->delivery.context, "note: row 1");
  const std::uint64_t ids[] = {1};
  store->resubmit_dead_letters(ids);
  kill_and_start_worker();
  EXPECT_EQ(given->at(1).note, "row 1") << "a letter that is resubmitted goes on where it was";
  tell(Sent{given->at(1).id});
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(ProgressTest, is_kept_beside_the_mark_of_a_cancellation_whose_answer_waits_for_its_own) {
  start_worker_durably();
  submit("import", {.idempotency_key = "first"});
  say("row 1");
  const auto answer = time.ask<CancelAnswer>(sender, Cancel{.idempotency_key = "first"});
  time.run();
  EXPECT_TRUE(answer->value) << "it waits for no note";
  EXPECT_EQ(context(), "note: row 1\ncancelled: gone");
  say("row 2");
  time.advance(100ms);
  EXPECT_EQ(context(), "cancelled: gone\nnote: row 2");
}

TEST_F(ProgressTest, is_the_last_that_came_before_the_hand_over_was_written_down) {
  auto options = by_sent();
  options.rare.max_hand_overs = 3;
  start_worker_durably(std::move(options));
  submit("import");
  say("row 1");
  tell(Nack{given->at(0).id});
  say("row 2");
  time.advance(10ms);
  ASSERT_EQ(given->size(), 2u);
  EXPECT_EQ(given->at(1).note, "row 2");
}

} // namespace backoff_actor::actor_test
