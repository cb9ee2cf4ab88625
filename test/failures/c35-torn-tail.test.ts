import assert from 'node:assert/strict';
import { appendFile, cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { describe, test, type TestContext } from 'node:test';
import { HapaxError } from '../../src/core/errors.ts';
import { audit } from '../worker/auditor.ts';
import { runPipeline } from '../worker/running.ts';
import { Site } from '../worker/site.ts';

const input = { events: 1_500, files: 3, distance: 1_000, seed: 1 };
const manner = { batchMax: 100 };

/** A worker that was killed in the middle; `again` runs the next one over folders that something was done to. */
async function killed(t: TestContext) {
  const site = await Site.make(t, { input });
  const { signal } = await site.run({ ...manner, crash: ['log.written', 30] });
  assert.equal(signal, 'SIGKILL');
  for (const folder of ['state', 'out']) await cp(site.path(folder), site.path(`${folder}.was`), copyOptions);
  const logs = (await readdir(site.path('state'))).filter((name) => name.endsWith('.log')).sort();
  const log = site.path('state', logs.at(-1) ?? '');

  const again = async (harm: () => Promise<unknown>): Promise<string> => {
    for (const folder of ['state', 'out']) {
      await rm(site.path(folder), { recursive: true });
      await cp(site.path(`${folder}.was`), site.path(folder), copyOptions);
    }
    await harm();
    try {
      await runPipeline(site.path('hapax.yaml'), { batchMax: 1_000 });
    } catch (error) {
      if (error instanceof HapaxError) return error.code;
      throw error;
    }
    const { findings } = audit(site.folder);
    return findings.length === 0 ? 'exact' : findings.join();
  };
  return { site, log, again };
}

const copyOptions = { recursive: true, filter: (path: string) => !path.endsWith('.sock') };

/** Where writes begin in a log: records of which a flag says that all before were on the disk by then. */
async function writesIn(log: string): Promise<number[]> {
  const bytes = await readFile(log);
  const begins: number[] = [];
  for (let at = 0; at + 16 <= bytes.length; at += 16 + bytes.readUInt32LE(at))
    if ((bytes.readUInt32LE(at + 8) & 0x100) !== 0) begins.push(at);
  return begins;
}

describe('the window of a process that was killed in the middle of a write', () => {
  test('is exact wherever that write ended', async (t) => {
    const { log, again } = await killed(t);
    const { size } = await stat(log);
    const last = (await writesIn(log)).at(-1) ?? 0;
    assert.ok(last > 0 && last < size);
    for (let end = last; end <= size; end += Math.ceil((size - last) / 30))
      assert.equal(await again(() => truncate(log, end)), 'exact', `${end} of ${size} bytes`);
  });

  test('is refused where something is missing that commits rely on', async (t) => {
    const { log, again } = await killed(t);
    const writes = await writesIn(log);
    const came: string[] = [];
    for (const end of writes.slice(1)) came.push(await again(() => truncate(log, end)));
    const firstExact = came.indexOf('exact');
    assert.ok(firstExact >= came.length - 4, came.join());
    assert.ok(
      came.slice(0, firstExact).every((it) => it === 'HPX-S009'),
      came.join(),
    );
    assert.ok(
      came.slice(firstExact).every((it) => it === 'exact'),
      came.join(),
    );
  });

  test('is refused with a byte that is another one', async (t) => {
    const { log, again } = await killed(t);
    const bytes = await readFile(log);
    const last = (await writesIn(log)).at(-1) ?? 0;
    for (let at = 0; at < last; at += 997) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 1;
      assert.equal(await again(() => writeFile(log, changed)), 'HPX-S005', `byte ${at}`);
    }
  });

  test('is exact with zeros behind it, and with a next segment that has nothing', async (t) => {
    const { log, again } = await killed(t);
    const next = log.replace(/1(?=\.log$)/, '2');
    assert.equal(await again(() => appendFile(log, Buffer.alloc(4_096))), 'exact');
    assert.equal(await again(() => writeFile(next, '')), 'exact');
    assert.equal(await again(() => writeFile(next, Buffer.alloc(4_096))), 'exact');
  });

  test('is refused where a part of the state is missing', async (t) => {
    const { site, log, again } = await killed(t);
    for (const name of ['store.json', 'secret', 'files.ndjson'])
      assert.equal(await again(() => rm(site.path('state', name))), 'HPX-S005', name);
    assert.equal(await again(() => rm(log)), 'HPX-S009');
  });

  test('may end in a new segment with nothing in it, and be torn before it the next time', async (t) => {
    const site = await Site.make(t, {
      input,
      settings: { store: '{ file: { path: state, disk_max: 96KiB } }' },
    });
    for (const nth of [2, 1, 1]) {
      const crashes = [
        { crash: ['segment.created', nth] },
        { crash: ['log.written', 1], tears: { file: 'window', bytes: 10 } },
      ] as const;
      for (const crash of crashes)
        assert.equal((await site.run({ ...manner, seed: nth, ...crash })).signal, 'SIGKILL');
    }
    await site.run(manner);
    assert.deepEqual(audit(site.folder).findings, []);
  });
});
