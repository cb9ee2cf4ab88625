import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { payloadOf } from '../../src/core/event.ts';
import type { Happening, Source } from '../../src/core/source.ts';
import { iterableSource } from '../../src/sources/iterable.ts';
import { runSourceSuite } from '../../src/testing/source-suite/source-suite.ts';
import { runner } from '../testing/runner.ts';

const never = new AbortController().signal;
const textsOf = (happening: Happening | undefined) => {
  assert.equal(happening?.type, 'batches');
  return happening.batches.map((batch) =>
    Array.from({ length: batch.count }, (_, i) => Buffer.from(payloadOf(batch, i)).toString()),
  );
};
async function started(source: Source, partition = 'events'): Promise<Source> {
  assert.deepEqual(await source.next(never), { type: 'assigned', partitions: [partition] });
  source.start(partition, undefined);
  return source;
}
/** An iterable whose items come when the test says so. */
function feed<T extends string | Uint8Array = string>() {
  const waiting: ((result: IteratorResult<T>) => void)[] = [];
  const items: IteratorResult<T>[] = [];
  const give = (result: IteratorResult<T>): void => {
    const next = waiting.shift();
    if (next) next(result);
    else items.push(result);
  };
  const next = (): Promise<IteratorResult<T>> => {
    const item = items.shift();
    return item ? Promise.resolve(item) : new Promise((resolve) => waiting.push(resolve));
  };
  return {
    payloads: { [Symbol.asyncIterator]: () => ({ next }) } satisfies AsyncIterable<T>,
    give: (value: T) => {
      give({ value, done: false });
    },
    end: () => {
      give({ value: undefined, done: true });
    },
    asked: () => waiting.length,
  };
}

const supports = {
  replays: false,
  binary: true,
  sideBySide: false,
  revokes: false,
  retains: false,
  retires: false,
};

runSourceSuite(
  {
    supports: { ...supports, ends: true, grows: false },
    open: ([log]) => ({
      partitions: ['events'],
      connect: () => iterableSource(log, { batchMax: 3 }),
      close: () => Promise.resolve(),
    }),
  },
  { test: (name, run) => test(`a list: ${name}`, run), skip: runner.skip },
);

runSourceSuite(
  {
    supports: { ...supports, ends: false, grows: true },
    open: ([log]) => {
      const { payloads, give } = feed<Uint8Array>();
      log.forEach(give);
      return {
        partitions: ['events'],
        connect: () => iterableSource(payloads, { batchMax: 3 }),
        append: (_, more) => {
          more.forEach(give);
        },
        close: () => Promise.resolve(),
      };
    },
  },
  { test: (name, run) => test(`a feed: ${name}`, run), skip: runner.skip },
);

test('what is in hand comes in batches, numbered in order, bytes as they are', async () => {
  const bytes = Uint8Array.of(0, 255, 10);
  const source = await started(iterableSource(['ü', '', bytes, 'd', 'e'], { batchMax: 2 }));
  const batches: [number[], number, number[][]][] = [];
  for (let it = await source.next(never); it?.type === 'batches'; it = await source.next(never)) {
    const [batch] = it.batches;
    assert.equal(batch.partition, 'events');
    const payloads = Array.from({ length: batch.count }, (_, i) => [...payloadOf(batch, i)]);
    batches.push([[...batch.positions], batch.next, payloads]);
  }
  assert.deepEqual(batches, [
    [[0, 1], 2, [[...Buffer.from('ü')], []]],
    [[2, 3], 4, [[...bytes], [100]]],
    [[4], 5, [[101]]],
  ]);
  assert.deepEqual([await source.next(never), await source.next(never)], [{ type: 'end' }, { type: 'end' }]);
});

test('nothing is the end at once, and the partition has the name that was given', async () => {
  const source = await started(iterableSource([], { partition: 'mine' }), 'mine');
  assert.deepEqual(await source.next(never), { type: 'end' });
});

test('nothing is asked for before the partition is started', async () => {
  const { payloads, asked } = feed();
  const source = iterableSource(payloads);
  await source.next(never);
  const next = source.next(never);
  await turn();
  assert.equal(asked(), 0);
  source.start('events', undefined);
  await turn();
  assert.equal(asked(), 1);
  void next;
});

test('a batch is given when the next item lets us wait', async () => {
  const { payloads, give, end } = feed();
  const source = await started(iterableSource(payloads));
  const first = source.next(never);
  give('a');
  give('b');
  assert.deepEqual(textsOf(await first), [['a', 'b']]);
  const second = source.next(never);
  give('c');
  end();
  assert.deepEqual(textsOf(await second), [['c']]);
  assert.deepEqual(await source.next(never), { type: 'end' });
});

test('a wait that is aborted loses nothing of what comes later, and leaves no listener', async () => {
  const { payloads, give } = feed();
  const source = await started(iterableSource(payloads));
  const stop = new AbortController();
  const next = source.next(stop.signal);
  await turn();
  stop.abort();
  assert.equal(await next, undefined);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
  assert.equal(await source.next(stop.signal), undefined);
  give('a');
  give('b');
  assert.deepEqual(textsOf(await source.next(never)), [['a', 'b']]);
});

test('what was taken from the iterable when the stop comes is given', async () => {
  const stop = new AbortController();
  function* payloads() {
    yield 'a';
    yield 'b';
    stop.abort();
    yield 'c';
  }
  const source = await started(iterableSource(payloads()));
  assert.deepEqual(textsOf(await source.next(stop.signal)), [['a', 'b', 'c']]);
});

test('a paused source takes nothing from the iterable', async () => {
  const { payloads, give, asked } = feed();
  const source = await started(iterableSource(payloads, { batchMax: 1 }));
  source.pause('events');
  const next = source.next(never);
  await turn();
  assert.equal(asked(), 0);
  source.resume('events');
  give('a');
  assert.deepEqual(textsOf(await next), [['a']]);
});

test('positions go on from where it is started', async () => {
  const source = iterableSource(['a', 'b']);
  await source.next(never);
  source.start('events', 7);
  const happening = await source.next(never);
  assert.ok(happening?.type === 'batches');
  assert.deepEqual([...happening.batches[0].positions], [7, 8]);
});

test('what would have to be given again is told as a gap', async () => {
  for (const [from, again] of [
    [7, 8],
    [undefined, undefined],
  ]) {
    // prettier-ignore
    const source = iterableSource(['a', 'b', 'c', 'd'], { batchMax: 2 });
    await source.next(never);
    source.start('events', from);
    assert.deepEqual(textsOf(await source.next(never)), [['a', 'b']]);
    source.start('events', again);
    const first = from ?? 0;
    assert.deepEqual(await source.next(never), {
      type: 'gap',
      partition: 'events',
      from: again ?? first,
      to: first + 2,
      reason: 'given once only',
    });
    assert.deepEqual(textsOf(await source.next(never)), [['c', 'd']]);
    assert.equal((await source.next(never))?.type, 'end');
  }
});

test('a wait that begins before a pause goes on after it, also if it is paused twice', async () => {
  const source = await started(iterableSource(['a']));
  source.pause('events');
  const next = source.next(never);
  source.pause('events');
  source.resume('events');
  assert.deepEqual(textsOf(await next), [['a']]);
});

test('what the iterable throws is thrown', async () => {
  const wrong = new Error('wrong');
  async function* payloads() {
    yield await Promise.resolve('a');
    throw wrong;
  }
  const source = await started(iterableSource(payloads(), { batchMax: 1 }));
  assert.deepEqual(textsOf(await source.next(never)), [['a']]);
  await assert.rejects(source.next(never), wrong);
});

test('closing ends the iterable, also twice, and does not wait for an item that may never come', async () => {
  let ended = 0;
  function* payloads() {
    try {
      for (;;) yield 'a';
    } finally {
      ended++;
    }
  }
  const source = await started(iterableSource(payloads(), { batchMax: 1 }));
  await source.next(never);
  await source.close();
  await source.close();
  assert.equal(ended, 1);

  async function* stuck() {
    await new Promise(() => undefined);
    yield 'a';
  }
  const waiting = await started(iterableSource(stuck()));
  void waiting.next(never);
  await turn();
  await waiting.close();
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
