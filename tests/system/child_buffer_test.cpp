// Messages to an address whose child ends meanwhile, on threads.

#include "system.hpp"

#include "common/becomes_true.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t last_number = 999;

// What a test and the threads of its actors know together.
struct DyingChild {
  std::promise<void> first_has_ended;
  std::mutex mutex;
  std::vector<std::uint64_t> by_first;
  std::vector<std::uint64_t> by_second;
  int started = 0;
};

// Ends with its first message, if it is the first.
class Mortal : public caf::event_based_actor {
public:
  Mortal(caf::actor_config& config, std::shared_ptr<DyingChild> shared)
    : caf::event_based_actor(config), shared_(std::move(shared)) {
    const std::lock_guard lock{shared_->mutex};
    is_first_ = ++shared_->started == 1;
  }

  caf::behavior make_behavior() override {
    if (is_first_)
      attach_functor(
        [shared = shared_](const caf::error&) { shared->first_has_ended.set_value(); });
    return {[this](std::uint64_t number) {
      {
        const std::lock_guard lock{shared_->mutex};
        (is_first_ ? shared_->by_first : shared_->by_second).push_back(number);
      }
      if (is_first_)
        quit(caf::sec::runtime_error);
    }};
  }

private:
  std::shared_ptr<DyingChild> shared_;
  bool is_first_ = false;
};

ChildSpec behind(const ChildRef& address, ChildFactory make, Duration delay) {
  return {.id = "child",
          .make = std::move(make),
          .options = {.backoff = Fixed{.delay = delay}},
          .address = address};
}

// A supervisor whose hook holds it up at the end of a child until it may go on.
SupervisorOptions held_up_by(const std::shared_future<void>& may_go_on) {
  SupervisorOptions options;
  options.on_event = [may_go_on](const SupervisorEvent& event) {
    if (std::holds_alternative<supervisor_event::ChildDown>(event))
      may_go_on.wait();
  };
  return options;
}

void send_all_but_the_first(const ChildRef& address, DyingChild& shared) {
  caf::anon_send(address.actor(), std::uint64_t{0});
  shared.first_has_ended.get_future().wait();
  for (std::uint64_t number = 1; number <= last_number; ++number)
    caf::anon_send(address.actor(), number);
}

} // namespace

// The supervisor does not handle the news of the end before all are sent.
TEST_F(System, what_comes_after_the_end_of_a_child_goes_to_the_next_in_order) {
  const auto shared = std::make_shared<DyingChild>();
  std::promise<void> may_go_on;
  const ChildRef address{*system, ChildBuffer{}};
  const auto supervisor =
    start_supervisor(*system, {behind(address, child_of<Mortal>(shared), 1ms)},
                     held_up_by(may_go_on.get_future().share()));
  send_all_but_the_first(address, *shared);
  may_go_on.set_value();
  const auto all_are_done = [&] {
    const std::lock_guard lock{shared->mutex};
    return shared->by_second.size() == last_number;
  };
  EXPECT_TRUE(test::becomes_true(all_are_done))
    << "lost: " << last_number - shared->by_second.size();
  const std::lock_guard lock{shared->mutex};
  EXPECT_EQ(shared->by_first, (std::vector<std::uint64_t>{0}));
  for (std::uint64_t i = 0; i < shared->by_second.size(); ++i)
    ASSERT_EQ(shared->by_second[i], i + 1);
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
}

TEST_F(System, what_comes_after_the_end_of_a_child_is_undelivered_if_nothing_is_kept) {
  const auto shared = std::make_shared<DyingChild>();
  const ChildRef address{*system};
  const auto supervisor =
    start_supervisor(*system, {behind(address, child_of<Mortal>(shared), 24h)});
  send_all_but_the_first(address, *shared);

  EXPECT_EQ(address.undelivered(), last_number);
  const std::lock_guard lock{shared->mutex};
  EXPECT_EQ(shared->by_first, (std::vector<std::uint64_t>{0}));
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
}

namespace {

// What a test, an actor that ends, and what lies in its mailbox know together.
struct SlowEnd {
  std::promise<void> may_end;
  std::promise<void> is_ending; // the mailbox is closed, and CAF bounces what is in it
  std::promise<void> may_go_on;
  std::atomic<int> started{0};
};

// Holds up whoever drops the last handle to it.
class HoldsUp : public caf::event_based_actor {
public:
  HoldsUp(caf::actor_config& config, std::shared_ptr<SlowEnd> shared)
    : caf::event_based_actor(config), shared_(std::move(shared)) {}

  caf::behavior make_behavior() override {
    return {[](std::uint64_t) {}};
  }

  void on_exit() override {
    shared_->is_ending.set_value();
    shared_->may_go_on.get_future().wait();
  }

private:
  std::shared_ptr<SlowEnd> shared_;
};

// The first ends with its first message, when it may.
class EndsSlowly : public caf::event_based_actor {
public:
  EndsSlowly(caf::actor_config& config, std::shared_ptr<SlowEnd> shared)
    : caf::event_based_actor(config), shared_(std::move(shared)), number_(++shared_->started) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t) {
              if (number_ == 1) {
                shared_->may_end.get_future().wait();
                quit(caf::sec::runtime_error);
              }
              return number_;
            },
            [](const caf::actor&) {}};
  }

private:
  std::shared_ptr<SlowEnd> shared_;
  int number_;
};

} // namespace

// CAF 0.17 marks an actor as ended some time after it has closed the mailbox.
TEST_F(System, what_comes_while_the_child_is_ending_goes_to_the_next_and_not_to_the_dead) {
  const auto shared = std::make_shared<SlowEnd>();
  const ChildRef address{*system, ChildBuffer{}};
  const auto supervisor =
    start_supervisor(*system, {behind(address, child_of<EndsSlowly>(shared), 1ms)});
  caf::anon_send(address.actor(), std::uint64_t{0});
  caf::anon_send(address.actor(), caf::actor{system->spawn<HoldsUp, caf::lazy_init>(shared)});
  shared->may_end.set_value();
  shared->is_ending.get_future().wait();

  std::promise<int> who;
  auto answer = who.get_future();
  system->spawn([&who, address](caf::event_based_actor* self) {
    self->request(address.actor(), caf::infinite, std::uint64_t{1})
      .then([&who](int number) { who.set_value(number); },
            [&who](const caf::error&) { who.set_value(0); });
  });
  // CAF 1.x marks and tells first, so the next child may have answered by now.
  answer.wait_for(200ms);
  shared->may_go_on.set_value();
  EXPECT_EQ(answer.get(), 2) << "0: it went to the dead child";
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
}

namespace {

constexpr std::size_t writers = 4;
constexpr std::uint64_t numbers_of_each = 5000;

// What each writer's numbers were seen as, by all children in turn.
struct Readers {
  std::mutex mutex;
  std::array<std::vector<std::uint64_t>, writers> seen{};
  std::uint64_t count = 0;
};

// Ends after each thousandth number of all.
class Reader : public caf::event_based_actor {
public:
  Reader(caf::actor_config& config, std::shared_ptr<Readers> shared)
    : caf::event_based_actor(config), shared_(std::move(shared)) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t writer, std::uint64_t number) {
      const std::lock_guard lock{shared_->mutex};
      shared_->seen[writer].push_back(number);
      if (++shared_->count % 1000 == 0)
        quit(caf::sec::runtime_error);
    }};
  }

private:
  std::shared_ptr<Readers> shared_;
};

} // namespace

TEST_F(System, children_that_end_see_the_numbers_of_each_writer_in_order) {
  const auto shared = std::make_shared<Readers>();
  const ChildRef address{*system, {.capacity = writers * numbers_of_each}};
  auto supervisor = start_supervisor(*system, {behind(address, child_of<Reader>(shared), 1ms)});
  std::vector<std::thread> threads;
  for (std::uint64_t writer = 0; writer < writers; ++writer)
    threads.emplace_back([writer, address] {
      for (std::uint64_t number = 0; number < numbers_of_each; ++number)
        caf::anon_send(address.actor(), writer, number);
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_TRUE(test::becomes_true([&] { return address.kept() == 0; }));
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
  supervisor = nullptr;
  system->await_all_actors_done();

  EXPECT_EQ(address.undelivered(), 0u);
  EXPECT_GT(shared->count, 1000u);
  for (const auto& numbers : shared->seen)
    for (std::size_t i = 1; i < numbers.size(); ++i)
      ASSERT_LT(numbers[i - 1], numbers[i]);
}

namespace {

// Threads that send numbers to an address, all the time.
class Flood {
public:
  explicit Flood(const ChildRef& address) {
    for (auto& thread : threads_)
      thread = std::thread{[this, address] {
        for (auto i = 0; i < most && !is_over_; ++i)
          caf::anon_send(address.actor(), std::uint64_t{1});
        --running_;
      }};
  }

  ~Flood() {
    is_over_ = true;
    for (auto& thread : threads_)
      thread.join();
  }

  // Whether all still send.
  bool goes_on() const { return running_ == writers; }

private:
  static constexpr auto most = 2'000'000;

  std::atomic<bool> is_over_{false};
  std::atomic<std::size_t> running_{writers};
  std::array<std::thread, writers> threads_;
};

} // namespace

// Else whoever sets the actor, a supervisor, would pass on for as long as they come.
TEST_F(System, an_actor_gets_what_was_kept_and_then_the_rest_directly_however_fast_they_come) {
  const ChildRef slow{*system,
                      {.capacity_bytes = 1, .weight_of = [](const caf::message&) -> std::size_t {
                         std::this_thread::sleep_for(1ms);
                         return 1;
                       }}};
  ChildRef address{*system, {.capacity = 100}};
  const Flood flood{address};
  ASSERT_TRUE(test::becomes_true([&] { return address.kept() == 100; }));
  address.point_to(slow.actor());
  EXPECT_TRUE(flood.goes_on()) << "it passed on until no more came";
  EXPECT_EQ(address.kept(), 0u);
}

} // namespace backoff_actor::system_test
