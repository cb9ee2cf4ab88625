import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { audit } from './auditor.ts';
import type { InputOptions } from './input.ts';
import { Site, type End } from './site.ts';
import { noDisk, SmallDisk } from './small-disk.ts';

type Part = 'state' | 'out';

const input: InputOptions = { events: 12_000, files: 10, distance: 2_000, seed: 1 };
const how = { batchMax: 300 };
const roomKiB = 16_384;

describe('a worker on a disk that is full', { skip: noDisk }, () => {
  /** A part of it lies on a disk of its own, which has less room than the run needs. */
  async function smallSite(t: TestContext, part: Part, sizeKiB: number, files = input.files) {
    const disk = await SmallDisk.mount(t, sizeKiB);
    const settings = { ...placed(part, disk.folder), limits: '{ drain: 100ms }' };
    return { disk, site: await Site.make(t, { settings, input: { ...input, files } }) };
  }

  function placed(part: Part, folder: string): Record<string, string> {
    if (part === 'state') return { store: `{ file: { path: ${folder}/state } }` };
    const file = (name: string) => `{ file: { path: ${folder}/${name}.ndjson } }`;
    return { sink: file('unique'), duplicates: file('duplicates'), dead_letter: file('dead') };
  }

  function assertWhole(part: Part, site: Site, disk: SmallDisk, { said }: End): void {
    const { findings } = audit(site.folder, part === 'out' ? { outputs: disk.folder } : {});
    assert.deepEqual(findings, []);
    assert.deepEqual([said?.received, said?.in_flight], [input.events, 0], JSON.stringify(said));
  }

  const cases = [
    ['state', 64],
    ['state', 120],
    ['out', 64],
    ['out', 200],
  ] as const;
  for (const [part, sizeKiB] of cases)
    test(`waits, and goes on by itself when there is room (${part}, ${sizeKiB} KiB)`, async (t) => {
      const { disk, site } = await smallSite(t, part, sizeKiB);
      const run = site.start(how);
      await run.waits();
      await disk.hasRoom(roomKiB);
      assertWhole(part, site, disk, await run.end);
    });

  for (const sizeKiB of [44, 84])
    test(`waits too to note what a file is known by (${sizeKiB} KiB)`, async (t) => {
      const { disk, site } = await smallSite(t, 'state', sizeKiB, 400);
      const run = site.start(how);
      await run.waits();
      await disk.hasRoom(roomKiB);
      assertWhole('state', site, disk, await run.end);
    });

  test('is killed, stopped and started again there, and goes on when there is room', async (t) => {
    const { disk, site } = await smallSite(t, 'out', 64);
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      const run = site.start(how);
      await run.waits();
      run.kill(signal);
      const { said } = await run.end;
      if (signal === 'SIGTERM') assert.equal(typeof said?.in_flight, 'number', 'it stops as it should');
    }
    const run = site.start(how);
    await run.waits();
    await disk.hasRoom(roomKiB);
    assertWhole('out', site, disk, await run.end);
  });

  test('says so when the state has no room to begin with, and goes on later', async (t) => {
    const { disk, site } = await smallSite(t, 'state', 64);
    const run = site.start(how);
    await run.waits();
    run.kill();
    await run.end;
    assert.equal((await site.run(how)).said?.code, 'HPX-S002');
    await disk.hasRoom(roomKiB);
    assertWhole('state', site, disk, await site.run(how));
  });
});
