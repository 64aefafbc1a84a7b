#!/usr/bin/env bash
# SQLite 3.40.1: "created + delay <= strftime('%s', 'now')" is true for each row, however long the delay is.
#
# One would guess that a comparison of two numbers of seconds is one of numbers, as run_at <= strftime('%s', 'now') is. strftime gives
# text. A column that is declared INTEGER turns the text that it is compared with into a number. What is computed from columns has no
# declared type: created + delay, max(run_at, paused_until), coalesce(run_at, created) stay numbers, the text stays text, and each number is
# less than each text. So a queue that reads run_at works, and on the day on which somebody adds a backoff in the query all delayed jobs are
# due at once, with no error. A view that computes the time has the same effect.
#
# Write unixepoch() (since 3.38), or CAST(strftime('%s', 'now') AS INTEGER).
#
# Seen: sqlite3 3.40.1-2+deb12u2. One job that is due tomorrow; found as due: by its column 0, by created + delay 1, by max() 1, by
# coalesce() 1, by a view with created + delay 1; with unixepoch() 0.
#
# Needs Debian 12 (apt-get), dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
LD_LIBRARY_PATH=$(dirname "$(find "$PWD/library" -name 'libsqlite3.so.0')")
export LD_LIBRARY_PATH

library/usr/bin/sqlite3 -batch jobs.db <<'SQL' | tee seen
CREATE TABLE job(id INTEGER PRIMARY KEY, created INTEGER, delay INTEGER, run_at INTEGER, paused_until INTEGER);
INSERT INTO job VALUES (1, unixepoch(), 86400, unixepoch() + 86400, 0);
CREATE VIEW due AS SELECT created + delay AS at FROM job;
SELECT 'column', count(*) FROM job WHERE run_at <= strftime('%s', 'now');
SELECT 'sum', count(*) FROM job WHERE created + delay <= strftime('%s', 'now');
SELECT 'max', count(*) FROM job WHERE max(run_at, paused_until) <= strftime('%s', 'now');
SELECT 'coalesce', count(*) FROM job WHERE coalesce(run_at, created) <= strftime('%s', 'now');
SELECT 'view', count(*) FROM due WHERE at <= strftime('%s', 'now');
SELECT 'unixepoch', count(*) FROM job WHERE created + delay <= unixepoch();
SELECT 'cast', count(*) FROM job WHERE created + delay <= CAST(strftime('%s', 'now') AS INTEGER);
SQL
[[ $(tr '\n' ' ' <seen) == 'column|0 sum|1 max|1 coalesce|1 view|1 unixepoch|0 cast|0 ' ]] || { echo 'not as it was seen' >&2; exit 1; }
