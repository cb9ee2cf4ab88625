import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const held: readonly Check[] = [
  check('nobody hears duplicate before the first is settled', async ({ partition }) => {
    const a = partition('a', 1);
    const b = partition('b', 1);
    await a.claim('X', 0);
    assert.equal(await b.claim('X', 0), 'held');
    assert.equal(await a.claim('X', 1), 'held', 'in the same partition too');
    await a.trim(1);
    assert.equal(await b.claim('X', 0), 'held', 'whatever the checkpoint says');
    await a.settle('X', 0);
    assert.equal(await b.claim('X', 0), 'duplicate');
  }),

  check('a copy that was held is first when the claim is released', async ({ partition }) => {
    const a = partition('a', 1);
    const b = partition('b', 1);
    await a.claim('X', 0);
    await b.claim('X', 0);
    await a.release('X', 0);
    assert.equal(await b.claim('X', 0), 'first');
  }),

  check('being held changes nothing', async ({ partition, look }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    const before = await look('X');
    await partition('b', 1).claim('X', 0);
    assert.deepEqual(await look('X'), before);
    assert.equal(await a.settle('X', 0), false);
  }),

  check('a live owner is taken over only when that is asked for', async ({ partition }) => {
    const a = partition('a', 1);
    await a.enter();
    await a.claim('X', 0);
    const b = partition('b', 1);
    await b.enter();
    assert.equal(await b.claim('X', 5, { takeOver: true }), 'resumed');
    assert.equal(await a.claim('X', 0), 'held');
    assert.equal(await a.release('X', 0), false);
    assert.equal(await a.settle('X', 0), true);
  }),
];
