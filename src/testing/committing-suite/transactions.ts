import assert from 'node:assert/strict';
import { books } from '../checkpoint-suite/scene.ts';
import type { CommittingCheck } from './check.ts';
import { check } from './scene.ts';

export const transactions: readonly CommittingCheck[] = [
  check('what is staged is not there before the commit, and then all of it is', async ({ worker, read }) => {
    const one = await worker();
    await one.take('a');
    await one.stage('a', 'A1 A2');
    await one.stage('a', 'A3');
    assert.equal(await read(), '');
    assert.deepEqual(await one.commit({ a: 3 }), { fenced: [] });
    assert.equal(await read(), 'A1 A2 A3');
  }),

  check('what is committed comes with the checkpoint, its writer and the books', async ({ worker }) => {
    const one = await worker();
    const { epoch } = await one.take('a');
    await one.stage('a', 'A1');
    assert.equal((await (await worker()).take('a')).checkpoint, undefined, 'it was staged only');
    const again = await one.take('a');
    await one.commit({ a: 1 });
    const { checkpoint, writer, totals } = await (await worker()).take('a');
    assert.deepEqual([checkpoint, writer, totals], [1, again.epoch, books(1)]);
    assert.ok(again.epoch > epoch);
  }),

  check('one commit is for several partitions, each with its own checkpoint', async ({ worker, read }) => {
    const one = await worker();
    await one.take('a', 'b');
    await one.stage('a', 'A1');
    await one.stage('b', 'B1 B2');
    await one.stage('a', 'A2');
    assert.deepEqual(await one.commit({ a: 2, b: 12 }), { fenced: [] });
    const found = (await read()).split(' ');
    assert.deepEqual(found.toSorted(), ['A1', 'A2', 'B1', 'B2']);
    assert.ok(found.indexOf('A1') < found.indexOf('A2') && found.indexOf('B1') < found.indexOf('B2'));
    assert.deepEqual([(await one.take('a')).checkpoint, (await one.take('b')).checkpoint], [2, 12]);
  }),

  check('one transaction after another', async ({ worker, read }) => {
    const one = await worker();
    await one.take('a');
    for (const n of [1, 2, 3]) {
      await one.stage('a', `A${n}`);
      await one.commit({ a: n });
    }
    assert.equal(await read(), 'A1 A2 A3');
  }),

  check('a checkpoint moves without output too', async ({ worker, read }) => {
    const one = await worker();
    await one.take('a');
    assert.deepEqual(await one.commit({ a: 5 }), { fenced: [] });
    assert.equal((await one.take('a')).checkpoint, 5);
    assert.equal(await read(), '');
  }),

  check('a checkpoint that an operator moves has no writer', async ({ worker }) => {
    const one = await worker();
    await one.take('a');
    await one.commit({ a: 5 });
    await one.take('a');
    await one.move('a', 2);
    assert.equal((await one.take('a')).writer, undefined);
  }),

  check('a commit that is sent again brings nothing twice', async ({ worker, read }) => {
    const one = await worker();
    await one.take('a');
    await one.stage('a', 'A1');
    await one.commit({ a: 1 });
    assert.deepEqual(await one.commit({ a: 1 }), { fenced: [] });
    assert.equal(await read(), 'A1');
  }),

  check('a transaction belongs to its connection', async ({ worker, read }) => {
    const one = await worker();
    const other = await worker();
    await one.take('a');
    await other.take('b');
    await one.stage('a', 'A1');
    await other.stage('b', 'B1');
    await other.commit({ b: 1 });
    assert.equal(await read(), 'B1');
    await one.commit({ a: 1 });
    assert.equal(await read(), 'B1 A1');
  }),

  check(
    'dead letters are part of the transaction',
    async ({ worker, readDeadLetters }) => {
      const one = await worker();
      await one.take('a');
      await one.bury('a', 'A1');
      assert.equal(await readDeadLetters(), '');
      await one.abort();
      await one.bury('a', 'A2');
      await one.commit({ a: 2 });
      assert.equal(await readDeadLetters(), 'A2');
    },
    'deadLetters',
  ),
];
