import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../src/stores/memory.ts';
import { openScene } from '../../src/testing/store-suite/scene.ts';

const day = { windowMs: 86_400_000 };

test('killed with a lease: a copy waits until the lease ends, and no longer', async () => {
  const { lease, clock } = await openScene(memoryStore, day);
  assert.equal(await lease('killed', 5_000).claim('1'), 'first');
  clock.tick(1_000);
  assert.equal(await lease('second', 5_000).claim('1'), 'held', 'neither dropped nor done');
  clock.tick(5_000);
  const third = lease('third', 5_000);
  assert.equal(await third.claim('1'), 'resumed');
  assert.equal(await third.settle('1'), false);
  clock.tick(80_000_000);
  assert.equal(await lease('late', 5_000).claim('1'), 'duplicate', 'the record lives longer than the lease');
});

test('killed with a partition: whoever has it next goes on', async () => {
  const { partition, clock } = await openScene(memoryStore, day);
  await partition('a', 1).claim('1', 7);
  clock.tick(6_000);
  const next = partition('a', 2);
  await next.enter();
  assert.equal(await next.claim('1', 7), 'resumed');
});

test('killed, and the partition never comes back: it is entered once, and a copy goes on', async () => {
  const { partition } = await openScene(memoryStore, day);
  await partition('retired', 1).claim('1', 7);
  assert.equal(await partition('b', 1).claim('1', 0), 'held');
  await partition('retired', 2).enter();
  assert.equal(await partition('b', 1).claim('1', 0), 'resumed');
});

for (const leaseMs of [0, -1_000, NaN, Infinity, Number.MAX_SAFE_INTEGER]) {
  test(`a lease of ${leaseMs} ms has an end`, async () => {
    const { lease, clock } = await openScene(memoryStore, { windowMs: 90 * 86_400_000 });
    assert.equal(await lease('killed', leaseMs).claim('1'), 'first');
    clock.tick(2 * 86_400_000);
    assert.equal(await lease('second').claim('1'), 'resumed');
  });
}

test('what nobody comes back for does not stay for ever', async () => {
  const { lease, clock, store } = await openScene(memoryStore, day);
  for (let n = 0; n < 1_000; n++) await lease(`killed ${n}`).claim(`${n}`);
  assert.equal(store.stats().open, 1_000);
  clock.tick(day.windowMs + 60_000);
  assert.deepEqual({ marks: store.stats().marks, tail: store.stats().tail }, { marks: 0, tail: 0 });
});
