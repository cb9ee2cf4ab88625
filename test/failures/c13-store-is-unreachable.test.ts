import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { HapaxError } from '../../src/core/errors.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import type { WindowStore } from '../../src/core/store.ts';
import { event, Topic } from '../core/topic.ts';
import { hour, instead, quiet, RecordingSink, spoken, startWorker, until } from '../core/workshop.ts';

// 100 events, 30 % of them once more.
const events = Array.from({ length: 130 }, (_, n) => event(`e${n < 100 ? n : (n * 3) % 100}`));
const load = (): Topic => new Topic({ p: events.slice(0, 65), q: events.slice(65) });
const settled = { received: 130, first: 100, duplicate: 30, emitted: 100, dropped: 30 };

type Outage = (clock: ManualClock, inner: WindowStore) => { store: WindowStore; isOver: () => void };

/** How a store can be away, from its 6th call on. */
const outages: Record<string, Outage> = {
  'errors at once': broken(() => new HapaxError('HPX-S001', 'connection refused')),
  'refuses what is new, as a full one': broken(() => new HapaxError('HPX-S002', 'memory')),
  'throws what nobody knows': broken(() => new TypeError('cannot read properties of undefined')),
  'carries it out and loses the reply': (_, inner) => {
    const outage = broken(() => new HapaxError('HPX-S001', 'time-out'), true);
    return outage(_, inner);
  },
};
function broken(fault: () => Error, carriesOut = false): Outage {
  return (_, inner) => {
    let calls = 0;
    let over = false;
    const guard =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (over || ++calls <= 6) return call(...args);
        if (carriesOut) await call(...args);
        throw fault();
      };
    const store = instead(inner, {
      claim: guard(inner.claim.bind(inner)),
      settle: guard(inner.settle.bind(inner)),
      release: guard(inner.release.bind(inner)),
      trim: guard(inner.trim.bind(inner)),
    });
    return { store, isOver: () => (over = true) };
  };
}

for (const [how, outage] of Object.entries(outages))
  describe(`a store that ${how}`, () => {
    test('is waited for: nothing is read on, lost, repeated or called a duplicate', async () => {
      const clock = new ManualClock();
      const { store, isOver } = outage(clock, memoryStore({ windowMs: hour, clock }));
      const sink = new RecordingSink();
      const checkpoints = memoryCheckpoints({ clock });
      const source = load().source({ ends: true, batchMax: 5 });
      const worker = startWorker({ source, sink, store, checkpoints, clock });
      await clock.advance(1_000);
      const before = worker.pipeline.summary();
      await clock.advance(20_000);
      const after = worker.pipeline.summary();
      assert.deepEqual(after, before);
      assert.ok(after.in_flight > 0 && after.received < 130);
      assert.ok(after.duplicate <= 0);
      const waits = worker.notices.filter((it) => it.type === 'waiting');
      assert.ok(waits.length > 0 && waits.every(({ on }) => on === 'store'));
      isOver();
      let over = false;
      void worker.end.then(() => (over = true));
      await until(() => over, clock);
      assert.deepEqual(spoken(await worker.end), settled);
      assert.equal(new Set(sink.ids).size, 100);
      assert.equal(sink.ids.length, 100);
    });
  });

test('a store that is away when claims are asked for lets everything pass, if that was chosen: marked, counted, each once', async () => {
  const clock = new ManualClock();
  const inner = memoryStore({ windowMs: hour, clock });
  let isAway = false;
  const store = instead(inner, {
    claim: (claim) => (isAway ? Promise.reject(new HapaxError('HPX-S001', 'away')) : inner.claim(claim)),
  });
  const topic = new Topic({ p: events.slice(0, 40) });
  const sink = new RecordingSink();
  const worker = startWorker({
    source: topic.source({ batchMax: 5 }),
    sink,
    store,
    clock,
    policies: { store: 'pass' },
  });
  await until(() => sink.ids.length === 40);
  isAway = true;
  topic.append('p', ...events.slice(40, 110));
  await until(() => sink.ids.length === 110);
  await quiet();
  assert.ok(worker.notices.some((it) => it.type === 'waiting' && it.on === 'store'));
  isAway = false;
  topic.append('p', ...events.slice(110));
  await until(() => worker.pipeline.summary().received === 130);
  const { unchecked, duplicate, first } = await worker.stop();
  assert.equal(unchecked, 70);
  assert.equal(first + duplicate, 60);
  assert.equal(sink.written.filter(({ manner }) => manner === 'unchecked').length, 70);
  const places = sink.written.map(({ position }) => position);
  assert.equal(new Set(places).size, places.length, 'no delivery is written twice');
});

test('a store that answers slowly is only slow', async () => {
  const clock = new ManualClock();
  const inner = memoryStore({ windowMs: hour, clock });
  const store = instead(inner, {
    claim: async (claim) => {
      await clock.sleep(3_000);
      return inner.claim(claim);
    },
    settle: async (claims) => {
      await clock.sleep(3_000);
      return inner.settle(claims);
    },
  });
  const sink = new RecordingSink();
  const worker = startWorker({ source: load().source({ ends: true, batchMax: 20 }), sink, store, clock });
  let over = false;
  void worker.end.then(() => (over = true));
  await until(() => over, clock);
  assert.deepEqual(spoken(await worker.end), settled);
});
