import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from '../core/topic.ts';
import {
  hour,
  identity,
  instead,
  Life,
  quiet,
  RecordingSink,
  spoken,
  startWorker,
  until,
} from '../core/workshop.ts';

function bench() {
  const clock = new ManualClock();
  return { clock, store: memoryStore({ windowMs: hour, clock }), checkpoints: memoryCheckpoints({ clock }) };
}
const failing = () =>
  new RecordingSink(() => {
    throw new Error('the sink is away');
  });

test('an event whose write failed is new to the same worker', async () => {
  const shared = bench();
  const sink = new RecordingSink((_, call) => {
    if (call === 1) throw new Error('for a moment');
    return undefined;
  });
  const topic = new Topic({ p: [event('1')] });
  const worker = startWorker({ source: topic.source({ ends: true }), sink, ...shared });
  await until(() => sink.ids.length > 0, shared.clock);
  assert.deepEqual(spoken(await worker.end), { received: 1, first: 1, emitted: 1 });
});

test('(a) an event whose write failed is emitted once by the worker that gets it next', async () => {
  for (const end of ['revoked', 'killed', 'stopped'] as const) {
    const shared = bench();
    const topic = new Topic({ p: [event('1')] });
    const life = new Life();
    const broken = failing();
    const source = topic.source();
    const first = startWorker({ source, sink: broken, life, ...shared, limits: { drainMs: 10 } });
    await until(() => broken.calls > 0);
    if (end === 'killed') life.kill();
    const gone = end === 'revoked' ? source.revoke(['p'], 10) : end === 'stopped' ? first.stop() : undefined;
    await shared.clock.advance(1_000);
    await gone;
    const sink = new RecordingSink();
    const second = startWorker({ source: topic.source({ ends: true }), sink, ...shared });
    assert.deepEqual(spoken(await second.end), { received: 1, resumed: 1, emitted: 1 }, end);
    assert.deepEqual(sink.ids, ['1'], end);
    assert.deepEqual(broken.ids, []);
  }
});

test('(b) an event whose release failed together with its write is cut off with its session, never a duplicate', async () => {
  const shared = bench();
  const topic = new Topic({ p: [event('1')], q: [event('1')] });
  const life = new Life();
  const store = instead(shared.store, { release: () => Promise.reject(new Error('the store is away')) });
  const deadLetters = new RecordingSink();
  const rejecting = new RecordingSink(() => ({ rejected: [{ at: 0, reason: 'no' }] }));
  startWorker({
    source: topic.source({ assigned: ['p'] }),
    sink: rejecting,
    deadLetters,
    ...shared,
    store,
    life,
  });
  await until(() => deadLetters.written.length > 0);
  const sink = new RecordingSink();
  const other = startWorker({ source: topic.source({ assigned: ['q'], ends: true }), sink, ...shared });
  await shared.clock.advance(10_000);
  assert.deepEqual(spoken(other.pipeline.summary()), { received: 1, in_flight: 1 }, 'it waits');
  life.kill();
  const repaired = new RecordingSink();
  const next = startWorker({
    source: topic.source({ assigned: ['p'], ends: true }),
    sink: repaired,
    ...shared,
  });
  await quiet();
  await until(() => sink.ids.length + repaired.ids.length > 0, shared.clock);
  await shared.clock.advance(10_000);
  const [a, b] = [await next.end, await other.end];
  assert.equal(a.resumed + b.resumed, 1);
  assert.equal(a.emitted + b.emitted, 1);
  assert.equal((await shared.store.look(identity.fingerprintOf('1')))[0].state, 'settled');
});

test('(c) a write that landed and reports an error is repeated at most, and nothing is lost', async () => {
  const shared = bench();
  const landed: string[] = [];
  const sink = new RecordingSink((events, call) => {
    landed.push(...events.map(({ id }) => id));
    if (call === 1) throw new Error('time-out');
    return undefined;
  });
  const topic = new Topic({ p: ['1', '2', '3', '2'].map((id) => event(id)) });
  const worker = startWorker({ source: topic.source({ ends: true, batchMax: 3 }), sink, ...shared });
  await until(() => sink.ids.length === 3, shared.clock);
  assert.deepEqual(spoken(await worker.end), { received: 4, first: 3, duplicate: 1, emitted: 3, dropped: 1 });
  assert.deepEqual(landed, ['1', '2', '3', '1', '2', '3']);
});
