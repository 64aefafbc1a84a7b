#!/usr/bin/env bash
# CAF 0.17.6: exit_reason::kill waits behind all messages in the mailbox, and for the answer that its receiver awaits.
#
# One would guess that a kill takes effect after the handler that runs: it cannot be trapped, and is no ordinary message. But send_exit and
# anon_send_exit send it with normal priority, so an actor with 1000 messages handles them all before it ends. An actor that waits with
# request(...).await(...) puts off every message until the answer has come, the kill included. So to kill who is behind is no help against
# overload, and a supervisor that kills a worker in an await has not ended it: for as long as nobody answers, the old one and its successor
# are both there, and the actor system does not go down.
#
# An exit_msg that is sent with message_priority::high overtakes the mailbox (not the await). `then` in place of `await` lets it through.
#
# This library counts a child as ended only when CAF says so (caf/sender/child_keeper.cpp), and its own actors keep what comes meanwhile
# while a factory awaits an answer (caf/actor/v0_17/requesting_actor_0_17.cpp).
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. Killed with 1000 messages in its mailbox: 1000 handled; by a message of high priority: fewer
# than 10. Killed while it awaits: alive a second later, ended when the answer has come. Killed with a request and `then`: ended at once.
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
#include <memory>
#include <string>
#include <thread>

using namespace std::chrono_literals;

// Waits up to half a minute.
template <class Condition>
bool becomes(Condition condition) {
  for (int i = 0; i < 30'000 && !condition(); ++i)
    std::this_thread::sleep_for(1ms);
  return condition();
}

// How many of its 1000 messages an actor handles that is killed during the first.
int handled(caf::actor_system& system, bool with_high_priority) {
  std::atomic<int> count{0};
  std::atomic<bool> may_go_on{false};
  std::atomic<bool> has_ended{false};
  const auto worker = system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      if (++count == 1)
        while (!may_go_on)
          std::this_thread::sleep_for(1ms);
    }};
  });
  worker->attach_functor([&](const caf::error&) { has_ended = true; });
  for (int i = 0; i < 1000; ++i)
    caf::anon_send(worker, i);
  if (with_high_priority)
    caf::anon_send<caf::message_priority::high>(worker, caf::exit_msg{worker->address(), caf::exit_reason::kill});
  else
    caf::anon_send_exit(worker, caf::exit_reason::kill);
  may_go_on = true;
  becomes([&] { return has_ended.load(); });
  return count;
}

// What becomes of an actor that is killed while it waits for an answer; `answer` lets it come.
std::string killed(caf::actor_system& system, bool awaits) {
  auto promise = std::make_shared<caf::response_promise>();
  std::atomic<bool> is_asked{false};
  std::atomic<bool> has_ended{false};
  const auto slow = system.spawn([&, promise](caf::event_based_actor* self) -> caf::behavior {
    return {[&, promise, self](int) {
              *promise = self->make_response_promise();
              is_asked = true;
            },
            [promise](const std::string&) { promise->deliver(1); }};
  });
  const auto client = system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {[=](int x) {
      const auto answer = self->request(slow, caf::infinite, x);
      if (awaits)
        answer.await([](int) {});
      else
        answer.then([](int) {});
    }};
  });
  client->attach_functor([&](const caf::error&) { has_ended = true; });
  caf::anon_send(client, 1);
  becomes([&] { return is_asked.load(); });
  caf::anon_send_exit(client, caf::exit_reason::kill);
  for (int i = 0; i < (awaits ? 1000 : 30'000) && !has_ended; ++i)
    std::this_thread::sleep_for(1ms);
  const std::string before = has_ended ? "ended" : "alive";
  caf::anon_send(slow, std::string{"answer"});
  const std::string after = becomes([&] { return has_ended.load(); }) ? "ended" : "alive";
  caf::anon_send_exit(slow, caf::exit_reason::kill);
  return before + ", after the answer " + after;
}

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  const int normal = handled(system, false);
  const int high = handled(system, true);
  const auto awaiting = killed(system, true);
  const auto going_on = killed(system, false);
  std::cout << "messages handled after a kill: " << normal << " of 1000; with high priority: " << high
            << "\nkilled while it awaits: " << awaiting << "\nkilled with an open request: " << going_on << '\n';
  return normal == 1000 && high < 10 && awaiting == "alive, after the answer ended" && going_on == "ended, after the answer ended"
             ? 0
             : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
./look
