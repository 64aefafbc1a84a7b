// Workers that another process offers to a sender: what the two shells do. The processes of these
// tests are actors of one system; tests/system/remote/offered_workers_test.cpp has real ones.

#include "desk.hpp"
#include "fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>
#include <backoff_actor/caf/offered/internal/offer_messages.hpp>
#include <backoff_actor/caf/offered/offer_workers.hpp>

namespace backoff_actor::actor_test {

class OfferedToPool : public SenderTest {
protected:
  // A process that offers workers.
  struct Process {
    caf::actor actor{};
    std::shared_ptr<Desk> desk = std::make_shared<Desk>();
    std::shared_ptr<Strings> notices = std::make_shared<Strings>();
  };

  static SenderOptions pool_options(std::uint32_t own, std::uint32_t offered) {
    auto options = default_options();
    options.ordering = Ordering::unordered;
    options.pool.workers = {own, own};
    options.pool.offered.most = offered;
    return options;
  }

  // The first failure that is charged ends a message.
  static SenderOptions with_one_attempt() {
    auto options = pool_options(0, 4);
    options.max_attempts = 1;
    options.charging = Charging::every_failure();
    return options;
  }

  void start_pool(SenderOptions options) {
    start_with(desk_workers(own_desk), std::move(options));
    time.run();
  }

  Process offer(std::uint32_t workers) {
    Process result;
    result.actor = offer_workers(
      time.system(), {.find_owner = [this](caf::event_based_actor*) { return sender; },
                      .make_child = desk_workers(result.desk),
                      .workers = workers,
                      .on_notice = [notices = result.notices](
                                     const std::string& text) { notices->push_back(text); }});
    processes.push_back(result.actor);
    time.run();
    return result;
  }

  std::shared_ptr<testing::Answer<Stopped>> leave(const Process& process, Duration grace) {
    auto answer = time.ask<Stopped>(process.actor, Stop{grace});
    time.run();
    return answer;
  }

  void finish(const std::shared_ptr<Desk>& desk, const std::string& text) {
    ASSERT_TRUE(desk->finish(text));
    time.run();
  }

  void kill(const caf::actor& who) {
    compat::send_exit_now(who, nullptr, caf::exit_reason::kill);
    time.run();
  }

  void TearDown() override {
    for (const auto& process : processes)
      time.tell(process, Stop{});
    time.tell(sender, Stop{});
    time.run();
  }

  std::vector<caf::actor> processes;
  std::shared_ptr<Desk> own_desk = std::make_shared<Desk>();
};

TEST_F(OfferedToPool, are_the_only_workers_of_a_sender_that_has_none) {
  start_pool(pool_options(0, 4));
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(1h);
  EXPECT_EQ(own_desk->births, 0u);
  EXPECT_EQ(status().pool.workers.size(), 0u);
  const auto process = offer(2);
  EXPECT_THAT(*process.notices, ElementsAre("a sender has taken the workers"));
  EXPECT_EQ(process.desk->births, 2u);
  EXPECT_EQ(status().pool.workers.size(), 2u);
  finish(process.desk, "a");
  finish(process.desk, "b");
  EXPECT_EQ(a->value, "done: a");
  EXPECT_EQ(b->value, "done: b");
  ASSERT_EQ(log.count<event::WorkersOffered>(), 1u);
  EXPECT_EQ(log.all<event::WorkersOffered>()[0].workers, 2u);
  EXPECT_EQ(log.all<event::WorkersOffered>()[0].all, 2u);
}

TEST_F(OfferedToPool, work_beside_the_senders_own) {
  start_pool(pool_options(1, 4));
  const auto one = offer(1);
  const auto two = offer(2);
  for (const auto* text : {"a", "b", "c", "d", "e"})
    ask(text);
  EXPECT_EQ(own_desk->jobs.size(), 1u);
  EXPECT_EQ(one.desk->jobs.size(), 1u);
  EXPECT_EQ(two.desk->jobs.size(), 2u);
  EXPECT_EQ(log.all<event::WorkersOffered>().back().all, 3u);
}

TEST_F(OfferedToPool, are_refused_beyond_what_it_takes_and_offered_again) {
  start_pool(pool_options(1, 3));
  const auto one = offer(2);
  const auto two = offer(2);
  EXPECT_THAT(*two.notices,
              ElementsAre(HasSubstr("workers: got 2, allowed 1..1, which the pool still takes")));
  EXPECT_EQ(two.desk->births, 0u);
  leave(one, 1s);
  time.advance(500ms); // the longest wait
  EXPECT_EQ(two.desk->births, 2u);
  EXPECT_EQ(two.notices->size(), 2u) << "a refusal is told once, whatever the number of tries";
}

TEST_F(OfferedToPool, are_refused_by_a_sender_that_takes_none) {
  start_pool(pool_options(2, 0));
  const auto process = offer(2);
  EXPECT_THAT(*process.notices, ElementsAre(HasSubstr("takes no offered workers")));
  time.tell(process.actor, Stop{});
  start_with(child_of<Echo>());
  const auto other = offer(1);
  EXPECT_THAT(*other.notices, ElementsAre(HasSubstr("takes no offered workers"))) << "no pool";
}

TEST_F(OfferedToPool, that_leave_finish_what_they_hold_and_get_nothing_more) {
  start_pool(pool_options(0, 4));
  const auto one = offer(1);
  const auto a = ask("a");
  const auto stopped = leave(one, 1min);
  const auto b = ask("b");
  EXPECT_FALSE(stopped->value);
  EXPECT_EQ(one.desk->jobs.size(), 1u) << "a alone";
  const auto two = offer(1);
  EXPECT_EQ(two.desk->jobs.count("b"), 1u);
  finish(one.desk, "a");
  EXPECT_EQ(a->value, "done: a");
  EXPECT_TRUE(stopped->value) << "its last worker has ended";
  EXPECT_EQ(one.desk->births, 1u);
  finish(two.desk, "b");
  EXPECT_EQ(b->value, "done: b");
  EXPECT_EQ(status().counters.hand_overs, 2u);
  ASSERT_EQ(log.count<event::OfferEnded>(), 1u);
  EXPECT_EQ(log.all<event::OfferEnded>()[0].reason, "withdrawn");
}

TEST_F(OfferedToPool, that_are_cut_off_when_they_leave_cost_no_attempt_and_no_wait) {
  start_pool(with_one_attempt());
  const auto one = offer(1);
  const auto a = ask("a");
  const auto two = offer(1);
  const auto stopped = leave(one, 10s);
  time.advance(10s);
  EXPECT_TRUE(stopped->value);
  EXPECT_EQ(two.desk->jobs.count("a"), 1u) << "at once";
  finish(two.desk, "a");
  EXPECT_EQ(a->value, "done: a");
  EXPECT_EQ(retries(), 0u);
}

TEST_F(OfferedToPool, that_are_cut_off_by_one_stop_after_the_other_cost_no_attempt) {
  start_pool(with_one_attempt());
  auto process = offer(1);
  const auto a = ask("a");
  for (int i = 0; i < 4; ++i) {
    const auto next = offer(1);
    leave(process, 10s);
    time.advance(10s);
    EXPECT_EQ(next.desk->jobs.count("a"), 1u) << i;
    process = next;
  }
  leave(process, 0s);
  EXPECT_FALSE(a->error);
  EXPECT_EQ(log.count<event::OfferEnded>(), 5u) << "each once";
}

TEST_F(OfferedToPool, that_are_lost_with_their_process_cost_no_attempt_and_no_wait) {
  start_pool(with_one_attempt());
  const auto one = offer(2);
  const auto a = ask("a");
  const auto b = ask("b");
  const auto two = offer(2);
  kill(one.actor);
  EXPECT_EQ(two.desk->jobs.size(), 2u) << "at once";
  finish(two.desk, "a");
  finish(two.desk, "b");
  EXPECT_EQ(a->value, "done: a");
  EXPECT_EQ(b->value, "done: b");
  EXPECT_EQ(retries(), 0u);
  EXPECT_EQ(status().pool.workers.size(), 2u);
}

// It may be the message that ends one process after the other.
TEST_F(OfferedToPool, whose_message_is_lost_twice_in_a_row_cost_an_attempt) {
  start_pool(with_one_attempt());
  const auto one = offer(1);
  const auto two = offer(1);
  const auto a = ask("a");
  kill(one.desk->jobs.count("a") == 1 ? one.actor : two.actor);
  EXPECT_FALSE(a->error);
  kill(one.desk->jobs.count("a") == 1 ? one.actor : two.actor);
  ASSERT_TRUE(a->error);
  EXPECT_EQ(log.count<event::DeadLettered>(), 1u);
}

TEST_F(OfferedToPool, that_crash_are_made_anew_by_the_same_process_after_the_backoff) {
  start_pool(pool_options(0, 4));
  const auto one = offer(1);
  ask("a");
  kill(caf::actor_cast<caf::actor>(one.desk->workers.at(1)));
  time.advance(1s);
  EXPECT_EQ(one.desk->births, 2u);
  EXPECT_EQ(one.desk->jobs.count("a"), 1u);
  EXPECT_EQ(log.count<event::OfferEnded>(), 0u);
}

TEST_F(OfferedToPool, that_cannot_be_made_are_failed_starts) {
  start_pool(pool_options(0, 4));
  const auto actor =
    offer_workers(time.system(), {.find_owner = [this](caf::event_based_actor*) { return sender; },
                                  .make_child = [](caf::event_based_actor*) -> caf::actor {
                                    throw std::runtime_error("no voltage");
                                  }});
  processes.push_back(actor);
  time.advance(1s);
  ASSERT_GE(log.count<event::StartFailed>(), 2u) << "it is tried again";
  for (const auto& x : log.all<event::StartFailed>())
    EXPECT_THAT(x.cause.text, HasSubstr("no voltage")) << "its place is free again";
}

// It renews its offer meanwhile.
TEST_F(OfferedToPool, finish_what_they_hold_when_their_sender_stops_with_a_grace) {
  start_pool(pool_options(0, 4));
  const auto process = offer(1);
  const auto a = ask("a");
  const auto stopped = time.ask<Stopped>(sender, Stop{1min});
  time.advance(10s);
  const auto other = offer(1);
  EXPECT_THAT(*other.notices, ElementsAre(HasSubstr("draining")));
  finish(process.desk, "a");
  EXPECT_EQ(a->value, "done: a");
  EXPECT_EQ(stopped->get().acknowledged, 1u);
}

TEST_F(OfferedToPool, may_be_linked_to_what_makes_them) {
  start_pool(pool_options(0, 4));
  const auto desk = std::make_shared<Desk>();
  processes.push_back(offer_workers(
    time.system(), {.find_owner = [this](caf::event_based_actor*) { return sender; },
                    .make_child = [desk](caf::event_based_actor* parent) -> caf::actor {
                      return parent->spawn<DeskWorker, caf::linked>(desk);
                    }}));
  time.run();
  kill(caf::actor_cast<caf::actor>(desk->workers.at(1)));
  time.advance(1s);
  EXPECT_EQ(desk->births, 2u);
}

// It may take them yet.
TEST_F(OfferedToPool, are_withdrawn_from_a_sender_that_has_not_answered_as_it_should) {
  start_pool(pool_options(0, 4));
  const auto heard = std::make_shared<Strings>();
  const auto kept = std::make_shared<std::vector<caf::response_promise>>();
  const auto other =
    time.keep(time.system().spawn<Behaving>([=](caf::event_based_actor* self) -> caf::behavior {
      return {[=](const OfferWorkers&) -> caf::result<WorkersTaken> {
                heard->emplace_back("offered");
                kept->push_back(self->make_response_promise());
                return caf::delegated<WorkersTaken>{};
              },
              [=](const WithdrawWorkers&) { heard->emplace_back("withdrawn"); }};
    }));
  const auto desk = std::make_shared<Desk>();
  processes.push_back(offer_workers(
    time.system(),
    {.find_owner = [this, other, turn = 0](
                     caf::event_based_actor*) mutable { return ++turn == 1 ? other : sender; },
     .make_child = desk_workers(desk)}));
  time.advance(4s); // the sender has 2 s to answer
  EXPECT_THAT(*heard, ElementsAre("offered", "withdrawn"));
  EXPECT_EQ(desk->births, 1u) << "the next one has taken them";
  kept->clear();
}

TEST_F(OfferedToPool, finish_within_the_grace_of_a_graceful_shutdown) {
  start_pool(pool_options(0, 4));
  const auto process = offer(1);
  ask("a");
  EXPECT_TRUE(
    compat::RequestingActor::own_kind(caf::actor_cast<caf::strong_actor_ptr>(process.actor))
      ->can_finish_work())
    << "so it is told to stop with a grace";
}

TEST_F(OfferedToPool, are_offered_to_the_next_sender_when_theirs_has_ended) {
  start_pool(pool_options(0, 4));
  const auto process = offer(2);
  time.tell(sender, Stop{});
  time.run();
  start_pool(pool_options(0, 4));
  time.advance(500ms);
  ask("a");
  EXPECT_EQ(process.desk->jobs.count("a"), 1u);
  EXPECT_EQ(process.desk->births, 4u) << "two for each sender";
}

TEST_F(OfferedToPool, are_no_concern_of_strangers) {
  start_pool(pool_options(0, 4));
  const auto process = offer(1);
  tell(WithdrawWorkers{});
  tell(OfferWorkers{2});
  const auto none = time.ask<WorkersTaken>(sender, OfferWorkers{0});
  const auto many = time.ask<WorkersTaken>(sender, OfferWorkers{4'000'000'000});
  time.tell(process.actor, WorkersTaken{});
  const auto place = time.ask<caf::actor>(process.actor, MakeWorker{1});
  time.run();
  EXPECT_THAT(text_of(none->error), HasSubstr("workers: got 0"));
  EXPECT_THAT(text_of(many->error), HasSubstr("workers: got 4000000000, allowed 1..3"));
  EXPECT_THAT(text_of(place->error), HasSubstr("offers no such worker"));
  ask("a");
  EXPECT_EQ(process.desk->jobs.count("a"), 1u);
  EXPECT_EQ(status().pool.workers.size(), 1u);
}

// A start that the sender has given up may still bring a worker.
TEST_F(OfferedToPool, are_at_most_one_at_each_place) {
  start_pool(pool_options(0, 4));
  const auto process = offer(1);
  const auto second = time.ask<caf::actor>(process.actor, MakeWorker{0});
  time.run();
  EXPECT_TRUE(second->value);
  EXPECT_EQ(process.desk->births, 2u);
  EXPECT_EQ(log.count<event::ChildDown>(), 1u) << "the first has ended";
  EXPECT_FALSE(caf::actor_cast<caf::actor>(process.desk->workers.at(1)));
}

TEST_F(OfferedToPool, are_not_for_the_senders_operator_to_resize_or_retire) {
  start_pool(pool_options(0, 4));
  offer(1);
  const auto size = time.ask<SenderStatus>(sender, Resize{{2, 2}, 1});
  const auto retired = time.ask<SenderStatus>(sender, RetireWorker{2});
  const auto own = time.ask<SenderStatus>(sender, Resize{{1, 1}, 0});
  const auto none = time.ask<SenderStatus>(sender, Resize{{0, 0}, 0});
  time.run();
  EXPECT_THAT(text_of(size->error), HasSubstr("kind: got 1, allowed 0..0"));
  EXPECT_THAT(text_of(retired->error), HasSubstr("worker: got 2"));
  EXPECT_EQ(text_of(own->error), "");
  EXPECT_EQ(text_of(none->error), "");
}

TEST_F(OfferedToPool, are_refused_where_they_cannot_be) {
  auto options = pool_options(0, 1'001);
  options.pool.offered.max_in_flight = 0;
  EXPECT_THAT(to_string(check(options)),
              AllOf(HasSubstr("pool.offered.most: got 1001, allowed 0..1000"),
                    HasSubstr("pool.offered.max_in_flight: got 0")));
  options = pool_options(0, 0);
  EXPECT_THAT(to_string(check(options)), HasSubstr("workers.most: got 0"));
  options = pool_options(600, 401);
  EXPECT_THAT(to_string(check(options)), HasSubstr("pool.offered.most: got 401, allowed 0..400"));
  options = default_options();
  options.pool.offered.max_in_flight = 2;
  EXPECT_THAT(to_string(check(options)),
              HasSubstr("pool.offered.max_in_flight: got 2, allowed 1, unless"));
  EXPECT_THAT(to_string(check(OfferOptions{.workers = 0})),
              AllOf(HasSubstr("find_owner: got an empty function"),
                    HasSubstr("make_child: got an empty function"), HasSubstr("workers: got 0")));
}

} // namespace backoff_actor::actor_test
