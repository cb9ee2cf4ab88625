import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check, windowMs } from './scene.ts';

export const trimAndTail: readonly Check[] = [
  check(
    'what this very delivery has settled is done already, until its entry is trimmed',
    async ({ partition }) => {
      const a = partition('a', 1);
      await a.finish('X', 3);
      assert.equal(await a.claim('X', 3), 'doneFirst');
      await a.trim(3);
      assert.equal(await a.claim('X', 3), 'doneFirst', 'the checkpoint has not passed it');
      await a.trim(4);
      assert.equal(await a.claim('X', 3), 'duplicate');
    },
  ),

  check('a cut-off claim that is trimmed goes together with its mark', async ({ partition }) => {
    await partition('a', 1).claim('X', 0);
    const next = partition('a', 2);
    await next.enter();
    await next.trim(1);
    assert.equal(await partition('b', 1).claim('X', 0), 'first');
  }),

  check('a live claim stays when its tail is trimmed', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    await a.trim(1);
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
    assert.equal(await a.settle('X', 0), false);
    assert.equal(await a.claim('X', 0), 'doneFirst', 'its entry stayed');
  }),

  check('only what is below goes, and only of this partition', async ({ partition }) => {
    const a = partition('a', 1);
    const b = partition('b', 1);
    await a.finish('X', 1);
    await b.finish('Y', 0);
    await a.trim(1);
    assert.equal(await a.claim('X', 1), 'doneFirst');
    assert.equal(await b.claim('Y', 0), 'doneFirst');
    await a.trim(2);
    assert.equal(await b.claim('Y', 0), 'doneFirst');
  }),

  check('deliveries that were claimed out of order are trimmed by their positions', async ({ partition }) => {
    const a = partition('a', 1);
    for (const position of [5, 1, 9, 3, 7, 0, 8]) await a.finish(`X ${position}`, position);
    await a.trim(7);
    for (const position of [0, 1, 3, 5]) assert.equal(await a.claim(`X ${position}`, position), 'duplicate');
    for (const position of [7, 8, 9]) assert.equal(await a.claim(`X ${position}`, position), 'doneFirst');
  }),

  check('the trim of a former owner leaves the claim of whoever resumed alone', async ({ partition }) => {
    await partition('a', 1).claim('X', 0);
    const next = partition('a', 2);
    await next.enter();
    const b = partition('b', 1);
    assert.equal(await b.claim('X', 5), 'resumed');
    await next.trim(1);
    await partition('a', 3).enter();
    await partition('a', 3).trim(1);
    assert.equal(await partition('a', 3).claim('X', 0), 'held');
    assert.equal(await b.settle('X', 5), false);
  }),

  check(
    'a settled key does not end before the checkpoint has passed it, however long that takes',
    async (scene) => {
      const { partition, clock } = scene;
      await partition('a', 1).finish('X', 0);
      clock.tick(10 * windowMs);
      const next = partition('a', 2);
      await next.enter();
      assert.equal(await partition('b', 1).claim('X', 0), 'duplicate');
      assert.equal(await next.claim('X', 0), 'doneFirst');
      await next.trim(1);
      clock.tick(2 * windowMs);
      assert.equal(await partition('b', 1).claim('X', 1), 'first', 'then it ends');
    },
  ),

  check(
    'what stays in the tail for many windows is counted, and what has left it no longer',
    async (scene) => {
      const { partition, clock, store } = scene;
      const a = partition('a', 1);
      const b = partition('b', 1);
      await a.finish('X', 0);
      await a.claim('Y', 1);
      for (let step = 0; step < 60; step++) {
        clock.tick(0.13 * windowMs);
        await b.finish(`${step}`, step);
        await b.trim(step + 1);
        const { marks, open, tail } = store.stats();
        assert.deepEqual({ open, tail }, { open: 1, tail: 2 });
        assert.ok(marks > 2 && marks <= 2 + 9, `${marks} marks`);
      }
      await partition('a', 2).enter();
      await partition('a', 2).trim(2);
      clock.tick(2 * windowMs);
      const { marks, tail, oldestAcceptedAt } = store.stats();
      assert.deepEqual({ marks, tail, oldestAcceptedAt }, { marks: 0, tail: 0, oldestAcceptedAt: undefined });
    },
  ),
];
