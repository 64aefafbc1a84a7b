// The program of examples/quickstart in plain CAF: the same worker, which nobody supervises.

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <iostream>
#include <stdexcept>

struct Worker : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& job) {
      static int calls = 0;
      if (++calls % 2 == 1)
        throw std::runtime_error("the service is down");
      return job + " done";
    }};
  }
};

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  auto worker = system.spawn<Worker>();
  caf::scoped_actor self{system};
  for (std::string job : {"first", "second", "third"})
    self->request(worker, caf::infinite, job)
      .receive([](const std::string& answer) { std::cout << answer << '\n'; },
               [&](const caf::error& error) { std::cerr << to_string(error) << '\n'; });
}
