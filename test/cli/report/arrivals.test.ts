import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Arrivals } from '../../../src/cli/report/arrivals.ts';
import { batchOf } from '../../../src/testing/batches.ts';

const now = Date.parse('2026-02-01T00:00:00Z');

function come(arrivals: Arrivals, partition: string, times: readonly number[], from = 0): void {
  const batch = { ...batchOf(times.map(String)), partition };
  const placed = { ...batch, positions: Float64Array.from(times, (_, i) => from + i) };
  times.forEach((time, i) => arrivals.come(placed, i, time));
}

describe('when deliveries came, by the times of the events', () => {
  test('a delivery is as old as the latest event before it is younger', () => {
    const arrivals = new Arrivals(() => now);
    come(arrivals, 'p', [100, 300, 100, 500, 200, NaN]);
    assert.deepEqual(
      [100, 300, 100, 500, 200].map((time, i) => arrivals.ageOf('p', i, time)),
      [0, 0, 200, 0, 300],
    );
  });

  test('over partitions that are read by turns, asked in any order', () => {
    const arrivals = new Arrivals(() => now);
    come(arrivals, 'p', [100]);
    come(arrivals, 'q', [400, 100]);
    come(arrivals, 'p', [100, 900], 1);
    come(arrivals, 'q', [400], 2);
    assert.equal(arrivals.ageOf('q', 2, 400), 500);
    assert.equal(arrivals.ageOf('p', 1, 100), 300);
    assert.equal(arrivals.ageOf('q', 1, 100), 300);
    assert.equal(arrivals.ageOf('p', 0, 100), 0);
  });

  test('a time that lies in the future is not believed, and without a time nobody knows an age', () => {
    const arrivals = new Arrivals(() => now);
    come(arrivals, 'p', [NaN, now + 3_600_001]);
    assert.equal(arrivals.ageOf('p', 1, now), undefined);
    assert.equal(arrivals.ageOf('q', 0, now), undefined);
    come(arrivals, 'p', [now + 3_600_000, now], 2);
    assert.equal(arrivals.ageOf('p', 3, now), 3_600_000);
  });

  test('what is read again counts by its last reading', () => {
    const arrivals = new Arrivals(() => now);
    come(arrivals, 'p', [100, 200, 300]);
    come(arrivals, 'p', [100, 200], 0);
    assert.deepEqual([arrivals.ageOf('p', 0, 100), arrivals.ageOf('p', 1, 200)], [200, 100]);
  });

  test('of many partitions and of many steps the oldest are forgotten', () => {
    const arrivals = new Arrivals(() => now);
    const rising = (count: number) => Float64Array.from({ length: count }, (_, i) => arrivals.latest + 1 + i);
    come(arrivals, 'begin', [1]);
    come(arrivals, 'p', [...rising(100_000)]);
    come(arrivals, 'q', [...rising(100_000)]);
    assert.equal(arrivals.ageOf('begin', 0, 1), undefined);
    assert.equal(arrivals.ageOf('p', 0, 2), undefined);
    come(arrivals, 'q', [...rising(100_000)], 100_000);
    assert.equal(arrivals.ageOf('q', 0, 1), undefined);
    assert.equal(arrivals.ageOf('q', 199_999, arrivals.latest - 7), 7);
  });
});
