#!/usr/bin/env bash
# CAF 0.17.6: a stream whose only sink was killed goes on to its end, into nothing, and its source is told that all went well.
#
# One would guess that the source is stopped, and that its last handler gets an error: a stream has its own flow control, and the handler
# has a parameter of type caf::error for just that. But a source without any receiver makes all the rest, which nobody gets, and ends with
# the empty error. A program that copies a table by such a stream and then deletes it has copied a few percent. Only the last handler of
# the sink knows. Monitor the sink, or have it answer with what it got, and compare the numbers. An exit message with another reason
# than kill does not even end the sink: it takes the whole stream first.
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2, a stream of 100,000 numbers, 100 of which the sink has when it is sent the exit message. kill:
# the sink got a few thousand, its last handler gets kill; the source made all, its last handler gets "none". user_shutdown: the sink got
# all, and both get "none".
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes: if the killed sink gets more than half, too.
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
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>

constexpr int all = 100'000;

// What becomes of a stream whose sink is sent an exit message when it has 100 elements.
struct Stream {
  std::atomic<int> made{0};
  std::atomic<int> got{0};
  std::string end_of_source, end_of_sink; // what the last handlers get
  std::atomic<int> ends{0};               // of those two handlers

  Stream(caf::actor_system& system, caf::exit_reason reason) {
    const auto sink = system.spawn([this, reason](caf::event_based_actor* self) -> caf::behavior {
      return {[=](caf::stream<int> elements) {
        caf::attach_stream_sink(
          self, elements, [](caf::unit_t&) {},
          [=](caf::unit_t&, int) {
            if (++got == 100)
              caf::anon_send_exit(self, reason);
          },
          [=](caf::unit_t&, const caf::error& error) {
            end_of_sink = self->system().render(error);
            ++ends;
          });
      }};
    });
    const auto source = system.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      caf::attach_stream_source(
        self, sink, [](caf::unit_t&) {},
        [=](caf::unit_t&, caf::downstream<int>& out, std::size_t wanted) {
          for (std::size_t i = 0; i < wanted && made < all; ++i)
            out.push(made++);
        },
        [=](const caf::unit_t&) { return made >= all; },
        [=](caf::unit_t&, const caf::error& error) {
          end_of_source = self->system().render(error);
          ++ends;
        });
      return {[](int) {}};
    });
    for (int i = 0; i < 150'000 && ends < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    caf::anon_send_exit(source, caf::exit_reason::kill);
  }

  void show(const char* name) const {
    std::cout << name << ": made " << made << ", the sink got " << got << "; its last handler: " << end_of_sink
              << ", the source's: " << end_of_source << '\n';
  }
};

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  const Stream killed{system, caf::exit_reason::kill};
  const Stream shut_down{system, caf::exit_reason::user_shutdown};
  killed.show("kill");
  shut_down.show("user_shutdown");
  return killed.made == all && killed.got < all / 2 && killed.end_of_source == "none" && killed.end_of_sink == "exit_reason(kill)"
             && shut_down.made == all && shut_down.got == all && shut_down.end_of_source == "none" && shut_down.end_of_sink == "none"
           ? 0
           : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O1 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_core -pthread
timeout 200 ./look || { echo 'this has changed' >&2; exit 1; }
