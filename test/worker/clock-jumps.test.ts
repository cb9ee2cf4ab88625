import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audit } from './auditor.ts';
import { Site } from './site.ts';

const day = 86_400_000;
const input = { events: 6_000, files: 6, distance: 3_000, seed: 1 };

/** By how much the clock is wrong in one run after another, and whether the window is over on the way. */
const jumps: Readonly<Record<string, { shifts: readonly number[]; forgets: boolean }>> = {
  'back a day': { shifts: [0, -day, -day, 0], forgets: false },
  'forward 30 minutes': { shifts: [0, 1_800_000, 3_600_000], forgets: false },
  'to and fro within the window': { shifts: [0, day, -day, 0, day], forgets: false },
  'forward 10 days': { shifts: [0, 10 * day, 10 * day], forgets: true },
  'forward 10 days and back': { shifts: [0, 10 * day, 0, 0], forgets: true },
};

describe('a clock that jumps between two runs', { concurrency: 2 }, () => {
  for (const [name, { shifts, forgets }] of Object.entries(jumps))
    test(`${name}: nothing is lost, ${forgets ? 'copies of what the window has forgotten pass' : 'and nothing is repeated'}`, async (t) => {
      const site = await Site.make(t, { input });
      for (const [k, shift] of shifts.entries()) {
        const run = site.start({ batchMax: 100, seed: k, shift });
        await run.took(150 + 40 * k);
        run.kill(k % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        await run.end;
      }
      const { said } = await site.run({ shift: shifts.at(-1) ?? 0 });
      const { findings, passed } = audit(site.folder, { forgets });
      assert.deepEqual(findings, []);
      assert.deepEqual([said?.received, said?.in_flight], [input.events, 0]);
      assert.equal(passed > 0, forgets);
    });
});
