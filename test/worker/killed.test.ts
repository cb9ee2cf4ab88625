import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { crashPoints as sinkPoints } from '../../src/sinks/committing-files.ts';
import { crashPoints as storePoints } from '../../src/stores/file.ts';
import { audit } from './auditor.ts';
import { Site } from './site.ts';
import type { How } from './worker.ts';

const events = 6_000;

/** Time goes with the reading, so that the window, segments and series of files end within the input. */
const how: How = { batchMax: 100, msPerByte: 330 };
const settings = { window: '8h', store: '{ file: { path: state, disk_max: 128KiB } }' };
const series = { dead_letter: '{ file: { path: out/dead.ndjson, keep: 8h } }' };

/** What goes before, where a point is passed only then. */
const before: Readonly<Record<string, How>> = {
  'open.tail-cut': { crash: ['log.written', 20], tears: { file: 'window', bytes: 20 } },
  'open.empty-dropped': { crash: ['segment.created', 2] },
};
/** Which time it ends a first and a later run; most are passed often. */
const onceInARun = /^(?:start|take|close|abort|compaction|open)/;
const onceEver = ['open.manifest-written'];

describe('a worker that is killed', { concurrency: 4 }, () => {
  const newSite = (t: TestContext, point: string) =>
    Site.make(t, {
      settings: { ...settings, ...(point.startsWith('series') && series) },
      input: { events, files: 10, distance: 150, seed: 1 },
    });

  async function finish(site: Site, keepsAllDead: boolean): Promise<void> {
    const { said } = await site.run(how);
    const { findings, books } = audit(site.folder, { keepsAllDead });
    assert.deepEqual(findings, []);
    const { received, in_flight } = said ?? {};
    assert.deepEqual([received, in_flight], [events, 0]);
    for (const [name, count] of Object.entries(books)) assert.equal(said?.[name], count, name);
  }

  for (const point of [...storePoints, ...sinkPoints])
    test(`${point}: nothing is lost or repeated, and the books agree`, async (t) => {
      const site = await newSite(t, point);
      const hits = onceEver.includes(point) ? [1] : onceInARun.test(point) ? [1, 1] : [1, 3];
      for (const [k, hit] of hits.entries()) {
        const first = before[point];
        if (first) assert.equal((await site.run({ ...how, seed: k, ...first })).signal, 'SIGKILL');
        const { signal, said } = await site.run({ ...how, seed: k, crash: [point, hit] });
        assert.equal(signal, 'SIGKILL', `hit ${hit} of ${point} never came: ${JSON.stringify(said)}`);
      }
      await finish(site, !point.startsWith('series'));
    });
});
