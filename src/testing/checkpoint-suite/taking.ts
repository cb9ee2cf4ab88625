import assert from 'node:assert/strict';
import { zeroTotals } from '../../core/totals.ts';
import { ManualClock } from '../manual-clock.ts';
import type { CheckpointCheck } from './check.ts';
import { check } from './scene.ts';

export const taking: readonly CheckpointCheck[] = [
  check(
    'where nothing was committed there is no checkpoint, no writer, and the books are empty',
    async (scene) => {
      const worker = await scene.worker();
      const none = { partition: 'p', checkpoint: undefined, writer: undefined, totals: zeroTotals };
      assert.deepEqual({ ...(await worker.take()), epoch: 0 }, { ...none, epoch: 0 });
      assert.deepEqual({ ...(await worker.take()), epoch: 0 }, { ...none, epoch: 0 }, 'taken again');
    },
  ),

  check('the epoch is a safe integer, and starts at the clock', async ({ worker, clock }) => {
    const { epoch } = await (await worker()).take();
    assert.ok(Number.isSafeInteger(epoch), `${epoch}`);
    assert.ok(epoch >= clock.now() * 1_000, `${epoch} is below the time in microseconds`);
  }),

  {
    name: 'where the records are lost no epoch comes again',
    run: async (bench) => {
      const clock = new ManualClock();
      const given: number[] = [];
      for (let life = 0; life < 3; life++) {
        const place = await bench.open(clock);
        const store = await place.connect();
        for (let n = 0; n < 20; n++) given.push((await store.take([{ partition: 'p', above: 0 }]))[0].epoch);
        await place.close();
        clock.tick(1);
      }
      assert.equal(new Set(given).size, given.length);
    },
  },

  check('every take raises the epoch, whether something was committed or not', async ({ worker }) => {
    const one = await worker();
    const other = await worker();
    const first = await one.take();
    const second = await other.take();
    assert.ok(second.epoch > first.epoch);
    await other.commit(second, 1);
    assert.ok((await one.take()).epoch > second.epoch);
  }),

  check('the epoch is above what the window store told', async ({ worker }) => {
    const one = await worker();
    const { epoch } = await one.take();
    const next = await one.take('p', epoch + 1_000);
    assert.ok(next.epoch > epoch + 1_000);
    assert.equal(await one.commit(next, 1), true, 'and it is the one that counts');
    assert.ok((await one.take('p', epoch)).epoch > next.epoch, 'what is told too late lowers nothing');
    const fresh = await one.take('q', 2 * epoch);
    assert.ok(fresh.epoch > 2 * epoch, 'where there is no record');
  }),

  check('of those who take at once each has an epoch of its own, and only one may commit', async (scene) => {
    const workers = await Promise.all(Array.from({ length: 10 }, () => scene.worker()));
    const taken = await Promise.all(workers.map((worker) => worker.take()));
    assert.equal(new Set(taken.map(({ epoch }) => epoch)).size, workers.length);
    const accepted = await Promise.all(workers.map((worker, n) => worker.commit(taken[n], n)));
    assert.equal(accepted.filter(Boolean).length, 1);
  }),

  check('several are taken in one call; nothing is asked for, nothing is answered', async ({ worker }) => {
    const { store } = await worker();
    const names = ['a', 'b', 'c'];
    const taken = await store.take(names.map((partition) => ({ partition, above: 0 })));
    assert.deepEqual(taken.map(({ partition }) => partition).sort(), names);
    assert.deepEqual(await store.take([]), []);
  }),
];
