import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import type { CheckpointStore, Taken } from '../../src/core/checkpoint.ts';
import { zeroTotals } from '../../src/core/totals.ts';
import { runCheckpointSuite } from '../../src/testing/checkpoint-suite/checkpoint-suite.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

runCheckpointSuite(
  {
    supports: { apart: true },
    open: (clock) => {
      const store = memoryCheckpoints({ clock });
      return { connect: () => store, close: () => store.close() };
    },
  },
  { test, skip: (name, reason) => test(name, { skip: reason }, () => {}) },
);

const totals = { ...zeroTotals, first: 3, emitted: 3 };
async function take(store: CheckpointStore, partition = 'p', above = 0): Promise<Taken> {
  return (await store.take([{ partition, above }]))[0];
}

test('where nothing was committed the source says where it begins, and the epoch starts at the clock', async () => {
  const clock = new ManualClock();
  const taken = await take(memoryCheckpoints({ clock }));
  const { epoch, ...rest } = taken;
  assert.deepEqual(rest, { partition: 'p', checkpoint: undefined, writer: undefined, totals: zeroTotals });
  assert.ok(epoch > clock.now() * 1_000 && Number.isSafeInteger(epoch));
});

test('what was committed comes back, with its writer and the books', async () => {
  const store = memoryCheckpoints({ clock: new ManualClock() });
  const { epoch } = await take(store);
  assert.deepEqual(await store.commit([{ partition: 'p', epoch, checkpoint: 7, totals }]), { fenced: [] });
  const next = await take(store);
  assert.deepEqual({ ...next, epoch: 0 }, { partition: 'p', epoch: 0, checkpoint: 7, writer: epoch, totals });
  assert.ok(next.epoch > epoch);
});

test('after a take commits of every other epoch are refused, older or newer, and change nothing', async () => {
  const store = memoryCheckpoints({ clock: new ManualClock() });
  const old = await take(store);
  const { epoch } = await take(store);
  for (const other of [old.epoch, epoch - 1, epoch + 1, 0])
    assert.deepEqual(await store.commit([{ partition: 'p', epoch: other, checkpoint: 9, totals }]), {
      fenced: ['p'],
    });
  assert.deepEqual((await take(store)).checkpoint, undefined);
});

test('a partition that was never taken has no commits', async () => {
  const store = memoryCheckpoints({ clock: new ManualClock() });
  assert.deepEqual(await store.commit([{ partition: 'p', epoch: 1, checkpoint: 9, totals }]), {
    fenced: ['p'],
  });
});

test('the epoch is above what a store told, and goes on from there', async () => {
  const store = memoryCheckpoints({ clock: new ManualClock() });
  const { epoch } = await take(store, 'p', 2e15);
  assert.equal(epoch, 2e15 + 1);
  assert.equal((await take(store)).epoch, 2e15 + 2);
});

test('each partition keeps its own epoch and writer, and one that is fenced leaves the others alone', async () => {
  const store = memoryCheckpoints({ clock: new ManualClock() });
  const [p, q] = await store.take(['p', 'q'].map((partition) => ({ partition, above: 0 })));
  await take(store, 'q');
  const commits = [p, q].map(({ partition, epoch }) => ({ partition, epoch, checkpoint: 5, totals }));
  assert.deepEqual(await store.commit(commits), { fenced: ['q'] });
  assert.deepEqual([(await take(store, 'p')).writer, (await take(store, 'q')).writer], [p.epoch, undefined]);
});

test('a commit that is sent twice is the same commit', async () => {
  const store = memoryCheckpoints({ clock: new ManualClock() });
  const { epoch } = await take(store);
  const commits = [{ partition: 'p', epoch, checkpoint: 7, totals }];
  assert.deepEqual(
    [await store.commit(commits), await store.commit(commits)],
    [{ fenced: [] }, { fenced: [] }],
  );
  assert.equal((await take(store)).checkpoint, 7);
});

test('a clock with a fraction or one that goes back gives whole numbers that only grow', async () => {
  const clock = new ManualClock(1_000.25);
  const store = memoryCheckpoints({ clock });
  const first = await take(store);
  clock.set(0);
  const second = await take(store);
  assert.ok(Number.isInteger(first.epoch) && second.epoch > first.epoch);
});

test('closing twice is closing', async () => {
  const store = memoryCheckpoints();
  await store.close();
  await store.close();
});
