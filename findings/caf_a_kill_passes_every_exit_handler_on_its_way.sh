#!/usr/bin/env bash
# CAF 0.17.6: a kill goes on through links, and ends each linked actor in turn, whatever exit handlers they have.
#
# One would guess what Erlang does: the killed process tells those that are linked to it that it was "killed", an ordinary reason, which
# a supervisor traps. In CAF the reason stays exit_reason::kill, and an exit message with that reason is never given to a handler, no
# matter who sent it. So a supervisor that is linked to its workers and has set_exit_handler() survives each crash and each ordinary
# end in the tests; when an operator kills one worker, supervisor, other workers and all that is linked to them are gone.
# Use monitors for what is to survive: a down message with the reason kill is an ordinary one.
#
# This library takes a link off that a factory has made (caf/sender/child_keeper.cpp).
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. A chain of five actors, each linked to the next and with an exit handler: a worker at its end
# that ends by user_shutdown or out_of_workers leaves the five alive; one that is killed takes all five with it, and no handler
# was called. With monitors in place of links all five live.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libcaf-dev=0.17.6-2.1+b1 libcaf-core0.17=0.17.6-2.1+b1 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done

cat >look.cpp <<'CPP'
#include <caf/all.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

struct Seen {
  std::atomic<int> told{0};  // calls of handlers
  std::atomic<int> ended{0}; // of the chain
};

// What a chain of five actors sees of the end of the worker that its last one watches.
std::string look(caf::actor_system& system, caf::exit_reason reason, bool by_links) {
  Seen seen;
  const auto worker = system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; });
  std::vector<caf::actor> chain{worker};
  for (int i = 0; i < 5; ++i) {
    chain.push_back(system.spawn([&seen, by_links, next = chain.back()](caf::event_based_actor* self) -> caf::behavior {
      self->set_exit_handler([&seen](caf::exit_msg&) { ++seen.told; });
      self->set_down_handler([&seen](caf::down_msg&) { ++seen.told; });
      if (by_links)
        self->link_to(next);
      else
        self->monitor(next);
      return {[](int) { return 1; }};
    }));
    chain.back()->attach_functor([&seen](const caf::error&) { ++seen.ended; });
  }
  caf::scoped_actor client{system};
  for (std::size_t i = 1; i < chain.size(); ++i) // each of them watches now
    client->request(chain[i], caf::infinite, 1).receive([](int) {}, [](const caf::error&) {});
  caf::anon_send_exit(worker, reason);
  const int expected = by_links && reason == caf::exit_reason::kill ? 5 : 1;
  for (int i = 0; i < 10'000 && seen.told + seen.ended < expected; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  std::this_thread::sleep_for(std::chrono::milliseconds{200}); // time for more than that
  const auto result = "told " + std::to_string(seen.told) + ", ended " + std::to_string(seen.ended);
  for (const auto& one : chain)
    caf::anon_send_exit(one, caf::exit_reason::kill);
  client->wait_for(chain);
  while (seen.ended < 5)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  return result;
}

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  const std::vector<std::string> seen{
    look(system, caf::exit_reason::user_shutdown, true),
    look(system, caf::exit_reason::out_of_workers, true),
    look(system, caf::exit_reason::kill, true),
    look(system, caf::exit_reason::kill, false),
  };
  std::cout << "links, user_shutdown: " << seen[0] << "\nlinks, out_of_workers: " << seen[1] << "\nlinks, kill: " << seen[2]
            << "\nmonitors, kill: " << seen[3] << '\n';
  return seen == std::vector<std::string>{"told 1, ended 0", "told 1, ended 0", "told 0, ended 5", "told 1, ended 0"} ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
timeout 120 ./look
