#!/usr/bin/env bash
# CAF 0.17.6: a delayed message keeps its receiver until it is due: alive if nobody ends it, in memory if it has ended.
#
# One would guess that an actor that nobody knows any more goes away with its timers, and that a timer goes away with its actor. The clock
# holds a strong reference to the receiver of each delayed message, and there is no way to take the message back. So a program that only
# waits for its actors to go away ends when the last delayed message is due: "look again in an hour" is an hour. And a worker that sets
# itself a limit of an hour with delayed_send and is done after a millisecond stays in memory for the rest of the hour, with all its
# members, though it has ended: a thousand jobs a second are millions of dead workers. The timeout of a request does not hold it so.
#
# End each actor on purpose before the system goes down. Free what is large in on_exit(). Send the delayed message to one actor that lives
# on, and not to each worker.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. With a message in 3 s the system is down after 3 s; without it, or if the actor is ended, at
# once. Of 100 workers that ended with such a message, 100 objects are there a second later and 0 after it; with a request or nothing: 0.
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
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::atomic<int> objects{0};

enum class Timer { none, message, request };

// Ends at its first message; before it, it has set itself a limit.
struct Worker : caf::event_based_actor {
  Worker(caf::actor_config& config, Timer limit, caf::actor echo) : caf::event_based_actor{config}, limit_{limit}, echo_{echo} {
    ++objects;
  }
  ~Worker() override {
    --objects;
  }
  caf::behavior make_behavior() override {
    if (limit_ == Timer::message)
      delayed_send(this, 3s, 1);
    if (limit_ == Timer::request)
      request(echo_, 3s, 1).then([](int) {});
    return {[this](int) { quit(); }};
  }
  const Timer limit_;
  const caf::actor echo_;
};

// Seconds that the actor system takes to go down.
int to_end(bool has_message, bool is_ended) {
  const auto begin = Clock::now();
  {
    caf::actor_system_config config;
    caf::actor_system system{config};
    const auto worker = system.spawn<Worker>(has_message ? Timer::message : Timer::none, caf::actor{});
    if (is_ended)
      caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  }
  return static_cast<int>((Clock::now() - begin) / 1s);
}

// How many of 100 workers that have ended are still in memory a second later, and after the limit.
std::pair<int, int> left(Timer limit) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  const auto echo = system.spawn([]() -> caf::behavior { return {[](int x) { return x; }}; });
  for (int i = 0; i < 100; ++i) {
    const auto worker = system.spawn<Worker>(limit, echo);
    self->send(worker, 1);
    self->wait_for(worker);
  }
  std::this_thread::sleep_for(1s);
  const int now = objects;
  std::this_thread::sleep_for(4s);
  self->send_exit(echo, caf::exit_reason::kill);
  return {now, objects};
}

int main() {
  const int with_message = to_end(true, false);
  const int without_message = to_end(false, false);
  const int ended = to_end(true, true);
  std::cout << "seconds until the system is down: " << with_message << ", without the message " << without_message
            << ", with it if the actor is ended " << ended << '\n';
  const auto message = left(Timer::message);
  const auto request = left(Timer::request);
  const auto none = left(Timer::none);
  std::cout << "objects of ended workers: " << message.first << ", later " << message.second << "; with a request " << request.first
            << "; without " << none.first << '\n';
  return with_message == 3 && without_message == 0 && ended == 0 && message.first == 100 && message.second == 0 && request.first == 0
             && none.first == 0
           ? 0
           : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
timeout 90 ./look
