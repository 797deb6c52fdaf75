import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Times } from '../../packages/cron/job.js';

const test = suite('times of cron');

const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();
const next = (times: Times, from: string, count: number): (string | undefined)[] => {
  const found: (string | undefined)[] = [];
  for (let time: number | undefined = at(from); time !== undefined && found.length < count; ) {
    time = times.after(time);
    found.push(shown(time));
  }
  return found;
};

test('a time zone applies, and UTC by default', () => {
  const daily = '0 3 * * *';
  assert.equal(next(new Times(daily, 'UTC'), '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T03:00:00.000Z',
    '2026-03-30T03:00:00.000Z',
  ]);
  assert.equal(next(new Times(daily, 'Europe/Berlin'), '2026-03-27T12:00:00Z', 3), [
    '2026-03-28T02:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T01:00:00.000Z',
  ]);
});

test('a time that daylight saving skips runs at the change, and a time that occurs twice runs once', () => {
  const times = new Times('30 2 * * *', 'Europe/Berlin');
  assert.equal(next(times, '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  assert.equal(next(times, '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

test('times within an hour that occurs twice run in both', () => {
  const times = new Times('*/20 * * * * *', 'Europe/Berlin');
  const [first, last] = [at('2026-10-24T23:30:00Z'), at('2026-10-25T02:30:00Z')];
  for (let due = first + 20_000; due < last; due += 20_000)
    for (const from of [due - 20_000, due - 1, due - 7_000]) assert.is(shown(times.after(from)), shown(due));
});

test('finds the last past time, however long ago', () => {
  const hourly = new Times('0 * * * *', 'UTC');
  const until = at('2026-05-05T05:30:00Z');
  assert.is(shown(hourly.last(at('2026-05-05T04:30:00Z'), until)), '2026-05-05T05:00:00.000Z');
  assert.is(shown(hourly.last(at('2020-05-05T04:30:00Z'), until)), '2026-05-05T05:00:00.000Z');
  assert.is(hourly.last(at('2026-05-05T05:00:00Z'), until), undefined);
  const yearly = new Times('0 0 1 1 *', 'UTC');
  assert.is(shown(yearly.last(at('2020-05-05T04:30:00Z'), until)), '2026-01-01T00:00:00.000Z');
  const seconds = new Times('* * * * * *', 'UTC');
  assert.is(shown(seconds.last(until - 30 * 86_400_000, until)), shown(until));
});

test('a past year has no next time', () => {
  assert.is(new Times('0 0 0 1 1 * 2020', 'UTC').after(at('2026-01-01T00:00:00Z')), undefined);
});

test('the times are the same on a machine in another zone', () => {
  const { TZ } = process.env;
  try {
    for (const zone of ['Australia/Sydney', 'America/New_York']) {
      process.env.TZ = zone;
      // Clocks are set there in these hours.
      for (const from of ['2026-10-03T12:00:00Z', '2026-11-01T03:00:00Z']) {
        const hours = Array.from({ length: 12 }, (_, index) => shown(at(from) + (index + 1) * 3_600_000));
        assert.equal(next(new Times('0 * * * *', 'UTC'), from, 12), hours, zone);
      }
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test.run();
