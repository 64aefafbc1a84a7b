// postgres_queues.js SYSTEM URL WINDOW JOBS [ROWS | one_at_a_time]: how many jobs a second graphile-worker
// or pg-boss stores, executes, and finishes durably in PostgreSQL. This process enqueues, one call for each
// job, with up to WINDOW calls not yet answered. With ROWS, each call enqueues so many jobs by one statement,
// and is answered before the next. A second process works, with up to WINDOW jobs in work.
//
// With `one_at_a_time`: the median time from the begin of a call to the begin of its job, which nothing else
// is beside.
'use strict';
const { fork } = require('child_process');

const [system, url, windowText, jobsText, how] = process.argv.slice(2);
const window = Number(windowText);
const jobs = Number(jobsText);
const isOneAtATime = how === 'one_at_a_time';
const rows = isOneAtATime ? 1 : Number(how ?? 1); // of a call
const pauseBetweenJobs = 20; // ms; the worker waits again
const before = Math.max(1, Math.floor(jobs / 4)); // are not counted: Node compiles, the server learns
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const seconds = () => Number(process.hrtime.bigint()) / 1e9; // the same clock in all processes
const payload = (number) => ({ number, text: 'x'.repeat(230) }); // 256 bytes as JSON
const fail = (error) => {
  throw error;
};
const connections = window === 1 ? 1 : 20; // of the one who enqueues; more were not faster

// Each system: `prepare` makes its tables, `producer` returns what enqueues jobs, `work` executes jobs and
// calls `executed` for each, and `finished` resolves when so many jobs are finished on the server.
const systems = {
  'graphile-worker': () => {
    const { run, makeWorkerUtils, Logger } = require('graphile-worker');
    const { Pool } = require('pg');
    const logger = new Logger(() => () => {});
    return {
      async prepare() {
        const utils = await makeWorkerUtils({ connectionString: url, logger });
        await utils.migrate();
        await utils.release();
      },
      async producer() {
        const pgPool = new Pool({ connectionString: url, max: connections });
        pgPool.on('error', fail); // both: otherwise it warns
        pgPool.on('connect', (client) => client.on('error', fail));
        const utils = await makeWorkerUtils({ pgPool, logger });
        if (rows === 1) return ([number]) => utils.addJob('job', payload(number));
        return (numbers) =>
          utils.addJobs(numbers.map((number) => ({ identifier: 'job', payload: payload(number) })));
      },
      async work(executed) {
        const worker =
          window === 1
            ? { concurrentJobs: 1, maxPoolSize: 10 }
            : {
                concurrentJobs: window,
                maxPoolSize: 25, // connections; 50 were not faster
                localQueue: { size: Math.max(500, window), refetchDelay: { durationMs: 10 } },
                completeJobBatchDelay: 0,
                failJobBatchDelay: 0,
              };
        await run({
          preset: { worker: { connectionString: url, ...worker } },
          logger,
          noHandleSignals: true,
          taskList: { job: async (job) => executed(job.number) },
        });
        const pool = new Pool({ connectionString: url, max: 1 });
        return async () => {
          for (;;) {
            const { rows } = await pool.query('SELECT count(*)::int AS left FROM graphile_worker._private_jobs');
            if (rows[0].left === 0) return;
            await sleep(1);
          }
        };
      },
    };
  },
  'pg-boss': () => {
    const PgBoss = require('pg-boss');
    const open = async (max) => {
      const boss = new PgBoss({ connectionString: url, max, supervise: false, schedule: false });
      boss.on('error', fail);
      await boss.start();
      return boss;
    };
    return {
      async prepare() {
        const boss = await open(2);
        await boss.createQueue('job');
        await boss.stop({ graceful: false, wait: true });
      },
      async producer() {
        const boss = await open(connections);
        if (rows === 1) return ([number]) => boss.send('job', payload(number));
        return (numbers) => boss.insert(numbers.map((number) => ({ name: 'job', data: payload(number) })));
      },
      async work(executed) {
        const boss = await open(2);
        let completed = 0;
        // Its own `work` looks twice a second at most, which would be slower.
        (async () => {
          for (;;) {
            const batch = await boss.fetch('job', { batchSize: window });
            if (batch.length === 0) {
              await sleep(2);
              continue;
            }
            for (const job of batch) executed(job.data.number);
            await boss.complete('job', batch.map((job) => job.id));
            completed += batch.length;
          }
        })();
        return async (all) => {
          while (completed < all) await sleep(1);
        };
      },
    };
  },
};

async function workerProcess(it) {
  const seen = new Set();
  let twice = 0;
  let wake = () => {};
  const finished = await it.work((number) => {
    if (isOneAtATime) process.send({ start: seconds() });
    if (seen.has(number)) twice += 1;
    seen.add(number);
    wake();
  });
  process.on('message', async (all) => {
    while (seen.size < all) await new Promise((resolve) => (wake = resolve));
    await finished(all);
    process.send({ at: seconds(), twice });
  });
  process.send('ready');
}

// Calls `enqueue` for so many jobs, with up to `window` calls not yet answered; one, if a call has many jobs.
async function enqueueAll(enqueue, first, count) {
  let next = first;
  const one = async () => {
    while (next < first + count) {
      const begin = next;
      next = Math.min(begin + rows, first + count);
      await enqueue(Array.from({ length: next - begin }, (_, i) => begin + i));
    }
  };
  await Promise.all(Array.from({ length: rows === 1 ? Math.min(window, count) : 1 }, one));
}

// Calls `enqueue` for a job when the one before has begun. Returns the median time until it begins.
async function timesToStart(enqueue, nextStart, first, count) {
  const times = [];
  for (let number = first; number < first + count; number += 1) {
    await sleep(pauseBetweenJobs);
    const start = nextStart();
    const begin = seconds();
    await enqueue([number]);
    times.push((await start) - begin);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] * 1000;
}

async function producerProcess(it) {
  await it.prepare();
  const worker = fork(__filename, process.argv.slice(2), { env: { ...process.env, IS_WORKER: '1' } });
  worker.on('exit', () => process.exit(1));
  const answer = () => new Promise((resolve) => worker.once('message', resolve));
  await answer();
  const enqueue = await it.producer();
  if (isOneAtATime) {
    const nextStart = () => answer().then(({ start }) => start);
    await timesToStart(enqueue, nextStart, 0, before);
    const median_ms = await timesToStart(enqueue, nextStart, before, jobs);
    console.log(JSON.stringify({ system, jobs, median_ms }));
    worker.removeAllListeners('exit');
    worker.kill('SIGKILL');
    process.exit(0);
  }
  let heard = answer();
  worker.send(before);
  await enqueueAll(enqueue, 0, before);
  await heard;
  await sleep(300);
  heard = answer();
  const begin = seconds();
  worker.send(before + jobs);
  await enqueueAll(enqueue, before, jobs);
  const { at, twice } = await heard;
  console.log(JSON.stringify({ system, window, jobs, jobs_per_second: jobs / (at - begin), twice }));
  worker.removeAllListeners('exit');
  worker.kill('SIGKILL');
  process.exit(0);
}

process.on('unhandledRejection', (error) => {
  console.error(error);
  process.exit(1);
});
if (!(system in systems) || !(window >= 1) || !(jobs >= 1) || !(rows >= 1)) {
  console.error('usage: postgres_queues.js graphile-worker|pg-boss URL WINDOW JOBS [ROWS | one_at_a_time]');
  process.exit(2);
}
(process.env.IS_WORKER ? workerProcess : producerProcess)(systems[system]());
