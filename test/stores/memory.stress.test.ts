import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claims } from '../../src/core/store.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { seeded } from '../../src/core/chance.ts';
import { fingerprintsOf } from '../../src/testing/store-suite/caller.ts';
import { readableStore } from '../../src/testing/readable-store.ts';

const windowMs = 12_000;
const batchSize = 150;
const keysMax = 40_000;
const partitions = ['a', 'b', 'c'];

/** Batches of arrays that serve many calls, kept as long as a part of them may be in the tail. */
interface Batch {
  readonly claims: Claims & {
    readonly session: { kind: 'partition'; keySpace: string; partition: string; epoch: number };
  };
  readonly call: number;
}

for (const seed of [1, 2]) {
  test(`thousands of keys, growth, expiry and moves of partitions: as the readable store has it (seed ${seed})`, async () => {
    const chance = seeded(seed);
    const pick = (n: number) => chance.pick(n);
    const clock = new ManualClock();
    const store = memoryStore({ windowMs, clock });
    const reference = readableStore({ windowMs: windowMs + 1, clock });
    const both = async <T>(work: (it: typeof store) => Promise<T>): Promise<T> => {
      const [answer, expected] = [await work(store), await work(reference)];
      assert.deepEqual(answer, expected);
      return answer;
    };
    const epochs = new Map(partitions.map((name) => [name, 1]));
    const heads = new Map(partitions.map((name) => [name, 0]));
    const recent: Batch[] = [];
    let call = 0;
    let most = 0;
    const some = (share: number) =>
      Uint32Array.from(Array.from({ length: batchSize }, (_, i) => i).filter(() => pick(100) < 100 * share));

    for (let step = 0; step < 1_000; step++) {
      const partition = partitions[pick(3)];
      const epoch = epochs.get(partition) ?? 1;
      const session = { kind: 'partition', keySpace: 'suite', partition, epoch } as const;
      const batch = recent.at(-1 - pick(Math.min(recent.length, 12)));
      const what = pick(20);
      if (what < 8 || !batch) {
        const head = heads.get(partition) ?? 0;
        const claims = {
          session,
          fingerprints: fingerprintsOf(Array.from({ length: batchSize }, () => `${pick(keysMax)}`)),
          positions: Float64Array.from({ length: batchSize }, (_, i) => head + i),
        };
        heads.set(partition, head + batchSize);
        recent.push({ claims, call: ++call });
        await both((it) => it.claim({ ...claims, call }));
      } else if (what < 14) {
        const settled = { ...batch.claims, indices: some(0.8) };
        await both((it) => it.settle(settled));
      } else if (what === 14) {
        const released = { ...batch.claims, indices: some(0.3) };
        await both((it) => it.release(released));
      } else if (what === 15) {
        const again = { ...batch.claims, session, indices: some(0.5), call: ++call };
        await both((it) => it.claim(again));
      } else if (what < 18) {
        const below = Math.max(0, (heads.get(partition) ?? 0) - pick(6 * batchSize));
        await both((it) => it.trim(session, below));
      } else if (what === 18 && pick(4) === 0) {
        epochs.set(partition, epoch + 1);
        const next = { ...session, epoch: epoch + 1 };
        const settleBelow = { checkpoint: (heads.get(partition) ?? 0) - pick(4 * batchSize), writer: epoch };
        const enter = { session: next, ...(pick(2) === 0 && { settleBelow }) };
        await both((it) => it.enter([enter]));
      } else if (what === 19 && pick(3) === 0) {
        const audit = { ...batch.claims, session, indices: some(0.9), call };
        await both((it) => it.audit(session, audit));
      }
      clock.tick([0, 1, 20, 60, 200, pick(300) === 0 ? 15_000 : 5, pick(500) === 0 ? 60_000 : 0][pick(7)]);
      most = Math.max(most, store.stats().marks);
      if (step % 50 === 0) {
        const seen = fingerprintsOf(Array.from({ length: 300 }, () => `${pick(keysMax)}`));
        await both((it) => it.look(seen));
        await both((it) => it.forget(seen.subarray(0, 4 * 10)));
      }
    }
    const all = fingerprintsOf(Array.from({ length: keysMax }, (_, n) => `${n}`));
    await both((it) => it.look(all));
    assert.ok(most > 5_000, `too little was tried: ${most} marks`);
  });
}

for (const seed of [1, 2]) {
  test(`thousands of leases that end, are renewed and outlive the window: as the readable store has it (seed ${seed})`, async () => {
    const chance = seeded(seed);
    const pick = (n: number) => chance.pick(n);
    const clock = new ManualClock();
    const store = memoryStore({ windowMs: 3_000, clock });
    const reference = readableStore({ windowMs: 3_001, clock });
    const both = async <T>(work: (it: typeof store) => Promise<T>): Promise<T> => {
      const [answer, expected] = [await work(store), await work(reference)];
      assert.deepEqual(answer, expected);
      return answer;
    };
    const recent: Claims[] = [];
    let call = 0;
    for (let step = 0; step < 1_500; step++) {
      const old = recent.at(-1 - pick(Math.min(recent.length, [20, 60, 600][pick(3)])));
      const what = pick(10);
      if (what < 6 || !old) {
        const leaseMs = [500, 2_000, 10_000][pick(3)];
        const count = [1, 3, 40][pick(3)];
        const claims: Claims = {
          session:
            pick(8) === 0
              ? { kind: 'partition', keySpace: 'suite', partition: 'a', epoch: 1 }
              : { kind: 'lease', token: `lease ${pick(400)}`, leaseMs },
          fingerprints: fingerprintsOf(Array.from({ length: count }, () => `${pick(8_000)}`)),
          positions: Float64Array.from({ length: count }, (_, i) => 100 * step + i),
        };
        recent.push(claims);
        const claim = { ...claims, call: ++call, takeOver: pick(9) === 0 };
        await both((it) => it.claim(claim));
      } else if (what < 8) await both((it) => it.settle(old));
      else if (what === 8) await both((it) => it.release(old));
      else {
        const again = { ...old, call: ++call };
        await both((it) => it.claim(again));
      }
      clock.tick([0, 0, 1, 5, 20, pick(60) === 0 ? 1_000 : 0, pick(200) === 0 ? 40_000 : 0][pick(7)]);
      if (step % 50 === 0) {
        const seen = fingerprintsOf(Array.from({ length: 300 }, () => `${pick(8_000)}`));
        await both((it) => it.look(seen));
      }
    }
    const all = fingerprintsOf(Array.from({ length: 8_000 }, (_, n) => `${n}`));
    await both((it) => it.look(all));
  });
}
