// Children that are linked to their sender, and others that are.

#include "fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <memory>

namespace backoff_actor::actor_test {

struct LinkRow {
  const char* name;
  bool by_factory; // else the child does it
  caf::error reason;
};

class Links : public SenderTest, public ::testing::WithParamInterface<LinkRow> {
protected:
  // Starts a sender whose children are linked to it, and end with the reason when they get "end". A
  // message of theirs is in its mailbox then, ahead of the news.
  void start_linked(const LinkRow& row, SenderOptions options) {
    const ChildFactory make = [row](caf::event_based_actor* parent) -> caf::actor {
      const auto behave = [row, to = parent->address()](caf::event_based_actor* self) {
        if (!row.by_factory)
          self->link_to(to);
        return caf::behavior{[=](const std::string& text) {
          if (text == "end") {
            self->send(caf::actor_cast<caf::actor>(to), std::string{"last words"});
            self->quit(row.reason);
          }
          return text;
        }};
      };
      return row.by_factory ? parent->spawn<Behaving, caf::linked>(behave)
                            : parent->spawn<Behaving>(behave);
    };
    start_with(make, std::move(options));
    time.run();
  }
};

TEST_P(Links, of_a_child_do_not_end_its_sender) {
  start_linked(GetParam(), default_options());
  const auto reason = watch_sender();
  for (int i = 1; i <= 3; ++i) {
    const auto last = ask("end");
    time.advance(1h);
    const auto answer = ask("a");
    ASSERT_FALSE(*reason) << "after end " << i;
    EXPECT_EQ(answer->value, "a");
  }
  EXPECT_EQ(crashes(), 3u);
}

INSTANTIATE_TEST_SUITE_P(All, Links,
                         ::testing::Values(LinkRow{"factory_error", true, caf::sec::runtime_error},
                                           LinkRow{"factory_kill", true, caf::exit_reason::kill},
                                           LinkRow{"child_error", false, caf::sec::runtime_error},
                                           LinkRow{"child_kill", false, caf::exit_reason::kill}),
                         [](const auto& row) { return std::string{row.param.name}; });

class OtherLinks : public SenderTest {};

TEST_F(OtherLinks, of_an_abandoned_child_do_not_end_its_sender) {
  auto options = default_options();
  options.ack_timeout = 1s;
  options.kill_grace = 500ms;
  const auto children = std::make_shared<std::vector<caf::actor_addr>>();
  const auto promises = std::make_shared<std::vector<caf::response_promise>>();
  start_with(
    [children, promises](caf::event_based_actor* parent) -> caf::actor {
      const auto to = parent->address();
      const auto is_first = children->empty();
      auto child = parent->spawn<Behaving>([=](caf::event_based_actor* self) {
        self->link_to(to);
        return caf::behavior{[=](const std::string& text) -> caf::result<std::string> {
          if (!is_first)
            return text;
          promises->push_back(self->make_response_promise());
          return caf::delegated<std::string>{};
        }};
      });
      children->push_back(child.address());
      return child;
    },
    options);
  const auto reason = watch_sender();
  const auto answer = ask("a");
  const auto stuck = caf::actor_cast<caf::actor>(children->at(0));
  time.freeze(stuck);
  time.advance(10s);
  ASSERT_EQ(status().abandoned, 1u);

  promises->clear();
  time.thaw(stuck);
  time.run();

  EXPECT_EQ(log.count<event::AbandonedChildEnded>(), 1u);
  EXPECT_FALSE(*reason);
  EXPECT_EQ(answer->value, "a");
}

// Sends a message ahead of all that waits in a mailbox.
class Herald : public compat::RequestingActor {
public:
  Herald(caf::actor_config& config, const caf::actor& to, const caf::message& what)
    : RequestingActor(config), to_(to), what_(what) {}

  caf::behavior make_behavior() override {
    compat::OpenRequest in_my_name{ctrl(), caf::make_message_id(caf::message_priority::high)};
    pass_on(in_my_name, what_, to_);
    to_ = nullptr;
    return {};
  }

private:
  void on_submission(caf::message, caf::response_promise) override {}
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  caf::actor to_;
  caf::message what_;
};

TEST_F(OtherLinks, of_a_child_do_not_end_its_sender_if_a_stranger_tells_of_the_end_first) {
  const auto children = std::make_shared<std::vector<caf::actor>>();
  start_with([children](caf::event_based_actor* parent) -> caf::actor {
    children->push_back(
      parent->spawn<Behaving>([to = parent->address()](caf::event_based_actor* self) {
        self->link_to(to);
        return caf::behavior{[](const std::string& text) { return text; }};
      }));
    return children->back();
  });
  time.run();
  const auto reason = watch_sender();
  const auto child = children->front();

  time.freeze(sender);
  time.spawn<Herald>(sender,
                     caf::make_message(caf::down_msg{child.address(), caf::sec::runtime_error}));
  time.run();
  compat::send_exit_now(child, nullptr, caf::exit_reason::kill);
  time.run();
  time.thaw(sender);
  time.run();

  const auto answer = ask("a");
  time.advance(1h);
  EXPECT_FALSE(*reason);
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(crashes(), 1u);
  children->clear();
}

TEST_F(OtherLinks, of_anybody_else_end_it) {
  start_with(child_of<Echo>());
  const auto reason = watch_sender();
  time.spawn<Caller>([this](caf::event_based_actor* self) {
    self->link_to(sender);
    self->quit(caf::sec::runtime_error);
  });
  time.run();

  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, caf::sec::runtime_error);
}

TEST_F(OtherLinks, are_not_needed_by_a_child_that_tells_its_sender_to_end) {
  start_with([](caf::event_based_actor* parent) -> caf::actor {
    const auto to = caf::actor_cast<caf::actor>(parent->address());
    return parent->spawn<Behaving>([to = to.address()](caf::event_based_actor* self) {
      return caf::behavior{[=](const std::string& text) {
        compat::send_exit_now(caf::actor_cast<caf::actor>(to), self->address(),
                              caf::exit_reason::user_shutdown);
        return text;
      }};
    });
  });
  const auto reason = watch_sender();
  ask("a");

  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, caf::exit_reason::user_shutdown);
}

} // namespace backoff_actor::actor_test
