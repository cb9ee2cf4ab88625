import assert from 'node:assert/strict';
import { Manner } from '../../core/sink.ts';
import { batchOf, outgoing } from '../batches.ts';
import type { SinkCheck } from './check.ts';
import { check, type Scene } from './scene.ts';

const all = Object.values(Manner);

export const manners: readonly SinkCheck[] = [
  check(
    'each delivery says how it came',
    async (scene) => {
      const what = outgoing(batchOf(all.map(String)));
      await scene.write({ ...what, manners: Uint8Array.from(all) });
      await assertManners(scene, all);
    },
    'manners',
  ),

  check(
    'manners belong to the picks, not to the batch',
    async (scene) => {
      const what = outgoing(batchOf(['a', 'b', 'c', 'd']), [1, 3]);
      await scene.write({ ...what, manners: Uint8Array.of(Manner.ordinary, Manner.resumed) });
      await assertManners(scene, [Manner.ordinary, Manner.resumed]);
    },
    'manners',
  ),

  check(
    'nothing said is ordinary',
    async (scene) => {
      await scene.send('a', 'b');
      await assertManners(scene, [Manner.ordinary, Manner.ordinary]);
    },
    'manners',
  ),
];

async function assertManners({ place }: Scene, expected: readonly Manner[]): Promise<void> {
  const found = await place.read();
  assert.deepEqual(
    found.map(({ manner }) => manner),
    expected,
  );
}
