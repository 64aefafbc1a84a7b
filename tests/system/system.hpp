#pragma once

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/testing.hpp>

#include "common/patience.hpp"

#include <caf/scoped_actor.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

namespace backoff_actor::system_test {

using testing::DangerousActor;
using testing::EventLog;

/// An actor system with real threads.
class System : public ::testing::Test {
protected:
  System() {
    init(config);
    system.emplace(config);
  }

  /// Destroys the actor system. A hang ends the program: CAF wants the thread that made the system
  /// to destroy it, so nobody else could go on.
  void go_down() {
    std::promise<void> down;
    std::thread watchdog{[done = down.get_future()] {
      if (done.wait_for(test::patience) == std::future_status::ready)
        return;
      std::fprintf(stderr, "the actor system does not go down\n");
      std::abort();
    }};
    system.reset();
    down.set_value();
    watchdog.join();
  }

  caf::actor_system_config config;
  std::optional<caf::actor_system> system;
};

} // namespace backoff_actor::system_test
