import assert from 'node:assert/strict';
import type { SourceCheck } from './check.ts';
import { check, log } from './scene.ts';

export const pausing: readonly SourceCheck[] = [
  check('while it is paused nothing is given, then the rest', [log('a', 50)], async (scene) => {
    const [partition] = scene.partitions;
    const reader = await (await scene.connect()).start(scene.partitions);
    await reader.until(() => reader.batches.length > 0);
    reader.source.pause(partition);
    const before = reader.texts;
    await reader.rest();
    assert.deepEqual(reader.texts, before);
    reader.source.resume(partition);
    await reader.count(50);
    await reader.rest();
    assert.deepEqual(reader.texts, log('a', 50));
  }),

  check(
    'what a wait that was ended has left behind is not given while it is paused',
    [log('a', 50)],
    async (scene) => {
      const [partition] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.next(AbortSignal.abort());
      await scene.quiet();
      reader.source.pause(partition);
      const before = reader.texts;
      await reader.rest();
      assert.deepEqual(reader.texts, before);
      reader.source.resume(partition);
      await reader.count(50);
      assert.deepEqual(reader.texts, log('a', 50));
    },
  ),

  check('paused twice is paused once; resumed twice is resumed once', [log('a')], async (scene) => {
    const [partition] = scene.partitions;
    const reader = await (await scene.connect()).start(scene.partitions);
    reader.source.pause(partition);
    reader.source.pause(partition);
    await reader.rest();
    assert.deepEqual(reader.texts, []);
    reader.source.resume(partition);
    await reader.count(1);
    reader.source.resume(partition);
    reader.source.pause(partition);
    const before = reader.texts;
    await reader.rest();
    assert.deepEqual(reader.texts, before, 'nor is it resumed in advance');
    reader.source.resume(partition);
    await reader.count(10);
    assert.deepEqual(reader.texts, log('a'));
  }),

  check('start ends a pause', [log('a')], async (scene) => {
    const [partition] = scene.partitions;
    const reader = await (await scene.connect()).start(scene.partitions);
    reader.source.pause(partition);
    await reader.rest();
    reader.source.start(partition, undefined);
    await reader.count(10);
    assert.deepEqual(reader.texts, log('a'));
  }),

  check(
    'while one is paused the others go on',
    [log('a'), log('b')],
    async (scene) => {
      const [first, second] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      reader.source.pause(first);
      await reader.count(10, second);
      await reader.rest();
      assert.deepEqual(reader.texts, log('b'));
      reader.source.resume(first);
      await reader.count(20);
      assert.deepEqual(reader.texts, [...log('b'), ...log('a')]);
    },
    'sideBySide',
  ),

  check(
    'it does not end while one is paused that is not read',
    [log('a', 50)],
    async (scene) => {
      const [partition] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      reader.source.pause(partition);
      await reader.rest();
      assert.equal(reader.of('end').length, 0);
    },
    'ends',
  ),
];
