// A node on which a pool spawns HTTP workers, in a process that a test can kill. Takes a port, or
// 0 for any, and writes the port at which it listens to its standard output.

#include "http_guard/http_worker.hpp"

#include "backoff_actor/caf/remote/listen.hpp"
#include "backoff_actor/caf/remote/network.hpp"
#include "backoff_actor/caf/remote/remote_child.hpp"
#include "backoff_actor/process/stop_signals.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  backoff_actor::StopSignals signals;
  caf::actor_system_config config;
  backoff_actor::init_network(config);
  backoff_actor::add_remote_worker<http_guard::HttpWorker, caf::detached, std::string>(config,
                                                                                       "http");
  caf::actor_system system{config};
  const auto port = static_cast<std::uint16_t>(std::stoi(argv[1]));
  const auto listener = backoff_actor::listen(system, {.port = port});
  std::cout << listener.port() << std::endl;
  signals.wait();
  std::_Exit(0);
}
