#!/usr/bin/env bash
# CAF 0.17.6: who monitors an actor twice is told of its end twice; one demonitor takes both back.
#
# One would guess either a set (told once, one demonitor) or a count (told twice, one demonitor leaves one). It is a mixture: each monitor()
# adds an entry, and demonitor() removes all entries of the two actors. So two parts of one actor that watch the same worker, such as a pool
# and a cache, or a library and the class that is derived from its actor, disturb each other. The down handler, of which an actor has one,
# runs twice and may take the second message for the end of the successor. The part that lets go first makes the other one blind,
# and what it waits for never comes. Links are a set.
#
# This library watches the other places of the same actor anew after such a call (caf/sender/child_keeper.cpp).
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. Down messages: 1 after one monitor, 2 after two, 0 after two and one demonitor. Exit messages
# after two links: 1.
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

#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <string>
#include <vector>

using Watch = std::function<void(caf::event_based_actor*, const caf::actor&)>;

struct Watcher : caf::event_based_actor {
  Watcher(caf::actor_config& config, caf::actor worker, const Watch& watch, std::promise<int>& told)
    : caf::event_based_actor(config), told_(told) {
    set_down_handler([this](caf::down_msg&) { ++count_; });
    set_exit_handler([this](caf::exit_msg&) { ++count_; });
    watch(this, worker);
  }

  caf::behavior make_behavior() override {
    return {[this](int) {
      told_.set_value(count_);
      quit();
    }};
  }

  std::promise<int>& told_;
  int count_ = 0;
};

// How often an actor is told of the end of a worker that it watches so.
int told(caf::actor_system& system, const Watch& watch) {
  std::promise<int> result;
  const auto worker = system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; });
  const auto watcher = system.spawn<Watcher>(worker, watch, result);
  caf::scoped_actor self{system};
  self->send_exit(worker, caf::exit_reason::user_shutdown);
  self->wait_for(worker);
  // What the watcher is told comes long before.
  self->delayed_send(watcher, std::chrono::seconds{1}, 1);
  return result.get_future().get();
}

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  const auto times = [](int n, const Watch& what) {
    return [n, what](caf::event_based_actor* self, const caf::actor& worker) {
      for (int i = 0; i < n; ++i)
        what(self, worker);
    };
  };
  const Watch monitor = [](auto* self, const auto& worker) { self->monitor(worker); };
  const Watch link = [](auto* self, const auto& worker) { self->link_to(worker); };
  const auto monitors = times(2, monitor);
  const std::vector<int> seen{
    told(system, monitor),
    told(system, monitors),
    told(system,
         [&](auto* self, const auto& worker) {
           monitors(self, worker);
           self->demonitor(worker);
         }),
    told(system, times(2, link)),
  };
  std::cout << "told by one monitor: " << seen[0] << ", by two: " << seen[1] << ", by two and a demonitor: " << seen[2]
            << ", by two links: " << seen[3] << '\n';
  return seen == std::vector<int>{1, 2, 0, 1} ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
timeout 60 ./look
