import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Manner } from '../../src/core/sink.ts';
import { handlerSink, Rejected, type HandledEvent } from '../../src/sinks/handler.ts';
import type { Arrival } from '../../src/testing/sink-suite/check.ts';
import { runSinkSuite } from '../../src/testing/sink-suite/sink-suite.ts';
import { batchOf } from '../core/identity/batch.ts';
import { Gate, quiet } from '../core/workshop.ts';
import { runner } from '../testing/runner.ts';
import { plain, some } from './batches.ts';

const names = ['resumed', 'unchecked', 'unmarked', 'redriven'] as const;
const mannersOf = (event: HandledEvent) => names.filter((name) => event[name]);

runSinkSuite(
  {
    supports: { binary: true, durable: true, refuses: true, fails: true, manners: true },
    open: () => {
      const arrivals: Arrival[] = [];
      const refused = new Set<string>();
      let failing: string | undefined;
      const sink = handlerSink((event) => {
        if (refused.has(event.text())) throw new Rejected('refused');
        if (event.text() === failing) throw new Error('not now');
        const [name = 'ordinary'] = mannersOf(event);
        arrivals.push({ payload: event.payload, manner: Manner[name] });
      });
      return {
        sink,
        read: () => arrivals,
        refuse: (payload) => refused.add(payload),
        fail: (payload) => (failing = payload),
        mend: () => (failing = undefined),
        close: () => sink.close(),
      };
    },
  },
  runner,
);

const { signal } = new AbortController();
const abc = plain('a', 'b', 'c', 'd');

test('the handler sees each event, one after the other, in order', async () => {
  const log: string[] = [];
  const sink = handlerSink(async (event) => {
    log.push(`+${event.text()}`);
    await quiet();
    log.push(`-${event.text()}`);
  });
  assert.deepEqual(await sink.write(some(abc, [0, 2, 3]), signal), {});
  assert.deepEqual(log, ['+a', '-a', '+c', '-c', '+d', '-d']);
});

test('an event is its bytes, its place and what is to be known of it', async () => {
  const headers = [['trace', Buffer.from('t')]] as const;
  const batch = batchOf(
    ['{"n":1}', { payload: '{"n":2}', headers }, ...[3, 4, 5].map((n) => `{"n":${n}}`)],
    'orders/3',
    40,
  );
  const seen: HandledEvent[] = [];
  const sink = handlerSink((event) => seen.push(event));
  const manners = Uint8Array.from(Object.values(Manner));
  await sink.write({ ...some(batch), manners }, signal);
  assert.deepEqual(
    seen.map((it) => [
      it.partition,
      it.position,
      it.headers,
      mannersOf(it),
      it.attempt,
      it.json(),
      it.text() === Buffer.from(it.payload).toString(),
    ]),
    [
      ['orders/3', 40, [], [], 1, { n: 1 }, true],
      ['orders/3', 41, headers, ['resumed'], 1, { n: 2 }, true],
      ['orders/3', 42, [], ['unchecked'], 1, { n: 3 }, true],
      ['orders/3', 43, [], ['unmarked'], 1, { n: 4 }, true],
      ['orders/3', 44, [], ['redriven'], 1, { n: 5 }, true],
    ],
  );
  assert.ok(seen.every((event) => event.signal === signal));
});

test('what fails is unavailable, and so is what stands behind it', async () => {
  const handled: string[] = [];
  const sink = handlerSink((event) => {
    if (event.text() === 'b') throw new Error('not now');
    handled.push(event.text());
  });
  assert.deepEqual(await sink.write(some(abc), signal), {
    unavailable: { at: [1, 2, 3], reason: 'not now' },
  });
  assert.deepEqual(handled, ['a']);
});

test('after so many failures an event is rejected, and the next one has its own tries', async () => {
  const attempts: [string, number][] = [];
  const sink = handlerSink(
    (event) => {
      attempts.push([event.text(), event.attempt]);
      throw new Error(`no ${event.text()}`);
    },
    { attemptsMax: 3 },
  );
  const ab = some(abc, [0, 1]);
  assert.deepEqual((await sink.write(ab, signal)).unavailable?.at, [0, 1]);
  assert.deepEqual((await sink.write(ab, signal)).unavailable?.at, [0, 1]);
  assert.deepEqual(await sink.write(ab, signal), {
    rejected: [{ at: 0, reason: 'no a' }],
    unavailable: { at: [1], reason: 'no b' },
  });
  assert.deepEqual(attempts, [['a', 1], ['a', 2], ['a', 3], ['b', 1]]); // prettier-ignore
  await sink.write(some(abc, [0]), signal);
  assert.deepEqual(attempts.at(-1), ['a', 1], 'rejected once, it begins anew');
});

test('success forgets failures', async () => {
  let isAway = true;
  const attempts: number[] = [];
  const sink = handlerSink(
    ({ attempt }) => {
      attempts.push(attempt);
      if (isAway) throw new Error('no');
    },
    { attemptsMax: 3 },
  );
  const a = some(abc, [0]);
  await sink.write(a, signal);
  isAway = false;
  assert.deepEqual(await sink.write(a, signal), {});
  isAway = true;
  await sink.write(a, signal);
  assert.deepEqual(attempts, [1, 2, 1]);
});

test('Rejected is for good, and what stands behind it goes on', async () => {
  const sink = handlerSink(async (event) => {
    await Promise.resolve();
    if (event.text() === 'b') throw new Rejected('unknown type');
  });
  assert.deepEqual(await sink.write(some(abc), signal), { rejected: [{ at: 1, reason: 'unknown type' }] });
});

test('what is thrown need not be an Error', async () => {
  const sink = handlerSink(() => {
    const word: unknown = 'a word';
    throw word;
  });
  assert.equal((await sink.write(some(abc, [0]), signal)).unavailable?.reason, 'a word');
});

test('so many events are handled at once, and no more; failures keep to themselves', async () => {
  const gate = new Gate();
  let [now, most] = [0, 0];
  const sink = handlerSink(
    async (event) => {
      most = Math.max(most, ++now);
      await gate.passed;
      now--;
      if (event.text() === 'b') throw new Error('not now');
    },
    { concurrency: 3 },
  );
  const answer = sink.write(some(abc), signal);
  await quiet();
  assert.equal(now, 3);
  gate.open();
  assert.deepEqual(await answer, { unavailable: { at: [1], reason: 'not now' } });
  assert.equal(most, 3);
});

test('an event that is tried again in other company keeps its count', async () => {
  const attempts: number[] = [];
  const sink = handlerSink(({ attempt }) => {
    attempts.push(attempt);
    throw new Error('no');
  });
  await sink.write(some(abc, [1, 2]), signal);
  await sink.write(some(abc, [1]), signal);
  assert.deepEqual(attempts, [1, 2]);
});

test('the tries of a partition that was given away and comes back begin anew', async () => {
  const attempts: number[] = [];
  const sink = handlerSink(({ attempt }) => {
    attempts.push(attempt);
    throw new Error('no');
  });
  await sink.write(some(plain('a')), signal);
  await sink.write(some(plain('a')), signal);
  assert.deepEqual(attempts, [1, 1]);
});

test('closing does nothing, twice', async () => {
  const sink = handlerSink(() => undefined);
  await sink.close();
  await sink.close();
});

for (const value of [0, -1, 0.5, NaN, Infinity])
  test(`a concurrency of ${value}, or so many attempts, is refused`, () => {
    for (const options of [{ concurrency: value }, { attemptsMax: value }])
      assert.throws(() => handlerSink(() => undefined, options), { code: 'HPX-C015' });
  });

test('whatever is thrown counts as a failure, even what has no words', async () => {
  const sink = handlerSink(
    () => {
      throw Object.create(null);
    },
    { attemptsMax: 1 },
  );
  const { rejected } = await sink.write(some(plain('a')), signal);
  assert.deepEqual(rejected, [{ at: 0, reason: 'something that has no words was thrown' }]);
});
