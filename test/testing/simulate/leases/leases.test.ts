import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { memoryStore } from '../../../../src/stores/memory.ts';
import { leaseFaults, type LeasePlan } from '../../../../src/testing/simulate/leases/plan.ts';
import { runLeaseSeed, shortestLeaseFailure } from '../../../../src/testing/simulate/leases/search.ts';
import type { Broken } from '../../../../src/testing/simulate/violation.ts';
import type { MakeStore } from '../../../../src/testing/simulate/window-server.ts';
import { brokenBy } from '../broken-by.ts';

const seeds = 3_000;
const range = Array.from({ length: seeds }, (_, k) => k + 1);

suite('consumers without positions', () => {
  const seen = new Map<string, number>();
  let steps = 0;

  test(`keep their promises in ${seeds} runs`, async () => {
    const failure = await shortestLeaseFailure(range, undefined, undefined, (outcome) => {
      steps += outcome.steps;
      for (const [what, n] of outcome.seen) seen.set(what, (seen.get(what) ?? 0) + n);
    });
    const told = failure && [failure.seed, ...failure.outcome.trace, failure.outcome.violation?.message];
    assert.equal(told?.join('\n'), undefined);
  });

  test('meet every fault and every verdict often enough', (t) => {
    t.diagnostic(`${steps} steps; ${[...seen].map(([what, n]) => `${what}: ${n}`).join(', ')}`);
    const verdicts = ['first', 'resumed', 'duplicate', 'held'].map((name) => `verdict ${name}`);
    const rare = [...leaseFaults, ...verdicts].filter((what) => (seen.get(what) ?? 0) < 100);
    assert.deepEqual(rare, []);
  });

  test('the same seed gives the same run', async () => {
    for (const seed of [2, 71, 828])
      assert.deepEqual((await runLeaseSeed(seed)).trace, (await runLeaseSeed(seed)).trace);
  });
});

interface Mutant {
  readonly idea: string;
  readonly makeStore: MakeStore;
  readonly plan: Partial<LeasePlan>;
  readonly breaks: readonly Broken[];
}

function broken(name: string, plan: Partial<LeasePlan>, ...breaks: Broken[]): Mutant {
  return { idea: `a store that ${name}`, makeStore: brokenBy(name), plan, breaks };
}

const withoutFences: MakeStore = (clock, windowMs) => {
  const store = memoryStore({ clock, windowMs });
  const claim = store.claim.bind(store);
  store.claim = async (asked) => {
    const answer = await claim(asked);
    if ('fenced' in answer) return answer;
    const { fences: _, ...rest } = answer;
    return rest;
  };
  return store;
};

const two = { consumers: 2, messages: 'XX' } as const;
const mutants: readonly Mutant[] = [
  { idea: 'no fence', makeStore: withoutFences, plan: { faults: {} }, breaks: ['FENCE'] },
  broken('begins the fences of a key again when it is released', { ...two, faults: { reject: 1 } }, 'FENCE'),
  broken('never ends a lease', { ...two, faults: { kill: 1 } }, 'STUCK'),
  broken('takes a live lease', { ...two, faults: {} }, 'THEFT'),
  broken('takes the worker’s name for the token', { ...two, faults: {} }, 'THEFT'),
  broken('releases whatever is open', { ...two, faults: { reject: 1, stall: 1 } }, 'THEFT'),
  broken('ends leases by the wall clock', { ...two, faults: { 'clock-jump': 1 } }, 'THEFT'),
  broken('tells nobody that he was overtaken', { ...two, faults: { stall: 1 } }, 'LATE'),
  broken('calls a copy a duplicate while its first is open', { ...two, faults: {} }, 'EARLY'),
  broken('keeps no owner with a mark', { ...two, faults: { kill: 1 } }, 'EARLY'),
];

suite('the simulation of leases catches each failing idea', () => {
  for (const { idea, makeStore, plan, breaks } of mutants) {
    test(idea, async (t) => {
      for (const seed of range.slice(0, 500)) {
        const { violation, trace } = await runLeaseSeed(seed, makeStore, plan);
        if (!violation || !breaks.includes(violation.promise)) continue;
        t.diagnostic([`seed ${seed}`, ...trace, violation.message].join('\n'));
        return;
      }
      assert.fail('500 seeds do not notice it');
    });
  }
});
