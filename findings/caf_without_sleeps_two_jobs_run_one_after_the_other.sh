#!/usr/bin/env bash
# CAF 0.17.6: with work-stealing.moderate-poll-attempts=0 two jobs that an actor hands to two idle actors run one after the other, though a
# processor is free.
#
# The option leaves out the sleeps that make a message to an idle system wait (caf_idle_for_a_moment_is_slower_than_idle.sh), so one would
# guess that it costs processor time at most. But it leaves out the polling during which an idle worker steals, too. What an actor sends
# goes to the queue of its own worker. That wakes nobody else: the other worker waits for its own queue, and looks for work to steal only
# when a wait of 10 ms has ended. A message from outside goes to the workers in turn, so programs that only fan out from outside see nothing.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2, -O2, two processors. Two jobs of 4 ms each, the median of 200 times: done after 4.4 ms with the
# default, after 8.1 ms without the sleeps.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb, and two processors that are free. Exits with 1 if that changes: if the second is not at least 1.4
# times the first.
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
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

caf::behavior work() {
  return {[](int) {
    const auto end = Clock::now() + std::chrono::milliseconds{4};
    while (Clock::now() < end)
      continue;
    return true;
  }};
}

int main(int, char** argv) {
  caf::actor_system_config config;
  config.set("scheduler.max-threads", 2);
  config.set("work-stealing.moderate-poll-attempts", std::stoi(argv[1]));
  caf::actor_system system{config};
  const auto one = system.spawn(work);
  const auto other = system.spawn(work);
  const auto boss = system.spawn([one, other](caf::event_based_actor* self) -> caf::behavior {
    return {[=](bool) {
      auto promise = self->make_response_promise<bool>();
      auto left = std::make_shared<int>(2);
      for (const auto& worker : {one, other})
        self->request(worker, caf::infinite, 1).then([=](bool) mutable {
          if (--*left == 0)
            promise.deliver(true);
        });
      return promise;
    }};
  });
  caf::scoped_actor self{system};
  std::vector<double> took;
  for (int i = 0; i < 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    const auto begin = Clock::now();
    self->request(boss, caf::infinite, true).receive([](bool) {}, [](const caf::error&) {});
    took.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::sort(took.begin(), took.end());
  std::cout << took[took.size() / 2] << '\n';
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O2 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread

sleeps=$(./look 500)
without=$(./look 0)
echo "two jobs of 4 ms, with the sleeps: $sleeps ms; without: $without ms"
awk -v a="$without" -v b="$sleeps" 'BEGIN { exit !(a > 1.4 * b) }' || { echo 'this has changed' >&2; exit 1; }
