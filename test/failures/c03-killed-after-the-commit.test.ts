import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { readableStore } from '../../src/testing/readable-store.ts';
import { event, Topic } from '../core/topic.ts';
import { hour, Life, quiet, RecordingSink, spoken, startWorker } from '../core/workshop.ts';

const ids = ['1', '2', '3', '2', '4'];
const newer = ['5', '1', '6'];
const books = { received: 8, emitted: 6, dropped: 2 };
const makeStores = { memoryStore, readableStore };

/** Read again in the same pieces, or in others, with newer events behind. */
const pieces = {
  'in the same batch': 5,
  'in a batch with newer ones': 8,
  'one by one': 1,
  'in other batches': 3,
};

describe('with a sink that does not commit, a kill', () => {
  const points: [when: 'before' | 'after', call: string, repeats: number][] = [
    ['before', 'sink.write', 0],
    ['after', 'sink.write', 4],
    ['before', 'store.settle', 4],
    ['after', 'store.settle', 0],
    ['before', 'checkpoints.commit', 0],
    ['after', 'checkpoints.commit', 0],
    ['before', 'store.trim', 0],
    ['after', 'store.trim', 0],
  ];
  for (const [storeName, makeStore] of Object.entries(makeStores))
    for (const [when, call, repeats] of points)
      for (const [how, batchMax] of Object.entries(pieces))
        test(`${when} ${call} loses nothing and repeats ${repeats} (${how}, ${storeName})`, async () => {
          const clock = new ManualClock();
          const shared = {
            clock,
            store: makeStore({ windowMs: hour, clock }),
            checkpoints: memoryCheckpoints({ clock }),
          };
          const topic = new Topic({ p: ids.map((id) => event(id)) });
          const sink = new RecordingSink();
          const life = new Life();
          life.endsAt(when, call);
          startWorker({ source: topic.source(), sink, life, ...shared });
          await quiet();
          assert.ok(life.isOver, 'it was killed there');
          const before = sink.ids.length;
          topic.append('p', ...newer.map((id) => event(id)));
          const worker = startWorker({ source: topic.source({ ends: true, batchMax }), sink, ...shared });
          const { first = 0, resumed = 0, duplicate, ...rest } = spoken(await worker.end);
          assert.deepEqual(rest, books, 'the books are those of one undisturbed run');
          assert.deepEqual([first + resumed, duplicate], [6, 2]);
          assert.deepEqual([...new Set(sink.ids)].sort(), ['1', '2', '3', '4', '5', '6']);
          assert.equal(sink.ids.length, 6 + repeats);
          // Who may have been done before says so, and nobody else.
          const again = sink.written.slice(before).filter(({ manner }) => manner === 'resumed');
          const wasOpen = repeats > 0 || call === 'sink.write' ? ['1', '2', '3', '4'] : [];
          assert.deepEqual(again.map(({ id }) => id), wasOpen); // prettier-ignore
        });
});

describe('with a committing sink, a kill', () => {
  const points: [when: 'before' | 'after', call: string][] = [
    ['before', 'sink.write'],
    ['after', 'sink.write'],
    ['before', 'sink.commit'],
    ['after', 'sink.commit'],
    ['before', 'store.settle'],
    ['after', 'store.settle'],
    ['before', 'store.trim'],
    ['after', 'store.trim'],
  ];
  for (const [storeName, makeStore] of Object.entries(makeStores))
    for (const [when, call] of points)
      for (const [how, batchMax] of Object.entries(pieces))
        test(`${when} ${call} loses nothing and repeats nothing (${how}, ${storeName})`, async () => {
          const clock = new ManualClock();
          const store = makeStore({ windowMs: hour, clock });
          const table = new CommittingTable({ clock });
          const topic = new Topic({ p: ids.map((id) => event(id)) });
          const life = new Life();
          life.endsAt(when, call);
          startWorker({ source: topic.source(), sink: table.connect().sink, store, life, clock });
          await quiet();
          assert.ok(life.isOver, 'it was killed there');
          topic.append('p', ...newer.map((id) => event(id)));
          const source = topic.source({ ends: true, batchMax });
          const worker = startWorker({ source, sink: table.connect().sink, store, clock });
          const { first = 0, resumed = 0, duplicate, ...rest } = spoken(await worker.end);
          assert.deepEqual(rest, books);
          assert.deepEqual([first + resumed, duplicate], [6, 2]);
          assert.deepEqual(table.rows.map(({ position }) => position), [0, 1, 2, 4, 5, 7]); // prettier-ignore
          assert.equal(store.stats().open, 0);
        });
});
