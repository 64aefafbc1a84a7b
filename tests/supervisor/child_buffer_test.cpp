// What an address keeps while its child has no actor.

#include "supervisor_fixture.hpp"

#include <caf/sec.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {
namespace {

class ChildBuffers : public SupervisorTest {
protected:
  struct Asked {
    std::shared_ptr<Answer<std::string>> answer;

    std::string text() const {
      if (answer->error)
        return "!" + answer->error_text.substr(0, answer->error_text.find(':'));
      return answer->value.value_or("");
    }
  };

  // A child `a`, with an address that keeps what the buffer allows and tells what it loses.
  void start_behind(ChildBuffer buffer, ChildOptions options = plain(),
                    SupervisorOptions of_all = {}) {
    make_address(std::move(buffer));
    auto child = spec("a", std::move(options));
    child.address = *ref;
    start({child}, std::move(of_all));
  }

  void make_address(ChildBuffer buffer) {
    if (!buffer.on_dead_letter)
      buffer.on_dead_letter = [to = letters](const DeadLetter& x) { to->push_back(to_string(x)); };
    ref.emplace(time.system(), std::move(buffer));
  }

  Asked request(const std::string& text) { return {ask<std::string>(ref->actor(), text)}; }

  void send(const std::string& text) {
    time.tell(ref->actor(), text);
    time.run();
  }

  static ChildBuffer of(std::size_t capacity, Overflow overflow = Overflow::refuse) {
    return {.capacity = capacity, .overflow = overflow};
  }

  // Each text weighs as much as it has characters.
  static ChildBuffer of_bytes(std::uint64_t bytes, Overflow overflow = Overflow::refuse) {
    return {.overflow = overflow, .capacity_bytes = bytes, .weight_of = [](const caf::message& x) {
              return x.get_as<std::string>(0).size();
            }};
  }

  std::optional<ChildRef> ref;
  std::shared_ptr<Strings> letters = std::make_shared<Strings>();
};

// -- while the child is there ---------------------------------------------------------

TEST_F(ChildBuffers, are_empty_while_the_child_knows_its_clients_and_answers_them_itself) {
  class Teller : public caf::event_based_actor {
  public:
    Teller(caf::actor_config& config, std::shared_ptr<std::vector<caf::actor_addr>> clients)
      : caf::event_based_actor(config), clients_(std::move(clients)) {}
    caf::behavior make_behavior() override {
      return {[this](const std::string& text) {
        clients_->push_back(caf::actor_cast<caf::actor_addr>(current_sender()));
        return text;
      }};
    }

  private:
    std::shared_ptr<std::vector<caf::actor_addr>> clients_;
  };
  const auto clients = std::make_shared<std::vector<caf::actor_addr>>();
  make_address({});
  start({{.id = "a", .make = child_of<Teller>(clients), .address = *ref}});
  auto from = std::make_shared<caf::actor_addr>();
  const auto client =
    time.keep(time.system().spawn<Caller>([from, to = ref->actor()](caf::event_based_actor* self) {
      compat::request(*self, to, std::string{"x"}).then([=](const std::string&) {
        *from = caf::actor_cast<caf::actor_addr>(self->current_sender());
      });
    }));
  time.run();

  EXPECT_THAT(*clients, ElementsAre(client.address()));
  EXPECT_EQ(*from, ref->current().address());
  EXPECT_EQ(ref->kept(), 0u);
}

TEST_F(ChildBuffers, keep_nothing_that_a_child_had_when_it_went_down) {
  start_behind({});
  const auto first = time.ask<std::string>(ref->actor(), std::string{"crash"});
  const auto second = time.ask<std::string>(ref->actor(), std::string{"who"});
  time.advance(1h);

  EXPECT_TRUE(first->error);
  EXPECT_TRUE(second->error) << "CAF answers for the dead";
  EXPECT_EQ(nursery->births["a"], 2);
  EXPECT_EQ(request("who").text(), "a2");
  EXPECT_THAT(*letters, IsEmpty());
}

// -- while it is not ------------------------------------------------------------------

TEST_F(ChildBuffers, are_there_before_the_first_child_and_its_supervisor) {
  make_address({});
  const auto early = request("who");
  EXPECT_EQ(early.text(), "");
  EXPECT_EQ(ref->kept(), 1u);
  auto child = spec("a");
  child.address = *ref;
  start({child});

  EXPECT_EQ(early.text(), "a1");
  EXPECT_EQ(ref->kept(), 0u);
}

TEST_F(ChildBuffers, give_what_they_keep_to_the_next_child_in_order) {
  class Listener : public caf::event_based_actor {
  public:
    Listener(caf::actor_config& config, std::shared_ptr<Strings> heard)
      : caf::event_based_actor(config), heard_(std::move(heard)) {}
    caf::behavior make_behavior() override {
      return {[this](const std::string& text) {
        if (text == "crash")
          throw std::runtime_error("crash");
        heard_->push_back(text);
      }};
    }

  private:
    std::shared_ptr<Strings> heard_;
  };
  const auto heard = std::make_shared<Strings>();
  make_address({});
  start({{.id = "a", .make = child_of<Listener>(heard), .options = plain(), .address = *ref}});
  send("crash");
  for (const auto* text : {"1", "2", "3"})
    send(text);
  time.advance(1s - 1ns);
  EXPECT_THAT(*heard, IsEmpty()) << "a delay runs";
  EXPECT_EQ(ref->kept(), 3u);
  time.advance(1ns);
  send("4");

  EXPECT_THAT(*heard, ElementsAre("1", "2", "3", "4"));
  EXPECT_EQ(ref->undelivered(), 0u);
}

// The news of the end wait in the supervisor's mailbox.
TEST_F(ChildBuffers,
       get_what_comes_after_the_end_of_a_child_of_which_the_supervisor_does_not_know) {
  start_behind({});
  time.freeze(supervisor);
  send("crash");
  EXPECT_TRUE(ref->current());
  const auto late = request("who");
  EXPECT_EQ(late.text(), "");
  time.thaw(supervisor);
  time.advance(1s);

  EXPECT_EQ(late.text(), "a2");
}

TEST_F(ChildBuffers, keep_what_comes_while_the_child_ends_with_its_group) {
  make_address({});
  auto first = spec("a");
  first.address = *ref;
  start({first, spec("b")}, {.strategy = Strategy::one_for_all});
  tell("b", "crash");
  const auto asked = request("who");
  EXPECT_EQ(asked.text(), "");
  time.advance(1s);

  EXPECT_EQ(asked.text(), "a2");
}

// CAF's own messages are orders: a later child must not get them.
TEST_F(ChildBuffers, keep_no_message_of_caf) {
  start_behind({});
  send("crash");
  caf::anon_send_exit(ref->actor(), caf::exit_reason::kill);
  time.run();
  EXPECT_EQ(ref->kept(), 0u);
  EXPECT_EQ(ref->undelivered(), 1u);
  time.advance(1h);

  EXPECT_EQ(nursery->births["a"], 2);
}

// -- bounds ---------------------------------------------------------------------------

TEST_F(ChildBuffers, that_are_full_refuse_the_newest) {
  start_behind(of(2));
  send("crash");
  const auto one = request("1");
  const auto two = request("2");
  EXPECT_EQ(request("3").text(), "!outbox_full");
  send("4");
  EXPECT_EQ(ref->undelivered(), 1u);
  EXPECT_THAT(*letters, ElementsAre("delivery 1 (\"3\") dropped after 0ns, 0 failed attempts",
                                    "delivery 2 (\"4\") dropped after 0ns, 0 failed attempts"));
  time.advance(1s);

  EXPECT_EQ(one.text(), "a2");
  EXPECT_EQ(two.text(), "a2");
}

TEST_F(ChildBuffers, that_are_full_can_drop_the_oldest) {
  start_behind(of(2, Overflow::drop_oldest));
  send("crash");
  const auto one = request("1");
  time.advance(100ms);
  const auto two = request("2");
  const auto three = request("3");
  EXPECT_EQ(one.text(), "!dropped");
  EXPECT_THAT(*letters, ElementsAre("delivery 1 (\"1\") dropped after 100ms, 0 failed attempts"));
  time.advance(1s);

  EXPECT_EQ(two.text(), "a2");
  EXPECT_EQ(three.text(), "a2");
}

TEST_F(ChildBuffers, that_are_full_can_drop_the_newest) {
  start_behind(of(1, Overflow::drop_newest));
  send("crash");
  const auto one = request("1");
  EXPECT_EQ(request("2").text(), "!dropped");
  time.advance(1s);

  EXPECT_EQ(one.text(), "a2");
}

TEST_F(ChildBuffers, have_a_bound_of_bytes) {
  start_behind(of_bytes(10));
  send("crash");
  const auto first = request("123456");
  EXPECT_EQ(request("12345").text(), "!outbox_full");
  const auto second = request("1234");
  EXPECT_EQ(ref->kept(), 2u);
  time.advance(1s);
  EXPECT_EQ(first.text(), "a2");
  EXPECT_EQ(second.text(), "a2");

  send("crash");
  request("1234567890");
  EXPECT_EQ(ref->kept(), 1u) << "the bytes of those that went are free";
}

TEST_F(ChildBuffers, drop_as_many_of_the_oldest_as_the_bytes_of_the_newest_need) {
  start_behind(of_bytes(10, Overflow::drop_oldest));
  send("crash");
  const auto one = request("1111");
  const auto two = request("2222");
  const auto three = request("33333333");
  EXPECT_EQ(one.text(), "!dropped");
  EXPECT_EQ(two.text(), "!dropped");
  EXPECT_EQ(request("much too much").text(), "!dropped");
  EXPECT_EQ(ref->kept(), 1u) << "what never fits drops nothing else";
  time.advance(1s);

  EXPECT_EQ(three.text(), "a2");
}

TEST_F(ChildBuffers, weigh_the_bytes_of_a_message_themselves) {
  start_behind({.capacity_bytes = 1000});
  send("crash");
  request(std::string(900, 'x'));
  EXPECT_EQ(request(std::string(900, 'x')).text(), "!outbox_full");
}

TEST_F(ChildBuffers, answer_a_message_that_cannot_be_weighed_with_the_reason) {
  start_behind({.capacity_bytes = 10, .weight_of = [](const caf::message&) -> std::size_t {
                  throw std::runtime_error("no idea");
                }});
  send("crash");
  const auto asked = request("x");

  EXPECT_EQ(*asked.answer->error, caf::sec::runtime_error);
  EXPECT_THAT(asked.answer->error_text, ::testing::HasSubstr("no idea"));
  EXPECT_EQ(letters->size(), 1u);
}

TEST_F(ChildBuffers, of_nothing_tell_what_they_do_not_keep) {
  start_behind(of(0));
  send("crash");
  EXPECT_EQ(request("x").text(), "!no_child");
  send("y");

  EXPECT_EQ(ref->undelivered(), 1u);
  EXPECT_THAT(*letters, ElementsAre("delivery 1 (\"x\") dropped after 0ns, 0 failed attempts",
                                    "delivery 2 (\"y\") dropped after 0ns, 0 failed attempts"));
}

TEST_F(ChildBuffers, are_refused_with_all_that_is_wrong) {
  EXPECT_EQ(to_string(check(ChildBuffer{.capacity = 268'435'456,
                                        .capacity_bytes = 0,
                                        .weight_of = [](const caf::message&) { return 1; }})),
            "ChildBuffer: capacity: got 268435456, allowed 0..268435455\n"
            "ChildBuffer: capacity_bytes: got 0, allowed 1..9223372036854775807");
  EXPECT_EQ(
    to_string(check(ChildBuffer{.weight_of = [](const caf::message&) { return 1; }})),
    "ChildBuffer: weight_of: got a function, allowed nothing, unless capacity_bytes is set");
  EXPECT_THROW((ChildRef{time.system(), {.capacity_bytes = 0}}), InvalidArgument);
  EXPECT_EQ(ChildBuffer{}.capacity, 1000u);
}

// -- the end --------------------------------------------------------------------------

struct EndRow {
  const char* name;
  ChildOptions options;
  SupervisorOptions of_all;
  void (*end)(const caf::actor& supervisor); // null: it needs no more than the crash
};

class EndsOfBuffers : public ChildBuffers, public ::testing::WithParamInterface<EndRow> {};

ChildOptions limited(GivenUp when_given_up) {
  ChildOptions result;
  result.backoff = Fixed{.delay = 1s};
  result.restart_limit = RestartLimit{0, 1h};
  result.when_given_up = when_given_up;
  return result;
}

// The client of each message that waits is told, and so is the hook, whatever ends the wait.
TEST_P(EndsOfBuffers, are_told_with_all_that_they_keep) {
  start_behind({}, GetParam().options, GetParam().of_all);
  time.freeze(supervisor);
  send("crash"); // the supervisor does not know yet
  const auto asked = request("1");
  send("2");
  EXPECT_EQ(ref->kept(), 2u);
  time.thaw(supervisor);
  time.run();
  if (GetParam().end)
    GetParam().end(supervisor);
  time.run();

  EXPECT_EQ(asked.text(), "!no_child");
  EXPECT_EQ(ref->undelivered(), 1u);
  EXPECT_THAT(*letters, ElementsAre("delivery 1 (\"1\") stopped after 0ns, 0 failed attempts",
                                    "delivery 2 (\"2\") stopped after 0ns, 0 failed attempts"));
  EXPECT_EQ(request("3").text(), "!no_child") << "and nothing more is kept";
}

INSTANTIATE_TEST_SUITE_P(
  All, EndsOfBuffers,
  ::testing::Values(
    EndRow{"stop", {}, {}, [](const auto& x) { compat::enqueue(x, Stop{}); }},
    EndRow{"exit",
           {},
           {},
           [](const auto& x) { caf::anon_send_exit(x, caf::exit_reason::user_shutdown); }},
    EndRow{"kill", {}, {}, [](const auto& x) { caf::anon_send_exit(x, caf::exit_reason::kill); }},
    EndRow{"terminated", {}, {}, [](const auto& x) { compat::enqueue(x, TerminateChild{"a"}); }},
    EndRow{"temporary", {.restart = RestartType::temporary}, {}, nullptr},
    EndRow{"given_up", limited(GivenUp::stop), {}, nullptr},
    EndRow{"given_up_with_the_supervisor", limited(GivenUp::escalate), {}, nullptr},
    EndRow{"limit_of_the_supervisor", {}, {.restart_limit = RestartLimit{0, 1h}}, nullptr},
    EndRow{"decided", {}, {.decider = stopping_decider}, nullptr},
    EndRow{"escalated",
           {},
           {.decider = [](const std::string&, const caf::error&) { return Directive::escalate; }},
           nullptr}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST_F(ChildBuffers, are_told_when_nobody_holds_the_supervisor) {
  make_address({});
  auto child = spec("a");
  child.address = *ref;
  supervisor = spawn_supervisor(time.system(), {child});
  time.run();
  send("crash");
  const auto asked = request("x");
  ::testing::internal::CaptureStderr();
  supervisor = nullptr;
  time.run();
  ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(asked.text(), "!no_child");
  EXPECT_EQ(letters->size(), 1u);
}

TEST_F(ChildBuffers, are_told_when_nobody_holds_the_address) {
  make_address({});
  const auto asked = request("x");
  ref.reset();
  time.run();

  EXPECT_EQ(asked.text(), "!no_child");
  EXPECT_EQ(letters->size(), 1u);
}

TEST_F(ChildBuffers, are_told_when_the_last_restart_fails) {
  auto options = limited(GivenUp::stop);
  options.restart_limit = RestartLimit{1, 1h};
  start_behind({}, options);
  nursery->barren.insert("a");
  send("crash");
  const auto asked = request("x");
  time.advance(1s);

  EXPECT_EQ(asked.text(), "!no_child");
}

TEST_F(ChildBuffers, count_as_dead_letters_of_a_stop_with_a_grace) {
  start_behind({});
  send("crash");
  send("1");
  send("2");

  EXPECT_EQ(ask_for<Stopped>(Stop{30s})->value, (Stopped{0, 0, 2, 0}));
}

TEST_F(ChildBuffers, are_open_again_while_a_child_that_was_stopped_is_started_again) {
  start_behind({});
  control(TerminateChild{"a"});
  EXPECT_EQ(request("who").text(), "!no_child");
  nursery->failing_births.insert("a2");
  EXPECT_EQ(*control(RestartChild{"a"}), "start_failed");
  EXPECT_EQ(request("who").text(), "!no_child") << "the start has failed, and nothing is scheduled";
  EXPECT_EQ(*control(RestartChild{"a"}), "ok");
  EXPECT_EQ(request("who").text(), "a3");
  send("crash");
  const auto asked = request("who");
  time.advance(1h);

  EXPECT_EQ(asked.text(), "a4");
}

TEST_F(ChildBuffers, lose_no_letter_of_a_hook_that_throws) {
  start_behind(
    {.on_dead_letter = [](const DeadLetter&) { throw std::runtime_error("disk full"); }});
  send("crash");
  const auto one = request("1");
  const auto two = request("2");
  ::testing::internal::CaptureStderr();
  time.tell(supervisor, Stop{});
  time.run();
  const auto said = ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(one.text(), "!no_child");
  EXPECT_EQ(two.text(), "!no_child");
  EXPECT_EQ(said, "backoff_actor: on_dead_letter of a ChildRef threw: disk full; nobody else gets "
                  "delivery 1 (\"1\") stopped after 0ns, 0 failed attempts\n"
                  "backoff_actor: on_dead_letter of a ChildRef threw: disk full; nobody else gets "
                  "delivery 2 (\"2\") stopped after 0ns, 0 failed attempts\n");
}

} // namespace
} // namespace backoff_actor::actor_test
