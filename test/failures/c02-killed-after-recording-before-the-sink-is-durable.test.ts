import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { readFileStore } from '../../src/stores/file/reading.ts';
import { Site } from '../worker/site.ts';
import type { How } from '../worker/worker.ts';

const lines = Array.from({ length: 100 }, (_, n) => `{"id":"e${n}"}\n`);
const whole: How = { batchMax: 1e9 };

/** Where it is killed, all of one batch being on its way, and whether the commit has been made by then. */
const kills: readonly [what: string, how: How, isCommitted: boolean][] = [
  ['before anything is in the sink', { crash: ['log.synced', 3] }, false],
  ['when it is in the sink and not on the disk', { crash: ['commit.before-sync', 1] }, false],
  ['half-way through', { crash: ['write.staged', 1], tears: { file: 'output', bytes: 555 } }, false],
  ['before the commit', { crash: ['commit.outputs-synced', 1] }, false],
  [
    'half-way through the commit',
    { crash: ['commit.record-written', 1], tears: { file: 'commits', bytes: 70 } },
    false,
  ],
  ['after the commit', { crash: ['commit.record-synced', 1] }, true],
];

describe('killed after claims were recorded', () => {
  for (const [what, how, isCommitted] of kills)
    test(`${what}: each of 100 events is in the sink once`, async (t) => {
      const site = await Site.make(t);
      await mkdir(site.path('in'));
      await writeFile(site.path('in', 'a.ndjson'), lines.join(''));
      assert.equal((await site.run({ ...whole, ...how })).signal, 'SIGKILL');

      const window = await readFileStore({ path: site.path('state'), windowMs: 172_800_000 });
      const { marks, open } = window!.stats();
      assert.deepEqual([marks, open], [100, 100], 'all was claimed and nothing counts as done');

      const { said } = await site.run(whole);
      assert.equal(await readFile(site.path('out', 'unique.ndjson'), 'utf8'), lines.join(''));
      const { received, first, resumed, duplicate } = said ?? {};
      assert.deepEqual([received, duplicate], [100, 0]);
      assert.deepEqual([first, resumed], isCommitted ? [100, 0] : [0, 100]);
    });
});
