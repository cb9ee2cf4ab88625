import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { exhaust, type Bounds } from '../../../src/testing/simulate/exhaust.ts';
import { Histories } from '../../../src/testing/simulate/histories.ts';
import type { Plan } from '../../../src/testing/simulate/plan.ts';
import { story } from '../../../src/testing/simulate/search.ts';
import { smallestWorlds } from '../../../src/testing/simulate/smallest-worlds.ts';
import { mutants, partsOf } from './mutants.ts';

/** Those that end sessions or break calls; pairs of all faults are searched by `npm run simulate -- --exhaustive`. */
const pairedFaults = ['kill', 'rebalance', 'reread', 'lost-reply', 'late-copy', 'reject'] as const;

suite('every run of the smallest worlds', () => {
  const keeps = (what: string, plan: Plan, bounds: Bounds): void => {
    const { logs, committing } = plan;
    test(`${what}, ${logs.join(' and ')}, ${committing ? 'committing' : 'at least once'}`, async (t) => {
      const { runs, steps, states, complete, failure } = await exhaust(plan, bounds);
      t.diagnostic(`${runs} runs, ${steps} steps, ${states} states`);
      assert.equal(failure && story(failure), undefined);
      assert.ok(complete && runs > 100);
    });
  };
  for (const plan of smallestWorlds(1)) keeps('one fault', plan, { departuresMax: 1 });
  const [plain, committing] = smallestWorlds(2, pairedFaults);
  for (const plan of [plain, committing]) keeps('two faults', plan, { departuresMax: 2, apartMax: 2 });
});

suite('without chance, the search finds', () => {
  const ideas = [
    'settled before the sink',
    'checkpoint over a gap',
    'output stays in a transaction behind a delivery that waits',
    'a copy counts as a duplicate of what is in hand, committed with it or not',
    'what the session has read already is taken again',
    'settled before the commit',
    'without an id, claimed by position alone',
  ];
  for (const idea of ideas) {
    test(idea, async (t) => {
      const mutant = mutants.find((it) => it.idea === idea);
      assert.ok(mutant);
      const plan: Plan = {
        workers: 2,
        committing: false,
        secondLife: [],
        bodies: false,
        shards: 1,
        batchMax: 1,
        timeIsLast: true,
        faultsAfter: true,
        calm: false,
        logs: ['X', 'X'],
        ...mutant.plan,
        policies: { held: 'wait', ...mutant.plan.policies },
      };
      const bounds = { departuresMax: 2, runsMax: 1_000 };
      const { failure, runs, departures } = await exhaust(plan, bounds, partsOf(mutant));
      assert.ok(failure, `not in ${runs} runs`);
      const { violation, trace } = failure.outcome;
      t.diagnostic(`${runs} runs, ${departures} departures, ${trace.length} lines\n${story(failure)}`);
      assert.ok(violation && mutant.breaks.includes(violation.promise), violation?.message);
      const unchanged = await exhaust(plan, { ...bounds, runsMax: runs });
      assert.equal(unchanged.failure, undefined, 'the product breaks it, too');
    });
  }
});

suite('histories', () => {
  const step = (what: string, ...parties: string[]) => ({
    weight: 1,
    go: () => undefined,
    event: { parties, what },
  });
  const keyOf = (...steps: ReturnType<typeof step>[]): number => {
    const histories = new Histories();
    for (const one of steps) histories.add(one, 0, 0, []);
    return histories.key(0);
  };
  const [a, b, c] = [step('a', 'w0', 'store'), step('b', 'w1', 'table'), step('c', 'w1', 'store')];

  test('the order of what has no party in common does not count', () => {
    assert.equal(keyOf(a, b), keyOf(b, a));
    assert.equal(keyOf(a, b, c), keyOf(b, a, c));
  });
  test('any other order does', () => {
    assert.notEqual(keyOf(a, c), keyOf(c, a));
    assert.notEqual(keyOf(b, c), keyOf(c, b));
    assert.notEqual(keyOf(a), keyOf(a, a));
  });
  test('what has no parties is seen by all', () => {
    const all = { weight: 1, go: () => undefined };
    const after = (...steps: (typeof all | typeof a)[]): number => {
      const histories = new Histories();
      for (const one of steps) histories.add(one, 1, 0, []);
      return histories.key(0);
    };
    assert.notEqual(after(a, all), after(all, a));
    assert.equal(after(a, b, all), after(b, a, all));
  });
});
