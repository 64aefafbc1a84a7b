#!/usr/bin/env bash
# CLI11 2.1: for an int, the value 010 is eight and an empty value is zero; for a double, 010 is ten.
#
# One would guess ten, or an error, and for an empty value an error: what is no number is refused ("x" and "08" are). But integers are read
# as in C source, where a leading zero means octal. So numbers that a script pads go wrong in silence at 010, while 008 fails, and to change
# the type from double to int changes what users mean. An empty text passes as zero: `--retries "$RETRIES"` with a variable that is not set
# turns retries off, and so does the line `retries=""` of a configuration file. (`--retries=` is refused, and an empty environment variable
# counts as not set.) CLI::PositiveNumber refuses the zero; only a look at the text finds the octal.
#
# Our tool takes each value as a text and reads it itself (tools/backoffctl/command.cpp).
#
# Seen: libcli11-dev 2.1.2+ds-1, g++ 12.2. --int 010: 8; --double 010: 10; --int 08: ConversionError; --int '': 0, with the default 7 gone.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libcli11-dev=2.1.2+ds-1 >/dev/null
dpkg-deb --extract libcli11-dev_*.deb library

cat >look.cpp <<'CPP'
#include <CLI/CLI.hpp>

#include <iostream>

int main(int argc, char** argv) {
  CLI::App app;
  int whole = 7;
  double real = 7;
  app.set_config("--config");
  app.add_option("--int", whole)->envname("OF_INT");
  app.add_option("--double", real);
  try {
    app.parse(argc, argv);
    std::cout << whole << ' ' << real << '\n';
  } catch (const CLI::Error& error) {
    std::cout << error.get_name() << '\n';
  }
}
CPP
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look

failed=0
look() { # what is expected, arguments
  local expected=$1 seen
  shift
  seen=$(./look "$@")
  printf '%q ' "$@"
  echo "-> $seen"
  [[ $seen == "$expected" ]] || { echo "expected $expected" >&2; failed=1; }
}
look '8 7' --int 010
look '7 10' --double 010
look ConversionError --int 08
look ConversionError --int x
look '0 7' --int ''
look ArgumentMismatch --int=
echo 'int=""' >config.ini
look '0 7' --config config.ini
OF_INT='' look '7 7'
((failed == 0)) || exit 1
