#!/usr/bin/env bash
# CAF 0.17.6: a message to an actor system that has just gone idle waits several times as long as one to a system that has been idle.
#
# One would guess the other way round: what ran a moment ago is warm. But a worker of the default scheduler (work stealing) that finds
# nothing polls 100 times. Then it looks 500 times, with a sleep of 50 us before each look, and a new message does not end that sleep.
# So for at least 25 ms a message waits for the rest of a sleep, which the kernel makes longer. Only then the worker waits for a
# condition variable, which a new message wakes at once. An actor system whose messages come every millisecond pays for a sleep at each
# hop; one whose messages come ten times a second does not.
#
# The option work-stealing.moderate-poll-attempts=0 leaves the sleeps out.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2, -O2, two processors. The median of 300 messages from a thread outside to an actor: 62 us if
# the system had been idle for half a millisecond, 23 us if it had been for 100 ms, 17 us after half a millisecond without the sleeps.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes: if the first is not at least 1.5 times the third.
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

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

int main(int argc, char** argv) {
  caf::actor_system_config config;
  config.set("scheduler.max-threads", 2);
  config.set("work-stealing.moderate-poll-attempts", std::stoi(argv[1]));
  const std::chrono::microseconds pause{std::stoi(argv[2])};
  (void) argc;
  caf::actor_system system{config};
  std::atomic<Clock::rep> came{0};
  const auto actor = system.spawn([&came](caf::event_based_actor*) -> caf::behavior {
    return {[&came](int) { came = Clock::now().time_since_epoch().count(); }};
  });
  std::vector<double> waits;
  for (int i = 0; i < 300; ++i) {
    std::this_thread::sleep_for(pause);
    came = 0;
    const auto sent = Clock::now();
    caf::anon_send(actor, 1);
    while (came == 0)
      std::this_thread::yield();
    waits.push_back(static_cast<double>(came - sent.time_since_epoch().count()) / 1000);
  }
  std::sort(waits.begin(), waits.end());
  std::cout << waits[waits.size() / 2] << '\n';
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O2 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread

sleeps=$(./look 500 500)
without=$(./look 0 500)
rested=$(./look 500 100000)
echo "just idle: $sleeps us; idle for 100 ms: $rested us; without the sleeps: $without us"
awk -v a="$sleeps" -v b="$without" 'BEGIN { exit !(a > 1.5 * b) }' || { echo 'this has changed' >&2; exit 1; }
