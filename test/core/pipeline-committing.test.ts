import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payloadOf } from '../../src/core/event.ts';
import type { CommittingSink } from '../../src/core/sink.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable, type Row } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from './topic.ts';
import { Gate, hour, instead, quiet, RecordingSink, spoken, startWorker, until } from './workshop.ts';

const events = (...ids: string[]) => ids.map((id) => event(id));
const idsOf = (rows: readonly Row[]) =>
  rows.map(({ payload }) => (JSON.parse(Buffer.from(payload).toString()) as { id: string }).id);

function bench() {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: hour, clock });
  const table = new CommittingTable({ clock });
  return { clock, store, table };
}

test('output and checkpoint come together, in order, and the next run goes on there', async () => {
  const { clock, store, table } = bench();
  const topic = new Topic({ p: events('a', 'b', 'a', 'c'), q: events('c', 'd') });
  const first = startWorker({
    source: topic.source({ ends: true, batchMax: 2 }),
    ...table.connect(),
    store,
    clock,
  });
  const books = { received: 6, first: 4, duplicate: 2, emitted: 4, dropped: 2 };
  assert.deepEqual(spoken(await first.end), books);
  assert.deepEqual(idsOf(table.rows).sort(), ['a', 'b', 'c', 'd']);
  const next = startWorker({ source: topic.source({ ends: true }), ...table.connect(), store, clock });
  assert.deepEqual(spoken(await next.end), books);
  assert.deepEqual(next.source.starts, [{ partition: 'p', position: 4 }, { partition: 'q', position: 2 }]); // prettier-ignore
});

test('nothing is seen of a transaction that was aborted, and it is done again', async () => {
  const { clock, store, table } = bench();
  const { sink, deadLetters } = table.connect();
  let tries = 0;
  const aborting: CommittingSink = instead(sink, {
    commit: async (commits) => (++tries < 3 ? { fenced: [], aborted: true } : sink.commit(commits)),
  });
  const topic = new Topic({ p: ['{}', ...events('a', 'a', 'b')] });
  const worker = startWorker({
    source: topic.source({ ends: true }),
    sink: aborting,
    deadLetters,
    store,
    clock,
  });
  await until(() => table.rows.length > 0, clock);
  assert.deepEqual(spoken(await worker.end), { received: 4, first: 2, duplicate: 1, unidentified: 1, emitted: 2, dead_lettered: 1, dropped: 1 }); // prettier-ignore
  assert.deepEqual([idsOf(table.rows), table.deadLetters.length], [['a', 'b'], 1]);
  assert.equal(store.stats().open, 0);
});

test('the books are those of the transaction that was committed, not of one that was aborted', async () => {
  const { clock, store, table } = bench();
  const { sink, deadLetters } = table.connect();
  let [commits, writes] = [0, 0];
  const moody: CommittingSink = instead(sink, {
    commit: async (all) => (++commits === 1 ? { fenced: [], aborted: true } : sink.commit(all)),
    write: async (outgoing, signal) => {
      if (++writes === 1) return sink.write(outgoing, signal);
      await sink.write({ ...outgoing, indices: outgoing.indices.subarray(1) }, signal);
      return { rejected: [{ at: 0, reason: 'no' }] };
    },
  });
  const source = new Topic({ p: events('a', 'b') }).source({ ends: true });
  const worker = startWorker({ source, sink: moody, deadLetters, store, clock });
  const books = { received: 2, first: 2, emitted: 1, dead_lettered: 1 };
  assert.deepEqual(spoken(await worker.end), books);
  const [{ totals }] = await sink.take([{ partition: 'p', above: 0 }]);
  assert.deepEqual([totals.emitted, totals.dead_lettered], [1, 1]);
  assert.deepEqual(idsOf(table.rows), ['b']);
});

test('a copy in the same transaction is no duplicate of what was rejected', async () => {
  const { clock, store, table } = bench();
  const { sink, deadLetters } = table.connect();
  let calls = 0;
  const picky: CommittingSink = instead(sink, {
    write: (outgoing, signal) =>
      ++calls <= 2 ? Promise.resolve({ rejected: [{ at: 0, reason: 'no' }] }) : sink.write(outgoing, signal),
  });
  const source = new Topic({ p: events('a', 'a') }).source({ ends: true });
  const worker = startWorker({ source, sink: picky, deadLetters, store, clock });
  await until(() => table.rows.length === 1, clock);
  assert.deepEqual(spoken(await worker.end), { received: 2, first: 2, emitted: 1, dead_lettered: 1 });
  assert.deepEqual([table.rows[0].position, table.deadLetters.length], [1, 1]);
});

test('an output is never beyond the checkpoint: what is behind a held copy waits with it, unclaimed', async () => {
  const { clock, store, table } = bench();
  const topic = new Topic({ p: events('x'), q: events('a', 'x', 'b', 'c') });
  const other = table.connect();
  const gate = new Gate();
  const slow: CommittingSink = instead(other.sink, {
    commit: async (commits) => {
      await gate.passed;
      return other.sink.commit(commits);
    },
  });
  startWorker({ source: topic.source({ assigned: ['p'] }), sink: slow, store, clock });
  await until(() => store.stats().open === 1);
  const source = topic.source({ assigned: ['q'], ends: true });
  const worker = startWorker({ source, ...table.connect(), store, clock });
  await until(() => table.rows.length > 0, clock);
  await clock.advance(1_000);
  assert.deepEqual(idsOf(table.rows), ['a']);
  assert.equal(store.stats().open, 1, 'of b and c nothing is claimed');
  gate.open();
  await until(() => table.rows.length === 4, clock);
  assert.deepEqual(idsOf(table.rows), ['a', 'x', 'b', 'c']);
  assert.deepEqual(spoken(await worker.end), { received: 4, first: 3, duplicate: 1, emitted: 3, dropped: 1 });
});

test('what is rejected is dead-lettered in the same transaction, and its copy is no duplicate', async () => {
  const { clock, store, table } = bench();
  const { sink, deadLetters } = table.connect();
  let calls = 0;
  const picky: CommittingSink = instead(sink, {
    write: (outgoing, signal) =>
      ++calls === 1 ? Promise.resolve({ rejected: [{ at: 0, reason: 'no' }] }) : sink.write(outgoing, signal),
  });
  const topic = new Topic({ p: events('a'), q: events('a') });
  const worker = startWorker({
    source: topic.source({ ends: true }),
    sink: picky,
    deadLetters,
    store,
    clock,
  });
  await until(() => table.rows.length === 1, clock);
  assert.deepEqual(spoken(await worker.end), { received: 2, first: 2, emitted: 1, dead_lettered: 1 });
  const body = JSON.parse(Buffer.from(payloadOf(letterBatch(table.deadLetters[0]), 0)).toString()) as {
    body: string;
  };
  assert.equal(body.body, event('a'));
});
function letterBatch({ payload, partition, position }: Row) {
  return { partition, count: 1, bytes: payload, starts: Uint32Array.of(0), ends: Uint32Array.of(payload.length), positions: Float64Array.of(position), next: position + 1 }; // prettier-ignore
}

test('a partition is not read on while too much of it waits', async () => {
  const { clock, store, table } = bench();
  const { sink } = table.connect();
  const gate = new Gate();
  const slow: CommittingSink = instead(sink, {
    commit: async (commits) => {
      await gate.passed;
      return sink.commit(commits);
    },
  });
  const topic = new Topic({ p: Array.from({ length: 50 }, (_, n) => event(`e${n}`)) });
  const source = topic.source({ ends: true, batchMax: 1 });
  const worker = startWorker({ source, sink: slow, store, clock, limits: { batchesInFlightMax: 3 } });
  await until(() => source.paused.has('p'));
  await quiet();
  assert.ok(worker.pipeline.summary().received < 10);
  gate.open();
  assert.equal((await worker.end).emitted, 50);
});

test('a stop commits what is in hand', async () => {
  const { clock, store, table } = bench();
  const { sink } = table.connect();
  const gate = new Gate();
  const slow = instead(sink, {
    write: async (outgoing, signal) => {
      await gate.passed;
      return sink.write(outgoing, signal);
    },
  });
  const worker = startWorker({
    source: new Topic({ p: events('a', 'b') }).source(),
    sink: slow,
    store,
    clock,
  });
  await until(() => store.stats().open === 2);
  const end = worker.stop();
  await quiet();
  gate.open();
  assert.deepEqual(spoken(await end), { received: 2, first: 2, emitted: 2 });
  assert.equal(clock.sleepers, 0);
});

test('a stop takes no longer than drainMs, and what was not committed is not there', async () => {
  const { clock, store, table } = bench();
  const { sink } = table.connect();
  const stuck = instead(sink, { commit: () => new Promise<never>(() => undefined) });
  const source = new Topic({ p: events('a') }).source({ ends: true });
  const worker = startWorker({ source, sink: stuck, store, clock, limits: { drainMs: 1_000 } });
  await quiet();
  const end = worker.stop();
  await clock.advance(1_000);
  assert.deepEqual(spoken(await end), { received: 1, first: 1, emitted: 1 }, 'in the books of a transaction that may still be decided'); // prettier-ignore
  assert.deepEqual(table.rows, []);
});

test('what has no id stops it, and what stands before is committed', async () => {
  const { clock, store, table } = bench();
  const source = new Topic({ p: [...events('a', 'b'), '{}', ...events('c')] }).source();
  const worker = startWorker({
    source,
    ...table.connect(),
    store,
    clock,
    policies: { unidentified: 'stop' },
  });
  await assert.rejects(worker.end, { code: 'HPX-I003', place: { partition: 'p', position: 2 } });
  assert.deepEqual(idsOf(table.rows), ['a', 'b']);
});

test('dropped duplicates are written for a sink of their own', async () => {
  const { clock, store, table } = bench();
  const duplicates = new RecordingSink();
  const source = new Topic({ p: events('a', 'b', 'a', 'b') }).source({ ends: true });
  await startWorker({ source, ...table.connect(), duplicates, store, clock }).end;
  assert.deepEqual(duplicates.ids, ['a', 'b']);
});
