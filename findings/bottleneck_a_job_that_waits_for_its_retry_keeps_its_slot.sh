#!/usr/bin/env bash
# bottleneck 2.19.5: a job that waits for its retry counts as running, and one that has timed out does not.
#
# One would guess that maxConcurrent limits how many jobs run, and that a job that waits for its next try lets another one go first. It is
# the other way round, twice. A job whose "failed" listener returns a delay keeps its slot for the whole delay: with ten slots, ten jobs
# that fail against a server that is down stop all others, those for servers that are well included. The longer the backoff, the longer all
# stand still. And a job that has reached its `expiration` gives its slot away while its function runs on: with a limit of one, as many run
# as have timed out, against a server that is already too slow.
#
# Schedule a job anew in place of a retry by the limiter, and let the function itself end at its time limit (AbortSignal).
#
# Seen: bottleneck 2.19.5, Node.js 18 or later, maxConcurrent 1. A job that is well waits for both retries of the one before it, 600 ms.
# Of three jobs that take 600 ms and expire after 50 ms, three run at once; without an expiration, one.
#
# Needs npm and Node.js. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund bottleneck@2.19.5 >/dev/null

cat >look.cjs <<'JS'
const Bottleneck = require('bottleneck');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const order = async () => {
  const limiter = new Bottleneck({ maxConcurrent: 1 });
  limiter.on('failed', (error, { retryCount }) => (retryCount < 2 ? 300 : undefined));
  const ran = [];
  const begin = Date.now();
  let waited;
  await Promise.allSettled([
    limiter.schedule(async () => {
      ran.push('bad');
      throw new Error('its server is down');
    }),
    limiter.schedule(async () => {
      ran.push('good');
      waited = Date.now() - begin;
    }),
  ]);
  return { ran: ran.join(' '), waited };
};

const most = async (options) => {
  const limiter = new Bottleneck({ maxConcurrent: 1 });
  let running = 0;
  let highest = 0;
  const job = async () => {
    highest = Math.max(highest, ++running);
    await sleep(600);
    --running;
  };
  await Promise.allSettled([1, 2, 3].map(() => limiter.schedule(options, job)));
  return highest;
};

(async () => {
  const { ran, waited } = await order();
  console.log(`order: ${ran}; the good one waited for ${waited} ms`);
  const expiring = await most({ expiration: 50 });
  const patient = await most({});
  console.log(`jobs that run at once: ${expiring} with an expiration, ${patient} without`);
  process.exit(ran === 'bad bad bad good' && waited >= 590 && expiring === 3 && patient === 1 ? 0 : 1);
})();
JS
node look.cjs
