// What Akka's BackoffSupervisor does, with a sender that delivers at most once: the child is made
// again after a growing delay, and what comes meanwhile waits for it.

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
  ForwarderOptions options;
  options.backoff = Exponential{.first = 20ms, .factor = 2, .cap = 10s} | proportional_jitter(0.2);
  options.restart = RestartTiming::at_tick;              // the child is made after the delay
  options.after_normal_stop = AfterNormalStop::restart;  // onStop; `end` for onFailure
  options.healthy_after = 10s;                           // withAutoReset
  options.restart_limit = RestartLimit{10, 1min};        // withMaxNrOfRetries, withinTimeRange
  options.while_down = BufferWhileDown{1000};            // withStashCapacity
  options.final_stop = [](const caf::message& message) { // withFinalStopMessage
    return message.match_elements<std::string>() && message.get_as<std::string>(0) == "goodbye";
  };
  const auto supervisor = spawn_forwarder(system, child_of<Worker>(), options);
  // [options]

  const auto ask = [&](const std::string& job) {
    self->request(supervisor, caf::infinite, job)
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
