#!/usr/bin/env bash
# CAF 0.17.6: when a worker ends, those whose requests wait in its mailbox are told; the one whose request it works on is not.
#
# One would guess that a promise that can no longer be kept is answered with an error: CAF tells a client at once that its receiver is
# down. Here a promise that is destroyed, or whose owner is killed, or in whose handler an exception is thrown, answers nobody. So of all
# requests to a worker that crashes, the one that may have crashed it is the only one without an answer. The usual way there is short: a
# handler makes a promise, asks another actor and gives then() no handler for errors. An error of that other actor ends this one, and its
# own client hears nothing. With `infinite` as its timeout it waits for ever. An exception without a promise is told at once.
#
# Give each request a timeout, monitor the receiver, and give each then() a handler for errors that fails the promise.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. A kill: request_receiver_down for the request in the mailbox, request_timeout for the one with a
# promise. A destroyed promise, an exception behind a promise, an error of another actor: request_timeout. An exception without a promise:
# runtime_error.
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
#include <stdexcept>
#include <string>
#include <thread>

using namespace std::chrono_literals;

std::atomic<bool> works{false};
std::atomic<bool> may_go_on{false};

// What has become of its promise is the actor's own state.
struct State {
  caf::response_promise promise;
};

// 1: keeps a promise, and stays in its handler until it may go on. 2: forgets its promise. 3: throws behind a promise. 4: throws before it.
caf::behavior worker(caf::stateful_actor<State>* self) {
  self->set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) -> caf::error { return caf::sec::runtime_error; });
  return {[self](int what) -> caf::result<int> {
    if (what == 4)
      throw std::runtime_error{"a bug"};
    auto promise = self->make_response_promise<int>();
    if (what == 3)
      throw std::runtime_error{"a bug"};
    if (what == 1) {
      self->state.promise = promise;
      works = true;
      while (!may_go_on)
        std::this_thread::sleep_for(1ms);
    }
    return promise;
  }};
}

// Passes its request on, and has no handler for the error that comes.
caf::behavior middle(caf::event_based_actor* self) {
  const auto failing = self->spawn([]() -> caf::behavior { return {[](int) -> caf::result<int> { return caf::sec::bad_function_call; }}; });
  return {[self, failing](int x) -> caf::result<int> {
    auto promise = self->make_response_promise<int>();
    self->request(failing, 5s, x).then([promise](int answer) mutable { promise.deliver(answer); });
    return promise;
  }};
}

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  const auto answer = [&](const caf::actor& whom, int what) {
    auto result = std::make_shared<std::string>();
    caf::scoped_actor client{system};
    client->request(whom, 1s, what)
      .receive([&](int) { *result = "done"; }, [&](const caf::error& error) { *result = system.render(error); });
    return *result;
  };

  const auto killed = system.spawn(worker);
  std::string first;
  std::string second;
  std::thread client{[&] { first = answer(killed, 1); }};
  while (!works)
    std::this_thread::sleep_for(1ms);
  std::thread next{[&] { second = answer(killed, 1); }};
  // High priority: the kill does not wait behind the mailbox.
  caf::anon_send<caf::message_priority::high>(killed, caf::exit_msg{killed->address(), caf::exit_reason::kill});
  std::this_thread::sleep_for(300ms); // time for the second request to reach the mailbox
  may_go_on = true;
  client.join();
  next.join();

  const auto forgotten = answer(system.spawn(worker), 2);
  const auto threw = answer(system.spawn(worker), 3);
  const auto threw_without = answer(system.spawn(worker), 4);
  const auto behind_another = answer(system.spawn(middle), 1);
  std::cout << "killed, in work: " << first << "\nkilled, in the mailbox: " << second << "\nforgotten: " << forgotten
            << "\nan exception behind the promise: " << threw << "\nan exception without a promise: " << threw_without
            << "\nan error of another actor: " << behind_another << '\n';
  const auto is = [](const std::string& result, const char* error) { return result.find(error) != std::string::npos; };
  const bool is_silent = is(first, "request_timeout") && is(forgotten, "request_timeout") && is(threw, "request_timeout")
                         && is(behind_another, "request_timeout");
  return is_silent && is(second, "request_receiver_down") && is(threw_without, "runtime_error") ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
timeout 60 ./look
