// Factories whose children come later: what waits meanwhile, and what becomes of a child that
// nobody wants any more.

#include "fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {
namespace {

class LaterChildren : public SenderTest {
protected:
  using Desk = std::shared_ptr<std::vector<ChildPromise>>;

  /// A factory that leaves its promises on a desk.
  ChildFactory later() const {
    return [desk = desk](caf::event_based_actor*, ChildPromise child) {
      desk->push_back(std::move(child));
    };
  }

  caf::actor worker(const ChildFactory& make = child_of<Echo>()) {
    auto made = std::make_shared<caf::actor>();
    time.keep(
      time.system().spawn<Caller>([=](caf::event_based_actor* self) { *made = make(self); }));
    time.run();
    return time.keep(std::exchange(*made, {}));
  }

  bool is_alive(const caf::actor& actor) {
    const auto answer = time.ask<std::string>(actor, std::string{"a"});
    time.run();
    return answer->value.has_value();
  }

  void deliver(std::size_t which, const caf::actor& child, Ownership ownership = Ownership::sole) {
    desk->at(which).deliver(child, ownership);
    time.run();
  }

  void fail(std::size_t which, const std::string& text) {
    desk->at(which).fail(text);
    time.run();
  }

  Desk desk = std::make_shared<std::vector<ChildPromise>>();
};

TEST_F(LaterChildren, what_is_submitted_meanwhile_waits_and_then_goes_in_order) {
  start_with(later());
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(1h);
  EXPECT_EQ(status().owed, 2u) << "the sender answers meanwhile";
  EXPECT_FALSE(a->is_ready());

  deliver(0, worker(danger.factory()));
  EXPECT_EQ(a->value, "a");
  EXPECT_EQ(b->value, "b");
  EXPECT_EQ(danger.texts(), (Strings{"a", "b"}));
  EXPECT_EQ(retries(), 0u);
}

TEST_F(LaterChildren, a_start_that_fails_later_is_tried_again_after_the_delay) {
  start_with(later());
  const auto answer = ask("a");
  time.advance(5s);
  fail(0, "connection refused");
  EXPECT_THAT(log.timeline(), HasSubstr("child 1 failed to start: connection refused"));
  EXPECT_EQ(desk->size(), 1u);
  time.advance(10ms);
  ASSERT_EQ(desk->size(), 2u);

  deliver(1, worker());
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(retries(), 1u);
}

TEST_F(LaterChildren, a_promise_that_is_dropped_is_a_failed_start) {
  start_with(later());
  desk->clear();
  time.run();
  EXPECT_THAT(log.timeline(),
              HasSubstr("child 1 failed to start: the factory dropped its promise"));
}

TEST_F(LaterChildren, an_invalid_handle_is_a_failed_start) {
  start_with(later());
  deliver(0, {});
  EXPECT_THAT(log.timeline(), HasSubstr("child 1 failed to start: the factory returned no actor"));
}

TEST_F(LaterChildren, the_sender_itself_is_a_failed_start) {
  start_with(later());
  deliver(0, sender);
  EXPECT_THAT(log.timeline(),
              HasSubstr("child 1 failed to start: the factory returned the sender itself"));
  time.advance(1h);
  deliver(1, worker());
  EXPECT_EQ(ask("a")->value, "a");
}

TEST_F(LaterChildren, a_factory_that_throws_with_a_promise_in_hand_has_failed_once) {
  start_with([desk = desk](caf::event_based_actor*, ChildPromise child) {
    desk->push_back(std::move(child));
    throw std::runtime_error("no voltage");
  });
  EXPECT_FALSE(desk->at(0).is_wanted());
  const auto late = worker();
  deliver(0, late);
  EXPECT_FALSE(is_alive(late));
  EXPECT_EQ(log.count<event::StartFailed>(), 1u);
}

TEST_F(LaterChildren, of_two_children_for_one_promise_the_first_is_taken_and_the_second_ended) {
  start_with(later());
  const auto first = worker();
  const auto second = worker();
  desk->at(0).deliver(first);
  desk->at(0).deliver(second);
  desk->at(0).fail("late");
  time.run();
  EXPECT_TRUE(is_alive(first));
  EXPECT_FALSE(is_alive(second));
  EXPECT_EQ(log.count<event::ChildStarted>(), 1u);
  EXPECT_EQ(log.count<event::StartFailed>(), 0u);
}

TEST_F(LaterChildren, a_sender_that_ends_calls_off_its_start) {
  start_with(later());
  EXPECT_TRUE(desk->at(0).is_wanted());
  tell(Stop{});
  EXPECT_FALSE(desk->at(0).is_wanted());

  const auto late = worker();
  const auto shared = worker();
  desk->at(0).deliver(shared, Ownership::shared);
  deliver(0, late);
  EXPECT_FALSE(is_alive(late));
  EXPECT_TRUE(is_alive(shared));
}

TEST_F(LaterChildren, a_child_that_comes_behind_the_word_to_stop_is_ended) {
  start_with(later());
  const auto child = worker();
  time.tell(sender, Stop{});
  desk->at(0).deliver(child);
  time.run();
  EXPECT_FALSE(is_alive(child));
  EXPECT_EQ(log.count<event::ChildStarted>(), 0u);
}

TEST_F(LaterChildren, nobody_holds_a_sender_for_the_sake_of_a_start) {
  start_with(later());
  const auto ended = watch_sender();
  time.stop(std::exchange(sender, {}));
  time.run();
  EXPECT_TRUE(ended->has_value());
  EXPECT_FALSE(desk->at(0).is_wanted());
}

TEST_F(LaterChildren, a_fallback_that_is_not_needed_any_more_is_called_off) {
  auto options = default_options();
  options.restart_limit = RestartLimit{.max_restarts = 0, .within = 1h};
  options.rare.fallback = later();
  start({{testing::crash()}}, options);
  const auto answer = ask("a");
  ASSERT_EQ(desk->size(), 1u);
  time.advance(1h); // the child is probed with it meanwhile
  EXPECT_EQ(answer->value, "a");
  EXPECT_FALSE(status().is_on_fallback);
  EXPECT_FALSE(desk->at(0).is_wanted());
}

TEST_F(LaterChildren, a_factory_whose_children_come_later_cannot_be_asked_for_one_at_once) {
  start_with([make = later()](caf::event_based_actor* self) { return make(self); });
  EXPECT_THAT(log.timeline(),
              HasSubstr("this factory starts its children asynchronously: call it with a promise"));
}

// -- what stands before a child ----------------------------------------------------------

TEST_F(LaterChildren, a_child_that_comes_later_fails_by_a_plan_like_any_other) {
  start_with(testing::faulty_children(later(), FaultPlan{{testing::crash()}},
                                      BirthPlan{{Birth::factory_throws, Birth::no_actor}}));
  const auto answer = ask("a");
  time.advance(40ms); // 10 + 30: two births that fail
  ASSERT_EQ(desk->size(), 1u);
  const auto first = worker();
  deliver(0, first);
  EXPECT_FALSE(is_alive(first)) << "it crashed, by plan";
  ASSERT_EQ(desk->size(), 2u);
  deliver(1, worker());
  time.advance(70ms);
  EXPECT_EQ(answer->value, "a");
}

TEST_F(LaterChildren, of_several_wraps_the_first_one_is_next_to_the_child) {
  Strings order;
  const auto noting = [&](std::string name) {
    return [&order, name](caf::event_based_actor*, const caf::actor& child) {
      order.push_back(name);
      return child;
    };
  };
  start_with(later().wrapped(noting("inner")).wrapped(noting("outer")));
  EXPECT_THAT(order, IsEmpty());
  deliver(0, worker());
  EXPECT_EQ(order, (Strings{"inner", "outer"}));
  EXPECT_EQ(ask("a")->value, "a");

  order.clear();
  start_with(child_of<Echo>().wrapped(noting("inner")).wrapped(noting("outer")));
  EXPECT_EQ(order, (Strings{"inner", "outer"}));
}

TEST_F(LaterChildren, a_wrap_that_fails_is_a_failed_start_and_ends_the_child) {
  start_with(later().wrapped([](caf::event_based_actor*, const caf::actor&) -> caf::actor {
    throw std::runtime_error("no paper");
  }));
  const auto child = worker();
  deliver(0, child);
  EXPECT_FALSE(is_alive(child));
  EXPECT_THAT(log.timeline(), HasSubstr("child 1 failed to start: no paper"));
}

// -- children that others use too --------------------------------------------------------

TEST_F(LaterChildren, one_that_is_shared_outlives_the_sender) {
  start_with(later());
  const auto child = worker();
  deliver(0, child, Ownership::shared);
  EXPECT_EQ(ask("a")->value, "a");
  tell(Stop{});
  EXPECT_TRUE(is_alive(child));
}

TEST_F(LaterChildren, one_that_is_shared_and_hangs_is_let_go_of_and_its_late_answer_counts) {
  const auto hanging = time.keep(time.system().spawn<Behaving>([](caf::event_based_actor* self) {
    auto promise = std::make_shared<caf::response_promise>();
    return caf::behavior{[=](const std::string&) -> caf::result<std::string> {
                           *promise = self->make_response_promise();
                           return caf::delegated<std::string>{};
                         },
                         [=](std::uint64_t) {
                           compat::answer(*promise, caf::make_message(std::string{"late"}));
                           *promise = {};
                         }};
  }));
  auto options = default_options();
  options.ack_timeout = 1s;
  options.kill_grace = 1h;
  start_with(later(), options);
  deliver(0, hanging, Ownership::shared);
  const auto answer = ask("a");
  time.advance(1s);
  EXPECT_EQ(log.count<event::AckTimedOut>(), 1u);
  ASSERT_EQ(desk->size(), 2u) << "nobody waits for its end";
  EXPECT_EQ(log.count<event::ChildOverdue>(), 0u);

  time.tell(hanging, std::uint64_t{0});
  time.run();
  EXPECT_EQ(answer->value, "late");
}

TEST_F(LaterChildren, one_that_is_shared_and_ends_has_crashed) {
  start_with(later());
  const auto child = worker();
  deliver(0, child, Ownership::shared);
  ask("a");
  caf::anon_send_exit(child, caf::exit_reason::remote_link_unreachable);
  time.run();
  EXPECT_EQ(crashes(), 1u);
  EXPECT_EQ(desk->size(), 2u);
}

TEST_F(LaterChildren,
       one_that_is_the_child_and_the_fallback_is_still_watched_when_let_go_of_as_one) {
  auto options = default_options();
  options.restart_limit = RestartLimit{.max_restarts = 0, .within = 1h};
  options.rare.fallback = later();
  start_with(later(), options);
  const auto answer = ask("a");
  fail(0, "connection refused");
  ASSERT_EQ(desk->size(), 2u) << "the fallback";
  time.advance(10ms);
  ASSERT_EQ(desk->size(), 3u) << "the child is probed";
  const auto both = worker();
  deliver(1, both, Ownership::shared);
  deliver(2, both, Ownership::shared);
  ask("b");
  ASSERT_FALSE(status().is_on_fallback) << "the fallback was let go of";

  caf::anon_send_exit(both, caf::exit_reason::remote_link_unreachable);
  time.run();
  EXPECT_EQ(crashes(), 1u);
}

} // namespace
} // namespace backoff_actor::actor_test
