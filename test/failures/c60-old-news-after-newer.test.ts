import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { handlerSink } from '../../src/sinks/handler.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { Manner } from '../../src/core/sink.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from '../core/topic.ts';
import { Gate, hour, Life, RecordingSink, startWorker, until, type Emission } from '../core/workshop.ts';

// Duplicate detection is not order: what may come after its successors says so. Keeping the order by key is no part of it.

function bench() {
  const clock = new ManualClock();
  return { clock, store: memoryStore({ windowMs: hour, clock }), checkpoints: memoryCheckpoints({ clock }) };
}
const stuck = () => new RecordingSink(() => new Promise<never>(() => undefined));
const told = (written: readonly Emission[]) => written.map(({ id, manner }) => `${id} ${manner}`);

test('v1 was at work at an owner that died, v2 goes through, v1 is resumed and says so; v2 does not', async () => {
  const shared = bench();
  const topic = new Topic({ p: [event('v1')], q: [event('v1'), event('v2'), event('v3')] });
  const life = new Life();
  const busy = stuck();
  startWorker({ source: topic.source({ assigned: ['p'] }), sink: busy, life, ...shared });
  await until(() => busy.calls > 0);
  const sink = new RecordingSink();
  startWorker({ source: topic.source({ assigned: ['q'] }), sink, ...shared });
  await until(() => sink.ids.length === 2);
  life.kill();
  const heir = startWorker({ source: topic.source({ assigned: [] }), sink: new RecordingSink(), ...shared });
  heir.source.tell({ type: 'retired', partitions: ['p'] });
  await until(() => sink.ids.length === 3, shared.clock);
  assert.deepEqual(told(sink.written), ['v2 ordinary', 'v3 ordinary', 'v1 resumed']);
});

test('a rebalance in between: what the old owner had open is resumed, what it had not read is not', async () => {
  const shared = bench();
  const topic = new Topic({ p: [event('v1'), event('v2')] });
  const busy = stuck();
  const source = topic.source();
  startWorker({ source, sink: busy, ...shared });
  await until(() => busy.calls > 0);
  const gone = source.revoke(['p'], 1_000);
  await shared.clock.advance(1_000);
  await gone;
  topic.append('p', event('v3'));
  const sink = new RecordingSink();
  await startWorker({ source: topic.source({ ends: true, batchMax: 1 }), sink, ...shared }).end;
  assert.deepEqual(told(sink.written), ['v1 resumed', 'v2 resumed', 'v3 ordinary']);
});

test('the sink is away for a while: nothing overtakes, and nothing says that it did', async () => {
  const shared = bench();
  const topic = new Topic({ p: [event('v1'), event('v2'), event('v3')] });
  const sink = new RecordingSink((events, call) =>
    call < 4 ? { unavailable: { at: [...events.keys()], reason: 'away' } } : undefined,
  );
  startWorker({ source: topic.source({ batchMax: 2 }), sink, ...shared });
  await until(() => sink.ids.length === 3, shared.clock);
  assert.deepEqual(told(sink.written), ['v1 ordinary', 'v2 ordinary', 'v3 ordinary']);
});

test('v1 is rejected and its copy behind v2 takes its place: the copy says that it waited', async () => {
  const shared = bench();
  const topic = new Topic({ p: [event('v1'), event('v2'), event('v1'), event('v3')] });
  const gate = new Gate();
  const sink = new RecordingSink(async (events, call) => {
    if (call > 1) return undefined;
    await gate.passed;
    return { rejected: [{ at: events.findIndex(({ id }) => id === 'v1'), reason: 'no' }] };
  });
  const source = topic.source({ batchMax: 2 });
  startWorker({ source, sink, deadLetters: new RecordingSink(), ...shared });
  await until(() => sink.calls > 0);
  gate.open();
  await until(() => sink.ids.length === 3, shared.clock);
  assert.deepEqual(told(sink.written).sort(), ['v1 resumed', 'v2 ordinary', 'v3 ordinary']);
});

test('a handler is told', async () => {
  const shared = bench();
  const topic = new Topic({ p: [event('v1')] });
  const life = new Life();
  const busy = stuck();
  startWorker({ source: topic.source(), sink: busy, life, ...shared });
  await until(() => busy.calls > 0);
  life.kill();
  topic.append('p', event('v2'));
  const seen: [string, boolean][] = [];
  const sink = handlerSink((it) => seen.push([(it.json() as { id: string }).id, it.resumed]));
  await startWorker({ source: topic.source({ ends: true }), sink, ...shared }).end;
  assert.deepEqual(seen, [['v1', true], ['v2', false]]); // prettier-ignore
});

test('with a committing sink the order is kept; what was cut off says so, and nothing else', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: hour, clock });
  const table = new CommittingTable({ clock });
  const topic = new Topic({ p: [event('v1')], q: [event('v1'), event('v2')] });
  const life = new Life();
  life.endsAt('before', 'sink.commit');
  startWorker({ source: topic.source({ assigned: ['p'] }), sink: table.connect().sink, store, clock, life });
  await until(() => life.isOver);
  startWorker({ source: topic.source({ assigned: ['q'] }), sink: table.connect().sink, store, clock });
  await clock.advance(5_000);
  assert.deepEqual(table.rows, []);
  const heir = startWorker({
    source: topic.source({ assigned: [] }),
    sink: table.connect().sink,
    store,
    clock,
  });
  heir.source.tell({ type: 'retired', partitions: ['p'] });
  await until(() => table.rows.length === 2, clock);
  assert.deepEqual(table.rows.map(({ manner }) => manner), [Manner.resumed, Manner.ordinary]); // prettier-ignore
});
