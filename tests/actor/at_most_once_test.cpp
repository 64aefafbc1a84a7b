// A sender that passes messages on and forgets them.

#include "at_most_once_fixture.hpp"

#include <backoff_actor/testing/gmock.hpp>

#include <caf/sec.hpp>

#include <ostream>

namespace backoff_actor::actor_test {

using testing::forwarded;
using testing::SawInOrder;

// -- while a child is there ---------------------------------------------------------------

TEST_F(AtMostOnce, the_child_knows_the_client_and_answers_it_directly) {
  start();
  const auto asked = request("a");
  const auto told = send_plainly("b");

  EXPECT_THAT(asked.heard->texts, ElementsAre("1:a"));
  EXPECT_THAT(told.heard->texts, ElementsAre("1:b"));
  const auto worker = caf::actor_cast<caf::actor_addr>(child().child);
  EXPECT_THAT(asked.heard->from, ElementsAre(worker));
  EXPECT_THAT(told.heard->from, ElementsAre(worker));
  EXPECT_THAT(scribes->askers, ElementsAre(caf::actor_cast<caf::actor_addr>(asked.speaker),
                                           caf::actor_cast<caf::actor_addr>(told.speaker)));
}

TEST_F(AtMostOnce, nothing_is_owed_and_nothing_resent) {
  start();
  const auto lost = request("crash");
  EXPECT_EQ(status().owed, 0u);

  time.advance(1h);

  EXPECT_THAT(scribes->seen, ElementsAre("1:crash"));
  EXPECT_THAT(lost.heard->texts, ElementsAre("!crash")) << "CAF answers for the dead";
  EXPECT_EQ(status().counters.forwarded, 1u);
  EXPECT_EQ(status().counters.dead_lettered, 0u);
}

TEST_F(AtMostOnce, requests_in_the_mailbox_of_a_child_that_crashes_are_answered_by_caf) {
  start();
  const auto first = time.ask<std::string>(sender, std::string{"crash"});
  const auto second = time.ask<std::string>(sender, std::string{"b"});
  time.advance(1h);

  EXPECT_TRUE(second->error.has_value());
  EXPECT_THAT(scribes->seen, ElementsAre("1:crash"));
}

TEST_F(AtMostOnce, messages_without_a_sender_reach_the_child_without_one) {
  start();
  tell(std::string{"a"});

  EXPECT_THAT(scribes->seen, ElementsAre("1:a"));
  EXPECT_THAT(scribes->askers, ElementsAre(caf::actor_addr{}));
}

TEST_F(AtMostOnce, a_submit_is_unwrapped_so_that_the_childs_own_status_can_be_asked_for) {
  start();
  const auto answer = time.ask<std::string>(sender, Submit{.message = caf::make_message(Status{})});
  time.run();

  EXPECT_EQ(answer->value, "1:status");
}

TEST_F(AtMostOnce, who_wants_to_know_of_acceptance_hears_that_and_nothing_more) {
  start();
  const auto submit_now = [&](const char* text) {
    auto answer = time.ask<Accepted>(sender, Submit{.message = caf::make_message(std::string{text}),
                                                    .answer_when_accepted = true});
    time.run();
    return answer;
  };
  request("a");
  const auto direct = submit_now("b");
  request("crash");
  const auto buffered = submit_now("c");
  time.advance(10ms);

  EXPECT_EQ(direct->value.value().id, 2u);
  EXPECT_EQ(buffered->value.value().id, 4u);
  EXPECT_THAT(scribes->seen, ElementsAre("1:a", "1:b", "1:crash", "2:c"));
}

TEST_F(AtMostOnce, what_the_child_sends_to_the_sender_comes_back_to_the_child) {
  start();
  request("remind me");

  EXPECT_THAT(scribes->seen, ElementsAre("1:remind me", "1:7"));
}

TEST_F(AtMostOnce, events_tell_of_every_message_with_its_number) {
  start();
  request("crash");
  request("b");
  time.advance(10ms);

  EXPECT_THAT(log, SawInOrder(forwarded(1, testing::incarnation(1)), testing::child_failed(1),
                              testing::accepted(2), testing::child_started(2),
                              forwarded(2, testing::incarnation(2))));
}

// -- while none is there --------------------------------------------------------------------

struct WhileDownRow {
  const char* while_down;
  const char* phase;
  // what comes back now, and what has come in the end; errors as "!name"
  const char* request_now;
  const char* request_later;
  const char* plain_now;
  const char* plain_later;

  friend void PrintTo(const WhileDownRow& row, std::ostream* out) {
    *out << row.while_down << " in phase " << row.phase;
  }
};

class WhileDownTable : public AtMostOnce, public ::testing::WithParamInterface<WhileDownRow> {
protected:
  WhileDown while_down() {
    const std::string name = GetParam().while_down;
    if (name == "buffer")
      return BufferWhileDown{};
    if (name == "reply")
      return ReplyWhileDown{caf::make_message(std::string{"later"})};
    if (name == "drop")
      return DropWhileDown{};
    return ForwardWhileDown{time.spawn<Behaving>([](caf::event_based_actor*) {
      return caf::behavior{[](const std::string& text) { return "helper:" + text; }};
    })};
  }

  void reach(const std::string& phase) {
    if (phase == "delay")
      request("crash");
    else if (phase == "pause")
      tell(Pause{});
    else if (phase == "rest")
      request("stop");
    else if (phase == "drain")
      tell(Drain{});
    else if (phase == "hang") // in the beginning of a child that does not come into being
      return;
  }

  // All that stands in the way ends.
  void go_on() {
    tell(Resume{});
    time.advance(1h);
  }
};

TEST_P(WhileDownTable, decides_what_a_client_gets) {
  start(forwarding(while_down()));
  for (const auto requests : {true, false}) {
    reach(GetParam().phase);
    const auto spoken = speak(requests, "x");
    EXPECT_EQ(spoken.text(), requests ? GetParam().request_now : GetParam().plain_now) << requests;
    go_on();
    EXPECT_EQ(spoken.text(), requests ? GetParam().request_later : GetParam().plain_later)
      << requests;
    EXPECT_LE(spoken.heard->texts.size(), 1u);
    EXPECT_EQ(status().owed, 0u);
    // From the beginning.
    tell(Stop{});
    scribes = std::make_shared<Scribes>();
    start(forwarding(while_down()));
  }
}

INSTANTIATE_TEST_SUITE_P(
  table, WhileDownTable,
  ::testing::Values(
    WhileDownRow{"buffer", "running", "1:x", "1:x", "1:x", "1:x"},
    WhileDownRow{"buffer", "delay", "", "2:x", "", "2:x"},
    WhileDownRow{"buffer", "pause", "", "1:x", "", "1:x"},
    WhileDownRow{"buffer", "rest", "2:x", "2:x", "2:x", "2:x"},
    WhileDownRow{"buffer", "drain", "!draining", "!draining", "", ""},
    WhileDownRow{"reply", "running", "1:x", "1:x", "1:x", "1:x"},
    WhileDownRow{"reply", "delay", "later", "later", "later", "later"},
    WhileDownRow{"reply", "pause", "later", "later", "later", "later"},
    WhileDownRow{"reply", "rest", "2:x", "2:x", "2:x", "2:x"},
    WhileDownRow{"reply", "drain", "!draining", "!draining", "", ""},
    WhileDownRow{"forward", "running", "1:x", "1:x", "1:x", "1:x"},
    WhileDownRow{"forward", "delay", "helper:x", "helper:x", "helper:x", "helper:x"},
    WhileDownRow{"forward", "pause", "helper:x", "helper:x", "helper:x", "helper:x"},
    WhileDownRow{"forward", "rest", "2:x", "2:x", "2:x", "2:x"},
    WhileDownRow{"forward", "drain", "!draining", "!draining", "", ""},
    WhileDownRow{"drop", "running", "1:x", "1:x", "1:x", "1:x"},
    WhileDownRow{"drop", "delay", "!no_child", "!no_child", "", ""},
    WhileDownRow{"drop", "pause", "!no_child", "!no_child", "", ""},
    WhileDownRow{"drop", "rest", "2:x", "2:x", "2:x", "2:x"},
    WhileDownRow{"drop", "drain", "!draining", "!draining", "", ""}),
  [](const auto& test) { return std::string{test.param.while_down} + "_" + test.param.phase; });

TEST_F(AtMostOnce, a_ledger_closes_the_account_of_what_was_forwarded) {
  const testing::Ledger ledger;
  auto options = forwarding();
  options.on_event = ledger.hook();
  start(options);
  request("crash");
  request("b");
  EXPECT_EQ(ledger.summary().faults_text(), "lost: 2");
  time.advance(10ms);

  EXPECT_EQ(to_string(ledger.summary()), "submitted 2, acknowledged 0, dead-lettered 0, refused 0, "
                                         "forwarded 2, lost 0, duplicates 0");
}

TEST_F(AtMostOnce, what_is_dropped_is_told_and_counted) {
  start(forwarding(DropWhileDown{}));
  request("crash");
  send_plainly("b");

  EXPECT_THAT(log, testing::Saw(testing::not_accepted(Refusal::no_child)));
  EXPECT_EQ(status().counters.refused, 1u);
}

TEST_F(AtMostOnce, a_full_buffer_answers_requests_with_an_error) {
  start(forwarding(BufferWhileDown{1}));
  request("crash");
  request("b");

  EXPECT_EQ(request("c").text(), "!outbox_full");
}

TEST_F(AtMostOnce, a_buffered_message_that_expires_is_answered_with_an_error) {
  start(forwarding(BufferWhileDown{.time_to_live = 5ms}));
  request("crash");
  const auto late = request("b");
  time.advance(5ms);

  EXPECT_EQ(late.text(), "!expired");
  time.advance(1h);
  EXPECT_THAT(scribes->seen, ElementsAre("1:crash"));
}

TEST_F(AtMostOnce, what_is_buffered_at_the_end_is_told_to_its_client_and_recorded) {
  std::vector<DeadLetter> letters;
  auto options = forwarding();
  options.on_dead_letter = [&](const DeadLetter& letter) { letters.push_back(letter); };
  start(options);
  request("crash");
  const auto asked = request("b");
  const auto told = send_plainly("c");
  tell(Stop{});

  EXPECT_EQ(asked.text(), "!stopped");
  EXPECT_THAT(told.heard->texts, IsEmpty()) << "a bare error would end it";
  ASSERT_EQ(letters.size(), 2u);
  EXPECT_EQ(letters[1].message.get_as<std::string>(0), "c");
  EXPECT_EQ(letters[1].client, told.speaker);
  letters.clear();
}

// -- the child there is -----------------------------------------------------------------------

TEST_F(AtMostOnce, tells_which_child_is_there) {
  start();
  EXPECT_EQ(child().incarnation, 1u);
  const auto answer = time.ask<std::string>(child().child, std::string{"past the sender"});
  time.run();
  EXPECT_EQ(answer->value, "1:past the sender");

  request("crash");
  EXPECT_EQ(child().incarnation, 0u);
  EXPECT_FALSE(child().child);

  time.advance(10ms);
  EXPECT_EQ(child().incarnation, 2u);
  EXPECT_EQ(status().restarts, 1u);
}

TEST_F(SenderTest, tells_which_child_is_there_with_at_least_once_too) {
  start({{testing::crash()}});
  const auto child = [&] {
    const auto answer = time.ask<ChildHandle>(sender, CurrentChild{});
    time.run();
    return answer->value.value();
  };
  EXPECT_EQ(child().child, danger.child());
  ask("a");
  EXPECT_EQ(child().incarnation, 2u) << "it is recreated at once";
  EXPECT_EQ(child().child, danger.child());
}

// -- the life of the sender ---------------------------------------------------------------------

TEST_F(AtMostOnce, lives_for_its_last_message_though_nobody_knows_it) {
  auto options = forwarding();
  options.final_stop = [](const caf::message& message) {
    return message.match_elements<std::string>() && message.get_as<std::string>(0) == "stop";
  };
  const auto seed = scribes;
  {
    const auto orphan = spawn_forwarder(time.system(), scribe(), options);
    time.tell(orphan, std::string{"a"});
    time.tell(orphan, std::string{"stop"});
  }
  time.run();

  EXPECT_THAT(scribes->seen, ElementsAre("1:a", "1:stop"));
  EXPECT_EQ(scribes->alive, 0);
}

TEST_F(AtMostOnce, a_predicate_that_throws_costs_its_message) {
  auto options = forwarding();
  options.final_stop = [](const caf::message&) -> bool { throw std::runtime_error("no idea"); };
  start(options);

  EXPECT_EQ(request("a").text(), "!no idea");
  EXPECT_THAT(scribes->seen, IsEmpty());
}

TEST_F(AtMostOnce, an_end_that_is_seen_before_its_news_comes_has_its_reason) {
  start();
  tell(std::string{"last words"});
  time.advance(1h);

  ASSERT_EQ(log.count<event::ChildDown>(), 1u);
  EXPECT_EQ(log.all<event::ChildDown>()[0].cause.text, "crash");
}

} // namespace backoff_actor::actor_test
