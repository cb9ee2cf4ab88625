import assert from 'node:assert/strict';
import { afterEach, describe, mock, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { jsonIdentity } from '../../src/core/identity/json-identity.ts';
import type { Policies } from '../../src/core/policies.ts';
import { Hand } from '../../src/core/river/hand.ts';
import { Part } from '../../src/core/river/part.ts';
import type { Sink } from '../../src/core/sink.ts';
import { countOf, type WindowStore } from '../../src/core/store.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { space } from './identity/batch.ts';
import { event, Topic } from './topic.ts';
import { Gate, hour, instead, quiet, RecordingSink, spoken, startWorker, until } from './workshop.ts';

const identity = jsonIdentity({ ...space, id: '/id', bodyCheck: {}, eventTime: '/at' });
const foreign = { kind: 'partition', keySpace: identity.keySpace, partition: 'elsewhere', epoch: 1 } as const;
const stranger = {
  session: foreign,
  fingerprints: identity.fingerprintOf('x'),
  positions: Float64Array.of(0),
};
const currents = ['at least once', 'committing'] as const;
type Current = (typeof currents)[number];

interface Work {
  /** That the store is asked for, in so many calls. */
  keys: number;
  calls: number;
  /** That are made of others, and the deliveries that are copied for them. */
  parts: number;
  copied: number;
  /** At copies of what is done. */
  looks: number;
}

function counting(work: Work): void {
  const subset = Reflect.get(Part.prototype, 'subset');
  mock.method(Part.prototype, 'subset', function (this: Part, indices: ArrayLike<number>): Part {
    work.parts++;
    if (indices.length < this.count) work.copied += indices.length;
    return subset.call(this, indices);
  });
  const followersOf = Reflect.get(Hand.prototype, 'followersOf');
  mock.method(Hand.prototype, 'followersOf', function* (this: Hand, part: Part, index: number) {
    for (const follower of followersOf.call(this, part, index)) {
      work.looks++;
      yield follower;
    }
  });
}
afterEach(() => {
  mock.restoreAll();
});

interface Case {
  readonly policies?: Partial<Policies>;
  /** Bodies of the copies; the key is settled with another one before. */
  readonly conflicts?: boolean;
  readonly late?: boolean;
  readonly rejects?: boolean;
  /** Somebody else has the key at work, until this is done to it. */
  readonly heldUntil?: (store: WindowStore) => Promise<unknown>;
  readonly books: (n: number) => object;
}

async function run(current: Current, n: number, given: Case & { batchMax: number }): Promise<Work> {
  const clock = new ManualClock();
  const inner = memoryStore({ windowMs: hour, clock });
  const work: Work = { keys: 0, calls: 0, parts: 0, copied: 0, looks: 0 };
  const store = instead(inner, {
    claim: (claim) => {
      work.calls++;
      work.keys += countOf(claim);
      return inner.claim(claim);
    },
  });
  if (given.heldUntil || given.conflicts) {
    await inner.enter([{ session: foreign }]);
    const bodies = given.conflicts && { bodies: Uint32Array.of(1, 2) };
    await inner.claim({ ...stranger, ...bodies, call: 1 });
    if (given.conflicts) await inner.settle({ ...stranger, ...bodies });
  }
  const at = new Date(clock.now() - (given.late ? 2 * hour : 0)).toISOString();
  const topic = new Topic({ p: Array.from({ length: n }, () => event('x', { at })) });
  const source = topic.source({ ends: true, batchMax: given.batchMax });
  const table = new CommittingTable({ clock }).connect();
  const rejecting: Sink['write'] = ({ indices }) =>
    Promise.resolve({ rejected: Array.from(indices, (_, k) => ({ at: k, reason: 'no' })) });
  const sinks =
    current === 'committing'
      ? { ...table, sink: given.rejects ? instead(table.sink, { write: rejecting }) : table.sink }
      : {
          sink: given.rejects ? { write: rejecting, close: async () => undefined } : new RecordingSink(),
          deadLetters: new RecordingSink(),
          checkpoints: memoryCheckpoints({ clock }),
        };
  counting(work);
  const worker = startWorker({
    source,
    store,
    identity,
    clock,
    ...sinks,
    ...(given.policies && { policies: given.policies }),
  });
  if (given.heldUntil) {
    for (let turn = 0; turn < 20; turn++) await clock.advance(1_000);
    assert.equal(worker.pipeline.summary().in_flight, Math.min(n, worker.pipeline.summary().received));
    await given.heldUntil(inner);
  }
  let ended = false;
  void worker.end.then(() => (ended = true));
  await until(() => ended || (worker.pipeline.summary().in_flight === 0 && worker.pipeline.summary().received === n), clock); // prettier-ignore
  assert.deepEqual(spoken(await worker.end), given.books(n));
  mock.restoreAll();
  return work;
}

const settle = (store: WindowStore) => store.settle(stranger);
const cutOff = (store: WindowStore) => store.enter([{ session: { ...foreign, epoch: 2 } }]);
const letGo = (store: WindowStore) => store.release(stranger);

const cases: Record<string, Case> = {
  'in conflict, dead-lettered': {
    conflicts: true,
    books: (n) => ({ received: n, conflict: n, dead_lettered: n }),
  },
  'in conflict, passed': {
    conflicts: true,
    policies: { conflict: 'pass' },
    books: (n) => ({ received: n, conflict: n, emitted: n }),
  },
  'in conflict, dropped': {
    conflicts: true,
    policies: { conflict: 'drop' },
    books: (n) => ({ received: n, conflict: n, dropped: n }),
  },
  'late, dropped': {
    late: true,
    policies: { late: 'drop' },
    books: (n) => ({ received: n, late: n, dropped: n }),
  },
  'rejected by the sink': {
    rejects: true,
    books: (n) => ({ received: n, first: n, dead_lettered: n }),
  },
  'held by somebody else who settles it': {
    heldUntil: settle,
    books: (n) => ({ received: n, duplicate: n, dropped: n }),
  },
  'held by somebody else who is cut off': {
    heldUntil: cutOff,
    books: (n) => ({ received: n, resumed: 1, duplicate: n - 1, emitted: 1, dropped: n - 1 }),
  },
  'held by somebody else who is cut off, then rejected by the sink': {
    heldUntil: cutOff,
    rejects: true,
    books: (n) => ({ received: n, first: n - 1, resumed: 1, dead_lettered: n }),
  },
  'held by somebody else who lets it go, then late': {
    heldUntil: letGo,
    late: true,
    policies: { late: 'dead-letter' },
    books: (n) => ({ received: n, late: n, dead_lettered: n }),
  },
};

describe('four times the copies of one key are hardly more than four times the work', () => {
  for (const current of currents)
    for (const [what, given] of Object.entries(cases))
      for (const batches of ['one batch', 'batches of one'])
        test(`${what} (${current}, ${batches})`, async (t) => {
          const batchMax = batches === 'one batch' ? 1_000 : 1;
          const few = await run(current, 50, { ...given, batchMax });
          const many = await run(current, 200, { ...given, batchMax });
          t.diagnostic(JSON.stringify([few, many]));
          for (const what of Object.keys(few) as (keyof Work)[])
            assert.ok(many[what] <= 6 * few[what] + 100, `${what}: ${few[what]} become ${many[what]}`);
        });
});

describe('copies of what somebody else has at work', () => {
  const held = async (logs: Record<string, readonly string[]>, batchMax = 1_000) => {
    const clock = new ManualClock();
    const store = memoryStore({ windowMs: hour, clock });
    await store.enter([{ session: foreign }]);
    await store.claim({ ...stranger, call: 1 });
    return { clock, store, identity, source: new Topic(logs).source({ batchMax }) };
  };
  const copies = (count: number) => Array.from({ length: count }, () => event('x'));

  for (const batchMax of [1, 1_000])
    test(`count as waiting: the partition is not read on beyond the limit (batches of ${batchMax})`, async () => {
      const given = await held({ p: [...copies(50), event('y')] }, batchMax);
      const worker = startWorker({ ...given, limits: { waitingMax: 10 } });
      await until(() => given.source.paused.has('p'));
      if (batchMax === 1) assert.ok(worker.pipeline.summary().received < 20);
      await given.store.settle(stranger);
      await until(() => worker.pipeline.summary().duplicate === 50, given.clock);
      assert.equal(given.source.paused.size, 0);
      assert.equal((await worker.stop()).first, 1);
    });

  test('do not make a partition wait that has no more of them than it may', async () => {
    const given = await held({ p: [...copies(5), event('y'), event('z')] });
    const worker = startWorker({ ...given, limits: { waitingMax: 5 } });
    await until(() => worker.pipeline.summary().first === 2);
    await quiet();
    assert.equal(given.source.paused.size, 0);
  });

  test('go on once, also when their own batch was being asked for at that moment', async () => {
    const given = await held({ p: copies(1), q: [event('x'), event('y')] });
    const gate = new Gate();
    let isOpen = false;
    const store = instead(given.store, {
      claim: async (claim) => {
        const isOfQ = claim.session.kind === 'partition' && claim.session.partition === 'q';
        if (isOfQ && countOf(claim) === 1 && !isOpen) await gate.passed;
        return given.store.claim(claim);
      },
    });
    const duplicates = new RecordingSink();
    const worker = startWorker({ ...given, store, duplicates });
    await until(() => worker.pipeline.summary().received === 3);
    await given.store.settle(stranger);
    await until(() => duplicates.ids.length > 0, given.clock);
    isOpen = true;
    gate.open();
    await until(() => worker.pipeline.summary().in_flight === 0, given.clock);
    assert.deepEqual(spoken(await worker.stop()), { received: 3, first: 1, duplicate: 2, emitted: 1, dropped: 2 }); // prettier-ignore
    assert.deepEqual(duplicates.written.map(({ partition }) => partition).sort(), ['p', 'q']);
  });
});
