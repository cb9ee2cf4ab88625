import assert from 'node:assert/strict';
import { tickMsMax } from '../../core/window.ts';
import type { Check } from './check.ts';
import { check, windowMs } from './scene.ts';

export const firstAndDuplicate: readonly Check[] = [
  check('a key is first once, and when it is settled its copies are duplicates', async ({ partition }) => {
    const a = partition('a', 1);
    const b = partition('b', 1);
    assert.equal(await a.claim('X', 0), 'first');
    await a.settle('X', 0);
    assert.equal(await a.claim('X', 1), 'duplicate');
    assert.equal(await b.claim('X', 0), 'duplicate');
    assert.equal(await b.claim('Y', 0), 'first');
  }),

  check('verdicts come in the order of the keys', async ({ partition }) => {
    const a = partition('a', 1);
    const old = Array.from({ length: 500 }, (_, n) => ({ key: `old ${n}`, position: n }));
    await a.claimAll(old);
    await a.store.settle(a.claims(old));
    await a.trim(500);
    const mixed = Array.from({ length: 1_000 }, (_, n) =>
      n % 10 === 3 ? { key: `old ${n % 500}`, position: 500 + n } : { key: `new ${n}`, position: 500 + n },
    );
    const { words } = await a.claimAll(mixed);
    assert.deepEqual(
      words,
      mixed.map(({ key }) => (key.startsWith('old') ? 'duplicate' : 'first')),
    );
  }),

  check('two equal keys in one call are never two firsts', async ({ partition }) => {
    const { words } = await partition('a', 1).claimAll([
      { key: 'X', position: 0 },
      { key: 'Y', position: 1 },
      { key: 'X', position: 2 },
    ]);
    assert.deepEqual(words, ['first', 'first', 'held']);
  }),

  check('each of the 112 bits makes another key', async ({ partition }) => {
    const { store, session } = partition('a', 1);
    const fingerprints = new Uint32Array(4 * 113);
    for (let bit = 0; bit < 112; bit++) {
      const word = 4 * bit + Math.floor(bit / 32);
      fingerprints[word] = 2 ** (bit < 96 ? bit % 32 : bit - 80);
    }
    const positions = Float64Array.from({ length: 113 }, (_, i) => i);
    const claimed = await store.claim({ session, fingerprints, positions, call: 1 });
    assert.ok('verdicts' in claimed && claimed.verdicts.every((verdict) => verdict === 1));
  }),

  check(
    'settled is a state of the key: read again from its own position it is a duplicate',
    async ({ partition }) => {
      const a = partition('a', 1);
      await a.finish('X', 0);
      await a.trim(1);
      assert.equal(await a.claim('X', 0), 'duplicate', 'after a rewind');
      const next = partition('a', 2);
      await next.enter();
      assert.equal(await next.claim('X', 0), 'duplicate', 'after a rewind and a take');
    },
  ),

  check('a new key at an old position is first', async ({ partition }) => {
    const a = partition('a', 1);
    await a.finish('X', 0);
    assert.equal(await a.claim('Y', 0), 'first', 'in the tail');
    await a.settle('Y', 0);
    await a.trim(1);
    assert.equal(await a.claim('Z', 0), 'first', 'below the checkpoint');
  }),

  check('a duplicate is told when its key was first accepted', async ({ partition, clock }) => {
    const a = partition('a', 1);
    const first = await a.claimAll([{ key: 'X' }]);
    assert.equal(first.accepted[0], clock.now());
    const tick = tickMsMax(windowMs);
    for (const trimmed of [false, true]) {
      await a.settle('X');
      if (trimmed) await a.trim(1);
      clock.tick(60_000);
      const copy = await a.claimAll([{ key: 'X', position: 9 }]);
      assert.deepEqual(copy.words, ['duplicate']);
      const error = copy.accepted[0] - first.accepted[0];
      assert.ok(error <= 0 && error > -tick, `accepted ${error} ms off`);
    }
  }),
];
