import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HapaxError, isFinal } from '../../src/core/errors.ts';
import { Verdict } from '../../src/core/verdict.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { openScene } from '../../src/testing/store-suite/scene.ts';
import { runStoreSuite } from '../../src/testing/store-suite/store-suite.ts';

await runStoreSuite(memoryStore, {
  test,
  skip: (name, reason) => test(name, { skip: reason }, () => {}),
});

const isFull = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-S002';
const keys = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ key: `key ${from + n}`, position: from + n }));

test('full, it refuses the claim as a whole and takes it again when there is room', async () => {
  const { partition, store, clock, look } = await openScene(({ windowMs, clock }) =>
    memoryStore({ windowMs, clock, marksMax: 100 }),
  );
  const a = partition('a', 1);
  await a.claimAll(keys(0, 80));
  await store.settle(a.claims(keys(0, 80)));
  await a.trim(80);
  clock.tick(60_000);
  await a.claimAll(keys(80, 15));
  await assert.rejects(a.claimAll(keys(90, 20)), isFull);
  assert.deepEqual(await look('key 100'), { state: 'none' }, 'nothing of it was done');
  assert.equal((await a.claimAll(keys(0, 80))).words[0], 'duplicate', 'what is known is answered');
  assert.equal((await a.claimAll(keys(90, 10))).words[9], 'first');
  assert.equal(await a.settle('key 200', 200), false, 'a settle is never refused');
  clock.tick(3_600_000);
  assert.equal((await a.claimAll(keys(100, 20))).words[0], 'first', 'the first 80 are over');
});

for (const whenFull of ['wait', 'shrink'] as const) {
  test(`${whenFull}: a claim of more keys than it may ever keep is refused for good, its copies do not count`, async () => {
    const { partition } = await openScene(({ windowMs, clock }) =>
      memoryStore({ windowMs, clock, marksMax: 100, whenFull }),
    );
    const a = partition('a', 1);
    await assert.rejects(
      a.claimAll(keys(0, 101)),
      (error) => isFinal(error) && error instanceof HapaxError && error.code === 'HPX-S006',
    );
    const copies = keys(0, 200).map(({ position }) => ({ key: `key ${position % 100}`, position }));
    assert.equal((await a.claimAll(copies)).words[99], 'first');
    assert.equal((await a.claimAll(keys(0, 100))).words[0], 'first', 'sent again');
  });
}

test('full and told to shrink, it ends the oldest marks early and says so', async () => {
  const { partition, store, clock } = await openScene(({ windowMs, clock }) =>
    memoryStore({ windowMs, clock, marksMax: 100, whenFull: 'shrink' }),
  );
  const a = partition('a', 1);
  for (let step = 0; step < 10; step++) {
    await a.claimAll(keys(20 * step, 20));
    await store.settle(a.claims(keys(20 * step, 20)));
    await a.trim(20 * step + 20);
    clock.tick(60_000);
    assert.ok(store.stats().marks <= 100);
    assert.equal(store.stats().effectiveWindowMs === undefined, step < 5);
  }
  const { effectiveWindowMs = 0, oldestAcceptedAt = 0 } = store.stats();
  assert.ok(effectiveWindowMs > 4 * 60_000 && effectiveWindowMs <= 6 * 60_000, `${effectiveWindowMs}`);
  assert.ok(clock.now() - oldestAcceptedAt <= effectiveWindowMs);
  assert.equal(await a.claim('key 199', 500), 'duplicate');
  assert.equal(await a.claim('key 0', 501), 'first');
  await assert.rejects(a.claimAll(keys(1_000, 100)), isFull, 'what is open cannot be ended');
  clock.tick(3_600_000);
  assert.equal(store.stats().effectiveWindowMs, undefined, 'it grows back by itself');
});

test('what it was told by a clock that runs ahead counts at most an hour', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: 2 * 3_600_000, clock });
  clock.set(clock.now() + 86_400_000);
  const session = { kind: 'partition', keySpace: 'suite', partition: 'a', epoch: 1 } as const;
  const claims = { session, fingerprints: Uint32Array.of(1, 2, 3, 0), positions: Float64Array.of(0) };
  const claimed = await store.claim({ ...claims, call: 1 });
  assert.ok('now' in claimed && claimed.now === clock.now() - 23 * 3_600_000);
});

describe('a large table that is built anew', () => {
  const session = { kind: 'partition', keySpace: 'orders', partition: 'a', epoch: 1 } as const;
  const many = 20_000;
  const scattered = (): Uint32Array =>
    Uint32Array.from(
      { length: 4 * many },
      (_, at) => Math.imul(at + 1, 0x9e3779b1) ^ Math.imul(at, 0x85ebca6b),
    );
  const claim = {
    session,
    fingerprints: scattered(),
    positions: Float64Array.from({ length: many }, (_, i) => i),
    call: 1,
  };

  test('keeps what the tail has when nothing was asked for longer than the window', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ windowMs: 30_000, clock });
    await store.claim(claim);
    clock.tick(100_000);
    assert.equal((await store.settle(claim)).includes(1), false);
    assert.equal(store.stats().tail, many);
  });

  test('makes place for bodies', async () => {
    const store = memoryStore({ windowMs: 30_000, clock: new ManualClock() });
    await store.claim(claim);
    await store.settle(claim);
    const bodies = new Uint32Array(2 * many).fill(1);
    const copies = { ...claim, session: { ...session, partition: 'b' }, bodies, call: 2 };
    const answer = await store.claim(copies);
    assert.ok('verdicts' in answer && answer.verdicts.every((verdict) => verdict === Verdict.duplicate));
  });
});

test('a claim that stays open for months keeps its copies waiting', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: 10_000, clock });
  const one = (partition: string, call: number) => ({
    session: { kind: 'partition', keySpace: 'orders', partition, epoch: 1 } as const,
    fingerprints: Uint32Array.of(1, 7, 3, 0),
    positions: Float64Array.of(0),
    call,
  });
  await store.claim(one('a', 1));
  for (const [call, ms] of [2 ** 32 + 3, 9_000, 20_000].entries()) {
    clock.tick(ms);
    const answer = await store.claim(one('b', call));
    assert.ok('verdicts' in answer && answer.verdicts[0] === Verdict.held);
  }
});

test('a full store that may shrink does not do so for what it knows', async () => {
  const store = memoryStore({
    windowMs: 30_000,
    clock: new ManualClock(),
    marksMax: 100,
    whenFull: 'shrink',
  });
  const claim = {
    session: { kind: 'partition', keySpace: 'orders', partition: 'a', epoch: 1 } as const,
    fingerprints: Uint32Array.from({ length: 400 }, (_, at) => Math.imul(at + 1, 0x9e3779b1)),
    positions: Float64Array.from({ length: 100 }, (_, i) => i),
    call: 1,
  };
  await store.claim(claim);
  await store.settle(claim);
  const answer = await store.claim({ ...claim, session: { ...claim.session, partition: 'b' } });
  assert.ok('verdicts' in answer && answer.verdicts.every((verdict) => verdict === Verdict.duplicate));
});

test('a lease that settled too late lost the claim to nobody: when its window is over, nothing of it is left', async () => {
  const { lease, clock } = await openScene(memoryStore);
  const a = lease('a', 30_000);
  await a.claim('key');
  clock.tick(60_000);
  assert.equal(await a.settle('key'), true, 'overtaken');
  clock.tick(3_600_000 - 30_000);
  assert.equal(await a.settle('key'), false);
});
