import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const audit: readonly Check[] = [
  check('what the session does not list is cut off, what it lists stays', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claimAll([
      { key: 'X', position: 0 },
      { key: 'Y', position: 1 },
    ]);
    await a.audit([{ key: 'Y', position: 1 }]);
    const b = partition('b', 1);
    assert.equal(await b.claim('X', 0), 'resumed');
    assert.equal(await b.claim('Y', 1), 'held');
    assert.equal(await a.settle('Y', 1), false);
  }),

  check('a claim is listed by key and position', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    await a.audit([{ key: 'X', position: 1 }]);
    assert.equal(await a.claim('X', 1), 'resumed');
  }),

  check('a claim that was cut off can be resumed by its own session', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    await a.audit([]);
    assert.equal(await a.release('X', 0), false);
    assert.equal(await a.claim('X', 0), 'resumed');
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
  }),

  check('an audit that a later claim has overtaken is ignored', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    const before = a.calls;
    await a.claim('Y', 1);
    await a.audit([{ key: 'X', position: 0 }], before);
    assert.equal(await partition('b', 1).claim('Y', 0), 'held');
    await a.audit([{ key: 'X', position: 0 }]);
    assert.equal(await partition('b', 1).claim('Y', 0), 'resumed');
  }),

  check('a new session counts its calls anew', async ({ partition }) => {
    const old = partition('a', 1);
    for (let n = 0; n < 5; n++) await old.claim(`old ${n}`, n);
    const next = partition('a', 2);
    await next.enter();
    await next.claim('X', 7);
    await next.audit([]);
    assert.equal(await partition('b', 1).claim('X', 0), 'resumed');
  }),

  check('settled keys and the claims of others are not cut off', async ({ partition }) => {
    const a = partition('a', 1);
    const b = partition('b', 1);
    await a.finish('X', 0);
    await b.claim('Y', 0);
    await a.audit([]);
    assert.equal(await a.claim('X', 0), 'doneFirst');
    assert.equal(await a.claim('Y', 1), 'held');
  }),
];
