#!/usr/bin/env bash
# CAF 0.17.6: as long as two actors send each other messages, no other actor of their thread gets a turn.
#
# One would guess a turn for each in a circle: an actor that has had its share of messages goes to the end. But an actor that is woken by
# another one goes to the front of that worker's queue, before all that wait there. The woken one answers and so wakes the first. The two
# pass the thread to each other, however long the queue is, and the limit of messages for each turn never counts, as each has just one.
# Only a worker that has nothing to do steals from the queue. So as many pairs as the scheduler has threads (a client and a server, a
# stage and its credit, a poller that asks again at once) stop all others: timers, health checks, whatever a thread outside sends.
#
# The policy "sharing" has one queue, in which all get their turn.
#
# This library's health check looks at other signs of life, too, for that reason (sinks/observatory.cpp).
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. With one thread and one pair, and with four threads and four pairs, a third actor's message
# waits while they exchange 200,000 messages, until they stop. With "sharing" it waits for fewer than 100.
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

constexpr long enough = 200'000;

std::atomic<long> messages{0};   // between the pairs
std::atomic<bool> is_over{false};
std::atomic<long> came_after{-1}; // the message for another actor

caf::behavior player(caf::event_based_actor* self) {
  return {[self](int x) {
    ++messages;
    if (!is_over)
      self->send(caf::actor_cast<caf::actor>(self->current_sender()), x);
  }};
}

int main(int argc, char** argv) {
  if (argc != 3)
    return 1;
  const auto threads = std::stoi(argv[2]);
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom_from_string(argv[1]));
  config.set("scheduler.max-threads", threads);
  caf::actor_system system{config};
  const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds{1}); };
  {
    std::vector<caf::actor> players;
    for (int i = 0; i < threads; ++i) {
      players.push_back(system.spawn(player));
      players.push_back(system.spawn(player));
      caf::send_as(players[2 * i], players[2 * i + 1], 1);
    }
    while (messages < 10'000L * threads) // all play
      rest();
    const auto other = system.spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](int sent_after) { came_after = messages - sent_after; }};
    });
    const long before = messages;
    caf::anon_send(other, static_cast<int>(before));
    while (messages < before + enough && came_after < 0)
      rest();
    is_over = true;
    while (came_after < 0)
      rest();
  }
  std::cout << came_after << '\n';
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O1 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread

look() { # policy, threads
  seen=$(./look "$1" "$2")
  echo "$1, $2 thread(s), as many pairs: another actor's message waits while the pairs exchange $seen"
}
failed=0
look stealing 1
((seen >= 200000)) || failed=1
# A thread may still be idle when the others play already, so there are three tries.
for _ in 1 2 3; do
  look stealing 4
  ((seen < 200000)) || break
done
((seen >= 200000)) || failed=1
look sharing 1
((seen < 100)) || failed=1
((failed == 0)) || exit 1
