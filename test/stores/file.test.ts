import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { HapaxError, type ErrorCode } from '../../src/core/errors.ts';
import { Verdict } from '../../src/core/verdict.ts';
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

const settings = { windowMs: 3_600_000 };
const sceneOf = (store: FileStore) => openScene(() => store, settings);

describe('a file store that is opened again', () => {
  test('knows what is settled, open and released', async () => {
    const { partition, store, clock } = await openScene((options) => open({ path: newFolder(), ...options }));
    const a = partition('a', 1);
    await a.claimAll(keys(0, 100));
    await store.settle(a.claims(keys(0, 50)));
    await a.trim(30);
    await store.release(a.claims(keys(90, 10)));

    const again = await sceneOf(await reopened(store as FileStore, { ...settings, clock }));
    const { words } = await again.partition('b', 1).claimAll(keys(0, 100));
    assert.deepEqual(
      words,
      Array.from({ length: 100 }, (_, i) => (i < 50 ? 'duplicate' : i < 90 ? 'resumed' : 'first')),
    );
  });

  test('fences every session of before, and settles what its writer had committed', async () => {
    const { partition, store, clock } = await openScene((options) => open({ path: newFolder(), ...options }));
    const a = partition('a', 7);
    await a.claimAll(keys(0, 10));
    const again = await reopened(store as FileStore, { ...settings, clock });
    const session = { kind: 'partition', keySpace: 'suite', partition: 'a', epoch: 7 } as const;
    assert.deepEqual(await again.claim({ ...a.claims(keys(0, 1)), call: 9 }), { fenced: 7 });
    assert.deepEqual(await again.enter([{ session }]), [{ fenced: 7 }]);
    const settleBelow = { checkpoint: 5, writer: 7 };
    assert.deepEqual(await again.enter([{ session: { ...session, epoch: 8 }, settleBelow }]), [undefined]);
    const { words } = await (await sceneOf(again)).partition('b', 1).claimAll(keys(0, 10));
    assert.deepEqual(words, [...Array<string>(5).fill('duplicate'), ...Array<string>(5).fill('resumed')]);
  });

  test('goes on with fences above those that it gave, with a clock that was set back', async () => {
    const clock = new ManualClock();
    const store = await open({ path: newFolder(), ...settings, clock });
    const claims = (token: string) => ({
      session: { kind: 'lease', token, leaseMs: 1_000 } as const,
      fingerprints: Uint32Array.of(1, 2, 3, 4 << 16),
      positions: Float64Array.of(0),
      call: 0,
    });
    const fenceOf = (answer: Awaited<ReturnType<FileStore['claim']>>) =>
      'fences' in answer && answer.fences?.[0];
    const before = fenceOf(await store.claim(claims('one')));
    clock.set(clock.now() - 86_400_000);
    const again = await reopened(store, { ...settings, clock });
    const answer = await again.claim(claims('two'));
    assert.ok(
      'verdicts' in answer && answer.verdicts[0] === Verdict.resumed,
      'the lease went with its process',
    );
    assert.ok(Number(fenceOf(answer)) > Number(before));
  });

  test('has a window that goes on where it was, however the clock was set meanwhile', async () => {
    for (const jump of [-86_400_000, 0, 1_800_000]) {
      const { partition, store, clock } = await openScene((options) =>
        open({ path: newFolder(), ...options }),
      );
      await partition('a', 1).finish('key');
      clock.set(clock.now() + jump);
      const again = await sceneOf(await reopened(store as FileStore, { ...settings, clock }));
      assert.equal(await again.partition('a', 2).claim('key', 9), 'duplicate');
    }
  });
});

describe('the log of a file store', () => {
  /** Batches while time passes; two claims stay open from the beginning. */
  async function busy(options: Partial<FileStoreOptions> = {}) {
    const clock = new ManualClock();
    const store = await open({ path: newFolder(), ...settings, clock, ...options });
    const scene = await sceneOf(store);
    const stuck = scene.partition('stuck', 1);
    await stuck.claimAll(keys(-2, 2));
    const a = scene.partition('a', 1);
    for (let step = 0; step < 40; step++) {
      const batch = keys(2_000 * step, 2_000);
      await a.claimAll(batch);
      await store.settle(a.claims(batch));
      await a.trim(2_000 * (step + 1));
      clock.tick(settings.windowMs / 10);
    }
    return { store, clock, scene };
  }

  test('keeps no more than the window, and what is open for ever', async () => {
    const { store, clock } = await busy();
    const inWindow = store.stats().marks;
    assert.ok(inWindow > 15_000 && inWindow <= 24_000, `${inWindow}`);
    assert.ok((store.stats().diskBytes ?? Infinity) < 32 * inWindow + 2 ** 20);
    const again = await reopened(store, { ...settings, clock });
    assert.equal(again.stats().marks, inWindow);
    const { words } = await (await sceneOf(again)).partition('b', 1).claimAll(keys(-2, 2));
    assert.deepEqual(words, ['resumed', 'resumed']);
  });

  test('that is as large as it may be refuses claims, or ends the window early', async () => {
    const diskSizeMax = 2 ** 18;
    await assert.rejects(busy({ diskSizeMax }), has('HPX-S002'));
    const { store } = await busy({ diskSizeMax, whenFull: 'shrink' });
    assert.ok((store.stats().diskBytes ?? Infinity) <= diskSizeMax + 100_000);
    assert.ok((store.stats().effectiveWindowMs ?? Infinity) <= settings.windowMs);
  });

  const logOf = async (folder: string) =>
    join(folder, (await readdir(folder)).filter((name) => name.endsWith('.log')).at(-1) ?? '');

  /** A log of a few small batches, what the store knows after each, and where its records end. */
  async function small() {
    const store = await open({ path: newFolder(), ...settings });
    const a = (await sceneOf(store)).partition('a', 1);
    const ends: { size: number; sights: unknown }[] = [];
    const note = async () => {
      const sights = (await store.look(universe)).map(({ state }) => state);
      ends.push({ size: store.stats().diskBytes ?? 0, sights });
    };
    const universe = a.claims(keys(0, 12)).fingerprints;
    await note();
    for (let step = 0; step < 4; step++) {
      await a.claimAll(keys(3 * step, 3));
      await note();
      await store.settle(a.claims(keys(3 * step, 2)));
      await note();
    }
    await store.close();
    return { store, universe, ends };
  }

  test('that ends early anywhere is exact up to there', async () => {
    const { store, universe, ends } = await small();
    const log = await logOf(store.folder);
    const whole = await readFile(log);
    for (let size = 0; size <= whole.length; size++) {
      const path = newFolder();
      await cp(store.folder, path, { recursive: true });
      await truncate(await logOf(path), size);
      const again = await fileStore({ path, ...settings, clock: new ManualClock() });
      const known = ends.filter((end) => end.size <= size).at(-1)?.sights ?? Array(12).fill('none');
      assert.deepEqual(
        (await again.look(universe)).map(({ state }) => state),
        known,
        `${size} bytes`,
      );
      await again.close();
    }
  });

  test('with any changed byte is refused, and confirmed it loses no event', async () => {
    const { store, universe } = await small();
    const whole = await readFile(await logOf(store.folder));
    for (let at = 0; at < whole.length; at++) {
      const path = newFolder();
      await cp(store.folder, path, { recursive: true });
      const bytes = Buffer.from(whole);
      bytes[at] ^= 1 << (at % 8);
      await writeFile(await logOf(path), bytes);
      await assert.rejects(
        fileStore({ path, ...settings, clock: new ManualClock() }),
        has('HPX-S005'),
        `byte ${at}`,
      );
      const again = await fileStore({ path, ...settings, clock: new ManualClock(), keepSound: true });
      const states = (await again.look(universe)).map(({ state }) => state);
      states.forEach((state, i) => {
        assert.ok(state !== 'settled' || i % 3 < 2, 'nothing becomes settled that was not');
      });
      await again.close();
    }
  });

  test('of which a segment is missing is refused', async () => {
    const { store } = await busy({ diskSizeMax: 2 ** 20 });
    await store.close();
    const names = (await readdir(store.folder)).filter((name) => name.endsWith('.log'));
    assert.ok(names.length > 2, names.join());
    await rm(join(store.folder, names[1]));
    await assert.rejects(fileStore({ path: store.folder, ...settings }), has('HPX-S005'));
  });

  test('of a newer format is refused', async () => {
    const path = newFolder();
    await (await open({ path })).close();
    await writeFile(join(path, 'store.json'), '{"format":2,"id":"x"}');
    await assert.rejects(fileStore({ path, ...settings }), has('HPX-S007'));
  });
});

describe('a file store', () => {
  test('has its directory for itself', async () => {
    const path = newFolder();
    const store = await open({ path });
    await assert.rejects(fileStore({ path, ...settings }), has('HPX-S004'));
    await store.close();
    await (await open({ path })).close();
  });

  test('that is an older copy is noticed by what was written after it', async () => {
    const path = newFolder();
    const store = await open({ path, ...settings });
    const a = (await sceneOf(store)).partition('a', 1);
    await a.finish('before');
    const early = store.moment();
    await store.close();
    const copy = newFolder();
    await cp(path, copy, { recursive: true });

    const second = await open({ path, ...settings });
    const during = second.moment();
    await (await sceneOf(second)).partition('a', 2).finish('after');
    const late = second.moment();
    assert.ok(second.has(early) && second.has(during) && second.has(late));
    await second.close();

    const restored = await open({ path: copy, ...settings });
    assert.ok(restored.has(early));
    assert.ok(!restored.has(during) && !restored.has(late));
    const other = await open({ path: newFolder() });
    assert.ok(!other.has(early), 'another store altogether');
  });

  test('that was opened a thousand times since still knows what was committed before, and what it never had', async () => {
    const path = newFolder();
    const store = await open({ path, ...settings });
    await (await sceneOf(store)).partition('a', 1).finish('before');
    const early = store.moment();
    await store.close();
    for (let run = 0; run < 1_000; run++) await (await fileStore({ path, ...settings })).close();
    const last = await open({ path, ...settings });
    assert.ok(last.has(early));
    assert.ok(!last.has({ ...last.moment(), run: early.run + 1 }), 'of a run that is not its own');
  });

  test('that cannot be made says so', async () => {
    const path = newFolder();
    await writeFile(path, 'a file');
    await assert.rejects(fileStore({ path, ...settings }), has('HPX-S008'));
  });
});
