// What the decider makes of errors and crashes; hangs have a file of their own.

#include "fixture.hpp"

#include <caf/sec.hpp>

#include <ostream>

namespace backoff_actor::actor_test {

class WithDecider : public SenderTest {};

// Decides so about errors of one kind, and as by default about others.
Decider for_kind(FailureKind which, Decision what) {
  return [=](FailureKind kind, const caf::error&) {
    return kind == which ? what : default_decider(kind);
  };
}

TEST_F(WithDecider, a_decider_that_names_no_time_leaves_that_to_the_error) {
  auto options = default_options();
  options.decider = for_kind(FailureKind::error_answer, Verdict::retry);
  start({{testing::error("busy", 1s)}}, options);
  const auto answer = ask("a");
  time.advance(1s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ns);
  EXPECT_EQ(answer->value, "a");
}

TEST_F(WithDecider, a_crash_without_a_word_is_not_mistaken_for_an_earlier_one) {
  auto options = default_options();
  options.decider = [](FailureKind kind, const caf::error& error) -> Decision {
    return kind == FailureKind::child_down && error == caf::exit_reason::kill ? Verdict::reject
                                                                              : Verdict::retry;
  };
  start({{testing::crash("bang"), testing::silence()}}, options);
  const auto answer = ask("a");
  time.advance(10ms);
  caf::anon_send_exit(danger.child(), caf::exit_reason::kill);
  time.run();

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::exit_reason::kill);
}

// -- made from a table -------------------------------------------------------------------

class DeciderOfTable : public SenderTest {
protected:
  const Decider decider = decider_of({
    {caf::sec::request_timeout, Verdict::retry},
    {SupervisorError::no_child, {Verdict::retry, 30s}},
    {SenderError::expired, Verdict::give_up},
    {caf::exit_reason::kill, Verdict::reject},
    {FailureKind::start_failed, Verdict::escalate},
    {caf::sec::request_timeout, Verdict::escalate},
  });

  std::string decided(FailureKind kind, const caf::error& error) {
    const auto decision = decider(kind, error);
    const auto number = std::to_string(static_cast<int>(decision.verdict));
    return decision.retry_after ? number + " in " + to_string(*decision.retry_after) : number;
  }
};

TEST_F(DeciderOfTable, decides_by_the_first_row_of_the_code_or_of_the_kind) {
  const auto retry = std::to_string(static_cast<int>(Verdict::retry));
  const auto reject = std::to_string(static_cast<int>(Verdict::reject));
  const auto give_up = std::to_string(static_cast<int>(Verdict::give_up));
  const auto escalate = std::to_string(static_cast<int>(Verdict::escalate));
  const auto answer = FailureKind::error_answer;

  EXPECT_EQ(decided(answer, caf::make_error(caf::sec::request_timeout)), retry);
  EXPECT_EQ(decided(answer, caf::make_error(caf::sec::request_timeout, std::string{"x"})), retry);
  EXPECT_EQ(decided(answer, make_error(SupervisorError::no_child)), retry + " in 30s");
  EXPECT_EQ(decided(answer, make_error(SenderError::expired, "late")), give_up);
  EXPECT_EQ(decided(FailureKind::child_down, caf::exit_reason::kill), reject);
  EXPECT_EQ(decided(FailureKind::start_failed, caf::make_error(caf::sec::bad_function_call)),
            escalate);
  EXPECT_EQ(decided(FailureKind::start_failed, caf::make_error(caf::sec::request_timeout)), retry);
}

TEST_F(DeciderOfTable, leaves_what_is_not_in_it_to_the_default) {
  const auto retry = std::to_string(static_cast<int>(Verdict::retry));
  const auto reject = std::to_string(static_cast<int>(Verdict::reject));

  EXPECT_EQ(decided(FailureKind::error_answer, caf::make_error(caf::sec::invalid_argument)),
            reject);
  EXPECT_EQ(decided(FailureKind::error_answer, retry_after(7s)), retry + " in 7s");
  EXPECT_EQ(decided(FailureKind::child_down, caf::make_error(caf::sec::runtime_error)), retry);
  EXPECT_EQ(decided(FailureKind::ack_timeout, make_error(SenderError::ack_timeout)), retry);
  EXPECT_EQ(decided(FailureKind::error_answer, make_error(SenderError::draining)), retry)
    << "a sender gave it back";
  EXPECT_EQ(decided(FailureKind::child_down, {}), retry);
}

TEST_F(DeciderOfTable, decides_for_a_sender) {
  auto options = default_options();
  options.decider = decider_of({{caf::sec::invalid_argument, {Verdict::retry, 3s}}});
  start({{testing::error("busy")}}, options);
  const auto answer = ask("a");
  time.advance(3s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ns);
  EXPECT_EQ(answer->value, "a");
}

// -- errors of others ----------------------------------------------------------------------

// As a child does that passes a delivery on to somebody who is gone, and crashes then.
TEST_F(WithDecider, a_crash_after_the_word_that_somebody_is_gone_is_called_by_its_own_name) {
  auto options = by_sent();
  options.decider = [](FailureKind, const caf::error&) { return Decision{Verdict::reject}; };
  start_hand_made(
    [](auto* child, const TrackedMsg&) -> caf::message {
      child->make_response_promise().deliver(caf::make_error(caf::sec::request_receiver_down));
      throw std::runtime_error("bang");
    },
    options);
  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::runtime_error);
}

TEST_F(WithDecider, a_normal_stop_that_is_called_final_is_an_error_for_the_client) {
  auto options = default_options();
  options.decider = for_kind(FailureKind::child_down, Verdict::reject);
  start({{testing::stop()}}, options);
  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::request_receiver_down);
}

TEST_F(WithDecider, a_decider_that_throws_has_no_say) {
  auto options = default_options();
  options.decider = [](FailureKind, const caf::error&) -> Decision {
    throw std::runtime_error("undecided");
  };
  start({{testing::error(), testing::crash(), testing::error("busy", 1s)}}, options);
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(1010ms);

  ASSERT_TRUE(a->error) << "an error answer is final";
  EXPECT_EQ(*a->error, caf::sec::invalid_argument);
  EXPECT_EQ(b->value, "b") << "a crash is retried, and so is what says when to come back";
}

// -- the end of the sender -----------------------------------------------------------------

struct LastFailure {
  const char* name;
  FailureKind kind;
  Verdict verdict;
  caf::error reason;
  const char* text; // part of what people read of the reason

  friend void PrintTo(const LastFailure& row, std::ostream* out) { *out << row.name; }
};

class DeciderForTheLastTime : public WithDecider,
                              public ::testing::WithParamInterface<LastFailure> {};

TEST_P(DeciderForTheLastTime, the_sender_ends_with_the_reason_that_its_watchers_expect) {
  auto options = default_options();
  options.decider = for_kind(GetParam().kind, GetParam().verdict);
  options.max_in_flight = 8;
  const auto act =
    GetParam().kind == FailureKind::child_down ? testing::crash("bang") : testing::error("bang");
  // "b" is in flight behind the failure.
  start({{act, testing::silence()}}, options);
  const auto reason = watch_sender();
  const auto a = time.ask<std::string>(sender, std::string{"a"});
  const auto b = time.ask<std::string>(sender, std::string{"b"});
  time.run();

  ASSERT_TRUE(*reason) << "the sender lives";
  EXPECT_EQ(**reason, GetParam().reason);
  EXPECT_THAT(text_of(**reason), ::testing::HasSubstr(GetParam().text));
  for (const auto& answer : {a, b}) {
    ASSERT_TRUE(answer->error);
    EXPECT_EQ(*answer->error, make_error(SenderError::gave_up));
    EXPECT_THAT(text_of(answer->error), ::testing::HasSubstr("bang"));
  }
  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_EQ(time.timers(), 0u);
  EXPECT_EQ(log.count<event::GaveUp>(), 1u);
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
  table, DeciderForTheLastTime,
  ::testing::Values(LastFailure{"give_up_on_an_error", FailureKind::error_answer, Verdict::give_up,
                                make_error(SenderError::gave_up), "bang"},
                    LastFailure{"escalate_an_error", FailureKind::error_answer, Verdict::escalate,
                                caf::make_error(caf::sec::invalid_argument), "bang"},
                    LastFailure{"give_up_on_a_crash", FailureKind::child_down, Verdict::give_up,
                                make_error(SenderError::gave_up), "bang"},
                    LastFailure{"escalate_a_crash", FailureKind::child_down, Verdict::escalate,
                                caf::make_error(caf::sec::runtime_error), "bang"}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST_F(WithDecider, a_failed_start_may_be_the_end_even_the_very_first_one) {
  auto options = default_options();
  options.decider = for_kind(FailureKind::start_failed, Verdict::escalate);
  options.on_event = log.hook();
  danger = DangerousActor{{}, Birth::factory_throws};
  sender = time.keep(spawn_back_off_sender(time.system(), danger.factory(), options));
  const auto reason = watch_sender();
  time.run();

  ASSERT_TRUE(*reason) << "the sender lives";
  EXPECT_EQ(**reason, make_error(SenderError::start_failed));
  EXPECT_EQ(text_of(**reason), "start_failed: the worker could not be started (no voltage)");
}

TEST_F(WithDecider, escalating_a_normal_stop_is_no_normal_end) {
  auto options = default_options();
  options.decider = for_kind(FailureKind::child_down, Verdict::escalate);
  start({{testing::stop()}}, options);
  const auto reason = watch_sender();
  ask("a");

  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, make_error(SenderError::gave_up));
}

} // namespace backoff_actor::actor_test
