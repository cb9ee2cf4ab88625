import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { customIdentity } from '../../src/core/identity/custom-identity.ts';
import { jsonIdentity } from '../../src/core/identity/json-identity.ts';
import type { Happening, Source } from '../../src/core/source.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { batchOf, space } from './identity/batch.ts';
import { event, Topic } from './topic.ts';
import {
  Gate,
  hour,
  identity,
  instead,
  Life,
  quiet,
  RecordingSink,
  spoken,
  startWorker,
  until,
} from './workshop.ts';

const events = (...ids: string[]) => ids.map((id) => event(id));
const numbered = (count: number, name = 'e') => Array.from({ length: count }, (_, n) => event(`${name}${n}`));

function bench() {
  const clock = new ManualClock();
  return { clock, store: memoryStore({ windowMs: hour, clock }), checkpoints: memoryCheckpoints({ clock }) };
}
const stuck = () => new RecordingSink(() => new Promise<never>(() => undefined));

describe('a copy of what somebody else has at work', () => {
  test('is neither dropped nor passed while it waits, and work goes on behind it', async () => {
    const shared = bench();
    const gate = new Gate();
    const topic = new Topic({ p: events('a'), q: [...events('a'), ...numbered(20)] });
    const slow = new RecordingSink(() => gate.passed.then(() => undefined));
    startWorker({ source: topic.source({ assigned: ['p'] }), sink: slow, ...shared });
    await until(() => slow.calls > 0);
    const sink = new RecordingSink();
    const source = topic.source({ assigned: ['q'], ends: true, batchMax: 3 });
    const worker = startWorker({ source, sink, ...shared });
    await until(() => sink.ids.length === 20, shared.clock);
    assert.deepEqual(spoken(worker.pipeline.summary()), {
      received: 21,
      first: 20,
      emitted: 20,
      in_flight: 1,
    });
    assert.ok(!worker.notices.some((it) => it.type === 'held'));
    gate.open();
    let over = false;
    void worker.end.then(() => (over = true));
    await until(() => over, shared.clock);
    assert.deepEqual(spoken(await worker.end), {
      received: 21,
      first: 20,
      duplicate: 1,
      emitted: 20,
      dropped: 1,
    });
  });

  test('in each of many batches makes nobody stop reading before the limit', async () => {
    const shared = bench();
    const topic = new Topic({
      p: numbered(20),
      q: numbered(20).flatMap((copy, n) => [copy, event(`f${n}`)]),
    });
    const busy = stuck();
    startWorker({ source: topic.source({ assigned: ['p'] }), sink: busy, ...shared });
    await until(() => busy.calls > 0);
    const sink = new RecordingSink();
    const source = topic.source({ assigned: ['q'], batchMax: 2 });
    startWorker({ source, sink, ...shared });
    await quiet();
    assert.equal(sink.ids.length, 20);
    assert.equal(source.paused.size, 0);
  });

  test('beyond the limit of what may wait, the partition is not read on until they are done', async () => {
    const shared = bench();
    const gate = new Gate();
    const topic = new Topic({ p: numbered(20), q: [...numbered(20), ...events('z')] });
    const slow = new RecordingSink(() => gate.passed.then(() => undefined));
    startWorker({ source: topic.source({ assigned: ['p'] }), sink: slow, ...shared });
    await until(() => slow.calls > 0);
    const sink = new RecordingSink();
    const source = topic.source({ assigned: ['q'], batchMax: 1 });
    const worker = startWorker({ source, sink, ...shared, limits: { waitingMax: 5 } });
    await until(() => source.paused.has('q'));
    await shared.clock.advance(60_000);
    assert.ok(worker.pipeline.summary().received < 12);
    gate.open();
    await until(() => sink.ids.includes('z'), shared.clock);
    assert.equal(worker.pipeline.summary().duplicate, 20);
  });

  test('is taken over after a time, where that is the policy, and says so', async () => {
    const shared = bench();
    const topic = new Topic({ p: events('a'), q: events('a') });
    const busy = stuck();
    startWorker({ source: topic.source({ assigned: ['p'] }), sink: busy, ...shared });
    await until(() => busy.calls > 0);
    const sink = new RecordingSink();
    const source = topic.source({ assigned: ['q'], ends: true });
    const policies = { held: 'take-over', heldMsMax: 60_000 } as const;
    const worker = startWorker({ source, sink, ...shared, policies });
    await shared.clock.advance(59_000);
    assert.equal(sink.calls, 0);
    await until(() => sink.calls > 0, shared.clock);
    assert.deepEqual(spoken(await worker.end), { received: 1, resumed: 1, emitted: 1 });
    assert.equal(sink.written[0].manner, 'resumed');
    assert.ok(worker.notices.some((it) => it.type === 'held' && it.partition === 'q' && it.position === 0));
  });

  test('raises an alarm after that time where it goes on waiting', async () => {
    const shared = bench();
    const topic = new Topic({ p: events('a'), q: events('a') });
    const busy = stuck();
    startWorker({ source: topic.source({ assigned: ['p'] }), sink: busy, ...shared });
    await until(() => busy.calls > 0);
    const sink = new RecordingSink();
    const source = topic.source({ assigned: ['q'] });
    const worker = startWorker({ source, sink, ...shared, policies: { heldMsMax: 60_000 } });
    await shared.clock.advance(120_000);
    assert.equal(sink.calls, 0);
    assert.ok(worker.notices.some((it) => it.type === 'held' && it.forMs >= 60_000));
  });
});

describe('a partition that is revoked', () => {
  test('is finished within its time and committed before it goes', async () => {
    const shared = bench();
    const gate = new Gate();
    const topic = new Topic({ p: events('a', 'b'), q: events('c') });
    const sink = new RecordingSink(() => gate.passed.then(() => undefined));
    const source = topic.source();
    const worker = startWorker({ source, sink, ...shared });
    await until(() => sink.calls === 2);
    const gone = source.revoke(['p'], 5_000);
    await quiet();
    gate.open();
    await gone;
    const [{ checkpoint, totals }] = await shared.checkpoints.take([{ partition: 'p', above: 0 }]);
    assert.deepEqual([checkpoint, totals.emitted], [2, 2]);
    assert.ok(worker.notices.some((it) => it.type === 'ended' && it.reason === 'revoked'));
    await worker.stop();
  });

  test('goes when its time is over, and nothing of it is committed or settled later', async () => {
    const shared = bench();
    const gate = new Gate();
    const topic = new Topic({ p: events('a') });
    const slow = new RecordingSink(() => gate.passed.then(() => undefined));
    const source = topic.source();
    startWorker({ source, sink: slow, ...shared });
    await until(() => slow.calls > 0);
    const gone = source.revoke(['p'], 5_000);
    await shared.clock.advance(5_000);
    await gone;
    const sink = new RecordingSink();
    const next = startWorker({ source: topic.source({ ends: true }), sink, ...shared });
    assert.deepEqual(spoken(await next.end), { received: 1, resumed: 1, emitted: 1 });
    gate.open();
    await quiet();
    const [{ checkpoint, totals }] = await shared.checkpoints.take([{ partition: 'p', above: 0 }]);
    assert.deepEqual([checkpoint, totals.resumed, totals.first], [1, 1, 0]);
  });

  test('and given back is a new session: what comes late of the old one does not count for it', async () => {
    const shared = bench();
    const gate = new Gate();
    const topic = new Topic({ p: events('a', 'b') });
    const sink = new RecordingSink((_, call) => (call === 1 ? gate.passed.then(() => undefined) : undefined));
    const source = topic.source();
    const worker = startWorker({ source, sink, ...shared });
    await until(() => sink.calls > 0);
    const gone = source.revoke(['p'], 1_000);
    source.tell({ type: 'assigned', partitions: ['p'] });
    topic.append('p', event('c'));
    await until(() => source.starts.length === 2, shared.clock);
    await gone;
    assert.deepEqual(source.starts[1], { partition: 'p', position: undefined });
    await quiet();
    assert.equal(sink.calls, 1, 'the order of the partition is kept over the sessions');
    gate.open();
    await until(() => worker.pipeline.summary().in_flight === 0 && worker.pipeline.summary().received === 3, shared.clock); // prettier-ignore
    const { resumed, first, duplicate } = await worker.stop();
    assert.equal(resumed + first + duplicate, 3);
    assert.deepEqual([...new Set(sink.ids)].sort(), ['a', 'b', 'c']);
  });
});

test('nothing is read of a partition before its checkpoint is known and it is entered', async () => {
  const shared = bench();
  const topic = new Topic({ p: events('a') });
  const [taking, entering] = [new Gate(), new Gate()];
  const checkpoints = instead(shared.checkpoints, {
    take: (takes) => taking.passed.then(() => shared.checkpoints.take(takes)),
  });
  const store = instead(shared.store, {
    enter: (entries) => entering.passed.then(() => shared.store.enter(entries)),
  });
  const source = topic.source();
  const sink = new RecordingSink();
  const worker = startWorker({ source, sink, clock: shared.clock, store, checkpoints });
  source.tell({ type: 'batches', batches: [batchOf(events('old'), 'p', 0)] });
  await quiet();
  taking.open();
  await quiet();
  assert.deepEqual(source.starts, []);
  entering.open();
  await until(() => sink.ids.length > 0);
  assert.deepEqual(sink.ids, ['a']);
  await worker.stop();
});

describe('a session that is fenced', () => {
  test('ends, and nothing of it is written, settled or committed any more', async () => {
    const shared = bench();
    const topic = new Topic({ p: events('a', 'b', 'c') });
    const gate = new Gate();
    const slow = new RecordingSink((_, call) => (call === 1 ? gate.passed.then(() => undefined) : undefined));
    const source = topic.source({ batchMax: 1 });
    const old = startWorker({ source, sink: slow, ...shared, limits: { batchesInFlightMax: 1 } });
    await until(() => slow.calls > 0);
    const sink = new RecordingSink();
    const young = startWorker({ source: topic.source({ ends: true, batchMax: 1 }), sink, ...shared });
    await young.end;
    assert.deepEqual(sink.ids, ['a', 'b', 'c']);
    // The old one still believes that it has the partition; it learns the truth with its next claim or commit.
    gate.open();
    await until(() => old.notices.some((it) => it.type === 'ended' && it.reason === 'fenced'), shared.clock);
    await until(() => source.starts.length === 2, shared.clock);
    assert.deepEqual(source.starts[1], { partition: 'p', position: 3 });
    assert.deepEqual(slow.ids, ['a'], 'the one repeat that it had in hand');
    const summary = await old.stop();
    assert.equal(summary.received, 3);
  });

  test('and was paused is read on when it is taken again', async () => {
    const shared = bench();
    const topic = new Topic({ p: numbered(9) });
    const gate = new Gate();
    const sink = new RecordingSink(() => gate.passed.then(() => undefined));
    const source = topic.source({ batchMax: 3 });
    startWorker({ source, sink, ...shared, limits: { aheadMax: 2 } });
    await until(() => source.paused.has('p'));
    await shared.checkpoints.take([{ partition: 'p', above: 0 }]);
    gate.open();
    await until(() => new Set(sink.ids).size === 9, shared.clock);
  });

  test('gets nothing of what was read for it into the session that follows', async () => {
    const shared = bench();
    const gate = new Gate();
    const all = numbered(4);
    const topic = new Topic({ p: all, q: events('q') });
    // An identity that has to look something up.
    const slowly = customIdentity({
      ...space,
      name: 'looks up',
      idsOf: async (batch) => {
        if (batch.partition === 'q') await gate.passed;
        return Array.from(batch.positions, (position) => `${batch.partition}${position}`);
      },
    });
    const sink = new RecordingSink();
    const source = topic.source({ assigned: [] });
    const start = source.start.bind(source);
    source.start = (partition, position) => {
      if (++started > 2) start(partition, position);
    };
    let started = 0;
    source.tell({ type: 'assigned', partitions: ['q', 'p'] });
    const worker = startWorker({
      source,
      sink,
      ...shared,
      identity: slowly,
      limits: { auditEveryMs: 1_000 },
    });
    await until(() => started === 2);
    source.tell({ type: 'batches', batches: [batchOf(events('q'), 'q', 0), batchOf(all.slice(2), 'p', 2)] });
    await quiet();
    // Somebody else had the partition for a moment, which the audit finds out.
    const [{ epoch }] = await shared.checkpoints.take([{ partition: 'p', above: 0 }]);
    await shared.store.enter([
      { session: { kind: 'partition', keySpace: identity.keySpace, partition: 'p', epoch } },
    ]);
    await until(() => started === 3, shared.clock);
    gate.open();
    await until(() => sink.ids.length >= 5, shared.clock);
    assert.deepEqual(sink.ids.slice().sort(), ['e0', 'e1', 'e2', 'e3', 'q']);
    await worker.stop();
  });
});

test('a partition that the source no longer lists is entered once, so that nothing waits for it', async () => {
  const shared = bench();
  const topic = new Topic({ p: events('a'), q: events('a') });
  const life = new Life();
  const busy = stuck();
  startWorker({ source: topic.source({ assigned: ['p'] }), sink: busy, ...shared, life });
  await until(() => busy.calls > 0);
  life.kill();
  const sink = new RecordingSink();
  const source = topic.source({ assigned: ['q'] });
  const worker = startWorker({ source, sink, ...shared });
  await shared.clock.advance(10_000);
  assert.equal(sink.calls, 0);
  source.tell({ type: 'retired', partitions: ['p'] });
  await until(() => sink.ids.length === 1, shared.clock);
  assert.deepEqual(spoken(await worker.stop()), { received: 1, resumed: 1, emitted: 1 });
  assert.ok(worker.notices.some((it) => it.type === 'retired' && it.partition === 'p'));
});

test('two pipelines with partitions of the same name share a store and leave each other alone', async () => {
  const { store, clock } = bench();
  const topic = new Topic({ p: events('a', 'b') });
  const workers = ['one', 'two'].map((pipeline) =>
    startWorker({
      source: topic.source({ assigned: ['p'], ends: true }),
      store,
      clock,
      checkpoints: memoryCheckpoints({ clock }),
      identity: jsonIdentity({ ...space, pipeline, id: '/id' }),
    }),
  );
  for (const { end, notices } of workers) {
    assert.deepEqual(spoken(await end), { received: 2, first: 2, emitted: 2 });
    assert.ok(!notices.some((it) => it.type === 'ended' && it.reason === 'fenced'));
  }
});

test('what was on its way when a partition was started again is not taken for what stands there', async () => {
  const shared = bench();
  const topic = new Topic({ p: numbered(2) });
  const inner = topic.source({ batchMax: 2 });
  let answer: (happening: Happening | undefined) => void = () => undefined;
  const source = instead<Source>(inner, {
    next: (signal) =>
      new Promise((resolve) => {
        answer = resolve;
        void inner.next(signal).then(resolve);
      }),
    start: (partition, position) => {
      if (inner.starts.length === 1)
        answer({ type: 'batches', batches: [batchOf(numbered(6).slice(4), 'p', 4)] });
      inner.start(partition, position);
    },
  });
  const sink = new RecordingSink();
  startWorker({ source, sink, ...shared, limits: { auditEveryMs: 1_000 } });
  await until(() => sink.ids.length === 2);
  await quiet();
  // Somebody else had the partition for a moment, which the audit finds out.
  const [{ epoch }] = await shared.checkpoints.take([{ partition: 'p', above: 0 }]);
  const session = { kind: 'partition', keySpace: identity.keySpace, partition: 'p', epoch } as const;
  await shared.store.enter([{ session }]);
  await until(() => inner.starts.length > 1, shared.clock);
  topic.append('p', ...numbered(6).slice(2));
  await until(() => sink.ids.length >= 6, shared.clock);
  assert.deepEqual(sink.ids.slice().sort(), ['e0', 'e1', 'e2', 'e3', 'e4', 'e5']);
});

test('a gap is told', async () => {
  const source = new Topic({ p: [] }).source({ ends: false });
  const gap = { type: 'gap', partition: 'p', from: 3, to: 9, reason: 'retention' } as const;
  source.tell(gap, { type: 'end' });
  const worker = startWorker({ source });
  await worker.end;
  assert.deepEqual(worker.notices.filter(({ type }) => type === 'gap'), [gap]); // prettier-ignore
});

test('what the store believes to be at work and nobody has in hand is cut off by the audit', async () => {
  const shared = bench();
  const topic = new Topic({ p: [], q: events('a') });
  const limits = { auditEveryMs: 5_000 };
  const owner = startWorker({ source: topic.source({ assigned: ['p'] }), ...shared, limits });
  await until(() => owner.notices.some((it) => it.type === 'taken'));
  const taken = owner.notices.find((it) => it.type === 'taken');
  assert.ok(taken);
  // A claim whose reply was lost for good.
  const session = {
    kind: 'partition',
    keySpace: identity.keySpace,
    partition: 'p',
    epoch: taken.epoch,
  } as const;
  const fingerprints = identity.fingerprintOf('a');
  await shared.store.claim({ session, fingerprints, positions: Float64Array.of(0), call: 0 });
  const sink = new RecordingSink();
  startWorker({ source: topic.source({ assigned: ['q'] }), sink, ...shared });
  await shared.clock.advance(4_000);
  assert.equal(sink.calls, 0);
  await until(() => sink.calls > 0, shared.clock);
  assert.equal(sink.written[0].manner, 'resumed');
});

test('when the store has lost marks, what was lately finished is said again', async () => {
  const clock = new ManualClock();
  const ended = () => assert.fail('nobody listens');
  let lose: () => void = ended;
  let inner = memoryStore({ windowMs: hour, clock });
  const current = new Proxy(inner, {
    get: (_, member) => {
      const value: unknown = Reflect.get(inner, member, inner);
      return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
    },
  });
  const store = instead(current, {
    onLoss: (listener) => {
      lose = listener;
      return () => (lose = ended);
    },
  });
  const topic = new Topic({ p: events('a', 'b') });
  const sink = new RecordingSink();
  const worker = startWorker({ source: topic.source(), sink, store, clock });
  await until(() => worker.pipeline.summary().emitted === 2);
  inner = memoryStore({ windowMs: hour, clock });
  lose();
  await until(() => inner.stats().marks === 2);
  topic.append('p', event('a'));
  await until(() => worker.pipeline.summary().duplicate === 1, clock);
  assert.ok(worker.notices.some((it) => it.type === 'marks-lost'));
  assert.deepEqual(sink.ids, ['a', 'b']);
  await worker.stop();
  assert.equal(lose, ended);
});
