import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { jsonIdentity } from '../../src/core/identity/json-identity.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { space } from '../core/identity/batch.ts';
import { event, Topic } from '../core/topic.ts';
import { hour, RecordingSink, spoken, startWorker, until } from '../core/workshop.ts';

const identityOf = (pipeline: string) => jsonIdentity({ ...space, pipeline, id: '/id' });
const ids = ['1', '2', '1', '3'];
const books = { received: 4, first: 3, duplicate: 1, emitted: 3, dropped: 1 };

test('two pipelines that share a store each emit everything once, one after the other', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: hour, clock });
  const topic = new Topic({ p: ids.map((id) => event(id)) });
  for (const name of ['a', 'b']) {
    const sink = new RecordingSink();
    const checkpoints = memoryCheckpoints({ clock });
    const source = topic.source({ ends: true });
    const worker = startWorker({ source, sink, store, checkpoints, clock, identity: identityOf(name) });
    assert.deepEqual(spoken(await worker.end), books, name);
    assert.deepEqual(sink.ids, ['1', '2', '3'], name);
  }
});

test('a sink that fails in one pipeline repeats nothing in the other', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: hour, clock });
  const topic = new Topic({ a: ids.map((id) => event(id)), b: ids.map((id) => event(id)) });
  const good = new RecordingSink();
  const bad = new RecordingSink((events, call) =>
    call < 4 ? { unavailable: { at: [...events.keys()], reason: 'away' } } : undefined,
  );
  const workers = [good, bad].map((sink, n) => {
    const name = 'ab'[n];
    const source = topic.source({ assigned: [name], ends: true });
    return startWorker({ source, sink, store, clock, identity: identityOf(name) });
  });
  await until(() => bad.ids.length === 3, clock);
  for (const worker of workers) assert.deepEqual(spoken(await worker.end), books);
  assert.deepEqual([good.ids, good.calls], [['1', '2', '3'], 1]);
});

test('under a new name a pipeline begins anew; under the old one it goes on', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: hour, clock });
  const emitted: number[] = [];
  for (const [n, name] of ['orders', 'orders', 'orders-2'].entries()) {
    const topic = new Topic({ [`p${n}`]: ids.map((id) => event(id)) });
    const worker = startWorker({
      source: topic.source({ ends: true }),
      store,
      clock,
      identity: identityOf(name),
    });
    emitted.push((await worker.end).emitted);
  }
  assert.deepEqual(emitted, [3, 0, 3]);
});
