import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import type { CheckpointStore } from '../../src/core/checkpoint.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from '../core/topic.ts';
import {
  Gate,
  hour,
  instead,
  Life,
  quiet,
  RecordingSink,
  spoken,
  startWorker,
  until,
} from '../core/workshop.ts';

// Positions 0 … 6 stand for the events 1 … 7; a checkpoint of 3 says that all below event 4 is done.
const seven = ['1', '2', '3', '4', '5', '6', '7'];
const limits = { batchesInFlightMax: 7 };

function bench() {
  const clock = new ManualClock();
  const inner = memoryCheckpoints({ clock });
  const commits: number[] = [];
  const checkpoints: CheckpointStore = instead(inner, {
    commit: (all) => {
      commits.push(...all.filter(({ partition }) => partition === 'p').map(({ checkpoint }) => checkpoint));
      return inner.commit(all);
    },
  });
  return { clock, commits, shared: { clock, store: memoryStore({ windowMs: hour, clock }), checkpoints } };
}
const furthest = (commits: readonly number[]) => Math.max(...commits);

test('4 waits for a copy at work elsewhere, 5 to 7 are done, kill: 4 is emitted, 5 to 7 are recognised', async () => {
  const { clock, commits, shared } = bench();
  const topic = new Topic({ p: seven.map((id) => event(id)), q: [event('4')] });
  const elsewhere = new Life();
  const stuck = new RecordingSink(() => new Promise<never>(() => undefined));
  startWorker({ source: topic.source({ assigned: ['q'] }), sink: stuck, life: elsewhere, ...shared });
  await until(() => stuck.calls > 0);
  const life = new Life();
  const before = new RecordingSink();
  const source = topic.source({ assigned: ['p'], batchMax: 1 });
  startWorker({ source, sink: before, life, ...shared, limits });
  await until(() => before.ids.length === 6);
  await clock.advance(10_000);
  assert.deepEqual(before.ids, ['1', '2', '3', '5', '6', '7']);
  assert.equal(furthest(commits), 3);
  life.kill();
  elsewhere.kill();
  const sink = new RecordingSink();
  const worker = startWorker({ source: topic.source({ ends: true, batchMax: 1 }), sink, ...shared, limits });
  await until(() => sink.ids.length > 0, clock);
  await clock.advance(1_000);
  const { received, emitted, dropped } = await worker.end;
  assert.deepEqual([received, emitted, dropped], [8, 7, 1]);
  assert.deepEqual(sink.ids, ['4']);
});

for (const batchMax of [1, 7])
  test(`4 is rejected, its dead letter is not durable yet, kill: nothing is lost (batches of ${batchMax})`, async () => {
    const { clock, commits, shared } = bench();
    const topic = new Topic({ p: seven.map((id) => event(id)) });
    const rejectFour = () =>
      new RecordingSink((events) => {
        const at = events.findIndex(({ id }) => id === '4');
        return at < 0 ? undefined : { rejected: [{ at, reason: 'no' }] };
      });
    const life = new Life();
    const away = new RecordingSink((events) => ({ unavailable: { at: [...events.keys()], reason: 'away' } }));
    const source = topic.source({ batchMax });
    const before = rejectFour();
    startWorker({ source, sink: before, deadLetters: away, life, ...shared, limits });
    await until(() => away.calls > 0);
    await clock.advance(60_000);
    assert.ok(commits.every((checkpoint) => checkpoint <= 3));
    life.kill();
    const [sink, deadLetters] = [rejectFour(), new RecordingSink()];
    const worker = startWorker({
      source: topic.source({ ends: true }),
      sink,
      deadLetters,
      ...shared,
      limits,
    });
    const { received, emitted, dead_lettered } = await worker.end;
    assert.deepEqual([received, emitted, dead_lettered], [7, 6, 1]);
    assert.deepEqual([...new Set([...before.ids, ...sink.ids])].sort(), ['1', '2', '3', '5', '6', '7']);
    assert.equal(deadLetters.written.length, 1);
  });

test('4 was emitted and its settle does not come back, 5 to 7 are settled, kill: 5 to 7 are recognised', async () => {
  const { clock, commits, shared } = bench();
  const topic = new Topic({ p: seven.map((id) => event(id)) });
  const life = new Life();
  const before = new RecordingSink();
  const store = instead(shared.store, {
    settle: (claims) =>
      claims.positions[0] === 3 ? new Promise<never>(() => undefined) : shared.store.settle(claims),
  });
  startWorker({ source: topic.source({ batchMax: 1 }), sink: before, life, ...shared, store, limits });
  await until(() => before.ids.length === 7);
  await clock.advance(10_000);
  assert.equal(furthest(commits), 3);
  life.kill();
  const sink = new RecordingSink();
  const worker = startWorker({ source: topic.source({ ends: true }), sink, ...shared, limits });
  assert.deepEqual(spoken(await worker.end), { received: 7, first: 6, resumed: 1, emitted: 7 });
  assert.deepEqual(sink.written.map(({ id, manner }) => [id, manner]), [['4', 'resumed']]); // prettier-ignore
});

test('a connection that drops is not "all done": the checkpoint stays before what is at work', async () => {
  const { clock, commits, shared } = bench();
  const topic = new Topic({ p: seven.map((id) => event(id)) });
  const gate = new Gate();
  const sink = new RecordingSink((events) =>
    events[0].id === '4' ? gate.passed.then(() => undefined) : undefined,
  );
  const source = topic.source({ batchMax: 1 });
  const worker = startWorker({ source, sink, ...shared, limits });
  await until(() => sink.calls === 4);
  source.tell({ type: 'assigned', partitions: ['p'] });
  await until(() => source.starts.length === 2, clock);
  assert.deepEqual(source.starts[1], { partition: 'p', position: 3 });
  await quiet();
  assert.equal(furthest(commits), 3);
  gate.open();
  await until(() => new Set(sink.ids).size === 7, clock);
  assert.deepEqual(sink.ids.slice(-4), ['4', '5', '6', '7']);
  assert.deepEqual([(await worker.stop()).emitted, furthest(commits)], [7, 7]);
});

test('the checkpoint never goes back', async () => {
  const { clock, commits, shared } = bench();
  const topic = new Topic({ p: Array.from({ length: 200 }, (_, n) => event(`e${n % 120}`)) });
  const sink = new RecordingSink((events, call) =>
    call % 4 === 0 ? { unavailable: { at: [events.length - 1], reason: 'busy' } } : undefined,
  );
  const worker = startWorker({ source: topic.source({ ends: true, batchMax: 5 }), sink, ...shared, limits });
  let over = false;
  void worker.end.then(() => (over = true));
  await until(() => over, clock);
  assert.deepEqual(commits, commits.slice().sort((a, b) => a - b)); // prettier-ignore
  assert.equal(furthest(commits), 200);
});
