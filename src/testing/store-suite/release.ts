import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const release: readonly Check[] = [
  check('a released key is first again', async ({ partition, look }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    assert.equal(await a.release('X', 0), true);
    assert.deepEqual(await look('X'), { state: 'none' });
    assert.equal(await partition('b', 1).claim('X', 0), 'first');
  }),

  check('nobody releases the claim of another delivery', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    assert.equal(await a.release('X', 1), false, 'another position');
    assert.equal(await partition('b', 1).release('X', 0), false, 'another partition');
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
  }),

  check('a session that is over releases nothing', async ({ partition }) => {
    const old = partition('a', 1);
    await old.claim('X', 0);
    const next = partition('a', 2);
    await next.enter();
    assert.equal(await old.release('X', 0), false, 'its own, cut off');
    assert.equal(await next.claim('X', 0), 'resumed');
    assert.equal(await old.release('X', 0), false, 'the same position in a new session');
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
  }),

  check('a new session does not release what it has not claimed', async ({ partition }) => {
    await partition('a', 1).claim('X', 0);
    const next = partition('a', 2);
    await next.enter();
    assert.equal(await next.release('X', 0), false);
    assert.equal(await next.claim('X', 0), 'resumed');
  }),

  check('a settled key is not released', async ({ partition }) => {
    const a = partition('a', 1);
    await a.finish('X', 0);
    assert.equal(await a.release('X', 0), false, 'in the tail');
    await a.trim(1);
    assert.equal(await a.release('X', 0), false, 'below the checkpoint');
    assert.equal(await a.claim('X', 1), 'duplicate');
  }),

  check('a release says for each key what it did', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claimAll([
      { key: 'X', position: 0 },
      { key: 'Y', position: 1 },
    ]);
    const all = a.claims([
      { key: 'none', position: 9 },
      { key: 'Y', position: 1 },
      { key: 'X', position: 1 },
    ]);
    assert.deepEqual(await a.store.release(all), Uint8Array.of(0, 1, 0));
  }),
];
