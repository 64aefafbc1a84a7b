#!/usr/bin/env bash
# SQLite 3.40.1: PRAGMA journal_mode = WAL fails at once while another process writes, whatever the busy timeout is.
#
# One would guess that the busy timeout is for all locks: a program that has set it to five seconds waits for up to five seconds. But the
# change of the mode does not wait for a writer; "database is locked" comes at once. So of two processes that start together with a new
# file, and set timeout, mode and tables in this order, one fails now and then. A program that ignores the result goes on with a rollback
# journal: slower, and its readers block. Once the file is in WAL mode the statement changes nothing and cannot fail so, which
# is why it does not show on the second start. A loop of one's own around the PRAGMA waits.
#
# This library locks a file of its own before (store/lock/store_lock.cpp).
#
# Seen: libsqlite3-0 3.40.1-2+deb12u2, g++ 12.2. While another connection has begun to write, with a timeout of 2 s: the PRAGMA fails
# (SQLITE_BUSY) within a millisecond, and the mode is still "delete"; BEGIN IMMEDIATE fails after 2 s.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes: if it takes a second or more.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libsqlite3-dev libsqlite3-0 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
[[ $(dpkg-deb --field libsqlite3-0_*.deb Version) == 3.40.1-2* ]] || { echo 'Debian 12 has another SQLite' >&2; exit 1; }

cat >look.cpp <<'CPP'
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>

int main() {
  using Clock = std::chrono::steady_clock;
  sqlite3* writer = nullptr;
  sqlite3* other = nullptr;
  sqlite3_open("file", &writer);
  sqlite3_open("file", &other);
  sqlite3_busy_timeout(other, 2000);
  const auto run = [](sqlite3* db, const char* sql) { return sqlite3_exec(db, sql, nullptr, nullptr, nullptr); };
  run(writer, "CREATE TABLE job(id INTEGER PRIMARY KEY)");
  run(writer, "BEGIN IMMEDIATE");
  // Returns the time in seconds, or -1 if the statement did not find the file busy.
  const auto refusal = [&](const char* sql) {
    const auto begin = Clock::now();
    const auto code = run(other, sql);
    return code == SQLITE_BUSY ? std::chrono::duration<double>(Clock::now() - begin).count() : -1;
  };
  double mode = 10; // the shortest of five: this thread may lose its processor
  for (int i = 0; i < 5; ++i)
    mode = std::min(mode, refusal("PRAGMA journal_mode = WAL"));
  const auto begin = refusal("BEGIN IMMEDIATE");
  std::string name;
  sqlite3_exec(
    other, "PRAGMA journal_mode",
    [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0];
      return 0;
    },
    &name, nullptr);
  std::cout << "the PRAGMA is refused after " << mode << " s, BEGIN IMMEDIATE after " << begin << " s; the mode is " << name << '\n';
  run(writer, "COMMIT");
  const bool is_changed = run(other, "PRAGMA journal_mode = WAL") == SQLITE_OK;
  return mode >= 0 && mode < 1 && begin > 1.9 && name == "delete" && is_changed ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libsqlite3.so')")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lsqlite3
./look
