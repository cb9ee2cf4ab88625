import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Sight } from '../../src/core/store.ts';
import { fileStore } from '../../src/stores/file.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { carryOut, step, universe, type Step } from './steps.ts';

const windowMs = 1_000;
const root = await mkdtemp(join(tmpdir(), 'hapax-store-'));
after(() => rm(root, { recursive: true }));
let folders = 0;

/** What a new process knows of a key: whoever had it open is gone, and a lease lives no longer than its window then. */
function afterwards(sight: Sight, now: number): Sight {
  if (sight.state !== 'open') return sight;
  const isOver = sight.owner.kind === 'lease' && sight.acceptedAt + windowMs < now;
  return isOver ? { state: 'none' } : { ...sight, alive: false };
}

/** In the life number `life` every partition session is newer than all before. */
function inLife(step: Step, life: number): Step {
  const { session } = step;
  if (session.kind === 'lease')
    return { ...step, session: { ...session, token: `${session.token}/${life}` } };
  return { ...step, session: { ...session, epoch: session.epoch + 10 * life } };
}

test('the file store does what the memory store does, and knows the same when it is opened again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.array(step, { maxLength: 30, size: 'max' }), { minLength: 1, maxLength: 4 }),
      async (withBodies, lives) => {
        const clock = new ManualClock();
        const path = join(root, String(++folders));
        for (const [life, steps] of lives.entries()) {
          const store = await fileStore({ path, windowMs, clock });
          for (const step of steps) {
            if (step.what === 'wait') clock.tick(step.ms);
            await carryOut(store, inLife(step, life), withBodies);
          }
          const before = (await store.look(universe)).map((sight) => afterwards(sight, clock.now()));
          await store.close();
          const again = await fileStore({ path, windowMs, clock });
          assert.deepEqual(await again.look(universe), before);
          assert.equal(again.stats().marks, before.filter(({ state }) => state !== 'none').length);
          await again.close();
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('in one life the file store does what the memory store does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { maxLength: 40, size: 'max' }),
      async (withBodies, steps) => {
        const clock = new ManualClock();
        const store = await fileStore({ path: join(root, String(++folders)), windowMs, clock });
        const reference = memoryStore({ windowMs, clock });
        for (const step of steps) {
          if (step.what === 'wait') clock.tick(step.ms);
          if (step.what === 'clock') clock.set(clock.now() + (step.number - 3) * 900_000);
          assert.deepEqual(
            await carryOut(store, step, withBodies),
            await carryOut(reference, step, withBodies),
            step.what,
          );
        }
        await store.close();
      },
    ),
    { numRuns: 100 },
  );
});
