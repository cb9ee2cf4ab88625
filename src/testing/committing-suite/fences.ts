import assert from 'node:assert/strict';
import type { CommittingCheck } from './check.ts';
import { check } from './scene.ts';

export const fences: readonly CommittingCheck[] = [
  check(
    'after a take nothing of the old session is committed, neither output nor checkpoint',
    async (scene) => {
      const one = await scene.worker();
      const other = await scene.worker();
      await one.take('a');
      await one.stage('a', 'A1');
      await other.take('a');
      assert.deepEqual((await one.commit({ a: 1 })).fenced, ['a']);
      assert.equal(await scene.read(), '');
      assert.equal((await other.take('a')).checkpoint, undefined);
    },
  ),

  check('one that is fenced keeps the whole transaction from it, and is named', async ({ worker, read }) => {
    const one = await worker();
    const other = await worker();
    await one.take('a', 'b');
    await one.stage('a', 'A1');
    await one.stage('b', 'B1');
    await other.take('b');
    assert.deepEqual((await one.commit({ a: 1, b: 1 })).fenced, ['b']);
    assert.equal(await read(), '');
    assert.equal((await other.take('a')).checkpoint, undefined);
  }),

  check('after an abort the partitions that are not fenced go on', async ({ worker, read }) => {
    const one = await worker();
    await one.take('a', 'b');
    await one.stage('a', 'A1');
    await one.stage('b', 'B1');
    await (await worker()).take('b');
    await one.commit({ a: 1, b: 1 });
    await one.abort();
    await one.stage('a', 'A1');
    assert.deepEqual(await one.commit({ a: 1 }), { fenced: [] });
    assert.equal(await read(), 'A1');
  }),

  check('whoever took the partition commits what the other could not', async ({ worker, read }) => {
    const one = await worker();
    const other = await worker();
    await one.take('a');
    await one.stage('a', 'A1');
    await other.take('a');
    await one.commit({ a: 1 });
    await other.stage('a', 'A1 A2');
    assert.deepEqual(await other.commit({ a: 2 }), { fenced: [] });
    assert.equal(await read(), 'A1 A2');
  }),

  check('a session that is taken again by its own worker fences the one before', async ({ worker, read }) => {
    const one = await worker();
    const { epoch } = await one.take('a');
    await one.take('a');
    await one.stage('a', 'A1');
    const old = { partition: 'a', epoch, checkpoint: 1, totals: (await one.take('b')).totals };
    assert.deepEqual((await one.sink.commit([old])).fenced, ['a']);
    assert.equal(await read(), '');
  }),
];
