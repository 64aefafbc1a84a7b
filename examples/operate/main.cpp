// A sender that people watch and act on from other machines: a page by HTTPS, and a secret token.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/web/web_server.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace std::chrono_literals;

// Refuses every fourth order for good, so that there are dead letters to look at.
caf::behavior packer(caf::event_based_actor*) {
  return {[](std::int32_t order) {
    if (order % 4 == 0)
      throw std::runtime_error("order " + std::to_string(order) + " does not fit into the box");
    return order;
  }};
}

int run(const std::string& folder) {
  // [options]
  backoff_actor::WebOptions options;
  options.address = "0.0.0.0"; // other machines reach it
  options.tls = backoff_actor::Tls{folder + "/page.pem", folder + "/page.key"};
  options.token = backoff_actor::token_in_file(folder + "/token");
  // [options]
  options.port = 0;

  // [server]
  backoff_actor::Observatory observatory;
  const backoff_actor::WebServer web{observatory, options};
  // [server]

  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{system};
  backoff_actor::SenderOptions packing;
  packing.name = "packer";
  packing.observed_by = observatory;
  packing.backoff = "fixed(10ms)";
  packing.max_attempts = 2;
  packing.charging = backoff_actor::Charging::every_failure();
  const auto sender = spawn_back_off_sender(system, packer, packing);
  shutdown.add(sender);

  std::cout << "until Ctrl-C, the page is at https://127.0.0.1:" << web.port() << "/" << std::endl;
  for (std::int32_t order = 1; !shutdown.wait_for(100ms); ++order)
    caf::anon_send(sender, order);
  return shutdown.stop();
}

int main(int argc, char** argv) {
  if (argc != 2 || std::string_view{argv[1]}.starts_with('-')) {
    std::cerr << "usage: operate FOLDER   FOLDER has the files page.pem, page.key and token\n";
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& exception) {
    std::cerr << "operate: " << exception.what() << '\n';
    return 2;
  }
}
