// What becomes of the hooks of a sender that throw, and of the dead letters that they were to take.

#include "durable_fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <algorithm>
#include <stdexcept>

namespace backoff_actor::actor_test {

class ThrowingHooks : public DurableTest {
protected:
  static SenderOptions with_full_disk(SenderOptions options = default_options()) {
    options.on_dead_letter = [](const DeadLetter&) {
      throw std::runtime_error("the disk\nis full");
    };
    return options;
  }

  // Returns the lines on the error stream meanwhile, with N in place of the senders' numbers.
  template <class Work>
  std::string error_stream_of(Work work) {
    ::testing::internal::CaptureStderr();
    work();
    auto text = ::testing::internal::GetCapturedStderr();
    for (auto at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
      const auto end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
      if (end > at + 1 && text.compare(end, 5, ": on_") == 0)
        text.replace(at + 1, end - at - 1, "N");
    }
    return text;
  }

  std::vector<event::DeadLetterHookFailed> reports() const {
    return log.all<event::DeadLetterHookFailed>();
  }
};

// -- dead letters ------------------------------------------------------------------------

TEST_F(ThrowingHooks, lose_no_dead_letter_the_event_has_it_and_a_line_has_its_message) {
  start({{testing::error()}}, with_full_disk());
  const auto said =
    error_stream_of([&] { submit("order 7", {.key = "customer 7", .idempotency_key = "k"}); });

  EXPECT_EQ(said, "backoff_actor: sender#N: on_dead_letter threw for delivery 1, rejected: the "
                  "disk\\nis full; nobody else gets the message (\"order 7\")\n");
  ASSERT_EQ(reports().size(), 1u);
  const auto report = reports().front();
  EXPECT_EQ(report.delivery, 1u);
  EXPECT_EQ(report.exception, "the disk\nis full");
  EXPECT_EQ(report.message, "(\"order 7\")");
  const auto* const letter = dead_letter_of(report);
  ASSERT_NE(letter, nullptr);
  EXPECT_EQ(letter->id, 1u);
  EXPECT_EQ(letter->reason, DeadLetterReason::rejected);
  EXPECT_TRUE(letter->client);
  const auto answer = time.ask<std::string>(sender, resubmit(*letter));
  time.run();
  EXPECT_EQ(answer->value, "order 7");
}

TEST_F(ThrowingHooks, are_reported_after_the_event_of_the_dead_letter) {
  start({{testing::error()}}, with_full_disk());
  error_stream_of([&] { ask("a"); });

  const auto entries = log.entries();
  ASSERT_GE(entries.size(), 2u);
  EXPECT_THAT(to_string(entries[entries.size() - 2]), HasSubstr("delivery 1 dead-lettered"));
  EXPECT_EQ(to_string(entries.back()), "on_dead_letter threw for delivery 1: the disk\\nis full; "
                                       "nobody else gets the message (\"a\")");
}

TEST_F(ThrowingHooks, are_reported_for_each_dead_letter) {
  start({{testing::error(), testing::error(), testing::error()}}, with_full_disk());
  const auto said = error_stream_of([&] {
    for (const auto* const text : {"a", "b", "c"})
      ask(text);
  });

  EXPECT_EQ(reports().size(), 3u);
  EXPECT_THAT(said, HasSubstr("(\"a\")"));
  EXPECT_THAT(said, HasSubstr("(\"b\")"));
  EXPECT_THAT(said, HasSubstr("(\"c\")"));
}

TEST_F(ThrowingHooks, keep_no_dead_letter_from_the_outbox) {
  start_durable({{testing::error()}}, with_full_disk());
  const auto said = error_stream_of([&] {
    ask("a");
    time.advance(1s);
  });

  ASSERT_EQ(outbox.dead_letters().size(), 1u);
  EXPECT_EQ(outbox.dead_letters()[0].message.get_as<std::string>(0), "a");
  EXPECT_EQ(said, "backoff_actor: sender#N: on_dead_letter threw for delivery 1, rejected: the "
                  "disk\\nis full; the outbox keeps the letter\n");
  ASSERT_EQ(reports().size(), 1u);
  EXPECT_EQ(dead_letter_of(reports()[0]), nullptr);
}

TEST_F(ThrowingHooks, report_the_message_that_the_outbox_could_not_store) {
  start_durable({}, with_full_disk());
  store->fail_next(1);
  const auto said = error_stream_of([&] {
    ask("a");
    time.advance(1s);
  });

  EXPECT_THAT(said, HasSubstr("delivery 1, not_stored: the disk\\nis full; nobody else gets the "
                              "message (\"a\")\n"));
  ASSERT_EQ(reports().size(), 1u);
  EXPECT_NE(dead_letter_of(reports()[0]), nullptr);
}

TEST_F(ThrowingHooks, lose_nothing_of_what_a_sender_gives_up_at_its_end) {
  start({{testing::silence(), testing::silence()}}, with_full_disk());
  submit("a");
  submit("b");
  const auto said = error_stream_of([&] { tell(Stop{}); });

  EXPECT_THAT(said, HasSubstr("delivery 1, stopped"));
  EXPECT_THAT(said, HasSubstr("delivery 2, stopped"));
  ASSERT_EQ(reports().size(), 2u);
  EXPECT_EQ(reports()[1].message, "(\"b\")");
  const auto entries = log.entries();
  EXPECT_THAT(to_string(entries.back()), HasSubstr("on_dead_letter threw for delivery 2"));
}

TEST_F(ThrowingHooks, lose_nothing_of_what_a_sender_owes_when_it_is_killed) {
  start({{testing::silence()}}, with_full_disk());
  submit("a");
  const auto said = error_stream_of([&] {
    compat::send_exit_now(sender, sender.address(), caf::exit_reason::kill);
    time.run();
  });

  EXPECT_THAT(said, HasSubstr("delivery 1, stopped"));
  ASSERT_EQ(reports().size(), 1u);
  EXPECT_EQ(reports()[0].message, "(\"a\")");
}

TEST_F(ThrowingHooks, are_reported_on_the_error_stream_alone_if_nobody_hears_events) {
  danger = DangerousActor{{{testing::error()}}};
  sender = time.keep(spawn_back_off_sender(time.system(), danger.factory(), with_full_disk()));
  const auto said = error_stream_of([&] { ask("a"); });

  EXPECT_THAT(said, HasSubstr("nobody else gets the message (\"a\")"));
}

TEST_F(ThrowingHooks, may_throw_what_has_no_text) {
  auto options = default_options();
  options.on_dead_letter = [](const DeadLetter& letter) {
    if (letter.id == 1)
      throw 7;
    throw std::runtime_error("");
  };
  start({{testing::error(), testing::error()}}, options);
  const auto said = error_stream_of([&] {
    ask("a");
    ask("b");
  });

  EXPECT_THAT(said, HasSubstr("delivery 1, rejected: an exception of unknown type;"));
  EXPECT_THAT(said, HasSubstr("delivery 2, rejected: an exception without a text;"));
}

// -- events ------------------------------------------------------------------------------

TEST_F(ThrowingHooks, for_events_cost_nothing_and_are_reported_once) {
  auto options = default_options();
  options.on_event = [](const Event&) { throw std::runtime_error("no paper"); };
  const auto said = error_stream_of([&] {
    start({{testing::crash()}}, options);
    const auto answer = ask("a");
    time.advance(10ms);
    EXPECT_EQ(answer->value, "a");
    EXPECT_EQ(ask("b")->value, "b");
  });

  EXPECT_EQ(said, "backoff_actor: sender#N: on_event threw: no paper; its next exceptions are not "
                  "reported\n");
}

TEST_F(ThrowingHooks, for_events_are_reported_once_by_each_sender_of_a_blueprint) {
  auto options = default_options();
  options.on_event = [](const Event&) { throw std::runtime_error("no paper"); };
  const SenderBlueprint blueprint{child_of<Echo>(), options};
  const auto said = error_stream_of([&] {
    for (int i = 0; i < 2; ++i) {
      sender = time.keep(blueprint.spawn(time.system()));
      ask("a");
    }
  });

  const std::string line = "backoff_actor: echo#N: on_event threw: no paper; its next exceptions "
                           "are not reported\n";
  EXPECT_EQ(said, line + line);
}

TEST_F(ThrowingHooks, for_events_do_not_keep_a_line_from_a_dead_letter) {
  auto options = with_full_disk();
  options.on_event = [](const Event&) { throw std::runtime_error("no paper"); };
  danger = DangerousActor{{{testing::error()}}};
  const auto said = error_stream_of([&] {
    sender = time.keep(spawn_back_off_sender(time.system(), danger.factory(), options));
    EXPECT_TRUE(ask("a")->error);
  });

  EXPECT_EQ(said, "backoff_actor: sender#N: on_event threw: no paper; its next exceptions are not "
                  "reported\n"
                  "backoff_actor: sender#N: on_dead_letter threw for delivery 1, rejected: the "
                  "disk\\nis full; nobody else gets the message (\"a\")\n");
}

// -- a queue in their place ----------------------------------------------------------------

TEST_F(ThrowingHooks, need_not_be_written_where_a_queue_keeps_letters_and_events) {
  const SharedQueue<DeadLetter> letters;
  const SharedQueue<Event> events;
  auto options = default_options();
  options.on_dead_letter = letters.hook();
  options.on_event = events.hook();
  start({{testing::error()}}, options);
  ask("a");

  const auto taken = letters.take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].message.get_as<std::string>(0), "a");
  EXPECT_EQ(events.take().size(), log.events().size());
}

TEST_F(ThrowingHooks, need_not_be_feared_after_the_end_of_a_queue) {
  auto letters = std::make_optional<SharedQueue<DeadLetter>>();
  auto options = default_options();
  options.on_dead_letter = letters->hook();
  start({{testing::error()}}, options);
  letters.reset();
  const auto said = error_stream_of([&] { EXPECT_TRUE(ask("a")->error); });

  EXPECT_EQ(said, "");
}

} // namespace backoff_actor::actor_test
