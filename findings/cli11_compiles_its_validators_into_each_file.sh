#!/usr/bin/env bash
# CLI11 2.1: a file that includes its header and uses nothing of it compiles to 215 functions and 100 KB.
#
# One would guess none: what is inline is left out where nobody calls it. But the header defines objects at namespace scope with
# static storage, its validators (ExistingFile, PositiveNumber, ValidIPV4 and others), and each file constructs its own copy of them
# before main. Their constructors need virtual functions, std::function, maps and text conversions. g++ -O2 takes four to eight
# seconds for each such file on a common machine. So a program with many commands, each in a file that sees CLI::App, pays in each;
# one file that declares options for all the others pays once.
#
# Seen: libcli11-dev 2.1.2+ds-1, g++ 12.2, -O2: an empty main has 1 function and 51 bytes; with the include it has 215 functions and
# 101,808 bytes, and constructs before main.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb, nm, size. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libcli11-dev=2.1.2+ds-1 >/dev/null
dpkg-deb --extract libcli11-dev_*.deb library

echo 'int main() {}' >without.cpp
echo '#include <CLI/CLI.hpp>' | cat - without.cpp >with.cpp
for name in without with; do
  g++ -std=c++20 -O2 -isystem library/usr/include -c "$name.cpp"
done

functions() { nm --defined-only "$1.o" | grep -cE ' [tTwW] ' || true; }
code() { size "$1.o" | awk 'NR == 2 { print $1 }'; }
initialisations() { nm --defined-only "$1.o" | grep -c '_GLOBAL__sub_I_[a-z]*$' || true; }

for name in without with; do
  echo "$name the include: $(functions "$name") functions, $(code "$name") bytes of code and constants," \
    "$(initialisations "$name") static initialisations"
done
failed=0
[[ $(functions without) == 1 && $(initialisations without) == 0 ]] || failed=1
(($(functions with) > 200 && $(code with) > 90000 && $(initialisations with) == 1)) || failed=1
((failed == 0)) || exit 1
