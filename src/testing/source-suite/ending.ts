import assert from 'node:assert/strict';
import type { SourceCheck } from './check.ts';
import { check, log } from './scene.ts';

export const ending: readonly SourceCheck[] = [
  check(
    'it ends when everything is read, and says so again',
    [log('a', 50)],
    async (scene) => {
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.until(() => reader.of('end').length > 0);
      assert.deepEqual(reader.texts, log('a', 50));
      await reader.until(() => reader.of('end').length > 1);
    },
    'ends',
  ),

  check(
    'where there is nothing to read it ends',
    [[]],
    async ({ connect, partitions }) => {
      const reader = await (await connect()).start(partitions);
      await reader.until(() => reader.of('end').length > 0);
      assert.deepEqual(reader.texts, []);
    },
    'ends',
  ),

  check('closing twice is closing once, read or not', [log('a', 50)], async ({ connect, partitions }) => {
    const unread = await connect();
    await unread.source.close();
    await unread.source.close();
    const reader = await (await connect()).start(partitions);
    await reader.until(() => reader.batches.length > 0);
    await reader.source.close();
    await reader.source.close();
  }),
];
