// [program]
#include "packer.hpp"

#include <caf/scoped_actor.hpp>

#include <iostream>
#include <stdexcept>

// A printer that is out of paper every second time.
void print_label(const Order&) {
  static int calls = 0;
  if (++calls % 2 == 0)
    throw std::runtime_error("the label printer is out of paper");
}

int main() {
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::shop>(config);
  caf::actor_system system{config};
  const backoff_actor::ExitReport report{system}; // says why, if the program does not end

  auto options = packer_options();
  options.on_event = [](const backoff_actor::Event& event) {
    std::cerr << to_string(event) + '\n';
  };
  const auto sender = backoff_actor::spawn_back_off_sender(
    system, backoff_actor::child_of(packer, print_label), options);

  caf::scoped_actor self{system};
  for (const auto& order : {Order{1, "apples"}, Order{2, "pears"}, Order{3, "plums"}})
    self->request(sender, caf::infinite, order)
      .receive(
        [](const std::string& answer) { std::cout << answer + '\n'; },
        [&](const caf::error& error) { std::cout << backoff_actor::render(system, error) + '\n'; });
}
// [program]
