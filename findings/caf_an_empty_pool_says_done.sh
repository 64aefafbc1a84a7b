#!/usr/bin/env bash
# CAF 0.17.6: a request to an actor_pool that has no workers left is answered with success.
#
# One would guess that a pool without workers refuses a request, as an ended actor does (request_receiver_down). It answers with an empty
# message. To a client whose request has no result ("send this mail", "write this row") that is success: its handler for the answer runs,
# and not the one for errors. Nobody has done the work. A retry library sees nothing to retry, and a queue deletes the job. A client that
# waits for a value gets unexpected_response, which says nothing of a pool. A pool becomes empty by itself: each worker that ends leaves it,
# and none takes its place. A pool that has ended answers in the same way. A message without a request is lost in silence.
#
# Let each job answer with a value, even if nobody needs it, or monitor the pool: it tells out_of_workers.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. One worker in the pool: done, 1 job worked on. Behind its end: done, still 1; to the worker
# itself: request_receiver_down. Behind the end of the pool: done, still 1. For a value: unexpected_response.
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

#include <caf/actor_pool.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

std::atomic<int> jobs{0};

// Does a job, without a result; a text has a value as its answer.
caf::behavior worker() {
  return {[](int) { ++jobs; }, [](const std::string& text) { return text; }};
}

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  const auto ask = [&](const caf::actor& whom) {
    std::string result;
    self->request(whom, 5s, 1).receive([&] { result = "done"; }, [&](const caf::error& error) { result = system.render(error); });
    return result + ", " + std::to_string(jobs);
  };
  caf::scoped_execution_unit context{&system};
  const auto pool = caf::actor_pool::make(&context, caf::actor_pool::round_robin());
  const auto only = system.spawn(worker);
  self->monitor(pool);
  self->send(pool, caf::sys_atom::value, caf::put_atom::value, only);
  const auto with_worker = ask(pool);
  self->send_exit(only, caf::exit_reason::kill);
  self->receive([](const caf::down_msg&) {}); // the pool tells that its last worker has left it
  const auto without = ask(pool);
  const auto directly = ask(only);
  std::string value;
  self->request(pool, 5s, std::string{"text"})
    .receive([&](const std::string& text) { value = text; }, [&](const caf::error& error) { value = system.render(error); });

  const auto ended_pool = caf::actor_pool::make(&context, 2, [&] { return system.spawn(worker); }, caf::actor_pool::round_robin());
  self->send_exit(ended_pool, caf::exit_reason::user_shutdown);
  self->wait_for(ended_pool);
  const auto ended = ask(ended_pool);
  self->send_exit(pool, caf::exit_reason::user_shutdown);

  std::cout << "what the client sees, and how many jobs were worked on\n"
            << "a pool with a worker: " << with_worker << "\nwithout one: " << without << "\nthe ended worker itself: " << directly
            << "\nan ended pool: " << ended << "\nfor a value, without a worker: " << value << '\n';
  return with_worker == "done, 1" && without == "done, 1" && directly.find("request_receiver_down") != std::string::npos
             && ended == "done, 1" && value.find("unexpected_response") != std::string::npos
           ? 0
           : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
timeout 60 ./look
