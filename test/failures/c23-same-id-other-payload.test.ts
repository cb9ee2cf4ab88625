import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../src/stores/memory.ts';
import { openScene, type Scene } from '../../src/testing/store-suite/scene.ts';

const amount5 = { body: 5 };
const amount7 = { body: 7 };

async function restarted({ partition }: Scene, epoch: number) {
  const next = partition('a', epoch);
  await next.enter();
  return next;
}

test('the changed copy is a conflict and the equal one a duplicate, at work, done, and below the checkpoint', async () => {
  const scene = await openScene(memoryStore);
  const a = await restarted(scene, 1);
  assert.equal(await a.claim('1', 0, amount5), 'first');
  assert.equal(await a.claim('1', 1, amount7), 'conflict', 'while the first is at work');
  assert.equal(await a.claim('1', 2, amount5), 'held');
  await a.settle('1', 0, amount5);
  assert.equal(await a.claim('1', 1, amount7), 'conflict');
  assert.equal(await a.claim('1', 2, amount5), 'duplicate');
  const b = await restarted(scene, 2);
  assert.equal(await b.claim('1', 1, amount7), 'conflict', 'after a restart');
  assert.equal(await b.claim('1', 2, amount5), 'duplicate');
  await b.trim(3);
  const c = await restarted(scene, 3);
  assert.equal(await c.claim('1', 3, amount7), 'conflict');
  assert.equal(await c.claim('1', 4, amount5), 'duplicate');
});

test('what was settled decides, not what was claimed last', async () => {
  const scene = await openScene(memoryStore);
  const killed = await restarted(scene, 1);
  await killed.claim('1', 0, amount5);
  const next = await restarted(scene, 2);
  assert.equal(await next.claim('1', 1, amount7), 'resumed', 'nothing was done, so there is no conflict');
  assert.equal(await killed.settle('1', 0, amount5), true, 'but it was: late');
  assert.equal(await next.claim('1', 2, amount7), 'conflict');
  assert.equal(await next.claim('1', 3, amount5), 'duplicate');
});

test('what a policy did with a conflict is not done again', async () => {
  const scene = await openScene(memoryStore);
  const a = await restarted(scene, 1);
  await a.finish('1', 0, amount5);
  const changed = { ...amount7, standIn: 'a:1 amount 7' };
  assert.equal(await a.claim('1', 1, changed), 'conflict');
  await a.finish(changed.standIn, 1, amount7);
  const b = await restarted(scene, 2);
  assert.equal(await b.claim('1', 1, changed), 'doneConflict');
  assert.equal(
    await b.claim('1', 2, { ...amount7, standIn: 'a:2 amount 7' }),
    'conflict',
    'one more of the kind',
  );
});

test('without a payload check the changed copy is a duplicate, and nothing is called a conflict', async () => {
  const scene = await openScene(memoryStore);
  const a = await restarted(scene, 1);
  await a.finish('1', 0);
  assert.equal(await a.claim('1', 1), 'duplicate');
  await a.trim(2);
  assert.equal(await a.claim('1', 2), 'duplicate');
});
