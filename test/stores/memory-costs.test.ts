import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Claim } from '../../src/core/store.ts';
import { Verdict } from '../../src/core/verdict.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

// What these do takes seconds; it would take many minutes if a call looked at all that the store has.
const timeout = 60_000;
/** The time-out needs a turn of its own now and then. */
const turn = async (n: number) => n % 256 === 0 && nextTurn();

const partition = (name: string) =>
  ({ kind: 'partition', keySpace: 'orders', partition: name, epoch: 1 }) as const;
const lease = (n: number) => ({ kind: 'lease', token: `lease ${n}`, leaseMs: 86_400_000 }) as const;

/** A claim of one key. */
function one(session: Claim['session'], n: number): Claim {
  const fingerprints = Uint32Array.from([1, 2, 3, 4], (word) => Math.imul(n + 1, 0x9e3779b1 * word));
  return { session, fingerprints, positions: Float64Array.of(n), call: n };
}

async function verdictOf(store: ReturnType<typeof memoryStore>, claim: Claim): Promise<number> {
  const answer = await store.claim(claim);
  assert.ok('verdicts' in answer);
  return answer.verdicts[0];
}

test('what a call costs does not depend on how many leases outlive the window', { timeout }, async () => {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: 30_000, clock });
  const leases = 30_000;
  for (let n = 0; n < leases; n++) await store.claim(one(lease(n), n));
  clock.tick(35_000);
  for (let n = leases; n < leases + 6_000; n++) {
    await turn(n);
    clock.tick(2);
    const claim = one(lease(n), n);
    assert.equal(await verdictOf(store, claim), Verdict.first);
    assert.equal(await verdictOf(store, one(partition('a'), n - leases)), Verdict.held);
    await store.settle(claim);
  }
  assert.equal(store.stats().open, leases);
});

test('what a call costs does not depend on how long a checkpoint has been stuck', { timeout }, async () => {
  const store = memoryStore({ windowMs: 86_400_000, clock: new ManualClock() });
  const many = 30_000;
  assert.equal(await verdictOf(store, one(partition('a'), 0)), Verdict.first);
  for (let n = 1; n < many; n++) {
    await turn(n);
    const claim = one(partition('a'), n);
    assert.equal(await verdictOf(store, claim), Verdict.first);
    await store.settle(n % 2 === 0 ? claim : { ...claim, fingerprints: claim.fingerprints.slice() });
    assert.equal(
      await verdictOf(store, one(partition('b'), n - 1)),
      n === 1 ? Verdict.held : Verdict.duplicate,
    );
    await store.trim(partition('a'), 0);
  }
  assert.equal(store.stats().tail, many);
  await store.settle(one(partition('a'), 0));
  for (let below = 1; below <= many; below++) await store.trim(partition('a'), below);
  assert.equal(store.stats().tail, 0);
});

test('time that jumps over the window at each call takes no new table each time', async (t) => {
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: { Instance: new () => object } };
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: 1_000, clock });
  await store.claim(one(lease(0), 0));
  const instances = t.mock.method(wasm, 'Instance');
  for (let n = 1; n < 1_000; n++) {
    clock.tick(5_000);
    const claim = one(partition('a'), n);
    assert.equal(await verdictOf(store, claim), Verdict.first);
    assert.equal(await verdictOf(store, one(partition('b'), 0)), Verdict.held);
    await store.settle(claim);
    await store.trim(partition('a'), n + 1);
  }
  assert.equal(instances.mock.callCount(), 0);
});
