import assert from 'node:assert/strict';
import { batchOf, outgoing } from '../batches.ts';
import type { SinkCheck } from './check.ts';
import { check } from './scene.ts';

export const durability: readonly SinkCheck[] = [
  check(
    'what was written is there when write resolves, before the sink is closed',
    async (scene) => {
      await scene.send('a');
      await scene.arrived('a');
      await scene.send('b', 'c');
      await scene.arrived('a', 'b', 'c');
    },
    'durable',
  ),

  check(
    'a call that comes while another one is at work is answered when it is done itself',
    async (scene) => {
      const one = scene.send('a');
      await scene.write(outgoing(batchOf(['b'], { partition: 'q' })));
      assert.ok((await scene.texts()).includes('b'));
      await one;
      assert.deepEqual((await scene.texts()).toSorted(), ['a', 'b']);
    },
    'durable',
  ),

  check(
    'closing takes nothing away',
    async (scene) => {
      await scene.send('a', 'b');
      await scene.place.sink.close();
      await scene.arrived('a', 'b');
    },
    'durable',
  ),
];
