// In which order a sender takes messages that wait beside its mailbox, and what goes first.

#include "batches.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <caf/actor_cast.hpp>

namespace backoff_actor::actor_test {

TEST_F(Batches, keep_the_order_of_messages_that_begin_like_those_of_caf_and_are_none) {
  start_with([given = given](caf::event_based_actor* worker) -> caf::behavior {
    return {
      [=](const std::string& text) { given->push_back(text); },
      [=](caf::ok_atom, caf::get_atom, const std::string& text) { given->push_back(text); },
      [=](const caf::actor& whom, const std::string& text) {
        given->push_back(whom == worker ? "nobody" : text);
      },
    };
  });
  time.run();

  at_once([this](caf::event_based_actor* self) {
    self->send(sender, std::string{"1"});
    self->send(sender, caf::ok_atom_v, caf::get_atom_v, std::string{"2"});
    self->send(sender, std::string{"3"});
    self->send(sender, sender, std::string{"4"});
    self->send(sender, std::string{"5"});
    self->send(sender, caf::ok_atom_v, caf::get_atom_v, std::string{"6"});
    self->send(sender, std::string{"7"});
  });
  time.run();

  EXPECT_THAT(*given, ElementsAre("1", "2", "3", "4", "5", "6", "7"));
}

TEST_F(Batches, keep_the_order_of_what_is_refused_because_it_is_no_work) {
  auto options = default_options();
  options.on_event = log.hook();
  start_with(child_of<BatchScribe>(given), options);
  time.run();

  at_once([this](caf::event_based_actor* self) {
    request(self, std::string{"a"});
    request(self, caf::make_error(caf::sec::runtime_error));
    request(self, std::string{"b"});
  });
  time.run();

  const auto timeline = log.timeline();
  EXPECT_LT(timeline.find("delivery 1 accepted"), timeline.find("not accepted, unusable"));
  EXPECT_LT(timeline.find("not accepted, unusable"), timeline.find("delivery 2 accepted"));
  EXPECT_THAT(*answers, ElementsAre("a", "an error", "b"));
}

TEST_F(Batches, leave_to_caf_the_question_who_an_actor_is) {
  start_with(child_of<BatchScribe>(given));
  time.run();
  const auto names = std::make_shared<Strings>();
  at_once([this, names](caf::event_based_actor* self) {
    self->send(sender, std::string{"a"});
    compat::request(*self, sender, caf::sys_atom_v, caf::get_atom_v, std::string{"info"})
      .then([names](caf::ok_atom, const std::string&, const caf::strong_actor_ptr&,
                    const std::string& name) { names->push_back(name); },
            [names](const caf::error&) { names->push_back("an error"); });
    self->send(sender, std::string{"b"});
  });
  time.run();

  EXPECT_THAT(*given, ElementsAre("a", "b"));
  EXPECT_THAT(*names, ElementsAre("backoff_actor.sender"));
}

TEST_F(Batches, of_answers_reach_the_client_in_the_name_of_the_sender) {
  start_with(child_of<BatchScribe>(given));
  time.run();
  std::vector<caf::actor_addr> from;

  at_once([&](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b", "c"})
      compat::request(*self, sender, std::string{text}).then([&, self](const std::string&) {
        from.push_back(caf::actor_cast<caf::actor_addr>(self->current_sender()));
      });
  });
  time.run();

  EXPECT_THAT(from, ElementsAre(sender.address(), sender.address(), sender.address()));
}

TEST_F(Batches, are_overtaken_by_what_is_urgent) {
  start_with(child_of<BatchScribe>(given));
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b"})
      request(self, std::string{text});
    compat::send_exit_now(sender, self->address(), caf::exit_reason::user_shutdown);
    request(self, std::string{"c"});
  });
  time.run();

  EXPECT_THAT(*given, IsEmpty());
  EXPECT_THAT(*answers, ElementsAre("draining", "draining", "draining"));
}

TEST_F(Batches, do_not_overtake_the_news_of_a_childs_end_that_they_followed) {
  const auto born = std::make_shared<std::vector<caf::actor>>();
  auto options = default_options();
  options.on_event = log.hook();
  start_with(
    [=, given = given](caf::event_based_actor* self) {
      born->push_back(self->spawn<BatchScribe>(given));
      return born->back();
    },
    options);
  time.run();

  time.freeze(sender);
  time.tell(sender, RetryNow{}); // the others wait beside the mailbox for this one
  time.tell(born->front(), std::string{"quit"});
  time.run();
  at_once([this](caf::event_based_actor* self) { request(self, std::string{"a"}); });
  time.run();
  time.thaw(sender);
  time.run();
  born->clear();

  // Had the request come first, the child would have ended while it owed an answer, and be missed
  // for as long as the delay after a failure takes.
  EXPECT_THAT(*given, ElementsAre("quit", "a"));
  EXPECT_THAT(*answers, ElementsAre("a"));
  EXPECT_EQ(retries(), 0u);
}

TEST_F(Batches, do_not_overtake_the_news_of_the_end_of_a_child_that_was_linked_and_killed) {
  const auto born = std::make_shared<std::vector<caf::actor>>();
  start_with([=, given = given](caf::event_based_actor* self) {
    born->push_back(self->spawn<Behaving>([to = self->address(), given](auto* child) {
      child->link_to(to);
      return caf::behavior{[given](const std::string& text) {
        given->push_back(text);
        return text;
      }};
    }));
    return born->back();
  });
  time.run();

  time.freeze(sender);
  compat::send_exit_now(born->front(), nullptr, caf::exit_reason::kill);
  time.run(); // in the mailbox: the exit message of the link, and the news of the end
  at_once([this](caf::event_based_actor* self) {
    request(self, std::string{"a"});
    request(self, std::string{"b"});
  });
  time.run();
  time.thaw(sender);
  time.advance(1h);
  born->clear();

  EXPECT_THAT(*answers, ElementsAre("a", "b"));
  for (const auto& handed_over : log.all<event::HandedOver>())
    EXPECT_EQ(handed_over.incarnation, 2u) << "the first child had ended";
  EXPECT_EQ(log.count<event::HandedOver>(), 2u);
}

TEST_F(Batches, lose_nothing_while_a_factory_waits_for_an_answer) {
  const auto born = std::make_shared<std::vector<caf::actor>>();
  const auto adviser = time.keep(time.system().spawn<Echo>());
  start_with([=](caf::event_based_actor* self) {
    compat::request(*self, adviser, std::string{"advice"}).await([](const std::string&) {});
    born->push_back(self->spawn<Behaving>([](caf::event_based_actor*) -> caf::behavior {
      return {[](const caf::actor&, const std::string& text) { return text; }};
    }));
    return born->back();
  });
  time.run();
  time.freeze(adviser);
  compat::send_exit_now(born->back(), nullptr, caf::exit_reason::kill);
  time.advance(1h); // the second child is there, and the adviser has not answered
  ASSERT_EQ(born->size(), 2u);

  time.freeze(sender);
  time.tell(sender, Reset{}); // the others wait beside the mailbox for this one
  compat::send_exit_now(born->back(), nullptr, caf::exit_reason::kill);
  time.run();
  at_once([this](caf::event_based_actor* self) { request(self, sender, std::string{"a"}); });
  time.run();
  time.thaw(sender);
  time.run();
  time.thaw(adviser);
  time.advance(1h);
  born->clear();

  EXPECT_EQ(log.count<event::ChildDown>(), 2u);
  EXPECT_THAT(*answers, ElementsAre("a"));
}

} // namespace backoff_actor::actor_test
