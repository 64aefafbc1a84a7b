// Messages that wait at a sender while its child ends, at most once. A hook of the sender holds it
// up, so that the child's end comes in the middle of what the sender takes at once.

#include "system.hpp"

#include "common/becomes_true.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t last_number = 999;

// What a test and the threads of its actors know together.
struct DyingChild {
  std::promise<void> all_sent;
  std::promise<void> first_has_ended;
  std::promise<void> last_was_looked_at;
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

// Forwards to mortals. The hook looks at each message ahead of the sender: at the first until all
// are there, at the second until the child has ended.
ForwarderOptions held_up(const std::shared_ptr<DyingChild>& shared, WhileDown while_down,
                         Duration delay) {
  ForwarderOptions options;
  options.backoff = Fixed{.delay = delay};
  options.while_down = std::move(while_down);
  options.final_stop = [shared](const caf::message& message) {
    const auto number = message.get_as<std::uint64_t>(0);
    if (number == 0)
      shared->all_sent.get_future().wait();
    if (number == 1)
      shared->first_has_ended.get_future().wait();
    if (number == last_number)
      shared->last_was_looked_at.set_value();
    return false;
  };
  return options;
}

void send_all(const caf::actor& sender, DyingChild& shared) {
  for (std::uint64_t number = 0; number <= last_number; ++number)
    caf::anon_send(sender, number);
  shared.all_sent.set_value();
  shared.last_was_looked_at.get_future().wait();
}

SenderStatus status_of(caf::actor_system& system, const caf::actor& sender) {
  caf::scoped_actor self{system};
  SenderStatus result;
  self->request(sender, caf::infinite, Status{})
    .receive([&](const SenderStatus& status) { result = status; },
             [](const caf::error&) { FAIL() << "the sender has ended"; });
  return result;
}

} // namespace

TEST_F(System, what_waits_in_the_mailbox_when_the_child_dies_goes_to_the_next_and_not_to_the_dead) {
  const auto shared = std::make_shared<DyingChild>();
  const auto sender =
    spawn_forwarder(*system, child_of<Mortal>(shared), held_up(shared, BufferWhileDown{}, 1ms));
  send_all(sender, *shared);
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
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
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
  ForwarderOptions options;
  options.backoff = Fixed{.delay = 1ms};
  const auto sender = spawn_forwarder(*system, child_of<EndsSlowly>(shared), options);
  caf::anon_send(sender, std::uint64_t{0});
  caf::anon_send(sender, caf::actor{system->spawn<HoldsUp, caf::lazy_init>(shared)});
  ASSERT_TRUE(
    test::becomes_true([&] { return status_of(*system, sender).counters.forwarded == 2; }));
  shared->may_end.set_value();
  shared->is_ending.get_future().wait();

  std::promise<int> who;
  auto answer = who.get_future();
  system->spawn([&who, sender](caf::event_based_actor* self) {
    self->request(sender, caf::infinite, std::uint64_t{1})
      .then([&who](int number) { who.set_value(number); },
            [&who](const caf::error&) { who.set_value(0); });
  });
  // CAF 1.x marks and tells first, so the next child may have answered by now.
  answer.wait_for(200ms);
  shared->may_go_on.set_value();
  EXPECT_EQ(answer.get(), 2) << "0: it went to the dead child";
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
}

TEST_F(System, what_waits_in_the_mailbox_when_the_child_dies_is_refused_if_nothing_is_kept) {
  const auto shared = std::make_shared<DyingChild>();
  const auto sender =
    spawn_forwarder(*system, child_of<Mortal>(shared), held_up(shared, DropWhileDown{}, 24h));
  send_all(sender, *shared);

  EXPECT_EQ(status_of(*system, sender).counters.refused, last_number);
  const std::lock_guard lock{shared->mutex};
  EXPECT_EQ(shared->by_first, (std::vector<std::uint64_t>{0}));
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
}

} // namespace backoff_actor::system_test
