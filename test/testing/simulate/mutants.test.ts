import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { planBy, type Plan } from '../../../src/testing/simulate/plan.ts';
import { seeded } from '../../../src/core/chance.ts';
import { firstFailure } from '../../../src/testing/simulate/search.ts';
import { mutants, partsOf, type Mutant } from './mutants.ts';
import { storeMutants } from './store-mutants.ts';

const seedsMax = 1_500;

function planOf({ plan }: Mutant): (seed: number) => Plan {
  return (seed) => ({
    ...planBy(seeded(seed)),
    workers: 2,
    bodies: false,
    shards: 1,
    calm: false,
    secondLife: [],
    ...plan,
    policies: { held: 'wait', ...plan.policies },
  });
}

suite('the simulation catches each failing idea', () => {
  for (const mutant of [...mutants, ...storeMutants]) {
    test(mutant.idea, async () => {
      const seeds = Array.from({ length: seedsMax }, (_, k) => k);
      const failure = await firstFailure(seeds, partsOf(mutant), planOf(mutant));
      assert.ok(failure, `${seedsMax} seeds do not notice it`);
      const broken = failure.outcome.violation?.promise;
      assert.ok(
        broken && mutant.breaks.includes(broken),
        `seed ${failure.seed}: ${failure.outcome.violation?.message ?? ''}`,
      );
    });
    test(`the product keeps its promises there: ${mutant.idea}`, async () => {
      const seeds = Array.from({ length: 100 }, (_, k) => k);
      const failure = await firstFailure(seeds, undefined, planOf(mutant));
      assert.equal(
        failure?.outcome.violation?.message,
        undefined,
        `seed ${failure?.seed ?? ''}\n${failure?.outcome.trace.join('\n') ?? ''}`,
      );
    });
  }
});
