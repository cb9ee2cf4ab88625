import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { describe, test, type TestContext } from 'node:test';
import { audit } from './auditor.ts';
import type { InputOptions } from './input.ts';
import { Site } from './site.ts';
import { noDisk, SmallDisk } from './small-disk.ts';

const input: InputOptions = { events: 6_000, files: 6, distance: 2_000, seed: 1 };
const how = { batchMax: 200 };

describe('a worker', () => {
  test('leaves a state alone that another one has, and that one goes on', async (t) => {
    const site = await Site.make(t, {
      settings: { source: '{ file: { path: "in/*.ndjson", follow: true } }' },
      input,
    });
    const run = site.start(how);
    await run.took(50);
    assert.equal((await site.run(how)).said?.code, 'HPX-S004');
    run.kill('SIGTERM');
    assert.equal((await run.end).said?.in_flight, 0);
    await site.configure();
    await site.run(how);
    assert.deepEqual(audit(site.folder).findings, []);
  });

  for (const part of ['state', 'out'])
    test(`says so where nothing can be written (${part})`, { skip: noDisk }, async (t) => {
      const disk = await SmallDisk.mount(t, 16_384);
      const site = await Site.make(t, { input });
      const folder = `${disk.folder}/${part}`;
      const settings = {
        ...(part === 'state' && { store: `{ file: { path: ${folder} } }` }),
        ...(part === 'out' && { sink: `{ file: { path: ${disk.folder}/unique.ndjson } }` }),
      };
      await site.configure(settings);
      const code = part === 'state' ? 'HPX-S008' : 'HPX-O001';
      await disk.isReadOnly(true);
      assert.equal((await site.run(how)).said?.code, code);
      await disk.isReadOnly(false);
      const run = site.start(how);
      await run.took(100);
      run.kill();
      await run.end;
      await disk.isReadOnly(true);
      assert.equal((await site.run(how)).said?.code, code);
      await disk.isReadOnly(false);
      const { said } = await site.run(how);
      assert.deepEqual([said?.received, said?.in_flight], [input.events, 0]);
    });
});

describe('a worker whose folders were put back from a copy', () => {
  /** Stopped in the middle and copied, then killed further on. */
  async function copied(t: TestContext, steps = 200) {
    const site = await Site.make(t, { input });
    await stopped(site, steps, 'SIGTERM');
    for (const folder of ['state', 'out'])
      await cp(site.path(folder), site.path(`${folder}.copy`), {
        recursive: true,
        filter: (path) => !path.endsWith('.sock'),
      });
    await stopped(site, steps, 'SIGKILL');
    return site;
  }

  async function stopped(site: Site, steps: number, signal: NodeJS.Signals): Promise<void> {
    const run = site.start(how);
    await run.took(steps);
    run.kill(signal);
    await run.end;
  }

  async function putBack(site: Site, folder: string): Promise<void> {
    await rm(site.path(folder), { recursive: true });
    await cp(site.path(`${folder}.copy`), site.path(folder), { recursive: true });
  }

  test('refuses a state that is older than the output; confirmed, it loses nothing', async (t) => {
    const site = await copied(t);
    await putBack(site, 'state');
    for (let again = 1; again <= 2; again++) assert.equal((await site.run(how)).said?.code, 'HPX-S009');
    await site.run({ ...how, confirmed: ['HPX-S009'] });
    const { findings } = audit(site.folder, { forgets: true });
    assert.deepEqual(
      findings.filter((it) => /^(?:lost|changed|is in no input)/.test(it)),
      [],
    );
    assert.equal((await site.run(how)).said?.in_flight, 0, 'once is enough');
  });

  test('refuses an output that is older than the state, which changes nothing', async (t) => {
    const site = await copied(t);
    await cp(site.path('out'), site.path('out.latest'), { recursive: true });
    await putBack(site, 'out');
    for (let again = 1; again <= 2; again++) assert.equal((await site.run(how)).said?.code, 'HPX-O008');
    await rm(site.path('out'), { recursive: true });
    await cp(site.path('out.latest'), site.path('out'), { recursive: true });
    await site.run(how);
    assert.deepEqual(audit(site.folder).findings, []);
  });

  test('goes on where a copy of both was', async (t) => {
    const site = await copied(t);
    await putBack(site, 'state');
    await putBack(site, 'out');
    await site.run(how);
    assert.deepEqual(audit(site.folder).findings, []);
  });
});
