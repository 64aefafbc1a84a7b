#!/usr/bin/env bash
# node-cron 4.6.0: with a day of the month and a day of the week, a task runs on days that are both.
#
# One would guess that "0 0 1,15 * 1" means what crontab(5) says: on the 1st, on the 15th, and on each Monday. So croner, cron-parser and
# cron-schedule read it. node-cron runs it on a 1st or 15th that is a Monday: some days a year in place of more than seventy. Nothing is
# refused. Who moves a crontab to it, or moves from it to another library, has a job that hardly ever runs, or one that runs far too
# often. It is found out weeks later, since the first days that a person looks at may be right.
#
# Use two tasks for "either", and look at getNextRuns() before an expression is saved.
#
# Seen: node-cron 4.6.0, croner 11.0.1, Node.js 18 or later. Of the next 20 runs of "0 0 1,15 * 1", node-cron has 20 on a Monday that is a
# 1st or 15th; croner has fewer than 10.
#
# Needs npm and Node.js. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund node-cron@4.6.0 croner@11.0.1 >/dev/null

cat >look.mjs <<'JS'
import * as module from 'node-cron';
import { Cron } from 'croner';

const expression = '0 0 1,15 * 1';
const isBoth = (time) => [1, 15].includes(time.getUTCDate()) && time.getUTCDay() === 1;
const task = (module.default ?? module).createTask(expression, () => {}, { timezone: 'UTC' });
const byNodeCron = task.getNextRuns(20);
const byCroner = new Cron(expression, { paused: true, timezone: 'UTC' }).nextRuns(20);
const count = (times) => times.filter(isBoth).length;
const days = (times) => times.slice(0, 3).map((time) => time.toISOString().slice(0, 10)).join(' ');
console.log(`node-cron: ${days(byNodeCron)}; both: ${count(byNodeCron)} of ${byNodeCron.length}`);
console.log(`croner:    ${days(byCroner)}; both: ${count(byCroner)} of ${byCroner.length}`);
process.exit(count(byNodeCron) === 20 && byCroner.length === 20 && count(byCroner) < 10 ? 0 : 1);
JS
TZ=UTC node look.mjs
