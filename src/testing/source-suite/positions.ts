import assert from 'node:assert/strict';
import type { SourceCheck } from './check.ts';
import { deliveriesOf, textsOf } from './reader.ts';
import { check, log } from './scene.ts';

export const positions: readonly SourceCheck[] = [
  check('positions are safe integers and rise, from batch to batch too', [log('a', 50)], async (scene) => {
    const reader = await (await scene.connect()).start(scene.partitions);
    await reader.count(50);
    let last = -1;
    for (const position of reader.positions) {
      assert.ok(Number.isSafeInteger(position) && position > last, `${position} after ${last}`);
      last = position;
    }
  }),

  check('next is behind the batch, and not behind what follows', [log('a', 50)], async (scene) => {
    const reader = await (await scene.connect()).start(scene.partitions);
    await reader.count(50);
    reader.batches.forEach(({ next, positions: own, count }, i) => {
      const following = reader.batches.at(i + 1)?.positions[0] ?? Infinity;
      assert.ok(next > own[count - 1] && next <= following, `${own[count - 1]}, ${next}, ${following}`);
    });
  }),

  check('nothing comes below the position at which it is started', [log('a')], async (scene) => {
    const [partition] = scene.partitions;
    const reader = await (await scene.connect()).start(scene.partitions, { [partition]: 100 });
    if (!scene.supports.replays) await reader.count(10);
    await reader.rest();
    assert.ok(
      reader.positions.every((position) => position >= 100),
      reader.positions.join(),
    );
  }),

  check(
    'the same deliveries come again, at the same positions',
    [log('a', 20)],
    async (scene) => {
      const one = await (await scene.connect()).start(scene.partitions);
      await one.count(20);
      await one.source.close();
      const other = await (await scene.connect()).start(scene.partitions);
      await other.count(20);
      assert.deepEqual([other.positions, other.texts], [one.positions, one.texts]);
    },
    'replays',
  ),

  check(
    'started at a position, it gives exactly what stands from there',
    [log('a')],
    async (scene) => {
      const [partition] = scene.partitions;
      const all = await (await scene.connect()).start(scene.partitions);
      await all.count(10);
      await all.source.close();
      const ends = [...all.positions, all.batches.at(-1)!.next];
      for (const n of [0, 1, 5, 9, 10]) {
        const reader = await (await scene.connect()).start(scene.partitions, { [partition]: ends[n] });
        await reader.count(10 - n);
        await reader.rest();
        assert.deepEqual([reader.positions, reader.texts], [all.positions.slice(n), all.texts.slice(n)]);
        await reader.source.close();
      }
    },
    'replays',
  ),

  check(
    'next is where to go on',
    [log('a', 50)],
    async (scene) => {
      const [partition] = scene.partitions;
      const all = await (await scene.connect()).start(scene.partitions);
      await all.count(50);
      await all.source.close();
      for (const [i, { next }] of [...all.batches.entries()].slice(0, 3)) {
        const reader = await (await scene.connect()).start(scene.partitions, { [partition]: next });
        const left = textsOf(all.batches.slice(i + 1).flatMap(deliveriesOf));
        await reader.count(left.length);
        assert.deepEqual(reader.texts, left);
        await reader.source.close();
      }
    },
    'replays',
  ),

  check(
    'started again, it goes back, and nothing of before comes in between',
    [log('a', 50)],
    async (scene) => {
      const [partition] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.until(() => reader.batches.length > 0);
      await reader.next(AbortSignal.abort());
      await scene.quiet();
      const [, position] = reader.positions;
      reader.forget();
      reader.source.start(partition, position);
      await reader.count(49);
      await reader.rest();
      assert.deepEqual(reader.texts, log('a', 50).slice(1));
    },
    'replays',
  ),

  check(
    'started again when everything is read, it goes back',
    [log('a')],
    async (scene) => {
      const [partition] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.count(10);
      if (!scene.supports.ends) await reader.rest();
      const [position] = reader.positions.slice(4);
      reader.forget();
      reader.source.start(partition, position);
      await reader.count(6);
      assert.deepEqual(reader.texts, log('a').slice(4));
    },
    'replays',
  ),
];
