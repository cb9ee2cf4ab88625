import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from '../core/topic.ts';
import { hour, RecordingSink, spoken, startWorker } from '../core/workshop.ts';
import { lifeUntil, StoreLives } from '../worker/lives.ts';

const ids = ['1', '2', '2', '3'];

describe('an event whose acknowledgement is lost', () => {
  for (const when of ['before', 'after'] as const)
    test(`ten times in a row (${when} the checkpoint is kept) is dropped and acknowledged, and never buried`, async (t) => {
      const clock = new ManualClock();
      const lives = await StoreLives.begin(t, { windowMs: hour, clock });
      const checkpoints = memoryCheckpoints({ clock });
      const topic = new Topic({ p: ids.map((id) => event(id)) });
      const [sink, deadLetters] = [new RecordingSink(), new RecordingSink()];
      const shared = { sink, deadLetters, checkpoints, clock };
      for (let loss = 1; loss <= 10; loss++) {
        const { life, over } = lifeUntil(when, 'checkpoints.commit');
        startWorker({ source: topic.source(), store: await lives.next(), life, ...shared });
        await over;
        // With nothing left to read there is no checkpoint to lose.
        topic.append('p', event('1'));
      }
      const store = await lives.next();
      const { end } = startWorker({ source: topic.source({ ends: true }), store, ...shared });
      assert.deepEqual(spoken(await end), { received: 14, first: 3, duplicate: 11, emitted: 3, dropped: 11 });
      assert.deepEqual(sink.ids, ['1', '2', '3']);
      assert.deepEqual(deadLetters.written, []);
      const [{ checkpoint }] = await checkpoints.take([{ partition: 'p', above: 0 }]);
      assert.equal(checkpoint, 14);
      assert.deepEqual([store.stats().open, store.stats().tail], [0, 0], 'nothing is pending');
    });
});
