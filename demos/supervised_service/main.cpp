// supervised_service: an HTTP service that is a supervision tree. Parts of it are killed over an
// endpoint, and it is seen to heal.

#include "common/arguments.hpp"
#include "common/reserved_port.hpp"
#include "journal.hpp"
#include "messages.hpp"
#include "misfortune.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "screen.hpp"
#include "tree.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/main/graceful_shutdown.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <variant>

namespace supervised_service {

namespace {

using namespace std::chrono_literals;

constexpr auto look_around = 100ms;
constexpr auto grace = hang_time + 1s; // no request waits longer than a second

void greet(int port) {
  const auto url = "http://127.0.0.1:" + std::to_string(port);
  std::cout << "listening at " << url << "\n\n  curl " << url << "/price/tea\n  curl -X POST "
            << url << "/kill/worker-1\n  curl -X POST " << url << "/stop\n\n"
            << std::flush;
}

// Shows what happens until the service is told to stop, or root ends by itself.
void look_on(caf::actor_system& system, const caf::actor& root, const Parts& parts,
             backoff_actor::GracefulShutdown& shutdown, Journal& journal, Screen& screen) {
  while (!shutdown.wait_for(look_around)) {
    if (!screen.shows_tree()) {
      screen.print(journal.take());
      continue;
    }
    try {
      screen.draw(look_at_tree(system, root, parts), journal.take());
    } catch (const std::exception&) {
      // Root has just ended, which is seen above.
    }
  }
}

int serve(const Options& options, int port) {
  Desk desk;
  Journal journal;
  Screen screen;
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::supervised_service>(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{system, {.grace = grace}};
  const auto parts = std::make_shared<const Parts>(system, options.workers);
  const auto root = start_tree(system, options, port, parts, desk, journal);
  shutdown.add(root);
  greet(port);
  look_on(system, root, *parts, shutdown, journal, screen);
  const auto exit_code = shutdown.stop(); // in reverse order
  system.await_all_actors_done();
  screen.print(journal.take());
  std::cout << "stopped: answered " << desk.answered << ", refused " << desk.refused << std::endl;
  return exit_code;
}

int serve(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  std::optional<example::ReservedPort> port;
  try {
    port.emplace(options.port);
  } catch (const std::system_error& error) {
    backoff_actor::Problems problems;
    problems.add("--port", std::to_string(options.port) + " (" + error.code().message() + ")",
                 "a port that is free, or 0 for any that is");
    example::complain("supervised_service", problems);
    return exit_bad_input;
  }
  return serve(options, port->number());
}

} // namespace

} // namespace supervised_service

int main(int argc, char** argv) {
  using namespace supervised_service;
  const auto parsed = parse_options(argc, argv);
  if (const auto* code = std::get_if<int>(&parsed))
    return *code;
  try {
    return serve(std::get<Options>(parsed));
  } catch (const std::exception& exception) {
    std::cerr << "supervised_service: " << exception.what() << '\n';
    return exit_failed;
  }
}
