// Real time, real threads.

#include "common/patience.hpp"
#include "system.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

// -- under load ---------------------------------------------------------------------

// Sends numbers in a window and counts the answers, each of which must be to the number that was
// sent.
class Counter : public caf::event_based_actor {
public:
  Counter(caf::actor_config& config, caf::actor receiver, std::uint64_t from, std::uint64_t to,
          std::atomic<std::uint64_t>* right)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), next_(from), to_(to),
      right_(right) {}

  caf::behavior make_behavior() override {
    for (int i = 0; i < 16; ++i)
      ask();
    return {};
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  void ask() {
    if (next_ == to_)
      return;
    const auto number = next_++;
    request(receiver_, caf::infinite, number).then([this, number](std::uint64_t answer) {
      if (answer == number + 1)
        ++*right_;
      ask();
    });
  }

  caf::actor receiver_;
  std::uint64_t next_;
  std::uint64_t to_;
  std::atomic<std::uint64_t>* right_;
};

// Crashes on every hundredth message that it or its predecessors were given.
class Crasher : public caf::event_based_actor {
public:
  Crasher(caf::actor_config& config, std::atomic<std::uint64_t>* given)
    : caf::event_based_actor(config), given_(given) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t number) {
      if (++*given_ % 100 == 0)
        throw std::runtime_error("the hundredth");
      return number + 1;
    }};
  }

private:
  std::atomic<std::uint64_t>* given_;
};

struct Load {
  const char* name;
  bool detached;
  bool behind_a_front;

  friend void PrintTo(const Load& row, std::ostream* out) { *out << row.name; }
};

class SystemUnderLoad : public System, public ::testing::WithParamInterface<Load> {};

TEST_P(SystemUnderLoad, ten_thousand_requests_over_a_hundred_crashing_children_lose_no_reply) {
  std::atomic<std::uint64_t> given{0};
  std::atomic<std::uint64_t> right{0};
  EventLog log;
  SenderOptions options;
  options.backoff = RandomSlots{.slot_time = 10us};
  options.on_event = log.hook();
  auto make =
    GetParam().detached ? child_of<Crasher, caf::detached>(&given) : child_of<Crasher>(&given);
  if (GetParam().behind_a_front)
    make = testing::faulty_children(make, {});
  {
    const auto sender = spawn_back_off_sender(*system, make, options);
    for (std::uint64_t i = 0; i < 10; ++i)
      system->spawn<Counter>(sender, i * 1000, (i + 1) * 1000, &right);
  }
  go_down(); // clients end when they have their answers, and the sender with them

  EXPECT_EQ(right, 10'000u);
  EXPECT_EQ(log.count<event::Acknowledged>(), 10'000u);
  EXPECT_GE(log.count<event::ChildDown>(), 100u);
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

INSTANTIATE_TEST_SUITE_P(table, SystemUnderLoad,
                         ::testing::Values(Load{"scheduled", false, false},
                                           Load{"detached", true, false},
                                           Load{"scheduled_behind_a_front", false, true},
                                           Load{"detached_behind_a_front", true, true}),
                         [](const auto& row) { return std::string{row.param.name}; });

// -- many at once ----------------------------------------------------------------------

// Is given numbers of several threads, and counts those that were not the next of their thread.
class OrderKeeper : public caf::event_based_actor {
public:
  OrderKeeper(caf::actor_config& config, std::atomic<std::uint64_t>* given,
              std::atomic<std::uint64_t>* out_of_order)
    : caf::event_based_actor(config), given_(given), out_of_order_(out_of_order) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t thread, std::uint64_t number) {
      if (number != next_[thread]++)
        ++*out_of_order_;
      ++*given_;
      return number;
    }};
  }

private:
  std::array<std::uint64_t, 4> next_{};
  std::atomic<std::uint64_t>* given_;
  std::atomic<std::uint64_t>* out_of_order_;
};

TEST_F(System, hands_over_in_the_order_of_each_of_four_threads_that_send_at_once) {
  constexpr std::uint64_t each = 20'000;
  std::atomic<std::uint64_t> given{0};
  std::atomic<std::uint64_t> out_of_order{0};
  {
    const auto sender =
      spawn_back_off_sender(*system, child_of<OrderKeeper>(&given, &out_of_order));
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread != 4; ++thread)
      threads.emplace_back([=, &sender] {
        for (std::uint64_t number = 0; number != each; ++number)
          caf::anon_send(sender, thread, number);
      });
    for (auto& thread : threads)
      thread.join();
  }
  go_down(); // the sender ends when it owes nothing

  EXPECT_EQ(given, 4 * each);
  EXPECT_EQ(out_of_order, 0u);
}

// Makes requests, so many at a time, until one is refused, and counts what comes back.
class Asker : public caf::event_based_actor {
public:
  struct Counts {
    std::atomic<std::uint64_t> asked{0};
    std::atomic<std::uint64_t> answered{0};
    std::atomic<std::uint64_t> refused{0};
  };

  Asker(caf::actor_config& config, caf::actor receiver, Counts* counts)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), counts_(counts) {}

  caf::behavior make_behavior() override {
    for (int i = 0; i < 64; ++i)
      ask();
    return {};
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  void ask() {
    ++counts_->asked;
    request(receiver_, caf::infinite, std::uint64_t{0}, std::uint64_t{0})
      .then(
        [this](std::uint64_t) {
          ++counts_->answered;
          ask();
        },
        [this](const caf::error&) { ++counts_->refused; });
  }

  caf::actor receiver_;
  Counts* counts_;
};

TEST_F(System, answers_or_refuses_every_request_when_it_is_killed_amid_of_them) {
  for (int round = 0; round != 50; ++round) {
    std::atomic<std::uint64_t> given{0};
    std::atomic<std::uint64_t> out_of_order{0};
    Asker::Counts counts;
    caf::actor_system_config own_config;
    init(own_config);
    system.emplace(own_config);
    {
      const auto sender =
        spawn_back_off_sender(*system, child_of<OrderKeeper>(&given, &out_of_order));
      for (int i = 0; i != 3; ++i)
        system->spawn<Asker>(sender, &counts);
      while (counts.answered < 100)
        std::this_thread::yield();
      caf::anon_send_exit(sender, caf::exit_reason::kill);
    }
    go_down(); // askers end when they wait for nothing

    EXPECT_EQ(counts.answered + counts.refused, counts.asked);
    EXPECT_EQ(counts.refused, 3u * 64u);
  }
}

// -- going down ----------------------------------------------------------------------

TEST_F(System, goes_down_with_a_tick_of_an_hour_pending_when_nothing_is_owed) {
  const DangerousActor danger{{}, testing::Birth::factory_throws};
  EventLog log;
  SenderOptions options;
  options.backoff = RandomSlots{.slot_time = 1h};
  options.seed = 72451; // the first wait is one slot
  options.stream = 0;
  std::promise<void> waiting;
  options.on_event = [&, hook = log.hook()](const Event& event) {
    hook(event);
    if (std::holds_alternative<event::RetryScheduled>(event))
      waiting.set_value();
  };
  {
    const auto sender = spawn_back_off_sender(*system, danger.factory(), options);
    waiting.get_future().wait();
  }
  go_down();
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
}

TEST_F(System, goes_down_with_a_tick_of_an_hour_pending_when_a_sender_that_owes_is_stopped) {
  const DangerousActor danger{testing::crash()};
  SenderOptions options;
  options.backoff = RandomSlots{.slot_time = 1h};
  options.seed = 72451;
  options.stream = 0;
  std::promise<void> waiting;
  options.on_event = [&](const Event& event) {
    if (std::holds_alternative<event::RetryScheduled>(event))
      waiting.set_value();
  };
  std::optional<caf::error> got;
  {
    caf::scoped_actor client{*system};
    const auto sender = spawn_back_off_sender(*system, danger.factory(), options);
    auto answer = client->request(sender, caf::infinite, std::string{"a"});
    waiting.get_future().wait();
    caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
    answer.receive([](const std::string&) {}, [&](const caf::error& error) { got = error; });
  }
  go_down();
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, make_error(SenderError::stopped));
  EXPECT_EQ(danger.alive(), 0u);
}

// -- children that block ----------------------------------------------------------------

TEST_F(System,
       an_error_answer_of_a_blocking_actor_reaches_the_client_although_it_answers_no_probes) {
  std::optional<caf::error> got;
  {
    const auto sender =
      spawn_back_off_sender(*system, [](caf::event_based_actor* self) -> caf::actor {
        return self->spawn([](caf::blocking_actor* child) {
          bool running = true;
          child->receive_while(running)(
            [](const std::string&) -> caf::result<std::string> {
              return caf::sec::invalid_argument;
            },
            [&](const caf::exit_msg& message) {
              child->fail_state(message.reason);
              running = false;
            });
        });
      });
    caf::scoped_actor client{*system};
    client->request(sender, caf::infinite, std::string{"a"})
      .receive([](const std::string&) {}, [&](const caf::error& error) { got = error; });
  }
  go_down();
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, caf::sec::invalid_argument);
}

TEST_F(System, an_error_of_an_actor_to_which_a_blocking_actor_passed_it_on_reaches_the_client) {
  class Refuser : public caf::event_based_actor {
  public:
    using caf::event_based_actor::event_based_actor;
    caf::behavior make_behavior() override {
      return {[](const std::string&) -> caf::result<std::string> {
        return caf::make_error(caf::sec::invalid_argument);
      }};
    }
  };
  std::optional<caf::error> got;
  {
    const caf::actor refuser = system->spawn<Refuser>();
    const auto sender =
      spawn_back_off_sender(*system, [refuser](caf::event_based_actor* self) -> caf::actor {
        return self->spawn([refuser](caf::blocking_actor* child) {
          bool running = true;
          child->receive_while(running)(
            [&](const std::string& text) { return child->delegate(refuser, text); },
            [&](const caf::exit_msg& message) {
              child->fail_state(message.reason);
              running = false;
            });
        });
      });
    caf::scoped_actor client{*system};
    client->request(sender, test::patience, std::string{"a"})
      .receive([](const std::string&) {}, [&](const caf::error& error) { got = error; });
    caf::anon_send_exit(refuser, caf::exit_reason::user_shutdown);
  }
  go_down();
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, caf::sec::invalid_argument);
}

TEST_F(System, a_blocking_actor_that_passes_work_on_to_one_that_is_gone_is_ended_in_time) {
  class Passer : public caf::event_based_actor {
  public:
    using caf::event_based_actor::event_based_actor;
    caf::behavior make_behavior() override {
      return {[](const std::string& text) { return text; }};
    }
  };
  std::string got;
  {
    caf::scoped_actor client{*system};
    const caf::actor gone = system->spawn<Passer>();
    client->send_exit(gone, caf::exit_reason::user_shutdown);
    client->wait_for(gone);
    SenderOptions options;
    options.backoff = RandomSlots{.slot_time = 1ms};
    options.ack_timeout = 20ms; // the bounce looks like that of a child that is about to go down
    options.max_attempts = 2;
    options.charging = Charging::every_failure();
    const auto sender = spawn_back_off_sender(
      *system,
      [gone](caf::event_based_actor* self) -> caf::actor {
        return self->spawn([gone](caf::blocking_actor* child) {
          bool running = true;
          child->receive_while(running)(
            [&](const std::string& text) { return child->delegate(gone, text); },
            [&](const caf::exit_msg& message) {
              child->fail_state(message.reason);
              running = false;
            });
        });
      },
      options);
    client->request(sender, caf::infinite, std::string{"a"})
      .receive([&](const std::string& text) { got = text; },
               [&](const caf::error& error) { got = render(*system, error); });
  }
  go_down();
  EXPECT_EQ(got.substr(0, got.find(':')), "attempts_exhausted") << got;
}

} // namespace backoff_actor::system_test
