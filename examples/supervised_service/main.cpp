// supervised_service: an HTTP service that is a supervision tree. Parts of it are killed over an
// endpoint, and it is seen to heal.

#include "common/arguments.hpp"
#include "common/reserved_port.hpp"
#include "common/signals.hpp"
#include "journal.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "screen.hpp"
#include "tree.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <variant>

namespace supervised_service {

namespace {

using namespace std::chrono_literals;

constexpr auto look_around = 100ms;

void greet(int port) {
  const auto url = "http://127.0.0.1:" + std::to_string(port);
  std::cout << "listening at " << url << "\n\n  curl " << url << "/price/tea\n  curl -X POST "
            << url << "/kill/worker-1\n  curl -X POST " << url << "/stop\n\n"
            << std::flush;
}

// Shows what happens until the service is told to stop, or root ends by itself.
void look_on(caf::actor_system& system, const caf::actor& root, const Parts& parts,
             const Desk& desk, const std::atomic<bool>& has_ended, example::Signals& signals,
             Journal& journal, Screen& screen) {
  while (!desk.stop_is_wanted && !has_ended && !signals.wait(look_around)) {
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

int serve(const Options& options, int port, example::Signals& signals) {
  Desk desk;
  Journal journal;
  Screen screen;
  std::string reason; // of root's end
  std::atomic<bool> has_ended{false};
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::supervised_service>(config);
  caf::actor_system system{config};
  const auto parts = std::make_shared<const Parts>(system, options.workers);
  auto root = start_tree(system, options, port, parts, desk, journal);
  root->attach_functor([&](const caf::error& error) {
    reason = backoff_actor::render(system, error);
    has_ended = true;
  });
  greet(port);
  look_on(system, root, *parts, desk, has_ended, signals, journal, screen);

  const auto gave_up = has_ended.load();
  if (!gave_up) {
    std::cout << "stopping in reverse order\n" << std::flush;
    caf::scoped_actor self{system};
    backoff_actor::compat::request(*self, root, backoff_actor::Stop{})
      .receive([](const backoff_actor::ChildCounts&) {}, [](const caf::error&) {});
  }
  root = nullptr;
  system.await_all_actors_done();
  screen.print(journal.take());
  if (gave_up)
    std::cerr << "supervised_service: root gave up: " << reason << '\n';
  std::cout << "stopped: answered " << desk.answered << ", refused " << desk.refused << std::endl;
  return gave_up ? exit_failed : exit_stopped;
}

int serve(const Options& options) {
  example::Signals signals; // before any thread
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
  return serve(options, port->number(), signals);
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
