import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { handlerSink } from '../../src/sinks/handler.ts';
import { event, Topic } from '../core/topic.ts';
import { hour, identity, lettersIn, RecordingSink, spoken, startWorker, until } from '../core/workshop.ts';

function bench(handle: (id: string) => void) {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: hour, clock });
  const handled: string[] = [];
  const sink = handlerSink((it) => {
    const { id } = it.json() as { id: string };
    handle(id);
    handled.push(id);
  });
  const deadLetters = new RecordingSink();
  const topic = new Topic({ p: [event('1'), event('2')] });
  const checkpoints = memoryCheckpoints({ clock });
  const worker = startWorker({ source: topic.source(), sink, deadLetters, store, checkpoints, clock });
  const stateOf = async (id: string) => (await store.look(identity.fingerprintOf(id)))[0].state;
  return { clock, store, handled, deadLetters, topic, worker, stateOf };
}

test('an event that failed and was dead-lettered is new when it is redriven, and a duplicate when once more', async () => {
  let isFixed = false;
  const tries: string[] = [];
  const { clock, handled, deadLetters, topic, worker, stateOf } = bench((id) => {
    tries.push(id);
    if (id === '1' && !isFixed) throw new Error('not today');
  });
  await until(() => worker.pipeline.summary().in_flight === 0 && deadLetters.written.length === 1, clock);
  assert.deepEqual(tries, ['1', '1', '1', '1', '1', '2']);
  assert.equal(await stateOf('1'), 'none');
  const [{ body = '', reason, code }] = lettersIn(deadLetters);
  assert.deepEqual([code, reason, body], ['rejected', 'not today', event('1')]);

  isFixed = true;
  topic.append('p', body);
  await until(() => handled.includes('1'), clock);
  await until(() => worker.pipeline.summary().in_flight === 0, clock);
  assert.equal(await stateOf('1'), 'settled');

  topic.append('p', body);
  await until(() => worker.pipeline.summary().duplicate === 1, clock);
  assert.deepEqual(handled, ['2', '1']);
  const books = { received: 4, first: 3, duplicate: 1, emitted: 2, dead_lettered: 1, dropped: 1 };
  assert.deepEqual(spoken(await worker.stop()), books);
});

test('a broker that delivers a dead-lettered event once more gets it tried once more', async () => {
  let isFixed = false;
  const { clock, handled, deadLetters, topic, worker } = bench((id) => {
    if (id === '1' && !isFixed) throw new Error('not today');
  });
  await until(() => deadLetters.written.length === 1, clock);
  topic.append('p', event('1'));
  await until(() => deadLetters.written.length === 2, clock);
  isFixed = true;
  topic.append('p', event('1'));
  await until(() => handled.includes('1'), clock);
  assert.deepEqual(spoken(await worker.stop()), { received: 4, first: 4, emitted: 2, dead_lettered: 2 });
});

test('a redrive that fails again is dead-lettered again, and no copy is lost meanwhile', async () => {
  const { clock, deadLetters, topic, worker, stateOf } = bench((id) => {
    if (id === '1') throw new Error('never');
  });
  await until(() => deadLetters.written.length === 1, clock);
  topic.append('p', event('1'), event('1'));
  await until(() => deadLetters.written.length === 3, clock);
  assert.deepEqual(lettersIn(deadLetters).map(({ offset }) => offset), [0, 2, 3]); // prettier-ignore
  assert.deepEqual(spoken(await worker.stop()), { received: 4, first: 4, emitted: 1, dead_lettered: 3 });
  assert.equal(await stateOf('1'), 'none');
});
