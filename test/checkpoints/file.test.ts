import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileCheckpoints, readCheckpoints } from '../../src/checkpoints/file.ts';
import { HapaxError, type ErrorCode } from '../../src/core/errors.ts';
import { zeroTotals } from '../../src/core/totals.ts';
import { runCheckpointSuite } from '../../src/testing/checkpoint-suite/checkpoint-suite.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const newFolder = () => mkdtemp(join(tmpdir(), 'hapax-checkpoints-'));

runCheckpointSuite(
  {
    supports: { apart: true },
    open: async (clock) => {
      const folder = await newFolder();
      const store = await fileCheckpoints({ path: join(folder, 'checkpoints'), clock });
      return { connect: () => store, close: () => rm(folder, { recursive: true }) };
    },
  },
  { test, skip: (name, reason) => test(name, { skip: reason }, () => {}) },
);

const totals = { ...zeroTotals, first: 3, emitted: 3 };
const coded = (code: ErrorCode) => (error: unknown) => error instanceof HapaxError && error.code === code;

async function site(t: TestContext) {
  const folder = await newFolder();
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'checkpoints');
  const clock = new ManualClock();
  return { folder, path, clock, open: (keepSound = false) => fileCheckpoints({ path, clock, keepSound }) };
}

describe('checkpoints in a file', () => {
  test('another process finds what was committed, who wrote it, the books, and epochs that go on', async (t) => {
    const { path, open } = await site(t);
    const before = await open();
    const names = ['a', 'b', 'c "\n\ud800'].map((partition) => ({ partition, above: 0 }));
    const [a, , c] = await before.take(names);
    await before.commit([{ partition: 'a', epoch: a.epoch, checkpoint: 7, totals }]);
    await before.commit([{ partition: c.partition, epoch: c.epoch, checkpoint: 9, totals, moved: true }]);
    const rows = await before.list();
    assert.deepEqual(await readCheckpoints(path), rows);

    const after = await open();
    const taken = await after.take(names);
    assert.deepEqual(
      taken.map(({ checkpoint, writer }) => [checkpoint, writer]),
      [
        [7, a.epoch],
        [undefined, undefined],
        [9, undefined],
      ],
    );
    assert.deepEqual(taken[0].totals, totals);
    taken.forEach(({ epoch }, k) => assert.ok(epoch > rows[k].epoch));
  });

  test('a take is on the disk before it is answered, so that no epoch comes twice', async (t) => {
    const { open, clock } = await site(t);
    const [{ epoch }] = await (await open()).take([{ partition: 'a', above: 0 }]);
    clock.set(0);
    const [next] = await (await open()).take([{ partition: 'a', above: 0 }]);
    assert.ok(next.epoch > epoch);
  });

  test('calls that come at once are done one after another', async (t) => {
    const { open, path } = await site(t);
    const store = await open();
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, k) => store.take([{ partition: `p${k % 4}`, above: 0 }])),
    );
    assert.equal(new Set(taken.map(([{ partition, epoch }]) => `${partition} ${epoch}`)).size, 20);
    assert.deepEqual(await readCheckpoints(path), await store.list());
  });

  test('what a crash left beside it counts for nothing', async (t) => {
    const { folder, path, open } = await site(t);
    const store = await open();
    await store.take([{ partition: 'a', above: 0 }]);
    const rows = await store.list();
    await writeFile(`${path}.partial`, 'hapax check');
    assert.deepEqual(await (await open()).list(), rows);
    await (await open()).take([{ partition: 'a', above: 0 }]);
    assert.deepEqual(await readdir(folder), ['checkpoints']);
  });

  test('every byte that is not as it was written is noticed; confirmed, it begins anew', async (t) => {
    const { path, open } = await site(t);
    const store = await open();
    const [{ epoch }] = await store.take([{ partition: 'a', above: 0 }]);
    await store.commit([{ partition: 'a', epoch, checkpoint: 7, totals }]);
    const whole = await readFile(path);
    for (let k = 0; k < whole.length; k++) {
      const damaged = Buffer.from(whole);
      damaged[k] ^= 1 << (k % 8);
      await writeFile(path, damaged);
      await assert.rejects(open(), coded('HPX-S005'), `byte ${k}`);
    }
    for (const size of [0, 5, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, size));
      await assert.rejects(open(), coded('HPX-S005'), `${size} bytes`);
    }
    const [again] = await (await open(true)).take([{ partition: 'a', above: 0 }]);
    assert.equal(again.checkpoint, undefined);
    assert.deepEqual((await (await open()).list()).length, 1);
  });

  test('what cannot be written did not happen, and may be tried again', async (t) => {
    const { folder, path, open } = await site(t);
    const store = await open();
    const [{ epoch }] = await store.take([{ partition: 'a', above: 0 }]);
    const commits = [{ partition: 'a', epoch, checkpoint: 7, totals }];
    await rm(folder, { recursive: true });
    await assert.rejects(store.commit(commits), coded('HPX-S008'));
    assert.equal((await store.list())[0].checkpoint, undefined);
    await mkdir(folder);
    assert.deepEqual(await store.commit(commits), { fenced: [] });
    assert.equal((await readCheckpoints(path))[0].checkpoint, 7);
  });
});
