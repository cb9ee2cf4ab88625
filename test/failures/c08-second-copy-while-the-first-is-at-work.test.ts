import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { allWritten, type Written } from '../../src/core/sink.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from '../core/topic.ts';
import { Gate, hour, instead, quiet, RecordingSink, spoken, startWorker, until } from '../core/workshop.ts';

/** Copy A is at work at one worker for 3 s; copy B comes to another one half a second later. */
async function race(outcome: Written) {
  const clock = new ManualClock();
  const committed = new Map<string, number>();
  const inner = memoryCheckpoints({ clock });
  const checkpoints = instead(inner, {
    commit: (commits) => {
      for (const { partition, checkpoint } of commits) committed.set(partition, checkpoint);
      return inner.commit(commits);
    },
  });
  const shared = { clock, store: memoryStore({ windowMs: hour, clock }), checkpoints };
  const topic = new Topic({ p: [event('1')], q: [event('0'), event('1'), event('2')] });
  const gate = new Gate();
  const slow = new RecordingSink(() => gate.passed.then(() => outcome));
  const deadLetters = new RecordingSink();
  const a = startWorker({
    source: topic.source({ assigned: ['p'], ends: true }),
    sink: slow,
    deadLetters,
    ...shared,
  });
  await until(() => slow.calls > 0);
  await clock.advance(500);
  const sink = new RecordingSink();
  const b = startWorker({ source: topic.source({ assigned: ['q'], ends: true }), sink, ...shared });
  await clock.advance(2_500);
  assert.deepEqual(spoken(b.pipeline.summary()), { received: 3, first: 2, emitted: 2, in_flight: 1 });
  assert.deepEqual(sink.ids, ['0', '2'], 'work goes on behind it');
  assert.equal(committed.get('q'), 1, 'it is not acknowledged');
  gate.open();
  await until(() => b.pipeline.summary().in_flight === 0, clock);
  await clock.advance(1_000);
  const summaries = [spoken(await a.end), spoken(await b.end)];
  for (const { notices } of [a, b])
    assert.ok(!notices.some(({ type }) => type === 'waiting'), 'nothing was wrong with the store');
  return { summaries, emitted: [...slow.written, ...sink.written] };
}

test('(i) the first succeeds: the second is dropped, and not before', async () => {
  const { summaries, emitted } = await race(allWritten);
  assert.deepEqual(summaries[0], { received: 1, first: 1, emitted: 1 });
  assert.equal(emitted.filter(({ id }) => id === '1').length, 1);
});

test('(ii) the first fails: the second does the work', async () => {
  const { summaries, emitted } = await race({ rejected: [{ at: 0, reason: 'no' }] });
  assert.deepEqual(summaries[0], { received: 1, first: 1, dead_lettered: 1 });
  const [only, ...others] = emitted.filter(({ id }) => id === '1');
  assert.deepEqual([only.partition, only.manner, others.length], ['q', 'resumed', 0]);
});

test('of 50 copies at once, each with a worker of its own, one is emitted', async () => {
  const clock = new ManualClock();
  const shared = {
    clock,
    store: memoryStore({ windowMs: hour, clock }),
    checkpoints: memoryCheckpoints({ clock }),
  };
  const names = Array.from({ length: 50 }, (_, n) => `p${n}`);
  const topic = new Topic(Object.fromEntries(names.map((name) => [name, [event('1')]])));
  const gate = new Gate();
  const sink = new RecordingSink(() => gate.passed.then(() => undefined));
  const workers = names.map((name) =>
    startWorker({ source: topic.source({ assigned: [name], ends: true }), sink, ...shared }),
  );
  await clock.advance(3_000);
  assert.equal(sink.calls, 1);
  assert.ok(workers.every(({ pipeline }) => pipeline.summary().duplicate === 0));
  gate.open();
  await until(() => workers.every(({ pipeline }) => pipeline.summary().in_flight === 0), clock);
  await clock.advance(1_000);
  const summaries = await Promise.all(workers.map(({ end }) => end));
  assert.equal(sink.written.length, 1);
  assert.equal(summaries.filter(({ first }) => first === 1).length, 1);
  assert.equal(summaries.filter(({ duplicate }) => duplicate === 1).length, 49);
  assert.ok(workers.every(({ notices }) => !notices.some(({ type }) => type === 'waiting')));
});

for (const batchMax of [1, 50])
  test(`of 50 copies at once in one worker one is emitted (batches of ${batchMax})`, async () => {
    const copies = Array.from({ length: 25 }, () => event('1'));
    const topic = new Topic({ p: copies, q: copies });
    const gate = new Gate();
    const sink = new RecordingSink(() => gate.passed.then(() => undefined));
    const source = topic.source({ ends: true, batchMax });
    const worker = startWorker({ source, sink, limits: { batchesInFlightMax: 50 } });
    await quiet();
    assert.deepEqual(spoken(worker.pipeline.summary()), { received: 50, in_flight: 50 });
    gate.open();
    assert.deepEqual(spoken(await worker.end), {
      received: 50,
      first: 1,
      duplicate: 49,
      emitted: 1,
      dropped: 49,
    });
    assert.equal(sink.calls, 1);
  });

test('of 50 copies at once of which the sink rejects one after another, each gets its turn', async () => {
  const topic = new Topic({ p: Array.from({ length: 50 }, () => event('1')) });
  const sink = new RecordingSink((_, call) =>
    call < 10 ? { rejected: [{ at: 0, reason: 'no' }] } : undefined,
  );
  const deadLetters = new RecordingSink();
  const worker = startWorker({ source: topic.source({ ends: true, batchMax: 7 }), sink, deadLetters });
  const books = { received: 50, first: 10, duplicate: 40, emitted: 1, dead_lettered: 9, dropped: 40 };
  assert.deepEqual(spoken(await worker.end), books);
});
