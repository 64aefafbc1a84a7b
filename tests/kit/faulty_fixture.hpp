#pragma once

#include "fixture.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace backoff_actor::kit_test {

using namespace std::chrono_literals;
using actor_test::Strings;
using testing::Faults;
using testing::faulty_actor;
using testing::faulty_children;

/// A worker that somebody else might have written: of several types, and with faults of its own.
class SomebodysWorker : public caf::event_based_actor {
public:
  SomebodysWorker(caf::actor_config& config, std::shared_ptr<int> alive)
    : caf::event_based_actor(config), alive_(std::move(alive)) {
    ++*alive_;
  }
  ~SomebodysWorker() override { leave(); }
  void on_exit() override { leave(); }

  caf::behavior make_behavior() override {
    return {
      [](const std::string& text) {
        if (text == "crash")
          throw std::runtime_error("crashed by itself");
        return text + "!";
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; },
      [this](std::uint32_t number) {
        if (number == 0)
          quit();
      },
    };
  }

private:
  void leave() {
    if (alive_)
      --*alive_;
    alive_ = nullptr;
  }

  std::shared_ptr<int> alive_;
};

/// One that acknowledges explicitly, and by messages of its own.
class LateWorker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg& delivery) {
      send(caf::actor_cast<caf::actor>(current_sender()),
           sent(delivery, delivery.payload.get_as<std::string>(0) + " later"));
    }};
  }
};

/// Workers with faults before them, alone or as children of a sender.
class FaultyTest : public actor_test::SenderTest {
protected:
  caf::actor front(Faults faults) {
    const auto worker = time.system().spawn<SomebodysWorker>(alive);
    return time.keep(faulty_actor(worker, std::move(faults)));
  }

  std::shared_ptr<testing::Answer<std::string>> ask(const caf::actor& whom,
                                                    const std::string& text) {
    auto answer = time.ask<std::string>(whom, text);
    time.run();
    return answer;
  }

  ChildFactory workers() { return child_of<SomebodysWorker>(alive); }

  std::shared_ptr<std::optional<caf::error>> end_of(const caf::actor& whom) {
    auto reason = std::make_shared<std::optional<caf::error>>();
    time.keep(time.system().spawn<actor_test::Watcher>(whom, reason));
    time.run();
    return reason;
  }

  const std::shared_ptr<int> alive = std::make_shared<int>(0);
};

} // namespace backoff_actor::kit_test
