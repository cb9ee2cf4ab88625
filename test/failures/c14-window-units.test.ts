import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { HapaxError } from '../../src/core/errors.ts';
import { formatDuration, parseDuration, tickMsMax } from '../../src/core/window.ts';

const day = 86_400_000;

const understood: [string, number][] = [
  ['30d', 30 * day],
  ['25d', 25 * day],
  ['2147483647ms', 2_147_483_647],
  ['2147483648ms', 2_147_483_648],
  ['1d12h', 1.5 * day],
  ['48h', 2 * day],
  ['1h30m', 5_400_000],
  ['90s', 90_000],
  ['1m', 60_000],
  ['1ms', 1],
  ['1m1ms', 60_001],
  ['2w', 14 * day],
  ['0.5h', 1_800_000],
  ['1.1s', 1_100],
];
for (const [text, ms] of understood) test(`${text} is ${ms} ms`, () => assert.equal(parseDuration(text), ms));

const unclear = [
  '7 days',
  '0',
  '0s',
  '0d',
  '-1h',
  '-5',
  '5',
  '48',
  'Infinity',
  'Infinityd',
  'NaN',
  '',
  ' ',
  'h',
  '1.h',
  '.5h',
  '1h 30m',
  ' 1h',
  '1h ',
  '1H',
  '1M',
  '1Min',
  '1e3s',
  '1,5h',
  '+1h',
  '1h30',
  '30m1',
  '1h-1m',
  '٣h',
  '0.1ms',
  '1hour',
  '1sec',
  '1y',
  '9007199254740992ms',
  '999999999999999999999d',
  `${'9'.repeat(400)}d`,
];
for (const text of unclear) {
  test(`${JSON.stringify(text)} is refused`, () =>
    assert.throws(
      () => parseDuration(text),
      (error) => error instanceof HapaxError && error.code === 'HPX-C001',
    ));
}

test('what is shown is what was understood', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (ms) =>
      assert.equal(parseDuration(formatDuration(ms)), ms),
    ),
  );
});

test('marks of a window beyond 24.8 days still end within a tick', () => {
  assert.equal(tickMsMax(30 * day), (30 * day) / 2_000);
  assert.equal(tickMsMax(1_000), 1_000);
});
