#!/usr/bin/env bash
# cron-schedule 6.0.0: what stands behind a number is not read, so the first Monday is each Monday, and 5/15 is once an hour.
#
# One would guess that a cron library refuses what it does not know. This one knows no 1#1 (the first Monday), 1L (the last Monday), 15W
# (the weekday next to the 15th) and 5/15 (from 5 on, each 15). Other libraries know some of them. It reads the number at the beginning of
# each, and leaves the rest out without an error: a job for the first Monday of a month runs on all Mondays, and one for each quarter of an
# hour runs once an hour. Slips of the pen go the same way: "9:30" as the hour is 9. What has no digit in front is refused (L, MON#1), so a
# test with one of them says that all is checked.
#
# Look at the next dates that an expression gives, before it is saved. croner and cron-parser read 1#1 as it is meant.
#
# Seen: cron-schedule 6.0.0, croner 11.0.1, Node.js 18 or later. Days in January 2026 for "0 0 * * 1#1": 5, 12, 19, 26 (croner: 5); for
# "0 0 * * 1L": the same (croner: 26). Runs in an hour of "5/15 * * * *": 1; hour of "0 9:30 * * *": 9. "0 0 L * *": refused.
#
# Needs npm and Node.js. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund cron-schedule@6.0.0 croner@11.0.1 >/dev/null

cat >look.mjs <<'JS'
import { parseCronExpression } from 'cron-schedule';
import { Cron } from 'croner';

// All times before an end that `next` gives, one after the other.
const times = (next, end) => {
  const found = [];
  for (let time = next(new Date('2025-12-31T23:59:59Z')); time < end; time = next(time)) found.push(time);
  return found;
};
const by_schedule = (expression) => {
  const cron = parseCronExpression(expression);
  return (time) => cron.getNextDate(time);
};
const by_croner = (expression) => {
  const cron = new Cron(expression, { paused: true, timezone: 'UTC' });
  return (time) => cron.nextRun(time);
};
const january = (next) => times(next, new Date('2026-02-01T00:00:00Z')).map((time) => time.getUTCDate()).join(' ');
const first = [january(by_schedule('0 0 * * 1#1')), january(by_croner('0 0 * * 1#1'))];
const last = [january(by_schedule('0 0 * * 1L')), january(by_croner('0 0 * * 1L'))];
const runs = times(by_schedule('5/15 * * * *'), new Date('2026-01-01T01:00:00Z')).length;
const hour = times(by_schedule('0 9:30 * * *'), new Date('2026-01-02T00:00:00Z'))[0].getUTCHours();
let refused = false;
try {
  parseCronExpression('0 0 L * *');
} catch {
  refused = true;
}
console.log(`the first Monday of January 2026: ${first[0]} (croner: ${first[1]}); the last one: ${last[0]} (croner: ${last[1]})`);
console.log(`runs of 5/15 in an hour: ${runs}; 9:30 as the hour: ${hour}; L is refused: ${refused}`);
const mondays = '5 12 19 26';
const isSame = first.join() === `${mondays},5` && last.join() === `${mondays},26` && runs === 1 && hour === 9 && refused;
process.exit(isSame ? 0 : 1);
JS
TZ=UTC node look.mjs
