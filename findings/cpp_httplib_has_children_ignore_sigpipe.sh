#!/usr/bin/env bash
# cpp-httplib 0.11.4: once a server object was constructed, every child process of the program ignores SIGPIPE.
#
# One would guess that a library which keeps SIGPIPE from ending a server does so for its own sockets (MSG_NOSIGNAL). But the constructor
# of httplib::Server sets the signal to "ignore" for the whole process, and what is ignored stays ignored through fork and exec, unlike a
# handler. So pipelines that the program starts with system() or popen() no longer end with their reader: `producer | head` goes on until
# the producer looks at its write errors, and one that does not runs on for ever. The program's own `prog | head` is the same. It
# is enough to have a member of that type, even if it never listens.
#
# So the library has no object of httplib: a process that only shows metrics keeps its handler. Only our examples have servers of it.
#
# Seen: libcpp-httplib-dev 0.11.4+ds-1+deb12u1, g++ 12.2, coreutils 9.1. The status of `yes` in `yes | head -n 1`, run by std::system:
# 141 (SIGPIPE) before the constructor, 1 (after an error message of its own) afterwards.
#
# Needs Debian 12 (apt-get) with libssl-dev, g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libcpp-httplib-dev libcpp-httplib0.11 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
[[ $(dpkg-deb --field libcpp-httplib-dev_*.deb Version) == 0.11.4+ds-1* ]] || { echo 'Debian 12 has another httplib' >&2; exit 1; }

cat >look.cpp <<'CPP'
#include <httplib.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>

int status_of_producer() {
  if (std::system("{ yes 2>message; echo $? >status; } | head -n 1 >first") != 0)
    return -1;
  int status = -1;
  std::ifstream{"status"} >> status;
  return status;
}

int main() {
  std::signal(SIGPIPE, SIG_DFL); // whatever started this program
  const int before = status_of_producer();
  const httplib::Server server;
  const int after = status_of_producer();
  std::cout << "yes | head -n 1: yes ends with " << before << " before the constructor, with " << after << " after it\n";
  return before == 128 + SIGPIPE && after == 1 ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcpp-httplib.so')")
g++ -std=c++17 -O0 -DCPPHTTPLIB_OPENSSL_SUPPORT -DCPPHTTPLIB_ZLIB_SUPPORT -DCPPHTTPLIB_BROTLI_SUPPORT -isystem library/usr/include \
  look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcpp-httplib -pthread
./look
