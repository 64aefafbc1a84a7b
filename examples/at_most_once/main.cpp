// What Akka's BackoffSupervisor does, with a supervisor of one child and an address that stays: the
// child is restarted after a growing delay, and what comes meanwhile waits for it.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>

using namespace std::chrono_literals;

class Worker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](const std::string& job) {
      if (job == "poison")
        throw std::runtime_error("cannot do it");
      if (job == "goodbye")
        quit();
      return job + " done";
    }};
  }
};

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: at_most_once\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  caf::scoped_actor self{system};

  // [options]
  using namespace backoff_actor;
  const ChildRef worker{system, ChildBuffer{.capacity = 1000}}; // withStashCapacity
  ChildOptions options;
  options.restart = RestartType::transient; // onFailure; `permanent` for onStop
  options.backoff = Exponential{.first = 20ms, .factor = 2, .cap = 10s} | proportional_jitter(0.2);
  options.healthy_after = 10s;                    // withAutoReset
  options.restart_limit = RestartLimit{10, 1min}; // withMaxNrOfRetries, withinTimeRange
  options.when_given_up = GivenUp::escalate;      // the supervisor ends then
  options.is_significant = true;                  // and also when the worker has done its work
  const auto supervisor = spawn_supervisor(
    system, {{.id = "worker", .make = child_of<Worker>(), .options = options, .address = worker}},
    {.auto_shutdown = AutoShutdown::any_significant});
  // [options]

  const auto ask = [&](const std::string& job) {
    self->request(worker.actor(), caf::infinite, job)
      .receive([](const std::string& answer) { std::cout << answer << '\n'; },
               [&](const caf::error&) { std::cout << job << " failed\n"; });
  };
  ask("first");
  ask("poison"); // is lost with the worker: nobody does it again
  ask("second"); // waits for the next worker
  ask("goodbye");
  self->wait_for(supervisor);
  std::cout << "the supervisor has ended with its worker" << std::endl;
}
