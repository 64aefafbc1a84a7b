#!/usr/bin/env bash
# SQLiteCpp 3.2.1 and SQLite 3.40.1: INSERT ... RETURNING has given its row, and is not committed; or exec() throws, and the row is there.
#
# One would guess that a statement outside a transaction is committed when it has answered. But SQLite commits when the statement ends, and
# it ends with the step after the last row, or with its reset. So executeStep() and getColumn(0), which gives the new number, leave a
# write transaction open for as long as the Statement lives, which for a prepared one is the life of the program. sqlite3_get_autocommit()
# says 1 all the time, so nothing looks like an open transaction. The process that is killed then has told its client a number that is
# nowhere; all other writers get "database is locked". The other way round: Statement::exec() throws at the row ("exec() does not expect
# results"), and as the Statement is destroyed, the row is committed. Who tries again after the error has it twice.
#
# Step until there is no row, or reset() at once.
#
# Seen: libsqlitecpp-dev 3.2.1-1, libsqlite3-0 3.40.1-2+deb12u2, g++ 12.2. After executeStep(): another connection sees 0 rows and cannot
# write; after reset() it sees 1. After an exec() that threw it sees 2.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libsqlitecpp-dev=3.2.1-1 libsqlite3-dev libsqlite3-0 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
[[ $(dpkg-deb --field libsqlite3-0_*.deb Version) == 3.40.1-2* ]] || { echo 'Debian 12 has another SQLite' >&2; exit 1; }

cat >look.cpp <<'CPP'
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <iostream>
#include <string>

int main() {
  SQLite::Database mine{"jobs", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
  mine.exec("PRAGMA journal_mode = WAL");
  mine.exec("CREATE TABLE job(id INTEGER PRIMARY KEY, what)");
  SQLite::Database others{"jobs", SQLite::OPEN_READWRITE};
  const auto rows = [&] { return others.execAndGet("SELECT count(*) FROM job").getInt(); };
  const auto writes = [&] {
    try {
      others.exec("UPDATE job SET what = what");
      return true;
    } catch (const SQLite::Exception& error) {
      return error.getErrorCode() != SQLITE_BUSY;
    }
  };
  std::string seen;
  const auto show = [&](const char* when) {
    const auto text = std::to_string(rows()) + " rows, " + (writes() ? "can write" : "locked") + ", autocommit "
                      + std::to_string(sqlite3_get_autocommit(mine.getHandle()));
    std::cout << when << ": " << text << '\n';
    seen += text + "; ";
  };

  SQLite::Statement insert{mine, "INSERT INTO job(what) VALUES('mail') RETURNING id"};
  if (!insert.executeStep() || insert.getColumn(0).getInt() != 1)
    return 1;
  show("the number is known");
  insert.reset();
  show("after reset()");
  try {
    SQLite::Statement{mine, "INSERT INTO job(what) VALUES('mail') RETURNING id"}.exec();
    return 1;
  } catch (const SQLite::Exception& error) {
    std::cout << "exec() throws: " << error.what() << '\n';
  }
  show("after exec() has thrown");
  return seen == "0 rows, locked, autocommit 1; 1 rows, can write, autocommit 1; 2 rows, can write, autocommit 1; " ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libsqlite3.so')")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lSQLiteCpp -lsqlite3
./look
