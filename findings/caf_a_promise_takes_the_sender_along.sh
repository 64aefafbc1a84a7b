#!/usr/bin/env bash
# CAF 0.17.6: once a handler has made its promise, the message that it handles has no sender any more.
#
# One would guess that current_sender() says who has sent the message, as long as its handler runs. make_response_promise() moves the sender
# out of the message into the promise: from then on current_sender() is null in the same handler. So code that is called behind the promise
# and wants to tell the client how far it is, to watch it, or to write down who asked, finds nobody, and compiles as well as before. Two
# lines in another order are a different program. A second promise for the same message is accepted and answers nobody: who keeps a promise
# "to be safe" and lets the helper make its own loses the answer, and the client waits for its timeout.
#
# This library says so by an exception where it needs the sender (caf/actor/work_in_hand.cpp). Ask for the sender first.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. Before the promise there is a sender, behind it none. The answer by the first promise comes; of a
# second promise alone, nothing comes.
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
#include <vector>

std::atomic<bool> before{false};
std::atomic<bool> behind{true};

// 1: answers by its only promise; 2: makes two, keeps the first, and answers by the second.
struct Worker : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](int promises) -> caf::result<std::string> {
      before = current_sender() != nullptr;
      auto first = make_response_promise<std::string>();
      behind = current_sender() != nullptr;
      if (promises == 1) {
        first.deliver(std::string{"done"});
        return first;
      }
      kept_.push_back(first);
      auto second = make_response_promise<std::string>();
      second.deliver(std::string{"done"});
      return second;
    }};
  }
  std::vector<caf::typed_response_promise<std::string>> kept_;
};

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  const auto worker = system.spawn<Worker>();
  caf::scoped_actor self{system};
  const auto ask = [&](int promises) {
    std::string result;
    self->request(worker, std::chrono::seconds{2}, promises)
      .receive([&](const std::string& answer) { result = answer; },
               [&](const caf::error& error) { result = system.render(error); });
    return result;
  };
  const auto one = ask(1);
  std::cout << "a sender before the promise: " << before << ", behind it: " << behind << '\n';
  const auto two = ask(2);
  std::cout << "by one promise: " << one << "; by a second one: " << two << '\n';
  self->send_exit(worker, caf::exit_reason::kill);
  return before && !behind && one == "done" && two.find("request_timeout") != std::string::npos ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
timeout 60 ./look
