#!/usr/bin/env bash
# libstdc++ 12: a program that puts each of n alternatives into a std::variant once gets n(n+1)/2 constructors.
#
# One would guess n: one for each alternative. But alternative k is constructed through a chain of k functions, one for each
# level of a recursive union, and each chain is of its own types. Without optimisation all are compiled and kept: 595 for 34
# alternatives. Copying and moving add as many each. So a variant of many alternatives, used in many files, can be half of what a
# debug build compiles. Emplacing an empty alternative and assigning to it shares one chain.
#
# Seen: libstdc++-12-dev 12.2.0-14+deb12u1, any g++ 12, -O0: 8 alternatives 36, 34 alternatives 595, 68 alternatives 2346.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb, nm. Exits with 1 if the numbers change.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libstdc++-12-dev=12.2.0-14+deb12u1 >/dev/null
dpkg-deb --extract libstdc++-12-dev_*.deb library
headers=library/usr/include
machine=$(cd "$headers" && ls -d ./*-linux-gnu)

constructors() { # number of alternatives
  {
    echo '#include <variant>'
    echo 'template <int> struct Alternative { int value = 0; };'
    printf 'using Any = std::variant<Alternative<0>'
    for ((i = 1; i < $1; ++i)); do printf ', Alternative<%d>' "$i"; done
    printf '>;\n'
    for ((i = 0; i < $1; ++i)); do printf 'Any make_%d() { return Any{Alternative<%d>{}}; }\n' "$i" "$i"; done
  } >"variant_$1.cpp"
  g++ -std=c++20 -O0 -nostdinc++ -isystem "$headers/c++/12" -isystem "$headers/$machine/c++/12" -c "variant_$1.cpp"
  # A constructor has two names, for a complete object and for a base; C2 is the second.
  nm "variant_$1.o" | grep -c 'W _ZNSt8__detail9__variant15_Variadic_union.*C2'
}

failed=0
for expected in '8 36' '34 595' '68 2346'; do
  read -r alternatives wanted <<<"$expected"
  seen=$(constructors "$alternatives")
  echo "$alternatives alternatives: $seen constructors of the union"
  [[ $seen == "$wanted" ]] || { echo "expected $wanted" >&2; failed=1; }
done
((failed == 0)) || exit 1
