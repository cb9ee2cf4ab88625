import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { createPipeline } from '../../src/core/pipeline.ts';
import { iterableSource } from '../../src/sources/iterable.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { readableStore } from '../../src/testing/readable-store.ts';
import { batchOf } from './identity/batch.ts';
import { event, Topic } from './topic.ts';
import {
  assertBalanced,
  Gate,
  hour,
  identity,
  instead,
  quiet,
  RecordingSink,
  spoken,
  startWorker,
  until,
} from './workshop.ts';

const stores = { memoryStore, readableStore };

for (const [name, makeStore] of Object.entries(stores))
  describe(`from start to end, with ${name}`, () => {
    test('firsts go on in order and as they came, copies do not', async () => {
      const clock = new ManualClock();
      const log = ['a', 'b', 'a', 'c', 'b', 'd', 'a'].map((id, n) => event(id, { n, text: 'ü "\\\\u0000' }));
      const topic = new Topic({ p: log });
      const sink = new RecordingSink();
      const store = makeStore({ windowMs: hour, clock });
      const checkpoints = memoryCheckpoints({ clock });
      const worker = startWorker({
        source: topic.source({ ends: true, batchMax: 2 }),
        sink,
        store,
        checkpoints,
        clock,
      });
      const summary = await worker.end;
      assert.deepEqual(sink.written.map(({ payload }) => payload), [log[0], log[1], log[3], log[5]]); // prettier-ignore
      assert.deepEqual(sink.written.map(({ position }) => position), [0, 1, 3, 5]); // prettier-ignore
      assert.ok(sink.written.every(({ manner }) => manner === 'ordinary'));
      assert.deepEqual(spoken(summary), { received: 7, first: 4, duplicate: 3, emitted: 4, dropped: 3 });
      const [taken] = await checkpoints.take([{ partition: 'p', above: 0 }]);
      assert.equal(taken.checkpoint, 7);
      assert.equal(taken.totals.first, 4);
    });

    test('many partitions, and copies across them', async () => {
      const clock = new ManualClock();
      const ids = Array.from({ length: 200 }, (_, n) => event(`e${(n * 7) % 60}`));
      const topic = new Topic({ p: ids.slice(0, 70), q: ids.slice(70, 140), r: ids.slice(140) });
      const sink = new RecordingSink();
      const store = makeStore({ windowMs: hour, clock });
      const worker = startWorker({ source: topic.source({ ends: true, batchMax: 9 }), sink, store, clock });
      const summary = await worker.end;
      assert.equal(new Set(sink.ids).size, 60);
      assert.deepEqual(spoken(summary), {
        received: 200,
        first: 60,
        duplicate: 140,
        emitted: 60,
        dropped: 140,
      });
    });
  });

test('the next run goes on at the checkpoint, with the books', async () => {
  const clock = new ManualClock();
  const topic = new Topic({ p: [event('a'), event('b')] });
  const shared = {
    clock,
    store: memoryStore({ windowMs: hour, clock }),
    checkpoints: memoryCheckpoints({ clock }),
  };
  await startWorker({ source: topic.source({ ends: true }), ...shared }).end;
  topic.append('p', event('c'), event('a'));
  const sink = new RecordingSink();
  const again = startWorker({ source: topic.source({ ends: true }), sink, ...shared });
  assert.deepEqual(spoken(await again.end), { received: 4, first: 3, duplicate: 1, emitted: 3, dropped: 1 });
  assert.deepEqual(sink.ids, ['c']);
  assert.deepEqual(again.source.starts, [{ partition: 'p', position: 2 }]);
});

test('the books balance at every moment', async () => {
  const topic = new Topic({ p: Array.from({ length: 60 }, (_, n) => event(`e${n % 40}`)), q: Array.from({ length: 60 }, (_, n) => event(`e${n}`)) }); // prettier-ignore
  const clock = new ManualClock();
  const moments: number[] = [];
  const look = (): void => {
    const summary = worker.pipeline.summary();
    assertBalanced(summary);
    moments.push(summary.in_flight);
  };
  const sink = new RecordingSink((events, call) => {
    look();
    return call % 3 === 0 ? { unavailable: { at: [...events.keys()].slice(1), reason: 'busy' } } : undefined;
  });
  const source = topic.source({ ends: true, batchMax: 7 });
  const worker = startWorker({ source, sink, clock, notify: look, limits: { aheadMax: 20 } });
  let over = false;
  void worker.end.then(() => (over = true));
  await until(() => over, clock);
  assert.equal((await worker.end).received, 120);
  assert.equal(sink.written.length, 60);
  assert.ok(moments.some((inFlight) => inFlight > 0));
});

test('a stop finishes what is in hand and reads nothing more', async () => {
  const topic = new Topic({ p: [event('a'), event('b'), event('c')] });
  const gate = new Gate();
  const sink = new RecordingSink(() => gate.passed.then(() => undefined));
  const clock = new ManualClock();
  const checkpoints = memoryCheckpoints({ clock });
  const source = topic.source({ batchMax: 1 });
  const worker = startWorker({ source, sink, clock, checkpoints, limits: { batchesInFlightMax: 2 } });
  await until(() => sink.calls > 0);
  await quiet();
  const end = worker.stop();
  await quiet();
  gate.open();
  assert.deepEqual(spoken(await end), { received: 2, first: 2, emitted: 2 });
  assert.deepEqual(sink.ids, ['a', 'b']);
  const [taken] = await checkpoints.take([{ partition: 'p', above: 0 }]);
  assert.equal(taken.checkpoint, 2);
});

test('a stop waits for what is still to be told to the store', async () => {
  const clock = new ManualClock();
  const inner = memoryStore({ windowMs: hour, clock });
  const gate = new Gate();
  const trim: typeof inner.trim = (session, below) => gate.passed.then(() => inner.trim(session, below));
  const store = instead(inner, { trim });
  const worker = startWorker({ source: new Topic({ p: [event('a')] }).source(), store, clock });
  await until(() => inner.stats().tail === 1);
  await quiet();
  let over = false;
  const end = worker.stop().then(() => (over = true));
  await quiet();
  assert.ok(!over);
  gate.open();
  await end;
  assert.deepEqual([inner.stats().tail, inner.stats().marks], [0, 1]);
});

test('who is stopped before the start reads nothing', async () => {
  const clock = new ManualClock();
  const source = new Topic({ p: [event('a')] }).source();
  const parts = { source, identity, sink: new RecordingSink(), clock };
  const store = memoryStore({ windowMs: hour, clock });
  const pipeline = createPipeline({ ...parts, store, checkpoints: memoryCheckpoints({ clock }) });
  assert.deepEqual(spoken(await pipeline.run(AbortSignal.abort())), {});
  assert.deepEqual(source.starts, []);
});

test('no timer and no listener is left', async () => {
  const topic = new Topic({ p: [event('a'), event('a'), event('b')] });
  const clock = new ManualClock();
  const stop = new AbortController();
  const store = memoryStore({ windowMs: hour, clock });
  const checkpoints = memoryCheckpoints({ clock });
  const sink = new RecordingSink((_, call) =>
    call === 1 ? { unavailable: { at: [0], reason: 'busy' } } : undefined,
  );
  const source = topic.source();
  const pipeline = createPipeline({ source, identity, store, sink, checkpoints, clock });
  const end = pipeline.run(stop.signal);
  await until(() => sink.ids.includes('b'), clock);
  await quiet();
  assert.equal(clock.sleepers, 1, 'the audit');
  stop.abort();
  await end;
  assert.equal(clock.sleepers, 0);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
});

test('a pipeline runs once (HPX-P002)', async () => {
  const worker = startWorker({ source: new Topic({ p: [] }).source({ ends: true }) });
  await worker.end;
  await assert.rejects(worker.pipeline.run(), { code: 'HPX-P002' });
});

test('without a place for checkpoints nothing is created (HPX-C007)', () => {
  const clock = new ManualClock();
  const source = new Topic({}).source();
  const store = memoryStore({ windowMs: hour, clock });
  assert.throws(() => createPipeline({ source, identity, store, sink: new RecordingSink() }), {
    code: 'HPX-C007',
  });
});

test('a batch of too many deliveries is refused (HPX-P003)', async () => {
  const topic = new Topic({ p: Array.from({ length: 65_537 }, () => '0') });
  const worker = startWorker({ source: topic.source({ batchMax: 100_000 }) });
  await assert.rejects(worker.end, { code: 'HPX-P003' });
});

test('what throws in identity or source ends the run with that fault', async () => {
  const wrong = new Error('wrong');
  const topic = new Topic({ p: [event('a')] });
  const identify = () => Promise.reject(wrong);
  await assert.rejects(
    startWorker({ source: topic.source(), identity: instead(identity, { identify }) }).end,
    wrong,
  );
  const next = () => Promise.reject(wrong);
  await assert.rejects(startWorker({ source: instead(topic.source(), { next }) }).end, wrong);
});

describe('what this session has read already', () => {
  test('is dropped unseen when the source gives it again', async () => {
    const topic = new Topic({ p: ['a', 'b', 'c', 'd'].map((id) => event(id)) });
    const clock = new ManualClock();
    const sink = new RecordingSink();
    const source = topic.source({ batchMax: 3 });
    const worker = startWorker({ source, sink, clock });
    await until(() => sink.ids.length === 4);
    source.rewind('p', 1);
    await quiet();
    assert.deepEqual(spoken(await worker.stop()), { received: 4, first: 4, emitted: 4 });
    assert.equal(sink.calls, 2);
  });

  test('may be the last thing before the end', async () => {
    const topic = new Topic({ p: ['a', 'b'].map((id) => event(id)) });
    const source = topic.source({ ends: true });
    const sink = new RecordingSink();
    const gate = new Gate();
    const next = source.next.bind(source);
    source.next = async (signal) => {
      const happening = await next(signal);
      if (happening?.type === 'end') await gate.passed;
      return happening;
    };
    const worker = startWorker({ source, sink });
    await until(() => sink.ids.length === 2);
    source.next = next;
    source.tell({
      type: 'batches',
      batches: [
        batchOf(
          ['a', 'b'].map((id) => event(id)),
          'p',
          0,
        ),
      ],
    });
    gate.open();
    assert.equal((await worker.end).received, 2);
  });
});

test('positions that hold nothing at the end are passed by the checkpoint', async () => {
  const clock = new ManualClock();
  const checkpoints = memoryCheckpoints({ clock });
  const source = new Topic({ p: [] }).source();
  const worker = startWorker({ source, checkpoints, clock });
  await until(() => source.starts.length > 0);
  source.tell({ type: 'batches', batches: [{ ...batchOf([], 'p', 4), next: 9 }] });
  source.tell({ type: 'end' });
  await worker.end;
  assert.equal((await checkpoints.take([{ partition: 'p', above: 0 }]))[0].checkpoint, 9);
});

describe('a partition that is too far ahead is not read on', () => {
  test('until its checkpoint has come after it', async () => {
    const topic = new Topic({ p: Array.from({ length: 30 }, (_, n) => event(`e${n}`)), q: [] });
    const clock = new ManualClock();
    const gate = new Gate();
    const sink = new RecordingSink(() => gate.passed.then(() => undefined));
    const source = topic.source({ batchMax: 10 });
    const worker = startWorker({ source, sink, clock, limits: { aheadMax: 15 } });
    await until(() => source.paused.has('p'));
    await quiet();
    assert.equal(worker.pipeline.summary().received, 20);
    topic.append('q', event('other'));
    await until(() => worker.pipeline.summary().received === 21);
    gate.open();
    await until(() => sink.written.length === 31);
    assert.deepEqual([...source.paused], []);
    await worker.stop();
  });

  test('even where one batch is more than the limit', async () => {
    const topic = new Topic({ p: Array.from({ length: 30 }, (_, n) => event(`e${n}`)) });
    const source = topic.source({ batchMax: 10, ends: true });
    const worker = startWorker({ source, limits: { aheadMax: 5 } });
    assert.equal((await worker.end).emitted, 30);
  });
});

test('an iterable goes through it', async () => {
  const sink = new RecordingSink();
  const worker = startWorker({
    source: iterableSource([event('a'), Buffer.from(event('b')), event('a')]),
    sink,
  });
  assert.deepEqual(spoken(await worker.end), { received: 3, first: 2, duplicate: 1, emitted: 2, dropped: 1 });
});
