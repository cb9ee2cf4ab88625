import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const settle: readonly Check[] = [
  check(
    'a settle by a session that is over is accepted, and told that it was overtaken',
    async ({ partition }) => {
      const old = partition('a', 1);
      await old.claim('X', 0);
      await partition('a', 2).enter();
      assert.equal(await old.settle('X', 0), true);
      assert.equal(await partition('b', 1).claim('X', 0), 'duplicate');
    },
  ),

  check('an owner that lives is not told so', async ({ partition }) => {
    const a = partition('a', 1);
    await a.enter();
    await a.claim('X', 0);
    assert.equal(await a.settle('X', 0), false);
  }),

  check('a key without a mark can be settled', async ({ partition }) => {
    const a = partition('a', 1);
    await a.enter();
    await a.settle('X', 3);
    assert.equal(await partition('b', 1).claim('X', 0), 'duplicate');
    assert.equal(await a.claim('X', 3), 'doneFirst', 'it has an entry');
  }),

  check('settled by another delivery the entry becomes that one’s', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    await partition('a', 2).enter();
    const b = partition('b', 1);
    await b.enter();
    assert.equal(await b.claim('X', 5), 'resumed');
    assert.equal(await a.settle('X', 0), true, 'the late one settles');
    assert.equal(await b.claim('X', 5), 'duplicate');
    assert.equal(await partition('a', 2).claim('X', 0), 'doneFirst');
  }),

  check('the settled entry of another delivery is trimmed with its own partition', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    await partition('a', 2).enter();
    await partition('b', 1).claim('X', 5);
    await a.settle('X', 0);
    await partition('b', 1).trim(6);
    assert.equal(await partition('a', 2).claim('X', 0), 'doneFirst');
    await partition('a', 2).trim(1);
    assert.equal(await partition('a', 2).claim('X', 0), 'duplicate');
  }),

  check('a settle that comes when the key is settled changes nothing', async ({ partition }) => {
    const a = partition('a', 1);
    await a.finish('X', 0);
    await partition('b', 1).settle('X', 9);
    assert.equal(await a.claim('X', 0), 'doneFirst');
    assert.equal(await partition('b', 1).claim('X', 9), 'duplicate');
    await a.trim(1);
    await partition('b', 1).settle('X', 9);
    assert.equal(await partition('b', 1).claim('X', 9), 'duplicate', 'no new entry for a mark');
  }),
];
