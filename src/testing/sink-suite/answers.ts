import assert from 'node:assert/strict';
import type { Written } from '../../core/sink.ts';
import { batchOf, outgoing } from '../batches.ts';
import type { SinkCheck } from './check.ts';
import { assertTaken, check, type Scene } from './scene.ts';

const batch = batchOf(['a', 'b', 'c', 'd', 'e', 'f']);

/** A throw means that all are unavailable. */
async function tried(scene: Scene, indices: readonly number[]): Promise<Written> {
  return scene
    .write(outgoing(batch, indices))
    .catch((error: unknown) => ({ unavailable: { at: [...indices.keys()], reason: String(error) } }));
}

export const answers: readonly SinkCheck[] = [
  check(
    'what is rejected is named by its place among the picks, with a reason',
    async (scene) => {
      scene.place.refuse?.('d');
      const { rejected = [], unavailable } = await tried(scene, [1, 3, 4]);
      assert.deepEqual([rejected.map(({ at }) => at), unavailable?.at ?? []], [[1], []]);
      assert.ok(rejected[0].reason.length > 0);
    },
    'refuses',
  ),

  check(
    'what is rejected does not arrive, what stands behind it does',
    async (scene) => {
      scene.place.refuse?.('b');
      await tried(scene, [0, 1, 2]);
      await tried(scene, [3]);
      await scene.arrived('a', 'c', 'd');
    },
    'refuses',
  ),

  check(
    'several are rejected in one call, each by itself',
    async (scene) => {
      for (const payload of ['a', 'c', 'f']) scene.place.refuse?.(payload);
      const { rejected = [] } = await tried(scene, [0, 1, 2, 3, 5]);
      assert.deepEqual(rejected.map(({ at }) => at).sort(), [0, 2, 4]);
      await scene.arrived('b', 'd');
    },
    'refuses',
  ),

  check(
    'while the place fails, what it did not take is named, and what stands behind it',
    async (scene) => {
      scene.place.fail?.('c');
      const at = (await tried(scene, [0, 2, 3, 5])).unavailable?.at ?? [];
      assert.ok(at.includes(1), `only ${at.join()} is unavailable`);
      const from = Math.min(...at);
      assert.deepEqual([...at].sort(), [0, 1, 2, 3].slice(from));
    },
    'fails',
  ),

  check(
    'a place that failed and is mended has everything at last, in order',
    async (scene) => {
      scene.place.fail?.('c');
      const picks = [0, 2, 3, 5];
      const { unavailable } = await tried(scene, picks);
      scene.place.mend?.();
      assertTaken(await tried(scene, unavailable?.at.map((k) => picks[k]) ?? []));
      await tried(scene, [4]);
      assert.deepEqual([...new Set(await scene.texts())], ['a', 'c', 'd', 'f', 'e']);
    },
    'fails',
  ),

  check(
    'what stands before a failure and is not named has arrived',
    async (scene) => {
      scene.place.fail?.('c');
      const { unavailable } = await tried(scene, [0, 1, 2]);
      const found = await scene.texts();
      for (const k of [0, 1, 2].filter((n) => unavailable?.at.includes(n) === false))
        assert.ok(found.includes('abc'[k]), 'abc'[k]);
    },
    'fails',
  ),
];
