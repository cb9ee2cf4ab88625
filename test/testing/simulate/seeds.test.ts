import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Coverage } from '../../../src/testing/simulate/coverage.ts';
import type { Plan } from '../../../src/testing/simulate/plan.ts';
import { firstFailure, runSeed, shrink, story } from '../../../src/testing/simulate/search.ts';

/** So many that each fault and each verdict comes up at least 100 times. */
const seeds = 5_000;

function range(count: number): number[] {
  return Array.from({ length: count }, (_, k) => k + 1);
}

suite('the product in the simulation', () => {
  const coverage = new Coverage();

  test(`keeps its promises in ${seeds} runs`, async () => {
    const failure = await firstFailure(range(seeds), undefined, undefined, coverage.add);
    if (!failure) return;
    const short = await shrink(failure);
    assert.fail(`${story(short)}\nagain: npm run simulate -- --seed ${failure.seed}`);
  });

  test('meets every fault and every verdict often enough', (t) => {
    t.diagnostic(`${coverage.runs} runs, ${coverage.steps} steps; ${coverage.counts.join(', ')}`);
    assert.deepEqual(coverage.rare, []);
  });
});

test('the same seed gives the same run', async () => {
  for (const seed of [3, 14, 159, 2_653]) {
    const [once, again] = [await runSeed(seed), await runSeed(seed)];
    assert.deepEqual(again.trace, once.trace);
    assert.ok(once.trace.length > 0);
  }
});

test('what hardly came up is named', () => {
  const coverage = new Coverage();
  coverage.add({ violation: undefined, trace: [], steps: 1, seen: new Map([['kill', 100]]) });
  assert.ok(!coverage.rare.includes('kill'));
  assert.ok(coverage.rare.includes('stall') && coverage.rare.includes('verdict doneResumed'));
});

test('a session that ends while the store is asked to release leaves nothing in hand', async () => {
  const plan: Plan = {
    committing: true,
    workers: 2,
    logs: ['XY', 'X'],
    secondLife: [],
    bodies: false,
    shards: 1,
    policies: { held: 'wait' },
    batchMax: 2,
    faults: { rebalance: 3, amnesia: 1, stall: 1 },
    slow: 'store',
    calm: false,
  };
  const failure = await firstFailure(range(300), undefined, () => plan);
  assert.equal(failure && story(failure), undefined);
});
