import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const sessions: readonly Check[] = [
  check('a claim whose session is over is resumed by a copy', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    await partition('a', 2).enter();
    const b = partition('b', 1);
    assert.equal(await b.claim('X', 5), 'resumed');
    assert.equal(await partition('a', 2).claim('X', 0), 'held', 'it is the copy’s now');
  }),

  check('a claim whose session is over is resumed by its own delivery', async ({ partition }) => {
    await partition('a', 1).claim('X', 0);
    const next = partition('a', 2);
    await next.enter();
    assert.equal(await next.claim('X', 0), 'resumed');
    await next.settle('X', 0);
    assert.equal(await next.claim('X', 0), 'doneResumed');
  }),

  check('what is settled is not resumed', async ({ partition }) => {
    await partition('a', 1).finish('X', 0);
    const next = partition('a', 2);
    await next.enter();
    assert.equal(await next.claim('X', 1), 'duplicate');
    assert.equal(await next.claim('X', 0), 'doneFirst');
  }),

  check('whose a claim is does not follow from its position', async ({ partition }) => {
    const old = partition('a', 1);
    await old.claim('X', 0);
    const next = partition('a', 2);
    await next.enter();
    await next.claim('X', 0);
    assert.equal(await old.release('X', 0), false, 'the old session releases');
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
  }),

  check('a new epoch of one partition cuts off no claims of another', async ({ partition }) => {
    await partition('a', 1).claim('X', 0);
    await partition('b', 7).enter();
    assert.equal(await partition('b', 7).claim('X', 0), 'held');
  }),

  check('partitions of another key space are other partitions', async ({ partition }) => {
    const [here, there] = [partition('a', 5), partition('a', 3, 'another')];
    assert.equal(await here.enter(), undefined);
    assert.equal(await there.enter(), undefined, 'it is not fenced');
    assert.equal(await here.claim('X', 0), 'first');
    await partition('a', 9, 'another').enter();
    assert.equal(await partition('b', 1).claim('X', 0), 'held', 'it is not cut off');
  }),

  check('what is resumed has its time renewed', async ({ partition, clock }) => {
    await partition('a', 1).claim('X', 0);
    clock.tick(60_000);
    const next = partition('a', 2);
    await next.enter();
    const { words, accepted } = await next.claimAll([{ key: 'X' }]);
    assert.deepEqual(words, ['resumed']);
    assert.equal(accepted[0], clock.now());
  }),
];
