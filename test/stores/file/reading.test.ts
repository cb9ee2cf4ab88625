import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { HapaxError, type ErrorCode } from '../../../src/core/errors.ts';
import { fileStore, type FileStore } from '../../../src/stores/file.ts';
import { readFileStore } from '../../../src/stores/file/reading.ts';
import { verifyFileStore } from '../../../src/stores/file/verify.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { carryOut, step, universe, type Step } from '../steps.ts';

const windowMs = 60_000;
const root = await mkdtemp(join(tmpdir(), 'hapax-reading-'));
after(() => rm(root, { recursive: true }));
let folders = 0;
const newFolder = () => join(root, String(++folders));
const has = (code: ErrorCode) => (error: unknown) => error instanceof HapaxError && error.code === code;

async function contentsOf(path: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(path, { withFileTypes: true })).filter((it) => it.isFile());
  return new Map(await Promise.all(names.map(async ({ name }) => [name, await readFile(join(path, name))] as const))); // prettier-ignore
}

/** A store in which some keys were claimed, in several segments. */
async function filled(clock = new ManualClock()): Promise<{ store: FileStore; path: string }> {
  const path = newFolder();
  const store = await fileStore({ path, windowMs, clock, diskSizeMax: 16 * 4_096 });
  const session = { kind: 'partition', keySpace: 's', partition: 'p', epoch: 1 } as const;
  await store.enter([{ session }]);
  for (let call = 1; call <= 6; call++) {
    const fingerprints = Uint32Array.from({ length: 400 }, (_, n) =>
      n % 4 === 0 ? call * 1_000 + n : n % 4,
    );
    const positions = Float64Array.from({ length: 100 }, (_, n) => call * 100 + n);
    await store.claim({ session, fingerprints, positions, call });
    await store.settle({ session, fingerprints, positions });
  }
  await store.trim(session, 1_000);
  return { store, path };
}

const lastSegment = async (path: string) =>
  join(path, (await readdir(path)).filter((name) => name.endsWith('.log')).sort().at(-1) ?? ''); // prettier-ignore

describe('a store that is read without having it', () => {
  test('tells what it would know if it was opened, and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps: Step[]) => {
        const clock = new ManualClock();
        const path = newFolder();
        const store = await fileStore({ path, windowMs: 2_000, clock });
        for (const one of steps) {
          if (one.what === 'wait') clock.tick(one.ms);
          await carryOut(store, one, true);
        }
        const before = await contentsOf(path);
        const reading = await readFileStore({ path, windowMs: 2_000, clock });
        assert.ok(reading);
        const [sights, stats] = [await reading.look(universe), reading.stats()];
        assert.deepEqual(await contentsOf(path), before);
        await store.close();
        const again = await fileStore({ path, windowMs: 2_000, clock });
        assert.deepEqual(sights, await again.look(universe));
        const { marks, open, tail } = again.stats();
        assert.deepEqual([stats.marks, stats.open, stats.tail], [marks, open, tail]);
        await again.close();
      }),
      { numRuns: 40 },
    );
  });

  test('may be used by somebody meanwhile', async () => {
    const { store, path } = await filled();
    const reading = await readFileStore({ path, windowMs, clock: new ManualClock() });
    assert.equal(reading?.stats().marks, 600);
    await store.close();
  });

  test('has all that its log has where nobody knows the window', async () => {
    const clock = new ManualClock();
    const { store, path } = await filled(clock);
    await store.close();
    clock.tick(100 * windowMs);
    const marksOf = async (given?: number) => {
      const reading = await readFileStore({ path, clock, ...(given !== undefined && { windowMs: given }) });
      return reading?.stats().marks;
    };
    assert.deepEqual([await marksOf(windowMs), await marksOf()], [0, 600]);
  });

  test('is none where no store was made, and refuses one that is damaged', async () => {
    assert.equal(await readFileStore({ path: newFolder(), windowMs }), undefined);
    const { store, path } = await filled();
    await store.close();
    const file = await lastSegment(path);
    const bytes = await readFile(file);
    await truncate(file, bytes.length - 40);
    assert.ok(await readFileStore({ path, windowMs }), 'what a crash leaves behind is no damage');
    bytes[bytes.length >> 1] ^= 1;
    await writeFile(file, bytes);
    await assert.rejects(readFileStore({ path, windowMs }), has('HPX-S005'));
    await rm(join(path, 'store.json'));
    await assert.rejects(readFileStore({ path, windowMs }), has('HPX-S005'));
  });
});

describe('a store that is verified', () => {
  test('is read to its end, beside whoever has it', async () => {
    const { store, path } = await filled();
    const verified = await verifyFileStore(path);
    assert.ok(verified && verified.segments > 1);
    assert.deepEqual([verified.keys, verified.torn, verified.damaged], [600, undefined, undefined]);
    const sizes = [...(await contentsOf(path))].map(([name, { length }]) =>
      name.endsWith('.log') ? length : 0,
    );
    assert.equal(verified.bytes, sizes.reduce((a, b) => a + b)); // prettier-ignore
    await store.close();
    assert.equal(await verifyFileStore(newFolder()), undefined);
  });

  test('tells a last write that is not whole from damage, and where it is', async () => {
    const { store, path } = await filled();
    await store.close();
    const file = await lastSegment(path);
    const bytes = await readFile(file);
    const whole = await verifyFileStore(path);
    await truncate(file, bytes.length - 40);
    const { torn, damaged, records = 0 } = (await verifyFileStore(path)) ?? {};
    assert.equal(damaged, undefined);
    assert.deepEqual([torn?.path, torn?.size], [file, bytes.length - 40]);
    assert.ok(torn && torn.at < torn.size && whole && records < whole.records);
  });

  test('finds any byte that has changed', async () => {
    const { store, path } = await filled();
    await store.close();
    const names = [...(await contentsOf(path)).keys()].filter((name) => name.endsWith('.log'));
    const file = join(path, names[0]);
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at += 97) {
      bytes[at] ^= 0x10;
      await writeFile(file, bytes);
      const { damaged } = (await verifyFileStore(path)) ?? {};
      assert.equal(damaged?.path, file, `byte ${at}`);
      assert.ok(damaged.at <= at && damaged.reason);
      bytes[at] ^= 0x10;
    }
  });

  test('finds a segment that is missing, and a store that has lost its name', async () => {
    const { store, path } = await filled();
    await store.close();
    const names = [...(await contentsOf(path)).keys()].filter((name) => name.endsWith('.log')).sort();
    assert.ok(names.length > 2);
    await rm(join(path, names[1]));
    assert.match((await verifyFileStore(path))?.damaged?.reason ?? '', /missing/);
    await writeFile(join(path, 'store.json'), '{}');
    assert.match((await verifyFileStore(path))?.damaged?.reason ?? '', /store\.json/);
  });
});
