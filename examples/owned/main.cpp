// A queue of orders in PostgreSQL that several machines share. Start `owned NODE` on two of them,
// with the server in OUTBOX (postgres://user@server/shop#orders). One packs, the other stands by;
// kill the one that packs. A line on standard input is a new order.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

// [worker]
class Packer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const backoff_actor::TrackedMsg& x) {
      // A service that keeps the highest epoch refuses a lower one: that is an owner which was
      // frozen, and does not know yet that another has taken over.
      std::cout << "epoch " << x.epoch << ": packed " << x.payload.get_as<std::string>(0)
                << std::endl;
      return backoff_actor::sent(x);
    }};
  }
};
// [worker]

int main(int argc, char** argv) {
  const auto* const url = std::getenv("OUTBOX");
  if (argc != 2 || argv[1][0] == '-' || url == nullptr) {
    std::cerr << "usage: OUTBOX=postgres://USER@SERVER/DATABASE#NAME owned NODE\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  caf::scoped_actor self{system};

  // [owned]
  backoff_actor::SharedOutbox outbox;
  try {
    const auto address = backoff_actor::parse_postgres_address(url); // "postgres://db1/shop#orders"
    outbox.store =
      backoff_actor::postgres_store(address, {.lease = std::chrono::seconds{5}, .node = argv[1]});
  } catch (const backoff_actor::InvalidArgument& error) {
    std::cerr << "owned: " << error.what() << '\n';
    return 2;
  }
  outbox.types = backoff_actor::durable<std::string>();
  outbox.options.on_error = [](const backoff_actor::StoreError& error) {
    std::cerr << "owned: " << error.what() << std::endl;
  };
  backoff_actor::SenderOptions options;
  options.acknowledgement = backoff_actor::Acknowledgement::by_sent; // its worker gets the epoch
  options.ack_timeout = std::chrono::minutes{1};
  options.on_event = [](const backoff_actor::Event& event) {
    if (const auto* const notice = std::get_if<backoff_actor::event::StoreNotice>(&event))
      std::cout << notice->text << std::endl; // who owns the outbox from now on
  };
  const auto orders =
    backoff_actor::spawn_owned_sender(system, backoff_actor::child_of<Packer>(), options, outbox);
  // [owned]

  // [submit]
  for (std::string order; std::getline(std::cin, order);)
    self
      ->request(
        orders, caf::infinite,
        backoff_actor::Submit{.message = caf::make_message(order), .answer_when_accepted = true})
      .receive(
        [&](const backoff_actor::Accepted& accepted) { // it is on the server
          if (accepted.id == 0)
            std::cout << "handed over to the owner: " << order << std::endl;
          else
            std::cout << "order " << accepted.id << ": " << order << std::endl;
        },
        [&](const caf::error& error) {
          std::cerr << "owned: " << backoff_actor::render(system, error) << std::endl;
        });
  // [submit]

  // What is in flight is finished, and the other machine takes over at once.
  self->request(orders, caf::infinite, backoff_actor::Stop{.grace = std::chrono::seconds{10}})
    .receive([](const backoff_actor::Stopped&) {}, [](const caf::error&) {});
}
