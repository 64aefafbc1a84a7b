// [printer]
#include "packer.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <caf/scoped_actor.hpp>

#include <iostream>
#include <thread>

// A printer that takes a second, and blocks its thread meanwhile.
void print_label(const Order& order) {
  std::this_thread::sleep_for(std::chrono::seconds{1});
  std::cout << "printed the label of " + order.item << std::endl;
}
// [printer]

// [program]
int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: shop FILE [ITEM ...]\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::shop>(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{system}; // hears Ctrl-C and SIGTERM from now on

  auto options = packer_options();
  options.max_in_flight = 1; // the packer holds one order; the others wait in the outbox
  try {
    options.outbox = {backoff_actor::open_sqlite_store(argv[1]), backoff_actor::durable<Order>()};
  } catch (const backoff_actor::StoreError& error) {
    std::cerr << "shop: " << error.what() << '\n';
    return 2;
  }
  std::cout << "orders left from before: " << options.outbox.suspended() << std::endl;

  // The address stays the same when the supervisor restarts the sender.
  const backoff_actor::ChildRef packers{system};
  auto spec = backoff_actor::sender_spec(
    "packers", backoff_actor::child_of<caf::detached>(packer, print_label), options);
  spec.address = packers;
  shutdown.add(backoff_actor::start_supervisor(system, {spec}));

  caf::scoped_actor self{system};
  for (int i = 2; i < argc; ++i) {
    const Order order{static_cast<std::uint32_t>(i - 1), argv[i]};
    self
      ->request(
        packers.actor(), caf::infinite,
        backoff_actor::Submit{.message = caf::make_message(order), .answer_when_accepted = true})
      .receive(
        [&](const backoff_actor::Accepted&) { std::cout << "accepted " + order.item << std::endl; },
        [&](const caf::error& error) { std::cerr << backoff_actor::render(system, error) + '\n'; });
  }
  return shutdown.wait_and_stop();
}
// [program]
