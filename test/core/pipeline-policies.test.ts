import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { HapaxError } from '../../src/core/errors.ts';
import { jsonIdentity } from '../../src/core/identity/json-identity.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { space } from './identity/batch.ts';
import { event, Topic } from './topic.ts';
import { hour, instead, lettersIn, quiet, RecordingSink, spoken, startWorker, until } from './workshop.ts';

const events = (...ids: string[]) => ids.map((id) => event(id));

describe('what has no id', () => {
  for (const batchMax of [1, 2, 10])
    test(`stops the pipeline at its place, and what stands before got through (batches of ${batchMax})`, async () => {
      const clock = new ManualClock();
      const checkpoints = memoryCheckpoints({ clock });
      const sink = new RecordingSink();
      const topic = new Topic({ p: [...events('a', 'b', 'a'), '{"id":null}', ...events('c')] });
      const source = topic.source({ batchMax });
      const worker = startWorker({ source, sink, checkpoints, clock, policies: { unidentified: 'stop' } });
      await assert.rejects(worker.end, {
        code: 'HPX-I003',
        message: /p at 3: null$/,
        place: { partition: 'p', position: 3 },
      });
      assert.deepEqual(sink.ids, ['a', 'b']);
      assert.equal((await checkpoints.take([{ partition: 'p', above: 0 }]))[0].checkpoint, 3);
      assert.equal(clock.sleepers, 0);
    });

  test('is dead-lettered with its reason, and what stands behind it gets through', async () => {
    const deadLetters = new RecordingSink();
    const sink = new RecordingSink();
    const topic = new Topic({ p: ['{"id":""}', event('a'), '{"id":""}', 'not json'] });
    const worker = startWorker({ source: topic.source({ ends: true }), sink, deadLetters });
    assert.deepEqual(spoken(await worker.end), {
      received: 4,
      first: 1,
      unidentified: 3,
      emitted: 1,
      dead_lettered: 3,
    });
    assert.deepEqual(sink.ids, ['a']);
    assert.deepEqual(
      lettersIn(deadLetters).map(({ code, reason, offset, body }) => [code, reason, offset, body]),
      [
        ['unidentified', 'blank', 0, '{"id":""}'],
        ['unidentified', 'blank', 2, '{"id":""}'],
        ['unidentified', 'malformed', 3, 'not json'],
      ],
    );
  });

  test('passes where it may, unmarked', async () => {
    const sink = new RecordingSink();
    const topic = new Topic({ p: ['{}', event('a'), '{}'] });
    const worker = startWorker({
      source: topic.source({ ends: true }),
      sink,
      policies: { unidentified: 'pass' },
    });
    assert.deepEqual(spoken(await worker.end), { received: 3, first: 1, unidentified: 2, emitted: 3 });
    assert.deepEqual(sink.written.map(({ manner }) => manner), ['unmarked', 'ordinary', 'unmarked']); // prettier-ignore
  });
});

describe('the same id with another body', () => {
  const identity = jsonIdentity({ ...space, id: '/id', bodyCheck: {} });
  const log = [5, 7, 5].map((amount) => event('1', { amount }));
  const run = async (conflict: 'drop' | 'pass' | 'dead-letter') => {
    const [sink, deadLetters, duplicates] = [new RecordingSink(), new RecordingSink(), new RecordingSink()];
    const topic = new Topic({ p: [] });
    const source = topic.source();
    const worker = startWorker({ source, sink, deadLetters, duplicates, identity, policies: { conflict } });
    for (const payload of log) {
      topic.append('p', payload);
      await quiet();
    }
    return { summary: spoken(await worker.stop()), sink, deadLetters, duplicates };
  };
  const common = { received: 3, first: 1, duplicate: 1, conflict: 1 };

  test('is dead-lettered', async () => {
    const { summary, sink, deadLetters } = await run('dead-letter');
    assert.deepEqual(summary, { ...common, emitted: 1, dead_lettered: 1, dropped: 1 });
    assert.equal(sink.written.length, 1);
    assert.deepEqual(lettersIn(deadLetters).map(({ code, body }) => [code, body]), [['conflict', log[1]]]); // prettier-ignore
  });
  test('passes, and is no first', async () => {
    const { summary, sink } = await run('pass');
    assert.deepEqual(summary, { ...common, emitted: 2, dropped: 1 });
    assert.deepEqual(sink.written.map(({ manner }) => manner), ['ordinary', 'unmarked']); // prettier-ignore
  });
  test('is dropped, counted, and shown with the duplicates', async () => {
    const { summary, duplicates } = await run('drop');
    assert.deepEqual(summary, { ...common, emitted: 1, dropped: 2 });
    assert.deepEqual(duplicates.written.map(({ payload }) => payload), log.slice(1)); // prettier-ignore
  });
});

describe('what is older than the window', () => {
  const identity = jsonIdentity({ ...space, id: '/id', eventTime: '/at' });
  const run = async (late: 'pass' | 'drop' | 'dead-letter') => {
    const clock = new ManualClock();
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const log = [
      event('a', { at: at(-2 * hour) }),
      event('b', { at: at(0) }),
      event('a', { at: at(-2 * hour) }),
    ];
    const [sink, deadLetters] = [new RecordingSink(), new RecordingSink()];
    const source = new Topic({ p: log }).source({ ends: true, batchMax: 1 });
    const worker = startWorker({ source, sink, deadLetters, identity, clock, policies: { late } });
    return spoken(await worker.end);
  };
  test('passes and keeps its mark', async () =>
    assert.deepEqual(await run('pass'), {
      received: 3,
      first: 1,
      duplicate: 1,
      late: 1,
      emitted: 2,
      dropped: 1,
    }));
  test('is dropped, each time anew', async () =>
    assert.deepEqual(await run('drop'), { received: 3, first: 1, late: 2, emitted: 1, dropped: 2 }));
  test('is dead-lettered, each time anew', async () =>
    assert.deepEqual(await run('dead-letter'), {
      received: 3,
      first: 1,
      late: 2,
      emitted: 1,
      dead_lettered: 2,
    }));
});

test('whoever only observes counts, keeps the order, and lets everything go on', async () => {
  const clock = new ManualClock();
  const log = [...events('a', 'b', 'a'), '{}', ...events('c', 'b')];
  const topic = new Topic({ p: log });
  const sink = new RecordingSink();
  const duplicates = new RecordingSink();
  const source = topic.source({ ends: true, batchMax: 4 });
  const worker = startWorker({ source, sink, duplicates, clock, policies: { observe: true } });
  assert.deepEqual(spoken(await worker.end), {
    received: 6,
    first: 3,
    duplicate: 2,
    unidentified: 1,
    emitted: 6,
  });
  assert.deepEqual(sink.written.map(({ payload }) => payload), log); // prettier-ignore
  assert.equal(duplicates.calls, 0);
});

test('whoever only observes waits for nobody', async () => {
  const clock = new ManualClock();
  const shared = {
    clock,
    store: memoryStore({ windowMs: hour, clock }),
    checkpoints: memoryCheckpoints({ clock }),
  };
  const topic = new Topic({ p: events('a'), q: events('a', 'b') });
  const busy = new RecordingSink(() => new Promise<never>(() => undefined));
  startWorker({ source: topic.source({ assigned: ['p'] }), sink: busy, ...shared });
  await until(() => busy.calls > 0);
  const sink = new RecordingSink();
  const source = topic.source({ assigned: ['q'], ends: true });
  const worker = startWorker({ source, sink, ...shared, policies: { observe: true } });
  assert.deepEqual(spoken(await worker.end), { received: 2, first: 1, duplicate: 1, emitted: 2 });
  assert.deepEqual(sink.ids, ['a', 'b']);
});

test('dropped duplicates go to their own sink, in order and as they came', async () => {
  const log = ['a', 'a', 'b', 'a', 'b'].map((id, n) => event(id, { n }));
  const clock = new ManualClock();
  const duplicates = new RecordingSink((_, call) =>
    call === 1 ? { unavailable: { at: [0], reason: 'busy' } } : undefined,
  );
  const worker = startWorker({ source: new Topic({ p: log }).source({ ends: true }), duplicates, clock });
  await until(() => duplicates.written.length === 3, clock);
  await worker.end;
  assert.deepEqual(duplicates.written.map(({ payload }) => payload).sort(), [log[1], log[3], log[4]]); // prettier-ignore
});

describe('a store that does not answer', () => {
  const away = () => Promise.reject(new HapaxError('HPX-S001', 'away'));

  test('lets events pass where it may: marked, counted, and each of them once', async () => {
    const clock = new ManualClock();
    const store = instead(memoryStore({ windowMs: hour, clock }), { claim: away });
    const sink = new RecordingSink();
    const topic = new Topic({ p: events('a', 'b', 'a'), q: events('b', 'a', 'c') });
    const source = topic.source({ ends: true, batchMax: 3 });
    const worker = startWorker({ source, sink, store, clock, policies: { store: 'pass' } });
    assert.deepEqual(spoken(await worker.end), { received: 6, unchecked: 6, emitted: 6 });
    assert.ok(sink.written.every(({ manner }) => manner === 'unchecked'));
    const places = sink.written.map(({ partition, position }) => `${partition}${position}`);
    assert.deepEqual(places.sort(), ['p0', 'p1', 'p2', 'q0', 'q1', 'q2']);
    assert.ok(worker.notices.some((it) => it.type === 'waiting' && it.on === 'store'));
  });

  test('lets nothing pass that is put aside for want of an id', async () => {
    const clock = new ManualClock();
    const store = instead(memoryStore({ windowMs: hour, clock }), { claim: away });
    const [sink, deadLetters] = [new RecordingSink(), new RecordingSink()];
    const source = new Topic({ p: [...events('a'), 'not json'] }).source({ ends: true });
    const worker = startWorker({ source, sink, deadLetters, store, clock, policies: { store: 'pass' } });
    assert.deepEqual(spoken(await worker.end), { received: 2, unidentified: 1, unchecked: 1, emitted: 1, dead_lettered: 1 }); // prettier-ignore
    assert.deepEqual(sink.ids, ['a']);
  });

  for (const policy of ['wait', 'pass'] as const)
    test(`and never will, being too small for a batch, ends the run (${policy})`, async () => {
      const clock = new ManualClock();
      const store = memoryStore({ windowMs: hour, clock, marksMax: 2 });
      const source = new Topic({ p: events('a', 'b', 'c') }).source({ ends: true });
      const worker = startWorker({ source, store, clock, policies: { store: policy } });
      await assert.rejects(worker.end, { code: 'HPX-S006' });
    });

  test('for one call only: what was claimed before is settled all the same', async () => {
    const clock = new ManualClock();
    const inner = memoryStore({ windowMs: hour, clock });
    let calls = 0;
    // The second question is for copies of what is known to be settled.
    const store = instead(inner, { claim: (claim) => (++calls === 3 ? away() : inner.claim(claim)) });
    const sink = new RecordingSink();
    const source = new Topic({ p: events('x', 'x', 'x', 'y') }).source({ ends: true, batchMax: 3 });
    const shared = { clock, store: inner, checkpoints: memoryCheckpoints({ clock }) };
    await startWorker({ source: new Topic({ z: events('x') }).source({ ends: true }), ...shared }).end;
    const worker = startWorker({ source, sink, ...shared, store, policies: { store: 'pass' } });
    const summary = spoken(await worker.end);
    assert.equal(summary.received, 4);
    assert.equal(summary.first ?? 0, sink.written.filter(({ manner }) => manner === 'ordinary').length);
    assert.equal(inner.stats().open, 0);
  });

  for (const committing of [false, true]) {
    test(`lets events pass, too, when it goes away between claim and settle (committing: ${committing})`, async () => {
      const clock = new ManualClock();
      const inner = memoryStore({ windowMs: hour, clock });
      let isAway = false;
      let settles = 0;
      const store = instead(inner, {
        claim: (claim) => (isAway ? away() : inner.claim(claim)),
        settle: (claims) => {
          isAway ||= ++settles === 1;
          return isAway ? away() : inner.settle(claims);
        },
      });
      const sink = new RecordingSink();
      const table = new CommittingTable({ clock });
      const written = () => (committing ? table.rows.length : sink.ids.length);
      const worker = startWorker({
        source: new Topic({ p: events(...Array.from({ length: 20 }, (_, n) => `e${n}`)) }).source({
          ends: true,
          batchMax: 1,
        }),
        sink: committing ? table.connect().sink : sink,
        store,
        clock,
        limits: { batchesInFlightMax: 2 },
        policies: { store: 'pass' },
      });
      await until(() => written() === 20);
      isAway = false;
      await clock.advance(60_000);
      const { first = 0, unchecked = 0 } = spoken(await worker.end);
      assert.equal(first + unchecked, 20);
      assert.ok(unchecked > 10);
      assert.equal(inner.stats().open, 0);
    });
  }

  test('makes everybody wait unless told otherwise', async () => {
    const clock = new ManualClock();
    const inner = memoryStore({ windowMs: hour, clock });
    let isAway = true;
    const store = instead(inner, { claim: (claim) => (isAway ? away() : inner.claim(claim)) });
    const sink = new RecordingSink();
    const worker = startWorker({
      source: new Topic({ p: events('a', 'a') }).source({ ends: true }),
      sink,
      store,
      clock,
    });
    await clock.advance(60_000);
    assert.equal(sink.calls, 0);
    isAway = false;
    await until(() => sink.ids.length === 1, clock);
    assert.deepEqual(spoken(await worker.end), {
      received: 2,
      first: 1,
      duplicate: 1,
      emitted: 1,
      dropped: 1,
    });
  });

  test('is named when partitions wait for it', async () => {
    const clock = new ManualClock();
    const store = instead(memoryStore({ windowMs: hour, clock }), { enter: away });
    const worker = startWorker({ source: new Topic({ p: events('a') }).source(), store, clock });
    await quiet();
    const waits = worker.notices.flatMap((it) => (it.type === 'waiting' ? [it.on] : []));
    assert.deepEqual(new Set(waits), new Set(['store']));
  });
});
