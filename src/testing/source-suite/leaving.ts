import assert from 'node:assert/strict';
import type { SourceCheck } from './check.ts';
import { check, log } from './scene.ts';

/** Partitions that go to somebody else, and partitions that go altogether. */
export const leaving: readonly SourceCheck[] = [
  check(
    'of what is revoked nothing more comes, of the others all',
    [log('a', 50), log('b')],
    async (scene) => {
      const [first, second] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.count(1, first);
      await scene.place.revoke?.(first);
      await reader.until(() => reader.of('revoked').length > 0);
      const told = reader.of('revoked')[0];
      assert.deepEqual(told.partitions, [first]);
      assert.ok(Number.isFinite(told.drainMs) && told.drainMs >= 0);
      const before = reader.from(first).length;
      await reader.count(10, second);
      await reader.rest();
      const after = reader.from(first).length;
      assert.equal(after, before);
    },
    'revokes',
  ),

  check(
    'what is given back is assigned again, and read from where it is started',
    [log('a'), log('b')],
    async (scene) => {
      const [first] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.count(20);
      const own = reader.from(first);
      await scene.place.revoke?.(first);
      await reader.until(() => reader.of('revoked').length > 0);
      reader.of('revoked')[0].done();
      reader.forget();
      await scene.place.giveBack?.(first);
      await reader.until(() => reader.assigned.filter((name) => name === first).length === 2);
      await reader.rest();
      assert.deepEqual(reader.texts, [], 'nothing before start');
      reader.source.start(first, own[4].position);
      await reader.count(6);
      assert.deepEqual(reader.texts, log('a').slice(4));
    },
    'revokes',
  ),

  check(
    'of what is retired nothing more comes',
    [log('a', 50), log('b')],
    async (scene) => {
      const [first, second] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.count(1, first);
      await scene.place.retire?.(first);
      await reader.until(() => reader.of('retired').length > 0);
      assert.deepEqual(reader.of('retired')[0].partitions, [first]);
      const before = reader.from(first).length;
      await reader.count(10, second);
      await reader.rest();
      assert.equal(reader.from(first).length, before);
    },
    'retires',
  ),
];
