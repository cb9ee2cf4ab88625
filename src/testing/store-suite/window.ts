import assert from 'node:assert/strict';
import { tickMsMax } from '../../core/window.ts';
import type { Check } from './check.ts';
import { check, windowMs } from './scene.ts';
import type { Scene } from './scene.ts';

const tickMs = tickMsMax(windowMs);

/** Settles a key and lets its checkpoint pass, so that nothing but the window keeps it. */
async function finished({ partition }: Scene, key: string, position = 0): Promise<void> {
  const a = partition('a', 1);
  await a.finish(key, position);
  await a.trim(position + 1);
}

export const window: readonly Check[] = [
  check('a mark stays for the whole window', async (scene) => {
    await finished(scene, 'X');
    for (const ms of [windowMs / 2, windowMs / 2 - 1]) {
      scene.clock.tick(ms);
      assert.equal(await scene.partition('b', 1).claim('X'), 'duplicate');
    }
  }),

  check('a mark ends within one tick after the window', async (scene) => {
    await finished(scene, 'X');
    scene.clock.tick(windowMs + tickMs + 1);
    assert.equal(await scene.partition('b', 1).claim('X'), 'first');
  }),

  check(
    'the window counts from the first, not from its settle or its checkpoint',
    async ({ partition, clock }) => {
      const a = partition('a', 1);
      await a.claim('X');
      clock.tick(windowMs / 2);
      await a.settle('X');
      clock.tick(windowMs / 4);
      await a.trim(1);
      clock.tick(windowMs / 4 + tickMs + 1);
      assert.equal(await partition('b', 1).claim('X'), 'first');
    },
  ),

  check('duplicates do not refresh a mark', async (scene) => {
    await finished(scene, 'X');
    for (let n = 0; n < 10; n++) {
      scene.clock.tick(windowMs / 10);
      if (n < 9) assert.equal(await scene.partition('b', 1).claim('X', n), 'duplicate');
    }
    scene.clock.tick(tickMs + 1);
    assert.equal(await scene.partition('b', 1).claim('X', 10), 'first');
  }),

  check('an open claim does not end with the window', async ({ partition, clock }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    clock.tick(3 * windowMs);
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
    assert.equal(await a.settle('X', 0), false);
  }),

  check('a resumed key has a window of its own', async ({ partition, clock }) => {
    await partition('a', 1).claim('X', 0);
    clock.tick(windowMs - 1);
    const next = partition('a', 2);
    await next.enter();
    await next.claim('X', 0);
    await next.settle('X', 0);
    await next.trim(1);
    clock.tick(windowMs - 1);
    assert.equal(await next.claim('X', 1), 'duplicate');
  }),

  check('a clock that jumps backwards does not shorten a window', async (scene) => {
    await finished(scene, 'X');
    scene.clock.set(scene.clock.now() - 10 * windowMs);
    assert.equal(await scene.partition('b', 1).claim('X'), 'duplicate');
    await finished(scene, 'Y', 1);
    scene.clock.tick(windowMs - 1);
    assert.equal(await scene.partition('b', 1).claim('Y'), 'duplicate');
  }),

  check('marks that come and go leave nothing behind', async (scene) => {
    const { partition, clock, store } = scene;
    const a = partition('a', 1);
    const count = 60;
    // A step that divides neither the window nor its rounds, long enough to see every age a mark can have.
    const stepMs = Math.floor(windowMs / 7.3);
    for (let step = 0; step < 60; step++) {
      const all = Array.from({ length: count }, (_, n) => ({
        key: `${step} ${n}`,
        position: step * count + n,
      }));
      const { words } = await a.claimAll(all);
      assert.ok(
        words.every((word) => word === 'first'),
        `step ${step}`,
      );
      await store.settle(a.claims(all));
      await a.trim((step + 1) * count);
      for (const age of [0, 3, 6, 7, 8, 9, 15, 23, 40]) {
        if (age > step) continue;
        const { state } = await scene.look(`${step - age} ${step}`);
        const isOver = age * stepMs > windowMs + tickMs;
        assert.equal(state, isOver ? 'none' : 'settled', `at step ${step}, ${age} steps old`);
      }
      clock.tick(stepMs);
    }
    assert.ok(store.stats().marks <= 9 * count);
  }),

  check('after a silence of any length old marks are gone and young ones are not', async (scene) => {
    for (const windows of [0.2, 0.6, 0.99, 1.01, 1.5, 1.99, 2.2, 2.5, 3, 10]) {
      const first = 2 * windows;
      await finished(scene, `old ${windows}`, first);
      scene.clock.tick(windowMs / 2);
      await finished(scene, `young ${windows}`, first + 1);
      scene.clock.tick(windowMs * windows);
      const age = windows + 0.5;
      const state = async (key: string) => (await scene.look(`${key} ${windows}`)).state;
      assert.equal(await state('old'), age > 1 ? 'none' : 'settled', `${age} windows old`);
      assert.equal(await state('young'), windows > 1 ? 'none' : 'settled', `${windows} windows old`);
    }
  }),
];
