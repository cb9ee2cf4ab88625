import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { memoryStore } from '../../../src/stores/memory.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { Owners } from '../../../src/testing/simulate/owners.ts';
import type { MakeStore } from '../../../src/testing/simulate/window-server.ts';
import { PartitionCaller } from '../../../src/testing/store-suite/caller.ts';
import { brokenBy } from './broken-by.ts';

const windowMs = 3_600_000;

/** Two claims, of which one is settled. */
async function settleOne(make: MakeStore): Promise<() => Promise<void>> {
  const owners = new Owners();
  const store = make(new ManualClock(), windowMs);
  const watched = owners.watch(store);
  const callers = ['a', 'b'].map(
    (partition) =>
      new PartitionCaller(watched, { kind: 'partition', keySpace: 'owners', partition, epoch: 1 }),
  );
  await callers[0].claim('X');
  await callers[1].claim('Y');
  await owners.check(store);
  await callers[1].settle('Y');
  return () => owners.check(store);
}

suite('right after a settle', () => {
  test('the claim that it took from a neighbour is missed', async () => {
    const look = await settleOne(brokenBy('releases another open claim with each settle'));
    await assert.rejects(look, { name: 'Violation', promise: 'THEFT' });
  });
  test('all is well with the product', async () => {
    const look = await settleOne((clock) => memoryStore({ windowMs, clock }));
    await look();
  });
});
