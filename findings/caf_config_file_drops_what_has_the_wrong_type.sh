#!/usr/bin/env bash
# CAF 0.17.6: a value of the wrong type in a configuration file is left out without a word; the same value as an argument is refused.
#
# One would guess one parser with one opinion. But in a file `heartbeat-interval=500` is a number and no span of time, so the option keeps
# its default, no heartbeats, and parse() reports no error: the operator believes that frozen nodes are noticed. Likewise max-threads="2",
# or a fraction for a whole number. Only a line that cannot be read at all is an error. To read the options back is the only way to know.
#
# This library sets heartbeats itself, as a span (caf/remote/v0_17/io_compat_0_17.cpp).
#
# Seen: libcaf-dev 0.17.6-2.1+b1, g++ 12.2. Of four such lines in a file none is an error, and each option is unset; of the same four as
# arguments each is an error. With the right type (500ms, 2) both are taken.
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

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Line {
  std::string section, name, value;
  bool is_right = false;
};

struct Config : caf::actor_system_config {
  Config() { load<caf::io::middleman>(); }

  // Whether the option has a value from outside; its default differs from what is asked for.
  bool has_taken(const Line& line) const {
    const auto full = line.section + '.' + line.name;
    return caf::get_or(*this, full, caf::timespan{-1}) == std::chrono::milliseconds{500}
           || caf::get_or(*this, full, std::size_t{0}) == 2;
  }
};

int main() {
  const std::vector<Line> lines{
    {"middleman", "heartbeat-interval", "500"},
    {"middleman", "heartbeat-interval", "0.5"},
    {"scheduler", "max-threads", "\"2\""},
    {"scheduler", "max-threads", "2.5"},
    {"middleman", "heartbeat-interval", "500ms", true},
    {"scheduler", "max-threads", "2", true},
  };
  bool is_as_seen = true;
  for (const auto& line : lines) {
    Config from_file;
    std::istringstream file{'[' + line.section + "]\n" + line.name + '=' + line.value + '\n'};
    const bool file_fails = static_cast<bool>(from_file.parse(std::vector<std::string>{}, file));
    const bool file_takes = from_file.has_taken(line);

    Config from_argument;
    std::istringstream nothing;
    const bool argument_fails =
      static_cast<bool>(from_argument.parse({"--" + line.section + '.' + line.name + '=' + line.value}, nothing));

    const auto word = [](bool fails, bool takes) { return fails ? "error" : takes ? "taken" : "no error, not taken"; };
    std::cout << line.section << '.' << line.name << '=' << line.value << "  in a file: " << word(file_fails, file_takes)
              << "; as an argument: " << word(argument_fails, from_argument.has_taken(line)) << '\n';
    is_as_seen = is_as_seen && !file_fails && file_takes == line.is_right && argument_fails != line.is_right;
  }
  return is_as_seen ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcaf_core.so' | head -n 1)")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcaf_io -lcaf_core -pthread
./look
