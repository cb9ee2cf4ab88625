import assert from 'node:assert/strict';
import type { CommittingCheck } from './check.ts';
import { check } from './scene.ts';

export const aborts: readonly CommittingCheck[] = [
  check('an abort drops what is staged, and the next transaction begins with nothing', async (scene) => {
    const one = await scene.worker();
    await one.take('a');
    await one.stage('a', 'A1');
    await one.abort();
    assert.equal(await scene.read(), '');
    await one.stage('a', 'A2');
    await one.commit({ a: 2 });
    assert.equal(await scene.read(), 'A2');
  }),

  check('an abort moves no checkpoint and takes back no commit', async ({ worker, read }) => {
    const one = await worker();
    await one.take('a');
    await one.stage('a', 'A1');
    await one.commit({ a: 1 });
    await one.stage('a', 'A2');
    await one.abort();
    assert.equal(await read(), 'A1');
    assert.equal((await one.take('a')).checkpoint, 1);
  }),

  check('an abort ends no session', async ({ worker }) => {
    const one = await worker();
    await one.take('a');
    await one.stage('a', 'A1');
    await one.abort();
    assert.deepEqual(await one.commit({ a: 1 }), { fenced: [] });
  }),

  check('nothing can be aborted, also twice', async ({ worker }) => {
    const one = await worker();
    await one.abort();
    await one.abort();
  }),

  check('an abort leaves what others have staged', async ({ worker, read }) => {
    const one = await worker();
    const other = await worker();
    await one.take('a');
    await other.take('b');
    await one.stage('a', 'A1');
    await other.abort();
    await one.commit({ a: 1 });
    assert.equal(await read(), 'A1');
  }),

  check('what is staged when the sink is closed is dropped; closing twice is closing once', async (scene) => {
    const one = await scene.worker();
    await one.take('a');
    await one.stage('a', 'A1');
    await one.sink.close();
    await one.sink.close();
    const other = await scene.worker();
    await other.take('a');
    await other.commit({ a: 0 });
    assert.equal(await scene.read(), '');
  }),
];
