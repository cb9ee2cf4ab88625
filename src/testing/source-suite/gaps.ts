import assert from 'node:assert/strict';
import type { SourceCheck } from './check.ts';
import { check, log, type Scene } from './scene.ts';

export const gaps: readonly SourceCheck[] = [
  check('where nothing is missing no gap is told', [log('a', 50)], async ({ connect, partitions }) => {
    const reader = await (await connect()).start(partitions);
    await reader.count(50);
    await reader.rest();
    assert.deepEqual(reader.of('gap'), []);
  }),

  check(
    'what is gone before it was read is told as a gap, then the rest comes',
    [log('a')],
    async (scene) => {
      const [partition] = scene.partitions;
      const positions = await positionsOf(scene);
      await scene.place.retain?.(partition, 3);
      const reader = await (await scene.connect()).start(scene.partitions, { [partition]: positions[2] });
      await reader.until(() => reader.of('gap').length > 0);
      assert.deepEqual(reader.texts, [], 'before what follows');
      const { type: _, reason, ...gap } = reader.of('gap')[0];
      assert.deepEqual(gap, { partition, from: positions[2], to: positions[7] });
      assert.ok(reason.length > 0);
      await reader.count(3);
      await reader.rest();
      assert.deepEqual([reader.texts, reader.of('gap').length], [log('a').slice(7), 1]);
    },
    'retains',
  ),

  check(
    'what goes while it is read, too',
    [log('a', 50)],
    async (scene) => {
      const [partition] = scene.partitions;
      const positions = await positionsOf(scene, 50);
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.until(() => reader.batches.length > 0);
      reader.source.pause(partition);
      await scene.place.retain?.(partition, 3);
      const given = reader.texts.length;
      reader.source.resume(partition);
      await reader.count(given + 3);
      await reader.rest();
      const told = reader.of('gap').map(({ from, to }) => [from, to]);
      assert.deepEqual(told, [[positions[given], positions[47]]]);
      assert.deepEqual(reader.texts, [...log('a', 50).slice(0, given), ...log('a', 50).slice(47)]);
    },
    'retains',
  ),
];

async function positionsOf({ connect, partitions }: Scene, count = 10): Promise<number[]> {
  const reader = await (await connect()).start(partitions);
  await reader.count(count);
  await reader.source.close();
  return reader.positions;
}
