import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CheckpointStore } from '../../src/core/checkpoint.ts';
import { HapaxError } from '../../src/core/errors.ts';
import { moveCheckpoints, type Move } from '../../src/core/river/move.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from './topic.ts';
import { hour, identity, instead, Life, quiet, spoken, startWorker } from './workshop.ts';

/** A worker over a committing sink, killed right after this call; and somebody who moves its checkpoints afterwards. */
async function killedAfter(call: string) {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs: hour, clock });
  const table = new CommittingTable({ clock });
  const topic = new Topic({ p: ['a', 'b'].map((id) => event(id)) });
  const life = new Life();
  life.endsAt('after', call);
  startWorker({ source: topic.source(), ...table.connect(), store, clock, life });
  await quiet();
  assert.ok(life.isOver);
  const move = (moves: readonly Move[], checkpoints: CheckpointStore = table.connect().sink) =>
    moveCheckpoints(moves, {
      store,
      checkpoints,
      keySpace: identity.keySpace,
      committing: true,
      patiently: (_, work) => work(),
    });
  const run = () =>
    startWorker({ source: topic.source({ ends: true }), ...table.connect(), store, clock }).end;
  return { clock, store, table, move, run };
}

describe('an operator moves checkpoints after a kill', () => {
  for (const call of ['sink.commit', 'store.settle', 'store.trim'])
    test(`after ${call}: what was committed is read again as duplicates, and the books are kept`, async () => {
      const { table, move, run } = await killedAfter(call);
      assert.deepEqual(await move([{ partition: 'p', to: 0 }]), [{ partition: 'p', from: 2, to: 0 }]);
      assert.deepEqual(spoken(await run()), { received: 4, first: 2, duplicate: 2, emitted: 2, dropped: 2 });
      assert.equal(table.rows.length, 2);
    });

  test('the books begin anew where that is asked for', async () => {
    const { table, move, run } = await killedAfter('sink.commit');
    await move([{ partition: 'p', to: 0, anew: true }]);
    assert.deepEqual(spoken(await run()), { received: 2, duplicate: 2, dropped: 2 });
    assert.equal(table.rows.length, 2);
  });

  test('before the commit: nothing was done, and moving to where it stands loses nothing', async () => {
    const { table, move, run } = await killedAfter('sink.write');
    assert.deepEqual(await move([{ partition: 'p', to: 0 }]), [{ partition: 'p', from: undefined, to: 0 }]);
    assert.deepEqual(spoken(await run()), { received: 2, resumed: 2, emitted: 2 });
    assert.equal(table.rows.length, 2);
  });

  test('one that would skip events keeps all others where they are', async () => {
    const { table, move } = await killedAfter('sink.commit');
    const isSkip = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-C023';
    await assert.rejects(move([{ partition: 'p', to: 0 }, { partition: 'q', to: 1 }]), isSkip); // prettier-ignore
    const [{ checkpoint }] = await table.connect().sink.take([{ partition: 'p', above: 0 }]);
    assert.equal(checkpoint, 2);
  });

  test('one that somebody takes meanwhile is told, and the move is not made', async () => {
    const { table, move } = await killedAfter('sink.commit');
    const { sink } = table.connect();
    const slow = instead<CheckpointStore>(sink, {
      commit: async (commits) => {
        await table.connect().sink.take([{ partition: 'p', above: 0 }]);
        return { fenced: commits.map(({ partition }) => partition) };
      },
    });
    const isTaken = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-S004';
    await assert.rejects(move([{ partition: 'p', to: 0 }], slow), isTaken);
    const [{ checkpoint }] = await table.connect().sink.take([{ partition: 'p', above: 0 }]);
    assert.equal(checkpoint, 2);
  });
});
