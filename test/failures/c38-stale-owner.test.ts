import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../src/stores/memory.ts';
import { openScene } from '../../src/testing/store-suite/scene.ts';

/** Worker 1 stands at 500 and pauses; worker 2 has gone on to 900. What worker 1 does then is refused. */
async function overtaken() {
  const scene = await openScene(memoryStore);
  const one = scene.partition('a', 1);
  await one.enter();
  const deliveries = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ key: `key ${from + n}`, position: from + n }));
  const finish = async (worker: typeof one, from: number, to: number) => {
    const { words } = await worker.claimAll(deliveries(from, to));
    await scene.store.settle(worker.claims(deliveries(from, to)));
    await worker.trim(to);
    return words;
  };
  await finish(one, 0, 500);
  await one.claimAll(deliveries(500, 510));
  const two = scene.partition('a', 2);
  await two.enter();
  const words = await finish(two, 500, 900);
  assert.ok(words.every((word, n) => word === (n < 10 ? 'resumed' : 'first')));
  await two.claimAll(deliveries(900, 910));
  return { ...scene, one, two, deliveries };
}

test('the old owner cannot claim, trim or audit', async () => {
  const { one, two, look } = await overtaken();
  assert.equal(await one.claim('key 510', 510), 'fenced');
  assert.equal(await one.claim('new', 511), 'fenced');
  assert.equal((await look('new')).state, 'none');
  assert.equal(await one.trim(905), 2);
  assert.equal(await one.audit([]), 2);
  assert.equal(await two.settle('key 900', 900), false, 'the claims of the new owner are whole');
  assert.equal(await two.claim('key 900', 900), 'doneFirst', 'and so is its tail');
});

test('what the old owner has in hand it may settle, not release', async () => {
  const { one, two, store } = await overtaken();
  assert.equal(await one.release('key 500', 500), false);
  assert.equal(await one.release('key 905', 905), false);
  assert.equal(await one.settle('key 905', 905), true);
  assert.equal(await two.claim('key 905', 905), 'doneFirst', 'it is done, whoever did it');
  assert.equal(store.stats().open, 9);
});

test('given the partition back, the old owner needs a new epoch', async () => {
  const { one, partition } = await overtaken();
  assert.equal(await one.enter(), 2);
  assert.equal(await partition('a', 2).enter(), 2, 'the number of the other one will not do');
  const back = partition('a', 3);
  assert.equal(await back.enter(), undefined);
  assert.equal(await back.claim('key 500', 500), 'duplicate');
  assert.equal(await back.claim('key 909', 909), 'resumed');
});
