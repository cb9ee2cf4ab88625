import assert from 'node:assert/strict';
import type { CheckpointCheck } from './check.ts';
import { check } from './scene.ts';

export const fencing: readonly CheckpointCheck[] = [
  check('after a take a commit of an older epoch is refused, and changes nothing', async ({ worker }) => {
    const one = await worker();
    const other = await worker();
    const old = await one.take();
    await one.commit(old, 3);
    const current = await other.take();
    assert.equal(await one.commit(old, 9), false);
    const { checkpoint, writer, totals } = await other.take();
    assert.deepEqual([checkpoint, writer, totals.first], [3, old.epoch, 3]);
    assert.ok(current.epoch > old.epoch);
  }),

  check('a commit of a newer epoch that nobody took is refused too', async ({ worker }) => {
    const one = await worker();
    const taken = await one.take();
    assert.equal(await one.commit({ ...taken, epoch: taken.epoch + 1 }, 9), false);
    assert.equal(await one.commit(taken, 3), true, 'and the epoch that was taken goes on');
    assert.equal((await one.take()).checkpoint, 3);
  }),

  check('what nobody has taken cannot be committed', async ({ worker }) => {
    const one = await worker();
    assert.equal(await one.commit({ partition: 'p', epoch: 1 }, 3), false);
    assert.equal((await one.take()).checkpoint, undefined);
  }),

  check('a fenced commit does not end the session that fenced it', async ({ worker }) => {
    const one = await worker();
    const other = await worker();
    const old = await one.take();
    const current = await other.take();
    await one.commit(old, 9);
    assert.equal(await other.commit(current, 3), true);
  }),

  check('a take of one partition fences no other', async ({ worker }) => {
    const one = await worker();
    const a = await one.take('a');
    const b = await one.take('b');
    await (await worker()).take('b');
    assert.equal(await one.commit(a, 1), true);
    assert.equal(await one.commit(b, 1), false);
  }),
];
