import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../../src/checkpoints/memory.ts';
import { parseDeadLetter, type DeadLetter } from '../../../src/core/dead-letter.ts';
import { payloadOf } from '../../../src/core/event.ts';
import { jsonIdentity } from '../../../src/core/identity/json-identity.ts';
import { createPipeline } from '../../../src/core/pipeline.ts';
import { handlerSink, Rejected, type HandledEvent } from '../../../src/sinks/handler.ts';
import { iterableSource } from '../../../src/sources/iterable.ts';
import { joined } from '../../../src/sources/kit/joined.ts';
import { redriveSource } from '../../../src/sources/kit/redrive.ts';
import { memoryStore } from '../../../src/stores/memory.ts';

/** A river whose handler rejects what is bad until it is mended, and keeps its dead letters. */
function river(events: AsyncIterable<string>) {
  const handled: HandledEvent[] = [];
  const letters: DeadLetter[] = [];
  const state = { isMended: false };
  const aside = redriveSource();
  const pipeline = createPipeline({
    source: joined(iterableSource(events), aside),
    identity: jsonIdentity({ id: '/id', pipeline: 'orders', secret: new Uint8Array(32) }),
    store: memoryStore({ windowMs: 60_000 }),
    checkpoints: memoryCheckpoints(),
    sink: handlerSink((event) => {
      if (!state.isMended && event.text().includes('bad')) throw new Rejected('not today');
      handled.push(event);
    }),
    deadLetters: {
      write: ({ batch, indices }) => {
        for (const i of indices) {
          const letter = parseDeadLetter(payloadOf(batch, i));
          assert.ok(letter);
          letters.push(letter);
        }
        return Promise.resolve({});
      },
      close: () => Promise.resolve(),
    },
  });
  return { pipeline, aside, handled, letters, state };
}

/** Events that come when the test lets them, and then no more. */
async function* feed(texts: readonly string[], end: Promise<void>) {
  yield* texts;
  await end;
}

const letter: DeadLetter = {
  code: 'rejected',
  reason: '',
  source: '',
  partition: '',
  offset: 0,
  time: '',
  attempt: 1,
  headers: [],
};

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

describe('a dead letter that is redriven', () => {
  const texts = ['{"id":1}', '{"id":2,"bad":true}', 'not even JSON', '{"id":2,"bad":true}'];

  test('goes down the same river: it is first once, says that it was redriven, and its copies are duplicates', async () => {
    let end!: () => void;
    const it = river(feed(texts, new Promise((resolve) => (end = resolve))));
    const run = it.pipeline.run();
    await until(() => it.letters.length === 3);
    assert.deepEqual(
      it.letters.map(({ code, attempt }) => [code, attempt]),
      [
        ['rejected', 1],
        ['unidentified', 1],
        ['rejected', 1],
      ],
    );

    it.state.isMended = true;
    await it.aside.redrive(it.letters.slice(0, 2));
    assert.deepEqual(
      it.handled.map((event) => [event.text(), event.redriven]),
      [
        ['{"id":1}', false],
        ['{"id":2,"bad":true}', true],
      ],
    );
    assert.deepEqual([it.letters[3].code, it.letters[3].attempt], ['unidentified', 2]);

    await it.aside.redrive(it.letters.slice(0, 1));
    assert.equal(it.handled.length, 2, 'it is settled by now');
    end();
    const { received, emitted, duplicate, dead_lettered } = await run;
    assert.deepEqual({ emitted, duplicate, dead_lettered }, { emitted: 2, duplicate: 1, dead_lettered: 4 });
    assert.equal(received, 7);
  });

  test('may be of more than fit into one batch, and each has its outcome', async () => {
    const it = river(feed([], Promise.resolve()));
    const bodies = Array.from({ length: 2_500 }, (_, id) => JSON.stringify({ id }));
    const redriven = it.aside.redrive(bodies.map((body) => ({ ...letter, body })));
    await Promise.all([it.pipeline.run(), redriven]);
    assert.deepEqual(it.handled.map((event) => event.text()), bodies); // prettier-ignore
  });

  test('ends with its source, whether anybody reads it or not', async () => {
    const aside = redriveSource();
    const redriven = aside.redrive([{ ...letter, body: '{"id":1}' }]);
    await aside.close();
    await redriven;
    await aside.redrive([{ ...letter, body: '{"id":1}' }]);
    assert.equal(aside.isIdle, true);
  });

  test('may be the last thing that a worker does', async () => {
    const it = river(feed(texts, Promise.resolve()));
    it.state.isMended = true;
    const redriven = it.aside.redrive([{ ...letter, body: '{"id":9}' }]);
    await Promise.all([it.pipeline.run(), redriven]);
    assert.ok(it.handled.some((event) => event.text() === '{"id":9}'));
  });
});
