import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock, windowTime } from '../../src/core/clock.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const hour = 3_600_000;

test('a clock that is set back freezes the time of windows until it has caught up', () => {
  const clock = new ManualClock(1_000_000);
  const now = windowTime(clock);
  clock.tick(5_000);
  assert.equal(now(), 1_005_000);
  clock.set(900_000);
  assert.equal(now(), 1_005_000);
  clock.tick(105_000);
  assert.equal(now(), 1_005_000);
  clock.tick(1);
  assert.equal(now(), 1_005_001);
});

test('a clock that is set forward counts at most 1 h beyond the steady one', () => {
  const clock = new ManualClock(0);
  const now = windowTime(clock);
  clock.set(hour - 1);
  assert.equal(now(), hour - 1);
  clock.set(100 * hour);
  assert.equal(now(), hour);
  clock.tick(10 * hour);
  assert.equal(now(), 11 * hour);
  clock.set(10 * hour);
  assert.equal(now(), 11 * hour, 'and does not go back when it is set right again');
});

test('whatever the wall clock does, the time of windows never goes back and is at most 1 h ahead', () => {
  const jump = fc.oneof(
    fc.record({ tick: fc.nat(10 * hour) }),
    fc.record({ set: fc.integer({ min: -100 * hour, max: 100 * hour }) }),
  );
  fc.assert(
    fc.property(fc.array(jump, { maxLength: 50 }), (jumps) => {
      const clock = new ManualClock(0);
      const now = windowTime(clock);
      let last = now();
      for (const step of jumps) {
        if ('tick' in step) clock.tick(step.tick);
        else clock.set(step.set);
        const time = now();
        assert.ok(time >= last && time <= clock.monotonic() + hour);
        if (clock.now() <= clock.monotonic() + hour) assert.equal(time, Math.max(last, clock.now()));
        last = time;
      }
    }),
  );
});

test('a sleep that is over or aborted leaves no timer and no listener', async () => {
  const stop = new AbortController();
  await systemClock.sleep(0, stop.signal);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
  const asleep = systemClock.sleep(1e12, stop.signal);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 1);
  stop.abort();
  await asleep;
  await systemClock.sleep(1e12, stop.signal);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
});
