import assert from 'node:assert/strict';
import type { CheckpointCheck } from './check.ts';
import { books, check } from './scene.ts';

export const records: readonly CheckpointCheck[] = [
  check('what was committed comes back with the books', async ({ worker }) => {
    const one = await worker();
    assert.equal(await one.commit(await one.take(), 7, 5), true);
    const { checkpoint, totals } = await (await worker()).take();
    assert.deepEqual([checkpoint, totals], [7, books(5)]);
  }),

  check('the last commit counts, and the same one may come twice', async ({ worker }) => {
    const one = await worker();
    const taken = await one.take();
    assert.deepEqual(
      [await one.commit(taken, 3), await one.commit(taken, 7), await one.commit(taken, 7)],
      [true, true, true],
    );
    const { checkpoint, totals } = await one.take();
    assert.deepEqual([checkpoint, totals], [7, books(7)]);
  }),

  check('0 is a checkpoint, and so is the greatest safe integer', async ({ worker }) => {
    const one = await worker();
    for (const checkpoint of [0, Number.MAX_SAFE_INTEGER]) {
      const taken = await one.take();
      await one.commit(taken, checkpoint, 0);
      const { checkpoint: kept, writer } = await one.take();
      assert.deepEqual([kept, writer], [checkpoint, taken.epoch]);
    }
  }),

  check('the writer is the epoch that committed, however often it was taken since', async ({ worker }) => {
    const one = await worker();
    const taken = await one.take();
    await one.commit(taken, 3);
    assert.equal((await one.take()).writer, taken.epoch);
    assert.equal((await one.take()).writer, taken.epoch);
  }),

  check('each partition keeps its own writer, checkpoint and books', async ({ worker }) => {
    const one = await worker();
    const a = await one.take('a');
    const b = await one.take('b', a.epoch + 10);
    await one.commit(a, 3);
    await one.commit(b, 4);
    const known = async (partition: string) => {
      const { checkpoint, writer, totals } = await one.take(partition);
      return [checkpoint, writer, totals.first];
    };
    assert.deepEqual(await known('a'), [3, a.epoch, 3]);
    assert.deepEqual(await known('b'), [4, b.epoch, 4]);
    assert.deepEqual(await known('c'), [undefined, undefined, 0]);
  }),

  check('a checkpoint that an operator moved has no writer, until the next commit', async ({ worker }) => {
    const one = await worker();
    await one.commit(await one.take(), 7);
    assert.equal(await one.move(await one.take(), 3), true);
    const moved = await one.take();
    assert.deepEqual([moved.checkpoint, moved.writer], [3, undefined]);
    await one.commit(moved, 5);
    assert.notEqual((await one.take()).writer, undefined);
  }),

  check('names are told apart letter by letter', async ({ worker }) => {
    const one = await worker();
    const names = ['a', 'A', 'a ', 'a/0', 'a\n', 'ä', '__proto__', 'x'.repeat(200)];
    for (const [n, name] of names.entries()) await one.commit(await one.take(name), n);
    for (const [n, name] of names.entries()) assert.equal((await one.take(name)).checkpoint, n, name);
  }),

  check('several commits in one call are all kept', async ({ worker }) => {
    const one = await worker();
    const taken = [await one.take('a'), await one.take('b')];
    const commits = taken.map(({ partition, epoch }, n) => ({
      partition,
      epoch,
      checkpoint: n + 1,
      totals: books(n),
    }));
    assert.deepEqual(await one.store.commit(commits), { fenced: [] });
    assert.deepEqual([(await one.take('a')).checkpoint, (await one.take('b')).checkpoint], [1, 2]);
    assert.deepEqual(await one.store.commit([]), { fenced: [] }, 'nothing can be committed');
  }),

  check(
    'the fenced ones of a call are named, all others are kept',
    async ({ worker }) => {
      const one = await worker();
      const taken = [await one.take('a'), await one.take('b'), await one.take('c'), await one.take('d')];
      await (await worker()).take('b');
      await (await worker()).take('d');
      const commits = taken.map(({ partition, epoch }) => ({
        partition,
        epoch,
        checkpoint: 5,
        totals: books(5),
      }));
      assert.deepEqual([...(await one.store.commit(commits)).fenced].sort(), ['b', 'd']);
      const kept = await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (name) => (await one.take(name)).checkpoint),
      );
      assert.deepEqual(kept, [5, undefined, 5, undefined]);
    },
    'apart',
  ),

  check('closing twice is closing once, and what was committed stays', async ({ worker }) => {
    const one = await worker();
    await one.commit(await one.take(), 3);
    const other = await worker();
    if (other.store !== one.store) {
      await one.store.close();
      await one.store.close();
    }
    assert.equal((await other.take()).checkpoint, 3);
    await other.store.close();
    await other.store.close();
  }),
];
