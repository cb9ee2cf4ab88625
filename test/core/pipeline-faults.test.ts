import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { HapaxError } from '../../src/core/errors.ts';
import type { Source } from '../../src/core/source.ts';
import { withNext } from '../../src/sources/kit/with-next.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from './topic.ts';
import { Gate, hour, identity, instead, lettersIn, quiet, RecordingSink, spoken, startWorker, until, type Judge, type Worker } from './workshop.ts'; // prettier-ignore

const events = (...ids: string[]) => ids.map((id) => event(id));
const everything = (all: readonly unknown[], reason = 'away') => ({
  unavailable: { at: [...all.keys()], reason },
});

describe('a sink that is unavailable', () => {
  test('is asked again for what it did not take, in order, and nothing overtakes within the partition', async () => {
    const clock = new ManualClock();
    const sink = new RecordingSink((all, call) => {
      if (call === 1) return { unavailable: { at: [1, 2], reason: 'busy' } };
      return call < 4 ? everything(all) : undefined;
    });
    const topic = new Topic({ p: events('a', 'b', 'c', 'd', 'e') });
    const worker = startWorker({ source: topic.source({ ends: true, batchMax: 3 }), sink, clock });
    await until(() => sink.ids.length === 5, clock);
    assert.deepEqual(sink.ids, ['a', 'b', 'c', 'd', 'e']);
    assert.ok(sink.written.every(({ manner }) => manner === 'ordinary'));
    assert.deepEqual(spoken(await worker.end), { received: 5, first: 5, emitted: 5 });
    const waits = worker.notices.flatMap((it) => (it.type === 'waiting' ? [[it.on, it.attempt]] : []));
    assert.deepEqual(waits, [['sink', 1], ['sink', 2], ['sink', 3]]); // prettier-ignore
  });

  test('says itself how long to wait', async () => {
    const clock = new ManualClock();
    const sink = new RecordingSink((_, call) =>
      call === 1 ? { unavailable: { at: [0], reason: '429', retryAfterMs: 7_000 } } : undefined,
    );
    startWorker({ source: new Topic({ p: events('a') }).source(), sink, clock });
    await clock.advance(6_999);
    assert.equal(sink.calls, 1);
    await clock.advance(1);
    assert.deepEqual(sink.ids, ['a']);
  });

  test('may throw instead', async () => {
    const clock = new ManualClock();
    const sink = new RecordingSink((_, call) => {
      if (call < 3) throw new Error('refused');
      return undefined;
    });
    const worker = startWorker({
      source: new Topic({ p: events('a', 'b') }).source({ ends: true }),
      sink,
      clock,
    });
    await until(() => sink.ids.length === 2, clock);
    assert.deepEqual(spoken(await worker.end), { received: 2, first: 2, emitted: 2 });
  });

  const away: Record<string, Judge> = {
    'that answers so': (all) => everything(all, 'away'),
    'that throws': () => {
      throw new Error('away');
    },
  };
  for (const [which, judge] of Object.entries(away))
    test(`${which} is given up after the time of the policy, and only then`, async () => {
      const clock = new ManualClock();
      const deadLetters = new RecordingSink();
      const source = new Topic({ p: events('a', 'b') }).source({ ends: true });
      const policies = { sink: { deadLetterAfterMs: 60_000 } };
      const sink = new RecordingSink(judge);
      const worker = startWorker({ source, sink, deadLetters, policies, clock });
      await clock.advance(59_000);
      assert.equal(deadLetters.calls, 0);
      await until(() => deadLetters.calls > 0, clock);
      assert.deepEqual(spoken(await worker.end), { received: 2, first: 2, dead_lettered: 2 });
      assert.deepEqual(lettersIn(deadLetters).map(({ code, reason }) => [code, reason]), [['rejected', 'away'], ['rejected', 'away']]); // prettier-ignore
    });

  test('with a fault that asking again cannot mend ends the run', async () => {
    const fault = new HapaxError('HPX-O001', 'out.ndjson: no space left');
    const sink = new RecordingSink(() => {
      throw fault;
    });
    const policies = { sink: { deadLetterAfterMs: 0 } };
    await assert.rejects(
      startWorker({ source: new Topic({ p: events('a') }).source(), sink, policies }).end,
      fault,
    );
  });
});

test('a source that throws nothing at all has failed all the same', async () => {
  const { nothing } = {} as { nothing: Error };
  const source = withNext(new Topic({ p: events('a') }).source(), () => Promise.reject(nothing));
  const failed = await startWorker({ source, sink: new RecordingSink() }).end.then(
    () => false,
    () => true,
  );
  assert.ok(failed);
});

describe('a sink that rejects', () => {
  const rejectB: Judge = (all) => {
    const at = all.findIndex(({ id }) => id === 'b');
    return at < 0 ? undefined : { rejected: [{ at, reason: 'too odd' }] };
  };

  test('gets the others, and the rejected one is dead-lettered and released', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ windowMs: hour, clock });
    const sink = new RecordingSink(rejectB);
    const deadLetters = new RecordingSink();
    const source = new Topic({ p: events('a', 'b', 'c') }).source({ ends: true });
    const worker = startWorker({ source, sink, deadLetters, store, clock, sourceName: 'orders' });
    assert.deepEqual(spoken(await worker.end), { received: 3, first: 3, emitted: 2, dead_lettered: 1 });
    assert.deepEqual(sink.ids, ['a', 'c']);
    const [letter] = lettersIn(deadLetters);
    assert.deepEqual(letter, {
      code: 'rejected', reason: 'too odd', source: 'orders', partition: 'p', offset: 1,
      time: new Date(clock.now()).toISOString(), attempt: 1, headers: [], body: event('b'),
    }); // prettier-ignore
    const [a, b] = await Promise.all(['a', 'b'].map((id) => store.look(identity.fingerprintOf(id))));
    assert.deepEqual([a[0].state, b[0].state], ['settled', 'none']);
  });

  test('once may take the copy: it was no duplicate', async () => {
    const sink = new RecordingSink((_, call) =>
      call === 1 ? { rejected: [{ at: 0, reason: 'no' }] } : undefined,
    );
    const deadLetters = new RecordingSink();
    const source = new Topic({ p: events('a', 'a', 'a') }).source({ ends: true });
    const worker = startWorker({ source, sink, deadLetters });
    const summary = { received: 3, first: 2, duplicate: 1, emitted: 1, dead_lettered: 1, dropped: 1 };
    assert.deepEqual(spoken(await worker.end), summary);
    assert.deepEqual(sink.written.map(({ position }) => position), [1]); // prettier-ignore
  });

  test('ends the run where there is no place for dead letters, at that delivery (HPX-P001)', async () => {
    const clock = new ManualClock();
    const checkpoints = memoryCheckpoints({ clock });
    const source = new Topic({ p: events('a', 'b', 'c') }).source({ ends: true, batchMax: 1 });
    const worker = startWorker({ source, sink: new RecordingSink(rejectB), checkpoints, clock });
    await assert.rejects(worker.end, { code: 'HPX-P001', place: { partition: 'p', position: 1 } });
    const [{ checkpoint = 0 }] = await checkpoints.take([{ partition: 'p', above: 0 }]);
    assert.ok(checkpoint <= 1);
  });

  test('makes the partition wait for a dead-letter sink that is away', async () => {
    const clock = new ManualClock();
    const deadLetters = new RecordingSink((all, call) => (call < 5 ? everything(all) : undefined));
    const sink = new RecordingSink(rejectB);
    const source = new Topic({ p: events('b', 'c') }).source({ ends: true, batchMax: 1 });
    const worker = startWorker({ source, sink, deadLetters, clock });
    await quiet();
    assert.equal(worker.pipeline.summary().dead_lettered, 0);
    assert.deepEqual(sink.ids, []);
    await until(() => sink.ids.length === 1, clock);
    assert.deepEqual(spoken(await worker.end), { received: 2, first: 2, emitted: 1, dead_lettered: 1 });
    assert.ok(worker.notices.some((it) => it.type === 'waiting' && it.on === 'dead-letters'));
  });

  test('and dead letters that are rejected too end the run: none is skipped (HPX-O002)', async () => {
    const deadLetters = new RecordingSink(() => ({ rejected: [{ at: 0, reason: 'too large' }] }));
    const source = new Topic({ p: events('b') }).source({ ends: true });
    await assert.rejects(startWorker({ source, sink: new RecordingSink(rejectB), deadLetters }).end, {
      code: 'HPX-O002',
      message: /too large/,
    });
  });
});

/** Has it ended after so much time? */
async function endsWithin(worker: Worker<Source>, clock: ManualClock, ms: number): Promise<boolean> {
  let over = false;
  const end = (): void => {
    over = true;
  };
  worker.stop().then(end, end);
  await clock.advance(ms);
  await quiet();
  return over;
}

describe('a stop takes no longer than drainMs', () => {
  const limits = { drainMs: 5_000 };
  const faults = {
    throws: () => Promise.reject(new HapaxError('HPX-S001', 'away')),
    'never answers': () => new Promise<never>(() => undefined),
  };
  for (const [how, fault] of Object.entries(faults))
    for (const call of ['enter', 'claim', 'settle', 'release', 'trim', 'audit'] as const)
      test(`where the store ${how} when asked for ${call}`, async () => {
        const clock = new ManualClock();
        const store = instead(memoryStore({ windowMs: hour, clock }), { [call]: fault });
        const sink = new RecordingSink((all) =>
          all[0].id === 'b' ? { rejected: [{ at: 0, reason: 'no' }] } : undefined,
        );
        const source = new Topic({ p: events('a', 'b') }).source({ batchMax: 1 });
        const deadLetters = new RecordingSink();
        const worker = startWorker({
          source,
          sink,
          deadLetters,
          store,
          clock,
          limits: { ...limits, auditEveryMs: 10 },
        });
        await clock.advance(20);
        assert.ok(await endsWithin(worker, clock, 5_000));
        spoken(await worker.end);
        assert.equal(clock.sleepers, 0);
      });
  for (const [how, fault] of Object.entries(faults)) {
    for (const call of ['take', 'commit'] as const)
      test(`where the checkpoint store ${how} when asked to ${call}`, async () => {
        const clock = new ManualClock();
        const checkpoints = instead(memoryCheckpoints({ clock }), { [call]: fault });
        const worker = startWorker({
          source: new Topic({ p: events('a') }).source(),
          checkpoints,
          clock,
          limits,
        });
        await quiet();
        assert.ok(await endsWithin(worker, clock, 5_000));
        assert.equal(clock.sleepers, 0);
      });
    for (const where of ['in the middle, with no room for more', 'at the end'])
      test(`where the sink ${how}, ${where}`, async () => {
        const clock = new ManualClock();
        const sink = new RecordingSink(fault);
        const isEnd = where === 'at the end';
        const source = new Topic({ p: events('a', 'b', 'c') }).source({ batchMax: 1, ends: isEnd });
        const worker = startWorker({
          source,
          sink,
          clock,
          limits: { ...limits, batchesInFlightMax: isEnd ? 9 : 2 },
        });
        await until(() => sink.calls > 0);
        await quiet();
        assert.ok(!(await endsWithin(worker, clock, 4_999)));
        assert.ok(await endsWithin(worker, clock, 1));
        const { in_flight } = await worker.end;
        assert.equal(in_flight, isEnd ? 3 : 2);
        assert.equal(clock.sleepers, 0);
      });
  }

  test('where a copy is held by somebody who lives', async () => {
    const clock = new ManualClock();
    const topic = new Topic({ p: events('a'), q: events('a') });
    const shared = {
      clock,
      store: memoryStore({ windowMs: hour, clock }),
      checkpoints: memoryCheckpoints({ clock }),
    };
    const busy = new RecordingSink(() => new Promise<never>(() => undefined));
    startWorker({ source: topic.source({ assigned: ['p'] }), sink: busy, ...shared });
    await until(() => busy.calls > 0);
    const worker = startWorker({ source: topic.source({ assigned: ['q'], ends: true }), ...shared, limits });
    await quiet();
    assert.ok(await endsWithin(worker, clock, 0), 'what is held is not waited for');
    assert.deepEqual(spoken(await worker.end), { received: 1, in_flight: 1 });
  });
});

test('nothing is written after the run has ended', async () => {
  const clock = new ManualClock();
  const sink = new RecordingSink((all) => everything(all));
  const source = new Topic({ p: events('a', 'b', 'c') }).source({ batchMax: 1 });
  const worker = startWorker({ source, sink, clock, limits: { drainMs: 1 } });
  await until(() => sink.calls > 0);
  await quiet();
  const calls = sink.calls;
  assert.ok(await endsWithin(worker, clock, 1));
  sink.judge = () => undefined;
  await clock.advance(60_000);
  assert.equal(sink.calls, calls);
});

test('a fault that is found while stopping is not forgotten', async () => {
  const gate = new Gate();
  const sink = new RecordingSink(async () => {
    await gate.passed;
    throw new HapaxError('HPX-O001', 'full');
  });
  const worker = startWorker({ source: new Topic({ p: events('a') }).source(), sink });
  await until(() => sink.calls > 0);
  const end = worker.stop();
  gate.open();
  await assert.rejects(end, { code: 'HPX-O001' });
});

test('an audit that is fenced while the checkpoint store is away ends no process', async () => {
  const clock = new ManualClock();
  const inner = memoryStore({ windowMs: hour, clock });
  const store = instead(inner, { audit: async () => ({ fenced: 2e18 }) });
  let takes = 0;
  const away = memoryCheckpoints({ clock });
  const checkpoints = instead(away, {
    take: (takes_) =>
      ++takes === 1 ? away.take(takes_) : Promise.reject(new HapaxError('HPX-S001', 'away')),
  });
  const limits = { auditEveryMs: 1_000, drainMs: 100 };
  const worker = startWorker({
    source: new Topic({ p: events('a') }).source(),
    store,
    checkpoints,
    clock,
    limits,
  });
  await until(() => takes > 1, clock);
  assert.ok(await endsWithin(worker, clock, 200));
});
