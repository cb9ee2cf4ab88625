import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';
import type { Scene } from './scene.ts';

const withBodies = (name: string, run: (scene: Scene) => Promise<void>): Check => check(name, run, 'bodies');

export const bodies: readonly Check[] = [
  withBodies(
    'another body under a settled key is a conflict, in the tail and below the checkpoint',
    async (scene) => {
      const a = scene.partition('a', 1);
      await a.finish('X', 0, { body: 1 });
      assert.equal(await a.claim('X', 1, { body: 2 }), 'conflict');
      assert.equal(await a.claim('X', 1, { body: 1 }), 'duplicate');
      await a.trim(1);
      assert.equal(await a.claim('X', 1, { body: 2 }), 'conflict');
      assert.equal(await a.claim('X', 1, { body: 1 }), 'duplicate');
    },
  ),

  withBodies('another body under a live claim is a conflict, not held', async ({ partition }) => {
    await partition('a', 1).claim('X', 0, { body: 1 });
    const b = partition('b', 1);
    assert.equal(await b.claim('X', 0, { body: 2 }), 'conflict');
    assert.equal(await b.claim('X', 0, { body: 2, takeOver: true }), 'conflict');
    assert.equal(await b.claim('X', 0, { body: 1 }), 'held');
  }),

  withBodies(
    'a cut-off claim is resumed with another body, which counts from then on',
    async ({ partition }) => {
      await partition('a', 1).claim('X', 0, { body: 1 });
      await partition('a', 2).enter();
      const b = partition('b', 1);
      assert.equal(await b.claim('X', 0, { body: 2 }), 'resumed');
      assert.equal(await partition('a', 2).claim('X', 0, { body: 1 }), 'conflict');
      await b.settle('X', 0, { body: 2 });
      assert.equal(await b.claim('X', 1, { body: 2 }), 'duplicate');
    },
  ),

  withBodies(
    'the body that counts is the one that was settled, not the one that was claimed last',
    async (scene) => {
      const { partition } = scene;
      const old = partition('a', 1);
      await old.claim('X', 0, { body: 1 });
      await partition('a', 2).enter();
      const b = partition('b', 1);
      await b.claim('X', 0, { body: 2 });
      await old.settle('X', 0, { body: 1 });
      assert.equal(await b.claim('X', 0, { body: 2 }), 'conflict');
      assert.equal(await b.claim('X', 1, { body: 1 }), 'duplicate');
    },
  ),

  withBodies('a settle without a claim keeps its body', async ({ partition }) => {
    const a = partition('a', 1);
    await a.settle('X', 0, { body: 1 });
    assert.equal(await a.claim('X', 1, { body: 2 }), 'conflict');
  }),

  withBodies('what comes without a body is in conflict with none', async ({ partition }) => {
    const a = partition('a', 1);
    await a.finish('X', 0);
    assert.equal(await a.claim('X', 1, { body: 2 }), 'duplicate');
    await a.finish('Y', 2, { body: 1 });
    assert.equal(await a.claim('Y', 3), 'duplicate');
  }),

  withBodies(
    'what is settled under its position and bytes is found before its key',
    async ({ partition }) => {
      const a = partition('a', 1);
      await a.claim('X', 0, { body: 1 });
      const other = { body: 2, standIn: 'a:1 body 2' };
      assert.equal(await a.claim('X', 1, other), 'conflict');
      await a.finish(other.standIn, 1, { body: 2 });
      await a.release('X', 0);
      assert.equal(await a.claim('X', 1, other), 'doneConflict', 'although its key is free');
      await a.trim(2);
      assert.equal(await a.claim('X', 1, other), 'duplicate');
      assert.equal(await a.claim('X', 2, { body: 1, standIn: 'a:2 body 1' }), 'first');
    },
  ),

  withBodies('a stand-in that is not settled decides nothing', async ({ partition }) => {
    const a = partition('a', 1);
    await a.finish('X', 0, { body: 1 });
    const other = { body: 2, standIn: 'a:1 body 2' };
    await a.claim(other.standIn, 1, { body: 2 });
    assert.equal(await a.claim('X', 1, other), 'conflict');
  }),

  withBodies('a delivery whose key is its own stand-in is judged by its key', async ({ partition }) => {
    const a = partition('a', 1);
    await a.finish('a:1', 1, { body: 2, standIn: 'a:1' });
    assert.equal(await a.claim('a:1', 1, { body: 2, standIn: 'a:1' }), 'doneFirst');
  }),
];
