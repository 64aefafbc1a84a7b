#!/usr/bin/env bash
# CAF 0.17.6: a message of high priority overtakes the mailbox of an actor in the same process, and waits behind it on another node.
#
# One would guess that remote actors behave as local ones, as far as the network allows: priority is a property of the message, and travels
# with it. But it does not: at the other node the message arrives with normal priority, and nothing tells. So a "stop", a health
# check or a credit that was sent with high priority, and works in each test on one machine, waits behind 100,000 jobs as soon as the
# worker moves to another one: exactly where the queue is long.
#
# This library asks a child by such a message whether it lives (caf/actor/requesting_actor_base.cpp); a remote one answers in its turn.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2, two actor systems connected by 127.0.0.1. While an actor is busy it gets 1, 2 and, with high
# priority, 3. A local sender: 3 1 2. A sender on the other system: 1 2 3.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libcaf-dev=0.17.6-2.1+b1 libcaf-core0.17=0.17.6-2.1+b1 libcaf-io0.17=0.17.6-2.1+b1 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done

cat >look.cpp <<'CPP'
#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

using namespace std::chrono_literals;

struct Config : caf::actor_system_config {
  Config() { load<caf::io::middleman>(); }
};

int main() {
  Config worker_config;
  Config client_config;
  caf::actor_system workers{worker_config};
  caf::actor_system clients{client_config};
  std::string seen;
  for (const bool is_remote : {false, true}) {
    std::atomic<bool> is_busy{false};
    std::atomic<bool> may_go_on{false};
    std::atomic<int> came{0};
    std::string order; // of one actor; read when all have come
    const auto worker = workers.spawn([&](caf::event_based_actor*) -> caf::behavior {
      return {[&](int x) {
        if (x == 0) {
          is_busy = true;
          while (!may_go_on)
            std::this_thread::sleep_for(1ms);
        } else {
          order += std::to_string(x) + ' ';
          ++came;
        }
      }};
    });
    const auto port = workers.middleman().publish(worker, 0, "127.0.0.1");
    if (!port)
      return 1;
    const auto remote = clients.middleman().remote_actor("127.0.0.1", *port);
    if (!remote)
      return 1;
    const auto to = is_remote ? *remote : worker;
    caf::scoped_actor client{is_remote ? clients : workers};
    client->send(to, 0);
    while (!is_busy)
      std::this_thread::sleep_for(1ms);
    client->send(to, 1);
    client->send(to, 2);
    client->send<caf::message_priority::high>(to, 3);
    // All three are in the mailbox by then.
    std::this_thread::sleep_for(2s);
    may_go_on = true;
    while (came < 3)
      std::this_thread::sleep_for(1ms);
    std::cout << (is_remote ? "a sender on another node: " : "a sender in the same process: ") << order << '\n';
    seen += order;
    caf::anon_send_exit(worker, caf::exit_reason::kill);
  }
  return seen == "3 1 2 1 2 3 " ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_io -lcaf_core -pthread
timeout 60 ./look
