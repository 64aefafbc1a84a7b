// [program]
#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>

struct Order {
  std::uint32_t number = 0;
  std::string item;
};

auto inspect(auto& f, Order& x) { // works with CAF 0.17 and 1.x
  using namespace backoff_actor::compat;
  return object(f, x, "Order", field("number", x.number), field("item", x.item));
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (Order))
CAF_END_TYPE_ID_BLOCK(shop)

// Packs an order. At every second call the label printer fails, and the worker throws. The count
// belongs to the printer: it goes on when the sender replaces the worker.
caf::behavior packer(caf::event_based_actor*) {
  return {[](const Order& order) {
    static int calls = 0;
    if (++calls % 2 == 0)
      throw std::runtime_error("the label printer is out of paper");
    return "packed " + order.item;
  }};
}

int main() {
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::shop>(config);
  caf::actor_system system{config};
  const backoff_actor::ExitReport report{system}; // says why, if the program does not end

  backoff_actor::SenderOptions options;
  options.name = "packer";
  options.backoff = backoff_actor::parse_policy("exponential(100ms, x2, cap 30s) | full_jitter");
  // If the worker does not answer a message within this time, the sender replaces the worker.
  // Without this option the sender waits for ever. Choose a time longer than the longest job.
  options.ack_timeout = std::chrono::seconds{5};
  options.on_event = [](const backoff_actor::Event& event) {
    std::cerr << to_string(event) + '\n';
  };
  auto sender = backoff_actor::spawn_back_off_sender(system, packer, options);

  caf::scoped_actor self{system};
  for (const auto& order : {Order{1, "apples"}, Order{2, "pears"}, Order{3, "plums"}})
    self->request(sender, caf::infinite, order)
      .receive(
        [](const std::string& answer) { std::cout << answer + '\n'; },
        [&](const caf::error& error) { std::cout << backoff_actor::render(system, error) + '\n'; });
}
// [program]
