// Machines that join a sender, and leave it again. Here all of them are actor systems of one
// program; between two machines, nodes need TLS: see docs/how-to/secure_remote_workers.md.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/offered/offer_workers.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>
#include <backoff_actor/caf/remote/remote_child.hpp>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>

using namespace std::chrono_literals;

// [worker]
caf::behavior packer(caf::event_based_actor*, const std::string& machine) {
  return {[=](const std::string&) {
    std::this_thread::sleep_for(5ms);
    return machine;
  }};
}
// [worker]

// A machine with two packers, which joins when it is made.
class Machine {
public:
  Machine(const std::string& name, std::uint16_t port) {
    backoff_actor::init_network(config_);
    system_.emplace(config_);
    auto& system = *system_;
    // [join]
    backoff_actor::OfferOptions options;
    options.find_owner = backoff_actor::remote_child({{"127.0.0.1", port}});
    options.make_child = backoff_actor::child_of<caf::detached>(packer, name);
    options.workers = 2;
    options.on_notice = [name](const std::string& text) {
      std::cout << name + ": " + text + '\n' << std::flush;
    };
    offer_ = backoff_actor::offer_workers(system, options);
    // [join]
  }

  void leave() {
    // [leave]
    caf::scoped_actor self{*system_};
    self->request(offer_, 10s, backoff_actor::Stop{5s})
      .receive([](const backoff_actor::Stopped&) {}, [](const caf::error&) {});
    // [leave]
  }

private:
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
  caf::actor offer_;
};

// Has so many orders packed, and says which machine has packed how many.
void pack(caf::actor_system& system, const caf::actor& sender, int orders) {
  caf::scoped_actor self{system};
  for (int i = 0; i < orders; ++i)
    self->send(sender, "order " + std::to_string(i));
  std::map<std::string, int> packed;
  for (int i = 0; i < orders; ++i)
    self->receive([&](const std::string& machine) { ++packed[machine]; });
  for (const auto& [machine, number] : packed)
    std::cout << machine + " has packed some of " + std::to_string(orders) + '\n' << std::flush;
}

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: many_machines\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init_network(config);
  caf::actor_system system{config};
  // [owner]
  backoff_actor::SenderOptions options;
  options.ordering = backoff_actor::Ordering::unordered;
  options.ack_timeout = 5s;
  options.pool.workers = {0, 0}; // this machine packs nothing itself
  options.pool.offered.most = 100;
  const auto sender = backoff_actor::spawn_back_off_sender(
    system, backoff_actor::child_of<caf::detached>(packer, std::string{"here"}), options);
  auto listener = backoff_actor::listen(system, {.port = 0, .published = sender});
  // [owner]

  Machine one{"machine 1", listener.port()};
  pack(system, sender, 40);
  Machine two{"machine 2", listener.port()};
  pack(system, sender, 40);
  one.leave();
  pack(system, sender, 40);
  two.leave();
  listener.close();
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
}
