import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { HapaxError, type ErrorCode } from '../../src/core/errors.ts';
import { fileStore, type FileStore, type FileStoreOptions } from '../../src/stores/file.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { openScene } from '../../src/testing/store-suite/scene.ts';
import { runStoreSuite } from '../../src/testing/store-suite/store-suite.ts';

const root = await mkdtemp(join(tmpdir(), 'hapax-store-'));
const opened: FileStore[] = [];
after(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await rm(root, { recursive: true });
});

let folders = 0;
const newFolder = () => join(root, String(++folders));

async function open(options: Partial<FileStoreOptions> & { path: string }): Promise<FileStore> {
  const store = await fileStore({ windowMs: 60_000, clock: new ManualClock(), ...options });
  opened.push(store);
  return store;
}

const has = (code: ErrorCode) => (error: unknown) => error instanceof HapaxError && error.code === code;

await runStoreSuite(({ windowMs, clock }) => open({ path: newFolder(), windowMs, clock }), {
  test,
  skip: (name, reason) => test(name, { skip: reason }, () => {}),
});

/** A store that was closed and opened again. */
async function reopened(store: FileStore, options: Partial<FileStoreOptions>): Promise<FileStore> {
  await store.close();
  return open({ path: store.folder, ...options });
}

const keys = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ key: `key ${from + n}`, position: from + n }));

describe('a file store that was opened again', () => {
  test('knows what is settled, open and released', async () => {
    const path = newFolder();
    const { partition, store, clock } = await openScene(({ windowMs, clock }) =>
      open({ path, windowMs, clock }),
    );
    const a = partition('a', 1);
    await a.claimAll(keys(0, 100));
    await store.settle(a.claims(keys(0, 50)));
    await a.trim(30);
    await store.release(a.claims(keys(90, 10)));

    const again = await reopened(store as FileStore, { windowMs: store.windowMs, clock });
    const { partition: partition2 } = await openScene(() => again);
    const b = partition2('b', 1);
    const { words } = await b.claimAll(
      keys(0, 100).map(({ key, position }) => ({ key, position: position + 1000 })),
    );
    assert.deepEqual(
      words,
      Array.from({ length: 100 }, (_, i) => (i < 50 ? 'duplicate' : i < 90 ? 'resumed' : 'first')),
    );
  });
});
