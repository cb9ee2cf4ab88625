import assert from 'node:assert/strict';
import type { SourceCheck } from './check.ts';
import { check, log } from './scene.ts';

export const assignment: readonly SourceCheck[] = [
  check('every partition is assigned, once', [log('a')], async ({ connect, partitions }) => {
    const reader = await connect();
    await reader.start(partitions);
    await reader.count(10);
    await reader.rest();
    assert.deepEqual(reader.assigned, partitions);
  }),

  check(
    'several partitions are assigned, each once',
    [log('a'), log('b')],
    async (scene) => {
      const reader = await scene.connect();
      await reader.start(scene.partitions);
      await reader.count(20);
      await reader.rest();
      assert.deepEqual(reader.assigned.toSorted(), scene.partitions.toSorted());
    },
    'sideBySide',
  ),

  check('nothing is given before start', [log('a')], async ({ connect, partitions }) => {
    const reader = await connect();
    await reader.rest();
    assert.deepEqual(reader.texts, []);
    assert.equal(reader.of('end').length, 0, 'it does not end either');
    await reader.start(partitions);
    await reader.count(10);
    assert.deepEqual(reader.texts, log('a'));
  }),

  check(
    'of several only those are read that are started',
    [log('a'), log('b')],
    async (scene) => {
      const reader = await scene.connect();
      const [, second] = scene.partitions;
      await reader.until(() => reader.assigned.includes(second));
      reader.source.start(second, undefined);
      await reader.count(10, second);
      await reader.rest();
      assert.deepEqual(reader.texts, log('b'));
    },
    'sideBySide',
  ),
];
