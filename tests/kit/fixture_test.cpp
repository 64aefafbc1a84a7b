#include "failure_of.hpp"
#include "worker.hpp"

#include <backoff_actor/testing/gmock.hpp>
#include <backoff_actor/testing/gtest.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <string>
#include <vector>

namespace backoff_actor::kit_test {

namespace {

using namespace std::chrono_literals;
using namespace backoff_actor::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// [test]
class Fixture : public VirtualTimeTest {};

TEST_F(Fixture, tests_a_worker_and_its_supervision_in_few_lines) {
  const auto sender = start_sender(workers(2));
  const auto answer = ask<std::string>(sender, std::string{"order"});
  EXPECT_THAT(answer, IsPending());

  time.advance(1h);

  EXPECT_THAT(answer, Answered("order done"));
  EXPECT_THAT(log, SawInOrder(child_down(1, "High Voltage"), retry_scheduled, child_down(2),
                              acknowledged(1, incarnation(3))));
}
// [test]

TEST_F(Fixture, draws_the_same_delays_in_every_run) {
  const auto delays_of_a_run = [] {
    std::vector<Duration> result;
    const EventLog events;
    VirtualTime run;
    SenderOptions options;
    options.seed = 1; // which is what `start_sender` takes, as the stream
    options.stream = 0;
    options.on_event = events.hook();
    const auto sender = run.keep(spawn_back_off_sender(run.system(), workers(5), options));
    run.tell(sender, std::string{"order"});
    run.advance(1h);
    for (const auto& x : events.all<event::RetryScheduled>())
      result.push_back(x.delay);
    return result;
  };
  const auto sender = start_sender(workers(5));
  time.tell(sender, std::string{"order"});
  time.advance(1h);

  std::vector<Duration> delays;
  for (const auto& x : log.all<event::RetryScheduled>())
    delays.push_back(x.delay);
  EXPECT_EQ(delays.size(), 5u);
  EXPECT_EQ(delays, delays_of_a_run());
}

TEST_F(Fixture, tells_senders_apart_by_name) {
  const auto orders = start_sender(workers(1), {}, "orders");
  const auto mails = start_sender(workers(0), {}, "mails");
  ask<std::string>(orders, std::string{"a"});
  ask<std::string>(mails, std::string{"b"});

  EXPECT_THAT(log, SawTimes(1, child_down.of("orders")));
  EXPECT_THAT(log, SawNone(child_down.of("mails")));
  EXPECT_THAT(log.of("mails"), SawExactly(child_started, accepted, handed_over, acknowledged));
}

TEST_F(Fixture, leaves_the_hook_of_the_options_in_place) {
  const EventLog mine;
  SenderOptions options;
  options.on_event = mine.hook();
  start_sender(workers(0), options);

  EXPECT_THAT(mine, SawExactly(child_started));
  EXPECT_THAT(log, SawExactly(child_started));
}

// -- virtual time ---------------------------------------------------------------------

TEST_F(Fixture, goes_from_timer_to_timer) {
  SenderOptions options;
  options.backoff = Fixed{.delay = 10ms};
  const auto sender = start_sender(workers(2), options);
  EXPECT_EQ(time.advance_to_next_timer(), std::nullopt);

  time.tell(sender, std::string{"order"});
  EXPECT_EQ(time.advance_to_next_timer(), 10ms) << "what was told is worked on first";
  EXPECT_THAT(log, SawTimes(2, child_down));
  EXPECT_EQ(time.advance_to_next_timer(), 10ms);
  EXPECT_THAT(log, Saw(acknowledged(20ms)));
  EXPECT_EQ(time.advance_to_next_timer(), std::nullopt);
}

TEST_F(Fixture, spawns_actors_that_do_not_outlive_it) {
  const auto silent = time.spawn<Silent>();
  const auto worker = time.spawn<Worker>(Ledger{}, std::make_shared<int>(0));

  EXPECT_THAT(ask<std::string>(worker, std::string{"a"}), Answered("a done"));
  EXPECT_THAT(ask<std::string>(silent, std::string{"a"}), IsPending());
}

TEST_F(Fixture, does_not_go_back_in_time) {
  time.advance(0s);
  EXPECT_THROW(time.advance(-1ns), InvalidArgument);
}

// A worker whose type says what it takes and answers.
using Doubler = caf::typed_actor<compat::Signature<std::string, std::uint64_t>>;

class TypedWorker : public Doubler::base {
public:
  explicit TypedWorker(caf::actor_config& config) : Doubler::base(config) {}

  behavior_type make_behavior() override {
    return {[](std::uint64_t x) { return std::to_string(2 * x); }};
  }
};

TEST_F(Fixture, takes_typed_workers_as_they_are) {
  const Doubler worker = time.keep(time.system().spawn<TypedWorker>());
  const Doubler service = faulty_actor(worker, "error(503), ok");

  EXPECT_THAT(ask<std::string>(service, std::uint64_t{4}), AnsweredError("503"));
  EXPECT_THAT(ask<std::string>(service, std::uint64_t{4}), Answered("8"));

  const auto sender = start_sender(faulty_children(child_of<TypedWorker>(), "crash"));
  const auto answer = ask<std::string>(sender, std::uint64_t{5});
  time.advance(1h);
  EXPECT_THAT(answer, Answered("10"));
}

// -- answers --------------------------------------------------------------------------

class Answers : public VirtualTimeTest {
protected:
  std::shared_ptr<Answer<std::string>> error() {
    SenderOptions options;
    options.max_attempts = 1;
    options.charging = Charging::every_failure();
    return ask<std::string>(start_sender(workers(1), options), std::string{"a"});
  }

  std::shared_ptr<Answer<std::string>> value() {
    return ask<std::string>(start_sender(workers(0)), std::string{"a"});
  }

  std::shared_ptr<Answer<std::string>> nothing() {
    return ask<std::string>(time.spawn<Silent>(), std::string{"a"});
  }
};

TEST_F(Answers, are_matched_by_value) {
  EXPECT_THAT(value(), Answered("a done"));
  EXPECT_THAT(value(), Answered(HasSubstr("done")));
  EXPECT_THAT(value(), Answered());
  EXPECT_THAT(*value(), Answered("a done")) << "the answer itself, too";
  EXPECT_THAT(value(), Not(Answered("b done")));
  EXPECT_THAT(nothing(), Not(Answered()));
  EXPECT_THAT(error(), Not(Answered()));
}

TEST_F(Answers, are_matched_by_error) {
  EXPECT_THAT(error(), AnsweredError(SenderError::attempts_exhausted));
  EXPECT_THAT(error(), Not(AnsweredError(SenderError::expired)));
  EXPECT_THAT(error(), Not(AnsweredError(caf::sec::runtime_error)));
  EXPECT_THAT(error(), AnsweredError("attempts_exhausted"));
  EXPECT_THAT(error(), AnsweredError(Not(HasSubstr("expired"))));
  EXPECT_THAT(error(), AnsweredError());
  EXPECT_THAT(value(), Not(AnsweredError()));
  EXPECT_THAT(nothing(), Not(AnsweredError()));
}

TEST_F(Answers, can_be_pending) {
  EXPECT_THAT(nothing(), IsPending());
  EXPECT_THAT(value(), Not(IsPending()));
  EXPECT_THAT(error(), Not(IsPending()));
}

TEST_F(Answers, say_what_they_are_when_they_are_not_what_was_expected) {
  const auto answer = value();
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(answer, Answered("b done")); }),
            "Value of: answer\n"
            "Expected: an answer that is equal to \"b done\"\n"
            "  Actual: \"a done\"");
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(answer, Not(Answered("a done"))); }),
            "Value of: answer\n"
            "Expected: no answer that is equal to \"a done\"\n"
            "  Actual: \"a done\"");
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(answer, AnsweredError("expired")); }),
            "Value of: answer\n"
            "Expected: an error whose text has substring \"expired\"\n"
            "  Actual: \"a done\"");
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(answer, AnsweredError(caf::sec::runtime_error)); }),
            "Value of: answer\n"
            "Expected: the error runtime_error\n"
            "  Actual: \"a done\"");

  const auto none = nothing();
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(none, Answered("a done")); }),
            "Value of: none\n"
            "Expected: an answer that is equal to \"a done\"\n"
            "  Actual: no answer yet");

  const auto failed = error();
  EXPECT_THAT(failure_of([&] { EXPECT_THAT(failed, IsPending()); }),
              HasSubstr("Expected: no answer yet\n"
                        "  Actual: error: attempts_exhausted"));
}

TEST_F(Answers, say_what_they_are_when_they_are_asked_for_a_value) {
  EXPECT_EQ(value()->get(), "a done");
  try {
    nothing()->get();
    FAIL() << "there is none";
  } catch (const std::runtime_error& problem) {
    EXPECT_STREQ(problem.what(), "Answer::get: no answer yet");
  }
  try {
    error()->get();
    FAIL() << "it is an error";
  } catch (const std::runtime_error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("Answer::get: error: attempts_exhausted"));
  }
}

TEST_F(Answers, of_other_types_are_printed_too) {
  Answer<std::uint64_t> answer;
  answer.value = 17;
  EXPECT_EQ(to_string(answer), "17");
  EXPECT_THAT(answer, Answered(17));
}

// -- a ledger of requests -------------------------------------------------------------

class Books : public VirtualTimeTest {
protected:
  void submit(const caf::actor& sender, const std::string& key) {
    time.keep(request_and_note(time.system(), ledger, key, sender, key));
    time.run();
  }

  Ledger ledger;
};

TEST_F(Books, prove_that_nothing_was_lost) {
  const auto sender = start_sender(workers(3, ledger));
  for (const auto* key : {"a", "b", "c", "d"})
    submit(sender, key);
  EXPECT_THAT(ledger, Not(LostNothing()));
  EXPECT_THAT(ledger.summary(4), LostNothing()) << "all are owed";

  time.advance(1h);

  EXPECT_THAT(ledger, IsBalanced());
  EXPECT_THAT(ledger, HasDuplicates(3)) << "each crash came after the work";
  EXPECT_EQ(to_string(ledger.summary()),
            "submitted 4, acknowledged 4, dead-lettered 0, refused 0, lost 0, duplicates 3");
}

TEST_F(Books, know_dead_letters_and_refusals) {
  SenderOptions options;
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  options.capacity = 1;
  options.backoff = Fixed{.delay = 10ms};
  const auto sender = start_sender(workers(1, ledger), options);
  submit(sender, "poison");
  submit(sender, "waits");
  submit(sender, "refused");
  time.advance(1h);

  EXPECT_EQ(to_string(ledger.summary()),
            "submitted 3, acknowledged 1, dead-lettered 1, refused 1, lost 0, duplicates 0");
  EXPECT_THAT(ledger, IsBalanced());
}

TEST_F(Books, name_what_nobody_answers) {
  submit(time.spawn<Silent>(), "a");
  time.advance(1h);

  EXPECT_EQ(ledger.summary().losses_text(), "lost: a");
}

TEST_F(Books, need_a_receiver) {
  EXPECT_THROW(request_and_note(time.system(), ledger, "a", {}, std::string{"a"}), InvalidArgument);
  EXPECT_EQ(ledger.summary().submitted, 0u);
}

TEST_F(Books, take_any_message_as_it_is) {
  const auto worker = time.spawn<Worker>(ledger, std::make_shared<int>(0));
  time.keep(
    request_and_note(time.system(), ledger, "key", worker, caf::make_message(std::string{"key"})));
  time.run();

  EXPECT_THAT(ledger, IsBalanced());
  EXPECT_EQ(ledger.summary().acknowledged, 1u);
}

TEST_F(Books, can_be_kept_by_the_senders_hook) {
  SenderOptions options;
  options.on_event = ledger.hook();
  const auto sender = start_sender(workers(2), options);
  for (const auto* text : {"a", "b"})
    time.tell(sender, std::string{text});
  time.advance(1h);

  EXPECT_EQ(to_string(ledger.summary()),
            "submitted 2, acknowledged 2, dead-lettered 0, refused 0, lost 0, duplicates 0");
}

} // namespace

} // namespace backoff_actor::kit_test
