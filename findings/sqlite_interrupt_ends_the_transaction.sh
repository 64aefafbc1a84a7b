#!/usr/bin/env bash
# SQLite 3.40.1: to interrupt an UPDATE rolls the whole transaction back, and what follows in it is committed statement by statement.
#
# One would guess that a statement which fails leaves a transaction that can go on or be rolled back, as after a broken constraint. But an
# interrupted INSERT, UPDATE or DELETE (sqlite3_interrupt from a thread that watches a deadline, or a progress handler that returns 1)
# ends the transaction. A program that catches the error, skips that step and goes on is then in autocommit mode: the statements before
# are gone, each one after is committed at once, COMMIT fails, and the ROLLBACK of a guard object finds nothing to undo. Half of the work is
# in the file. An interrupted SELECT leaves the transaction as it was, so a test with a slow query shows nothing of this.
#
# After an error ask sqlite3_get_autocommit(), as this library does (store/sqlite_connection.cpp).
#
# Seen: libsqlite3-0 3.40.1-2+deb12u2, g++ 12.2. BEGIN, INSERT 'before', an interrupted UPDATE, INSERT 'after': another connection sees
# 'after' only; COMMIT fails ("no transaction is active"). With a CHECK that fails in place of the interrupt: both after COMMIT.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
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

#include <iostream>
#include <string>

// Runs a statement; returns its rows as text, or the name of its error in brackets.
std::string run(sqlite3* db, const char* sql) {
  std::string rows;
  const auto add = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) += std::string{values[0]} + ' ';
    return 0;
  };
  const auto code = sqlite3_exec(db, sql, add, &rows, nullptr);
  return code == SQLITE_OK ? rows : '[' + std::string{sqlite3_errmsg(db)} + ']';
}

// What another connection sees before and after COMMIT, and what COMMIT says, if a statement of the transaction fails.
std::string look(const char* file, const char* statement, bool is_interrupted) {
  sqlite3* db = nullptr;
  sqlite3* other = nullptr;
  sqlite3_open(file, &db);
  run(db, "PRAGMA journal_mode = WAL");
  run(db, "CREATE TABLE log(what)");
  run(db, "CREATE TABLE job(n INT CHECK (n < 10000))");
  run(db, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9999) INSERT INTO job SELECT n FROM c");
  sqlite3_open(file, &other);
  run(db, "BEGIN");
  run(db, "INSERT INTO log VALUES('before')");
  if (is_interrupted)
    sqlite3_progress_handler(db, 1000, [](void*) { return 1; }, nullptr);
  const auto failed = run(db, statement);
  sqlite3_progress_handler(db, 0, nullptr, nullptr);
  run(db, "INSERT INTO log VALUES('after')");
  const std::string select = "SELECT what FROM log";
  const auto before = run(other, select.c_str());
  const auto commit = run(db, "COMMIT");
  const auto text = failed + " seen: " + before + "COMMIT: " + (commit.empty() ? "done" : commit) + " seen: " + run(other, select.c_str());
  sqlite3_close(other);
  sqlite3_close(db);
  return text;
}

int main() {
  const auto update = look("1", "UPDATE job SET n = n - 1", true);
  const auto query = look("2", "SELECT sum(a.n * b.n) FROM job a, job b", true);
  const auto check = look("3", "UPDATE job SET n = n + 1", false);
  std::cout << "UPDATE " << update << "\nSELECT " << query << "\nUPDATE " << check << '\n';
  return update == "[interrupted] seen: after COMMIT: [cannot commit - no transaction is active] seen: after "
             && query == "[interrupted] seen: COMMIT: done seen: before after "
             && check == "[CHECK constraint failed: n < 10000] seen: COMMIT: done seen: before after "
           ? 0
           : 1;
}
CPP
lib=$(dirname "$(find library -name 'libsqlite3.so')")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lsqlite3
./look
