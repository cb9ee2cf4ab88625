import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { readableStore } from '../../src/testing/readable-store.ts';
import { carryOut, step, universe } from './steps.ts';

const windowMs = 1_000;

test('the memory store does what the readable one does, in any order of calls, while time passes and jumps', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { maxLength: 60, size: 'max' }),
      async (withBodies, all) => {
        const clock = new ManualClock();
        const store = memoryStore({ windowMs, clock });
        // The memory store's marks end within one tick (1 ms) after the window.
        const reference = readableStore({ windowMs: windowMs + 1, clock });
        for (const step of all) {
          if (step.what === 'wait') clock.tick(step.ms);
          if (step.what === 'clock') clock.set(clock.now() + (step.number - 3) * 900_000);
          assert.deepEqual(
            await carryOut(store, step, withBodies),
            await carryOut(reference, step, withBodies),
            step.what,
          );
          assert.deepEqual(
            await store.look(universe),
            await reference.look(universe),
            `look after ${step.what}`,
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});
