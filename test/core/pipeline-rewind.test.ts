import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { HapaxError } from '../../src/core/errors.ts';
import type { CommittingSink } from '../../src/core/sink.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from './topic.ts';
import { Gate, hour, instead, quiet, RecordingSink, spoken, startWorker, until } from './workshop.ts';

const events = (...ids: string[]) => ids.map((id) => event(id));
const failsWith = (code: string) => (error: unknown) => error instanceof HapaxError && error.code === code;

/** The same worker over a sink that commits, and over one that does not. */
const currents = {
  'a committing sink'(clock: ManualClock) {
    const table = new CommittingTable({ clock });
    const { sink } = table.connect();
    const ids = () =>
      table.rows.map(({ payload }) => (JSON.parse(Buffer.from(payload).toString()) as { id: string }).id);
    return { sink, checkpoints: sink, ids };
  },
  'a sink that does not commit'(clock: ManualClock) {
    const sink = new RecordingSink();
    return { sink, checkpoints: memoryCheckpoints({ clock }), ids: () => sink.ids };
  },
};

for (const [name, current] of Object.entries(currents)) {
  describe(`with ${name}, while the pipeline runs`, () => {
    function bench(logs: Record<string, string[]>) {
      const clock = new ManualClock();
      const { sink, checkpoints, ids } = current(clock);
      const topic = new Topic(logs);
      const store = memoryStore({ windowMs: hour, clock });
      const worker = startWorker({ source: topic.source(), sink, checkpoints, store, clock });
      const emitted = (count: number) => until(() => ids().length === count, clock);
      const booked = (count: number) =>
        until(() => {
          const { received, in_flight } = worker.pipeline.summary();
          return received === count && in_flight === 0;
        }, clock);
      return { clock, topic, store, worker, checkpoints, ids, emitted, booked };
    }

    test('a rewind reads again what becomes duplicates, and the books count it again', async () => {
      const { topic, worker, ids, booked } = bench({ p: events('a', 'b', 'c'), q: events('d') });
      await booked(4);
      assert.deepEqual(await worker.pipeline.rewind([{ partition: 'p', to: 1 }]), [{ partition: 'p', from: 3, to: 1 }]); // prettier-ignore
      await booked(6);
      topic.append('p', event('e'));
      await booked(7);
      assert.deepEqual(ids().sort(), ['a', 'b', 'c', 'd', 'e']);
      assert.deepEqual(spoken(await worker.stop()), { received: 7, first: 5, duplicate: 2, emitted: 5, dropped: 2 }); // prettier-ignore
      assert.deepEqual(worker.source.starts.at(-1), { partition: 'p', position: 1 });
    });

    test('the checkpoint has no writer, and the next session has a newer epoch', async () => {
      const { worker, booked, checkpoints, clock } = bench({ p: events('a', 'b') });
      await booked(2);
      await worker.pipeline.rewind([{ partition: 'p', to: 0 }]);
      await until(() => worker.notices.filter(({ type }) => type === 'taken').length === 2, clock);
      const epochs = worker.notices.flatMap((it) => (it.type === 'taken' ? [it.epoch] : []));
      assert.ok(epochs[1] > epochs[0] + 1, 'one for the move, one for the session');
      await booked(4);
      await worker.stop();
      const [{ checkpoint, writer }] = await checkpoints.take([{ partition: 'p', above: 0 }]);
      assert.deepEqual([checkpoint, writer], [2, epochs[1]]);
    });

    test('several are moved at once, and one that nobody reads', async () => {
      const { worker, booked, checkpoints } = bench({ p: events('a'), q: events('b') });
      await booked(2);
      const moves = ['p', 'q', 'elsewhere'].map((partition) => ({ partition, to: 0 }));
      const moved = await worker.pipeline.rewind(moves);
      assert.deepEqual(moved.map(({ from }) => from), [1, 1, undefined]); // prettier-ignore
      await booked(4);
      await worker.stop();
      const [{ checkpoint, writer }] = await checkpoints.take([{ partition: 'elsewhere', above: 0 }]);
      assert.deepEqual([checkpoint, writer], [0, undefined]);
    });

    test('what would skip events is refused and the partition is read on; with force they are skipped', async () => {
      const { topic, worker, ids, booked, clock } = bench({ p: events('a') });
      await booked(1);
      await assert.rejects(worker.pipeline.rewind([{ partition: 'p', to: 3 }]), failsWith('HPX-C023'));
      topic.append('p', event('b'));
      await booked(2);
      await worker.pipeline.rewind([{ partition: 'p', to: 4, force: true }]);
      topic.append('p', ...events('c', 'd', 'e'));
      await until(() => ids().length === 3, clock);
      assert.deepEqual(ids(), ['a', 'b', 'e']);
      await worker.stop();
    });

    test('rewinds that come together are done one after another', async () => {
      const { worker, booked, ids } = bench({ p: events('a', 'b', 'c') });
      await booked(3);
      const moved = await Promise.all(
        [2, 1, 0].map((to) => worker.pipeline.rewind([{ partition: 'p', to }])),
      );
      assert.deepEqual(moved.flat().map(({ to }) => to), [2, 1, 0]); // prettier-ignore
      await booked(6);
      assert.deepEqual(ids(), ['a', 'b', 'c']);
      await worker.stop();
    });

    test('nothing is moved for somebody who has gone', async () => {
      const { worker, booked } = bench({ p: events('a') });
      await booked(1);
      await assert.rejects(worker.pipeline.rewind([{ partition: 'p', to: 0 }], AbortSignal.abort()));
      assert.equal(worker.pipeline.summary().received, 1);
      await worker.stop();
    });

    test('a pipeline that has ended moves nothing', async () => {
      const { worker, booked } = bench({ p: events('a') });
      await booked(1);
      await worker.stop();
      await assert.rejects(worker.pipeline.rewind([{ partition: 'p', to: 0 }]), failsWith('HPX-P004'));
    });
  });
}

test('what is in hand is finished before the checkpoint is moved, so that nothing is written twice', async () => {
  const clock = new ManualClock();
  const gate = new Gate();
  const sink = new RecordingSink(() => gate.passed.then(() => undefined));
  const worker = startWorker({ source: new Topic({ p: events('a', 'b') }).source(), sink, clock });
  await until(() => sink.calls > 0, clock);
  const rewound = worker.pipeline.rewind([{ partition: 'p', to: 0 }]);
  await quiet();
  assert.equal(worker.notices.some(({ type }) => type === 'ended'), false); // prettier-ignore
  gate.open();
  assert.deepEqual(await rewound, [{ partition: 'p', from: 2, to: 0 }]);
  await until(() => worker.pipeline.summary().duplicate === 2, clock);
  assert.deepEqual(sink.ids, ['a', 'b']);
  await worker.stop();
});

test('what another partition has staged is not committed with a move', async () => {
  const clock = new ManualClock();
  const table = new CommittingTable({ clock });
  const { sink } = table.connect();
  const gate = new Gate();
  let staged = 0;
  const slow: CommittingSink = instead(sink, {
    write: async (outgoing, signal) => {
      const written = await sink.write(outgoing, signal);
      if (outgoing.batch.partition === 'q' && ++staged === 1) await gate.passed;
      return written;
    },
  });
  const topic = new Topic({ p: events('a'), q: [] });
  const worker = startWorker({ source: topic.source(), sink: slow, clock });
  await until(() => table.rows.length === 1, clock);
  topic.append('q', event('b'));
  await until(() => staged === 1, clock);
  const rewound = worker.pipeline.rewind([{ partition: 'p', to: 0 }]);
  await quiet();
  assert.equal(table.rows.length, 1, 'it waits for the transaction');
  gate.open();
  await rewound;
  await until(() => worker.pipeline.summary().duplicate === 1, clock);
  assert.equal(table.rows.length, 2);
  await worker.stop();
});
