// What an operator says to a sender: how it stands, to pause, to resume, to work off what is owed,
// to stop.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

class Worker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& job) { return job + " done"; }};
  }
};

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: control\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init(config);
  // [report]
  caf::actor_system system{config};
  const backoff_actor::ExitReport report{system}; // says why, if the program does not end
  // [report]
  backoff_actor::SenderOptions options;
  options.ordering = backoff_actor::Ordering::per_key;
  const auto sender =
    backoff_actor::spawn_back_off_sender(system, backoff_actor::child_of<Worker>(), options);
  caf::scoped_actor self{system};
  const auto say = [&](const auto& what) {
    self->request(sender, caf::infinite, what)
      .receive(
        [](const backoff_actor::SenderStatus& status) { std::cout << to_string(status) << '\n'; },
        [&](const caf::error& error) {
          std::cout << backoff_actor::render(system, error) << '\n';
        });
  };

  // [control]
  say(backoff_actor::Pause{});
  self->send(sender, backoff_actor::Submit{.message = caf::make_message(std::string{"a job"}),
                                           .time_to_live = 30s,
                                           .key = "customer 7"});
  say(backoff_actor::Status{});
  say(backoff_actor::Resume{});
  self->request(sender, caf::infinite, backoff_actor::Drain{.within = 10s})
    .receive(
      [](const backoff_actor::Drained& drained) { std::cout << drained.left << " left\n"; },
      [&](const caf::error& error) { std::cout << backoff_actor::render(system, error) << '\n'; });
  say(backoff_actor::Stop{});
  // [control]
}
