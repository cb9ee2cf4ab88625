import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../src/core/chance.ts';
import { audit } from './auditor.ts';
import { Site } from './site.ts';
import type { How } from './worker.ts';

// HAPAX_KILL_EVENTS=1000000 is the full measure.
const events = Number(process.env.HAPAX_KILL_EVENTS ?? 200_000);
const kills = 50;
const scale = events / 1_000_000;

const how: How = { batchMax: Math.ceil(1_000 * scale), msPerByte: 8 / scale };
/** The window is about three files, since the next one may wait for copies in those before; copies are nearer. */
const settings = {
  window: '10h',
  store: `{ file: { path: state, disk_max: ${Math.ceil(6_144 * scale)}KiB } }`,
};
/** About so many steps a run would take that nobody kills; the kills come within the most of them. */
const steps = 16_000;

test(`${events} events and ${kills} kills at any time: nothing is lost or repeated, and the books agree`, async (t) => {
  const input = { events, files: 24, distance: Math.ceil(10_000 * scale), seed: 1 };
  const site = await Site.make(t, { settings, input });
  const chance = seeded(Number(process.env.HAPAX_KILL_SEED ?? 1));
  for (let kill = 1; kill <= kills; kill++) {
    const run = site.start({ ...how, seed: kill });
    await run.took(1 + chance.pick((2 * steps) / kills));
    run.kill();
    const { signal, said } = await run.end;
    assert.equal(signal, 'SIGKILL', `it came to its end before kill ${kill}: ${JSON.stringify(said)}`);
  }
  const { said } = await site.run(how);
  const { findings, books } = audit(site.folder);
  assert.deepEqual(findings, []);
  assert.deepEqual([said?.received, said?.in_flight], [events, 0]);
  for (const [name, count] of Object.entries(books)) assert.equal(said?.[name], count, name);
  t.diagnostic(`books: ${JSON.stringify(books)}`);
});
