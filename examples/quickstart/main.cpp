// [program]
#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>

// Any actor can be guarded. This one knows nothing of retries, and dies on every second message.
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
  backoff_actor::init(config);
  caf::actor_system system{config};
  backoff_actor::SenderOptions options;
  // A worker that is silent for longer is ended, and the next one gets its job. This has no default:
  // a slow, healthy worker would get a second one beside it. Take more than the longest job needs.
  options.ack_timeout = std::chrono::seconds{5};
  auto worker =
    backoff_actor::spawn_back_off_sender(system, backoff_actor::child_of<Worker>(), options);
  caf::scoped_actor self{system};
  for (std::string job : {"first", "second", "third"})
    self->request(worker, caf::infinite, job)
      .receive([](const std::string& answer) { std::cout << answer << '\n'; },
               [&](const caf::error& error) {
                 std::cerr << backoff_actor::render(system, error) << '\n';
               });
}
// [program]
