import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, retry, usualBackoff } from '../../src/core/retry.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { quiet, until } from './workshop.ts';

test('waits double up to the most, and the jitter is full', () => {
  const waits = (random: number) => [1, 2, 3, 8, 9, 50].map((attempt) => backoffMs(attempt, () => random));
  assert.deepEqual(waits(1), [50, 100, 200, 6_400, 10_000, 10_000]);
  assert.deepEqual(waits(0.5), [25, 50, 100, 3_200, 5_000, 5_000]);
  assert.deepEqual(waits(0), [0, 0, 0, 0, 0, 0]);
  assert.equal(
    backoffMs(3, () => 1, { firstMs: 10, mostMs: 30 }),
    30,
  );
});

test('a wait is whole ms and never beyond the most', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const ms = backoffMs(attempt, () => random);
        assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= usualBackoff.mostMs);
      },
    ),
  );
});

test('it tries until it works and tells of each wait', async () => {
  const clock = new ManualClock();
  const told: unknown[] = [];
  let tries = 0;
  const { signal } = new AbortController();
  const answer = retry(
    async () => {
      if (++tries < 4) throw new Error(`no ${tries}`);
      return 'yes';
    },
    {
      clock,
      random: () => 1,
      signal,
      onWait: ({ attempt, ms, error }) => told.push([attempt, ms, (error as Error).message]),
    },
  );
  await clock.advance(349);
  assert.equal(tries, 3);
  await clock.advance(1);
  assert.equal(await answer, 'yes');
  assert.deepEqual(told, [[1, 50, 'no 1'], [2, 100, 'no 2'], [3, 200, 'no 3']]); // prettier-ignore
  assert.equal(getEventListeners(signal, 'abort').length, 1, 'one for all tries');
});

test('an abort ends the wait with the last error', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const answer = retry(() => Promise.reject(new Error('no')), {
    clock,
    random: () => 1,
    signal: stop.signal,
  });
  const ended = assert.rejects(answer, { message: 'no' });
  await until(() => clock.sleepers === 1);
  stop.abort();
  await ended;
  assert.equal(clock.sleepers, 0);
});

test('an abort ends a call that never answers, and what comes of it later disturbs nobody', async () => {
  const stop = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const answer = retry(() => new Promise((_, reject) => (fail = reject)), {
    clock: new ManualClock(),
    random: () => 1,
    signal: stop.signal,
  });
  const ended = assert.rejects(answer, { name: 'AbortError' });
  stop.abort();
  await ended;
  fail(new Error('too late'));
  await quiet();
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
});

test('what is told of a wait may end it by throwing', async () => {
  const { signal } = new AbortController();
  const onWait = () => {
    throw new Error('for good');
  };
  const answer = retry(() => Promise.reject(new Error('no')), {
    clock: new ManualClock(),
    random: () => 1,
    signal,
    onWait,
  });
  await assert.rejects(answer, { message: 'for good' });
});
