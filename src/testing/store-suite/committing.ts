import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

/** A sink that commits output and checkpoint together settles after the commit; a kill between leaves open claims. */
export const committing: readonly Check[] = [
  check(
    'entering settles the claims that the writer of the checkpoint left below it',
    async ({ partition }) => {
      const old = partition('a', 1);
      await old.claim('X', 0);
      const next = partition('a', 2);
      await next.enter({ checkpoint: 1, writer: 1 });
      assert.equal(await partition('b', 1).claim('X', 0), 'duplicate');
      assert.equal(await next.claim('X', 0), 'doneFirst');
    },
  ),

  check('it settles nothing at or above the checkpoint', async ({ partition }) => {
    await partition('a', 1).claim('X', 1);
    await partition('a', 2).enter({ checkpoint: 1, writer: 1 });
    assert.equal(await partition('a', 2).claim('X', 1), 'resumed');
  }),

  check('it settles no claims of other sessions', async ({ partition }) => {
    await partition('a', 1).claim('older', 0);
    await partition('a', 2).enter({ checkpoint: 0, writer: 1 });
    await partition('a', 2).claim('X', 1);
    const b = partition('b', 2);
    await b.claim('Y', 0);
    await partition('a', 3).enter({ checkpoint: 2, writer: 2 });
    const next = partition('a', 3);
    assert.equal(await next.claim('older', 0), 'resumed', 'cut off before the writer');
    assert.equal(await next.claim('X', 1), 'doneFirst');
    assert.equal(await next.claim('Y', 2), 'held', 'of another partition');
  }),

  check('without a writer it settles nothing', async ({ partition }) => {
    await partition('a', 1).claim('X', 0);
    await partition('a', 2).enter();
    assert.equal(await partition('b', 1).claim('X', 0), 'resumed');
  }),

  check('what is fenced settles nothing', async ({ partition }) => {
    await partition('a', 5).claim('X', 0);
    assert.equal(await partition('a', 5).enter({ checkpoint: 1, writer: 5 }), 5);
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
  }),

  check('what it settled stays until the checkpoint is trimmed', async ({ partition }) => {
    await partition('a', 1).claim('X', 0);
    const next = partition('a', 2);
    await next.enter({ checkpoint: 1, writer: 1 });
    await next.trim(1);
    assert.equal(await next.claim('X', 0), 'duplicate');
  }),
];
