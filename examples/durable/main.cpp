// A queue of orders that survives its process: `durable orders.db tea milk` takes two orders and
// dies before anything is packed; `durable orders.db` finds and packs them.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/sqlite_store.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

// Knows nothing of files. After a crash an order may come once more: a real one would look whether
// the parcel is there already.
class Packer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& order) { std::cout << "packed " << order << '\n'; }};
  }
};

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') { // a file whose name begins so is ./-name
    std::cerr << "usage: durable FILE [ORDER ...]\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  const auto die = [&](const caf::error& error) {
    std::cerr << "durable: " << backoff_actor::render(system, error) << std::endl;
    std::_Exit(1);
  };

  // [outbox]
  backoff_actor::SenderOptions options;
  options.ack_timeout = std::chrono::minutes{1}; // longer than any order takes
  try {
    const auto store = backoff_actor::open_sqlite_store(argv[1]);
    options.outbox = {store, backoff_actor::durable<std::string>()};
  } catch (const backoff_actor::StoreError& error) {
    std::cerr << "durable: " << error.what() << '\n'; // which file, what is wrong, what to do
    return 2;
  }
  std::cout << options.outbox.suspended() << " orders owed from before\n";
  const auto sender =
    backoff_actor::spawn_back_off_sender(system, backoff_actor::child_of<Packer>(), options);
  // [outbox]

  if (argc > 2)
    self->send(sender, backoff_actor::Pause{}); // it is night, and nobody packs
  for (auto i = 2; i < argc; ++i)
    // [submit]
    self
      ->request(sender, caf::infinite,
                backoff_actor::Submit{.message = caf::make_message(std::string{argv[i]}),
                                      .answer_when_accepted = true})
      .receive(
        [&](const backoff_actor::Accepted& accepted) { // from here on it outlives the process
          std::cout << "order " << accepted.id << ": " << argv[i] << std::endl;
        },
        die);
  // [submit]
  if (argc > 2) {
    std::cout << "the power fails" << std::endl;
    std::_Exit(0); // no destructor runs
  }
  self->request(sender, caf::infinite, backoff_actor::Drain{})
    .receive(
      [](const backoff_actor::Drained& x) { std::cout << x.left << " orders owed" << std::endl; },
      die);
}
