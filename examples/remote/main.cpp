// Workers on another node, spawned or published there. Here both nodes are actor systems of one
// program; between two machines, nodes need TLS: see docs/how-to/secure_remote_workers.md.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>
#include <backoff_actor/caf/remote/remote_child.hpp>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

using namespace std::chrono_literals;

// Dies of the first picture that is too large, as the machine that it is on might.
class Resizer : public caf::event_based_actor {
public:
  Resizer(caf::actor_config& config, std::uint32_t width)
    : caf::event_based_actor(config), width_(width) {}
  caf::behavior make_behavior() override {
    return {[this](const std::string& picture) {
      static auto was_too_large = false;
      if (picture == "large" && !std::exchange(was_too_large, true))
        throw std::runtime_error("out of memory");
      return picture + ", " + std::to_string(width_) + " wide";
    }};
  }

private:
  std::uint32_t width_;
};

void have_resized(caf::actor_system& system, const caf::actor& sender, const std::string& picture) {
  caf::scoped_actor self{system};
  self->request(sender, 30s, picture)
    .receive([](const std::string& resized) { std::cout << resized << std::endl; },
             [&](const caf::error& error) {
               std::cout << picture << ": " << backoff_actor::render(system, error) << std::endl;
             });
}

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: remote\n";
    return 2;
  }
  // [node]
  caf::actor_system_config node_config;
  backoff_actor::init_network(
    node_config); // with your type-id blocks: init_network<caf::id_block::my_app>
  backoff_actor::add_remote_worker<Resizer, std::uint32_t>(node_config, "resizer");
  caf::actor_system node{node_config};
  // Without TLS only programs on this machine reach the ports. 0 takes a free one.
  const auto spawning_port = backoff_actor::listen(node, {.port = 0});

  const auto resizer = node.spawn<Resizer>(800u);
  const auto published_port = backoff_actor::listen(node, {.port = 0, .published = resizer});
  // [node]

  // [sender]
  caf::actor_system_config config;
  backoff_actor::init_network(config);
  caf::actor_system system{config};

  backoff_actor::SenderOptions options;
  options.ack_timeout = 5s; // what is lost on the way is reported by nobody
  const auto spawning = backoff_actor::spawn_back_off_sender(
    system,
    backoff_actor::remote_spawn({{"127.0.0.1", spawning_port.port()}}, "resizer",
                                caf::make_message(640u)),
    options);
  const auto finding = backoff_actor::spawn_back_off_sender(
    system, backoff_actor::remote_child({{"127.0.0.1", published_port.port()}}), options);
  // [sender]

  have_resized(system, spawning, "small");
  have_resized(system, spawning, "large"); // a new worker is spawned there when the first has died
  have_resized(system, finding, "large");
  for (const auto& actor : {spawning, finding, resizer})
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}
