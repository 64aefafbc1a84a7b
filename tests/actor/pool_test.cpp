// A pool of actors that share one outbox: what the shell does with the engine's decisions, which
// tests/unit/engine/sender_pool_test.cpp has.

#include "desk.hpp"
#include "fixture.hpp"
#include "through_the_network.hpp"

#include "common/metric_value.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <algorithm>
#include <map>

namespace backoff_actor::actor_test {

class Pool : public SenderTest {
protected:
  static SenderOptions pool_options(std::uint32_t workers,
                                    Ordering ordering = Ordering::unordered) {
    auto options = default_options();
    options.ordering = ordering;
    options.pool.workers = {workers, workers};
    return options;
  }

  void start_pool(SenderOptions options) {
    start_with(desk_workers(desk), std::move(options));
    time.run();
  }

  void finish(const std::string& text) {
    ASSERT_TRUE(desk->finish(text));
    time.run();
  }

  void crash(std::uint64_t worker) {
    const auto who = caf::actor_cast<caf::actor>(desk->workers.at(worker));
    ASSERT_TRUE(who);
    compat::send_exit_now(who, nullptr, caf::exit_reason::kill);
    time.run();
  }

  std::uint64_t worker_of(const std::string& text) const {
    const auto job = desk->jobs.find(text);
    return job == desk->jobs.end() ? 0 : job->second.worker;
  }

  std::shared_ptr<Desk> desk = std::make_shared<Desk>();
};

TEST_F(Pool, works_on_as_many_messages_as_it_has_workers) {
  start_pool(pool_options(3));
  const auto a = ask("a");
  const auto b = ask("b");
  const auto c = ask("c");
  const auto d = ask("d");
  EXPECT_EQ(worker_of("a"), 1u);
  EXPECT_EQ(worker_of("b"), 2u);
  EXPECT_EQ(worker_of("c"), 3u);
  EXPECT_EQ(worker_of("d"), 0u) << "it waits";
  finish("b");
  EXPECT_EQ(b->value, "done: b");
  EXPECT_EQ(worker_of("d"), 2u);
  EXPECT_FALSE(a->value);
}

TEST_F(Pool, redelivers_what_a_worker_held_when_it_crashed_and_nothing_else) {
  start_pool(pool_options(2));
  const auto a = ask("a");
  const auto b = ask("b");
  crash(1);
  EXPECT_EQ(worker_of("b"), 2u);
  time.advance(1s);
  EXPECT_NE(worker_of("a"), 0u);
  finish("a");
  finish("b");
  EXPECT_EQ(a->value, "done: a");
  EXPECT_EQ(b->value, "done: b");
  EXPECT_EQ(status().counters.hand_overs, 3u);
}

TEST_F(Pool, names_the_worker_in_events_status_and_dead_letters) {
  auto options = pool_options(2);
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  const auto letters = std::make_shared<std::vector<DeadLetter>>();
  options.on_dead_letter = [letters](const DeadLetter& letter) { letters->push_back(letter); };
  start_pool(options);
  ask("a");
  ask("b");
  crash(2);
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ(letters->front().worker, 2u);
  EXPECT_THAT(to_string(letters->front()), HasSubstr("last with worker 2"));
  const auto events = log.events();
  const auto down = std::find_if(events.begin(), events.end(), [](const Event& event) {
    return std::holds_alternative<event::ChildDown>(event);
  });
  ASSERT_NE(down, events.end());
  EXPECT_EQ(down->worker, 2u);
  EXPECT_THAT(backoff_actor::text_of(*down), HasSubstr("worker 2: child 2 down"));
  const auto pool = status().pool;
  ASSERT_EQ(pool.workers.size(), 2u);
  EXPECT_EQ(pool.workers[0].state, WorkerState::serving);
  EXPECT_EQ(pool.workers[0].holds, 1u);
  EXPECT_EQ(pool.workers[1].state, WorkerState::waiting);
  EXPECT_THAT(to_string(status()), HasSubstr("1 of 2 workers serve"));
}

TEST_F(Pool, is_seen_by_an_observatory) {
  time.advance(1s);
  const Observatory observatory;
  auto options = pool_options(2);
  options.name = "packers";
  options.observed_by = observatory;
  start_pool(options);
  const auto value = [&](const std::string& metric, const std::string& label,
                         const std::string& of) {
    return testing::value_of(observatory.metrics(time.now()), "backoff_pool_" + metric,
                             {{"sender", "packers"}, {label, of}});
  };
  for (const auto* text : {"a", "b", "c"})
    ask(text);
  EXPECT_EQ(value("workers", "state", "serving"), 2);
  EXPECT_EQ(testing::value_of(observatory.metrics(time.now()), "backoff_pool_ready",
                              {{"sender", "packers"}}),
            1);
  time.advance(3s);
  crash(1);
  EXPECT_EQ(value("workers", "state", "serving"), 1);
  EXPECT_EQ(value("workers", "state", "waiting"), 1);
  EXPECT_EQ(value("held_back_seconds_total", "by", "workers"), 3);
  EXPECT_EQ(value("held_back_seconds_total", "by", "guard"), 0);
  const auto seen = observatory.status(9, time.now()).senders;
  ASSERT_EQ(seen.size(), 1u);
  ASSERT_TRUE(seen[0].has_pool);
  EXPECT_THAT(seen[0].pool.workers, ElementsAre(0, 1, 1, 0, 0));
  EXPECT_EQ(seen[0].pool.ready, 2u) << "the third, and what the dead worker held";
}

TEST_F(Pool, loses_as_many_workers_as_a_poison_message_has_attempts) {
  auto options = pool_options(8);
  options.max_attempts = 3;
  options.charging = Charging::every_failure();
  start_with(child_of([](caf::event_based_actor*) -> caf::behavior {
               return {[](const std::string& text) {
                 if (text == "poison")
                   throw std::runtime_error("poison");
                 return text;
               }};
             }),
             options);
  for (auto i = 0; i < 10'000; ++i)
    caf::anon_send(sender, i == 5'000 ? std::string{"poison"} : std::to_string(i));
  time.advance(60s);
  EXPECT_EQ(log.count<event::ChildDown>(), 3u);
  EXPECT_EQ(log.count<event::DeadLettered>(), 1u);
  EXPECT_EQ(log.count<event::Acknowledged>(), 9'999u);
}

TEST_F(Pool, has_workers_of_several_factories) {
  const auto other_desk = std::make_shared<Desk>();
  auto options = pool_options(1);
  options.pool.others = {{desk_workers(other_desk), {1, 1}, 2}};
  start_pool(options);
  ask("a");
  ask("b");
  ask("c");
  EXPECT_EQ(desk->jobs.size(), 1u);
  EXPECT_EQ(other_desk->jobs.size(), 2u) << "one of its workers holds two";
}

// A factory may return the same actor each time, such as one on another node.
TEST_F(Pool, may_have_one_actor_for_all_its_workers) {
  const auto clerk = time.system().spawn([]() -> caf::behavior {
    return {[](const std::string& text) -> caf::result<std::string> {
      if (text == "refuse")
        return caf::make_error(caf::sec::invalid_argument);
      return text;
    }};
  });
  start_with([clerk](caf::event_based_actor*,
                     ChildPromise child) { child.deliver(clerk, Ownership::shared); },
             pool_options(4));
  for (int i = 0; i < 8; ++i)
    ask("refuse");
  EXPECT_EQ(status().counters.dead_lettered, 8u) << "each error was an answer";
  tell(Resize{{2, 2}});
  time.run();
  ask("a");
  compat::send_exit_now(clerk, nullptr, caf::exit_reason::kill);
  time.run();
  for (const auto& worker : status().pool.workers)
    EXPECT_NE(worker.state, WorkerState::serving) << worker.number;
}

TEST_F(Pool, becomes_larger_and_smaller_by_hand) {
  auto options = pool_options(1);
  options.pool.workers = {1, 4};
  start_pool(options);
  ask("a");
  ask("b");
  tell(Resize{{3, 3}});
  EXPECT_EQ(desk->births, 3u);
  EXPECT_NE(worker_of("b"), 0u);
  tell(Resize{{1, 1}});
  time.run();
  EXPECT_EQ(status().pool.workers.size(), 2u) << "the idle one has left, and one finishes";
  finish("a");
  finish("b");
  time.run();
  EXPECT_EQ(status().pool.workers.size(), 1u);
}

TEST_F(Pool, refuses_a_size_that_cannot_be) {
  start_pool(pool_options(2));
  auto answer = time.ask<SenderStatus>(sender, Resize{{5, 2}});
  time.run();
  EXPECT_THAT(text_of(answer->error), HasSubstr("least"));
  answer = time.ask<SenderStatus>(sender, Resize{{1, 2}, 7});
  time.run();
  EXPECT_THAT(text_of(answer->error), HasSubstr("kind: got 7"));
  // The sum of what is asked for one after the other counts, too.
  answer = time.ask<SenderStatus>(sender, Resize{{0, 1'000}});
  time.run();
  EXPECT_FALSE(answer->error);
  answer = time.ask<SenderStatus>(sender, Resize{{0, 1'001}});
  time.run();
  EXPECT_THAT(text_of(answer->error), HasSubstr("1000"));
  answer = time.ask<SenderStatus>(sender, RetireWorker{9});
  time.run();
  EXPECT_THAT(text_of(answer->error), HasSubstr("worker: got 9"));
}

TEST_F(Pool, is_refused_where_it_cannot_work) {
  auto options = pool_options(2, Ordering::strict);
  options.max_in_flight = 4;
  options.restart_limit = RestartLimit{1, 1s};
  options.rare.fallback = child_of<Echo>();
  EXPECT_THAT(to_string(check(options)),
              AllOf(HasSubstr("ordering: got strict"), HasSubstr("max_in_flight: got 4"),
                    HasSubstr("fallback")));
  options = pool_options(2);
  options.pool.workers = {3, 2};
  options.pool.max_in_flight = 0;
  EXPECT_THAT(to_string(check(options)),
              AllOf(HasSubstr("least: got 3"), HasSubstr("max_in_flight")));
  options = default_options();
  options.pool.max_in_flight = 2;
  options.pool.scaling.grow_after = 2s;
  EXPECT_THAT(to_string(check(options)),
              AllOf(HasSubstr("pool.max_in_flight: got 2"), HasSubstr("pool.scaling")));
  options.pool.workers = {0, 1};
  EXPECT_THAT(to_string(check(options)), HasSubstr("ordering: got strict")) << "it is a pool";
}

TEST_F(Pool, is_whole_in_a_status_that_crosses_the_network) {
  SenderStatus sent;
  sent.pool.workers = {{.number = 1,
                        .kind = 2,
                        .state = WorkerState::leaving,
                        .incarnation = 3,
                        .holds = 4,
                        .may_hold = 5,
                        .due_in = 6s,
                        .retries = 7}};
  sent.pool.kinds = {{.workers = {8, 9}, .held_by_service_for = 10s}};
  sent.pool.ready = 11;
  EXPECT_EQ(through_the_network(time.system(), sent), sent);
}

TEST_F(Pool, ends_all_its_workers_when_it_ends) {
  start_pool(pool_options(4));
  ask("a");
  const auto reason = watch_sender();
  tell(Stop{});
  time.run();
  EXPECT_TRUE(reason->has_value());
  for (const auto& [number, worker] : desk->workers)
    EXPECT_FALSE(caf::actor_cast<caf::actor>(worker)) << number;
}

} // namespace backoff_actor::actor_test
