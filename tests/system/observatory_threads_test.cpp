// An observatory that is read by several threads while senders come and go on others.

#include "common/becomes_true.hpp"
#include "common/metric_value.hpp"
#include "system.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;
using testing::count_of;
using testing::value_of;

// Crashes on every tenth message that it or its predecessors were given.
class TenthCrash : public caf::event_based_actor {
public:
  TenthCrash(caf::actor_config& config, std::atomic<std::uint64_t>* given)
    : caf::event_based_actor(config), given_(given) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t number) {
      if (++*given_ % 10 == 0)
        throw std::runtime_error("the tenth");
      return number;
    }};
  }

private:
  std::atomic<std::uint64_t>* given_;
};

// What must never fall.
class Watched {
public:
  explicit Watched(const Observatory& observatory) : observatory_(observatory) {}

  // Returns whether something has fallen since the last look.
  bool look() {
    const auto metrics = observatory_.metrics();
    const auto has_fallen = [&](double& last, double now) {
      return now < std::exchange(last, now);
    };
    auto result = false;
    for (std::size_t i = 0; i < names_.size(); ++i)
      result |=
        has_fallen(last_[i], value_of(metrics, names_[i], {{"sender", "comers"}}).value_or(0));
    const auto times = count_of(metrics, "backoff_delivery_seconds", {{"sender", "comers"}});
    return has_fallen(last_.back(), static_cast<double>(times.value_or(0))) || result;
  }

private:
  static constexpr std::array<const char*, 4> names_{
    "backoff_sender_accepted_total", "backoff_sender_acknowledged_total",
    "backoff_child_crashes_total", "backoff_child_restarts_total"};

  Observatory observatory_;
  std::array<double, names_.size() + 1> last_{};
};

TEST_F(System, no_counter_falls_while_senders_come_and_go) {
  constexpr std::uint64_t senders = 100;
  constexpr std::uint64_t messages = 40;
  const Observatory observatory;
  std::atomic<std::uint64_t> given{0};
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> looks{0};
  std::atomic<std::uint64_t> falls{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      Watched watched{observatory};
      while (!is_over) {
        falls += watched.look() ? 1 : 0;
        observatory.status(10);
        observatory.readiness();
        ++looks;
      }
    });

  SenderOptions options;
  options.name = "comers";
  options.backoff = Fixed{1ms};
  options.observed_by = observatory;
  const SenderBlueprint blueprint{child_of<TenthCrash>(&given), options};
  caf::scoped_actor client{*system};
  for (std::uint64_t i = 0; i < senders; ++i) {
    const auto sender = blueprint.spawn(*system);
    for (std::uint64_t number = 0; number < messages; ++number)
      client->request(sender, caf::infinite, number)
        .receive([&](std::uint64_t answer) { EXPECT_EQ(answer, number); },
                 [](const caf::error& error) { ADD_FAILURE() << to_string(error); });
    client->request(sender, caf::infinite, Stop{})
      .receive([](const SenderStatus&) {},
               [](const caf::error& error) { ADD_FAILURE() << to_string(error); });
  }
  EXPECT_TRUE(test::becomes_true([&] { return observatory.status(1).senders.empty(); }));
  is_over = true;
  for (auto& reader : readers)
    reader.join();

  EXPECT_EQ(falls, 0u);
  EXPECT_GT(looks, 0u);
  const auto metrics = observatory.metrics();
  EXPECT_EQ(value_of(metrics, "backoff_sender_acknowledged_total", {{"sender", "comers"}}),
            senders * messages);
  EXPECT_EQ(count_of(metrics, "backoff_delivery_seconds", {{"sender", "comers"}}),
            senders * messages);
  EXPECT_EQ(value_of(metrics, "backoff_child_crashes_total", {{"sender", "comers"}}),
            static_cast<double>(given / 10));
}

// CAF has as many threads as the machine has processors, and at least four.
TEST_F(System, a_blocked_scheduler_makes_the_process_unhealthy_until_it_goes_on) {
  const Observatory observatory;
  const SchedulerWatch watch{*system, observatory};
  EXPECT_TRUE(observatory.liveness().is_ok);
  std::promise<void> go_on;
  const std::shared_future<void> gone_on{go_on.get_future()};
  const auto blocker = [gone_on](caf::event_based_actor*) { gone_on.wait(); };
  for (unsigned i = 0; i < 4 + std::thread::hardware_concurrency(); ++i)
    system->spawn(blocker);
  EXPECT_TRUE(test::becomes_true([&] { return !observatory.liveness().is_ok; }));
  go_on.set_value();
  EXPECT_TRUE(test::becomes_true([&] { return observatory.liveness().is_ok; }));
}

} // namespace backoff_actor::system_test
