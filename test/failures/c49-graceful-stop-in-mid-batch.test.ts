import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ended, start } from '../cli/hapax.ts';
import { audit } from '../worker/auditor.ts';
import { Site } from '../worker/site.ts';
import { noDisk, SmallDisk } from '../worker/small-disk.ts';

const input = { events: 120_000, files: 8, distance: 10_000, seed: 1 };
const log = { log: '{ level: debug }' };

interface Stopped {
  readonly code: number | null;
  /** What was received and not finished. */
  readonly inFlight: number | undefined;
}

/** Runs the real command, and sends it these signals when it says this. */
async function runUntil(site: Site, word: string, ...signals: readonly NodeJS.Signals[]): Promise<Stopped> {
  const child = start(['run', site.path('hapax.yaml'), '--summary', 'json']);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    const wasSaid = said.includes(word);
    said += chunk.toString();
    if (!wasSaid && said.includes(word)) for (const signal of signals) child.kill(signal);
  });
  const { code, err } = await ended(child);
  const summary = err.split('\n').find((line) => line.startsWith('{"received":'));
  const { in_flight: inFlight } = JSON.parse(summary ?? '{}') as { in_flight?: number };
  return { code, inFlight };
}

async function assertWhole(site: Site): Promise<void> {
  assert.deepEqual(await runUntil(site, 'never'), { code: 0, inFlight: 0 });
  assert.deepEqual(audit(site.folder).findings, []);
}

describe('a stop in mid-batch', () => {
  test('finishes what is in hand, twenty times in a row; the exit code tells where it had no time to', async (t) => {
    const site = await Site.make(t, { input });
    for (let stop = 1; stop <= 20; stop++) {
      const hasTime = stop % 7 === 0;
      await site.configure({ ...log, limits: `{ drain: ${hasTime ? '30s' : '1ms'} }` });
      const { code, inFlight } = await runUntil(site, 'partition.taken', 'SIGTERM');
      if (hasTime) assert.equal(inFlight, 0);
      assert.equal(code, inFlight === 0 ? 0 : 1);
    }
    await assertWhole(site);
  });

  test('ends at once with a second signal, and the next run makes up for it', async (t) => {
    const site = await Site.make(t, { input, settings: log });
    for (let stop = 1; stop <= 3; stop++)
      assert.deepEqual(await runUntil(site, 'partition.taken', 'SIGTERM', 'SIGINT'), {
        code: 130,
        inFlight: undefined,
      });
    await assertWhole(site);
  });

  /** The window has less room than it needs. */
  async function withSmallState(t: TestContext, drain: string) {
    const disk = await SmallDisk.mount(t, 100);
    const store = `{ file: { path: ${disk.folder}/state } }`;
    const site = await Site.make(t, { input, settings: { ...log, store, limits: `{ drain: ${drain} }` } });
    return { disk, site };
  }

  test(
    'gives up in time while the store is away, and says that it is not clean',
    { skip: noDisk },
    async (t) => {
      const { disk, site } = await withSmallState(t, '50ms');
      const { code, inFlight = 0 } = await runUntil(site, 'store.waiting', 'SIGTERM');
      assert.ok(code === 1 || code === 69, String(code));
      assert.ok(inFlight > 0);
      await disk.hasRoom(65_536);
      await assertWhole(site);
    },
  );

  for (const signals of [
    ['SIGTERM', 'SIGINT'],
    ['SIGTERM', 'SIGKILL'],
  ] as const)
    test(`ends at once while the store is away (${signals.join(', ')})`, { skip: noDisk }, async (t) => {
      const { disk, site } = await withSmallState(t, '10m');
      const { code } = await runUntil(site, 'store.waiting', ...signals);
      assert.equal(code, signals[1] === 'SIGKILL' ? null : 130);
      await disk.hasRoom(65_536);
      await assertWhole(site);
    });
});
