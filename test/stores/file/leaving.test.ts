import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileStore, type FileStoreOptions } from '../../../src/stores/file.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { openScene } from '../../../src/testing/store-suite/scene.ts';

const settings = { windowMs: 60_000, diskSizeMax: 256 * 1_024 };

test('a segment goes when what was left in it is on the disk again, however many calls are on their way', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'hapax-leaving-'));
  t.after(() => rm(root, { recursive: true }));
  const clock = new ManualClock();
  const copies: string[] = [];
  const open = (path: string, options: Partial<FileStoreOptions> = {}) =>
    fileStore({ path, clock, ...settings, ...options });
  let meanwhile = (): void => undefined;
  const crashPoint = (point: string) => {
    if (point === 'log.before-write') meanwhile();
    if (point !== 'segment.before-drop') return;
    // The next process finds it so if this one is killed now, or right after.
    const copy = join(root, `copy ${copies.length}`);
    cpSync(join(root, 'store'), copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    rmSync(
      join(
        copy,
        readdirSync(copy)
          .filter((name) => name.endsWith('.log'))
          .sort()[0],
      ),
    );
    copies.push(copy);
  };
  const store = await open(join(root, 'store'), { crashPoint });
  const { partition } = await openScene(() => store, settings);
  const keys = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ key: `key ${from + n}`, position: from + n }));

  const stuck = partition('stuck', 1);
  await stuck.claimAll(keys(0, 20));
  await store.settle(stuck.claims(keys(0, 10)));
  const busy = partition('busy', 1);
  for (let from = 1_000; from < 60_000; from += 1_000) {
    const calls: Promise<unknown>[] = [];
    meanwhile = () => {
      meanwhile = () => undefined;
      clock.tick(3_000);
      calls.push(busy.claimAll(keys(from + 500, 100)));
    };
    await busy.claimAll(keys(from, 100));
    await Promise.all(calls);
    await store.settle(busy.claims(keys(from, 100)));
    await store.settle(busy.claims(keys(from + 500, 100)));
    await busy.trim(from + 1_000);
  }
  await store.close();

  assert.ok(copies.length > 2, String(copies.length));
  for (const copy of copies) {
    const again = await open(copy);
    const states = (await again.look(stuck.claims(keys(0, 20)).fingerprints)).map(({ state }) => state);
    const expected = Array.from({ length: 20 }, (_, n) => (n < 10 ? 'settled' : 'open'));
    assert.deepEqual(states, expected, copy);
    await again.close();
  }
});
