// Senders below supervisors, with real threads: of one place in the tree never two workers work at
// a time.

#include "system.hpp"

#include "common/becomes_true.hpp"

#include <array>
#include <vector>

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;

// One place in the tree, whoever works there.
struct WorkPlace {
  std::atomic<int> at_work{0};
  std::atomic<int> twins{0};
  std::atomic<int> done{0};
};

// Takes a millisecond for each number, on whose thread ever.
class BusyWorker : public caf::event_based_actor {
public:
  BusyWorker(caf::actor_config& config, std::shared_ptr<WorkPlace> place)
    : caf::event_based_actor(config), place_(std::move(place)) {}

  caf::behavior make_behavior() override {
    return {[place = place_](std::uint64_t) {
      if (++place->at_work > 1)
        ++place->twins;
      const auto end = std::chrono::steady_clock::now() + 1ms;
      while (std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      --place->at_work;
      ++place->done;
    }};
  }

private:
  std::shared_ptr<WorkPlace> place_;
};

// Ends with any number, which restarts its group.
class CrashingLeaf : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](std::uint64_t) { quit(caf::sec::runtime_error); }};
  }
};

ChildSpec place_in_tree(std::string id, ChildFactory make, ChildRef address) {
  ChildSpec result;
  result.id = std::move(id);
  result.make = std::move(make);
  result.options.backoff = Fixed{.delay = 1ms};
  result.address = std::move(address);
  return result;
}

TEST_F(System, never_has_two_workers_of_a_sender_below_a_supervisor_at_work) {
  constexpr std::size_t senders = 4; // two with threads of their own, two without
  constexpr auto rounds = 300;
  std::array<std::shared_ptr<WorkPlace>, senders> places;
  std::vector<ChildRef> to_sender;
  std::vector<ChildRef> to_crash;
  const auto group = [&](std::size_t first) {
    std::vector<ChildSpec> result;
    to_crash.emplace_back(*system);
    result.push_back(place_in_tree("crash", child_of<CrashingLeaf>(), to_crash.back()));
    for (auto i = first; i < first + 2; ++i) {
      places[i] = std::make_shared<WorkPlace>();
      to_sender.emplace_back(*system);
      const auto make_worker = i % 2 == 0 ? child_of<BusyWorker, caf::detached>(places[i])
                                          : child_of<BusyWorker>(places[i]);
      result.push_back(place_in_tree("sender " + std::to_string(i),
                                     child_of(SenderBlueprint{make_worker}), to_sender.back()));
    }
    return result;
  };
  SupervisorOptions all;
  all.strategy = Strategy::one_for_all;
  all.restart_limit = std::nullopt;
  auto children = group(0);
  auto below = supervisor_spec("below", group(2), all);
  below.options.backoff = Fixed{.delay = 1ms};
  children.push_back(std::move(below));
  const auto root = start_supervisor(*system, std::move(children), all);

  for (auto round = 0; round < rounds; ++round) {
    for (const auto& sender : to_sender)
      for (std::uint64_t number = 0; number < 3; ++number)
        compat::enqueue(sender.actor(), number);
    std::this_thread::sleep_for(std::chrono::microseconds{500 * (round % 5)});
    compat::enqueue(to_crash[static_cast<std::size_t>(round) % 2].actor(), std::uint64_t{0});
    std::this_thread::sleep_for(3ms);
  }

  for (const auto& place : places) {
    EXPECT_GT(place->done, 0);
    EXPECT_EQ(place->twins, 0);
  }
  caf::scoped_actor self{*system};
  compat::request(*self, root, Stop{})
    .receive([](const ChildCounts&) {},
             [](const caf::error& error) { FAIL() << to_string(error); });
  for (const auto& place : places)
    EXPECT_EQ(place->at_work, 0) << "the tree has ended";
}

} // namespace
} // namespace backoff_actor::system_test
