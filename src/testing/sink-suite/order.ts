import assert from 'node:assert/strict';
import { batchOf, outgoing } from '../batches.ts';
import type { SinkCheck } from './check.ts';
import { assertTaken, check, type Scene } from './scene.ts';

const numbers = Array.from({ length: 20 }, (_, n) => n);

export const order: readonly SinkCheck[] = [
  check('the picks of a call arrive in their order, large or small', async (scene) => {
    const payloads = numbers.map((n) => `${n} ${'x'.repeat(n % 3 === 0 ? 100_000 : 1)}`);
    assertTaken(await scene.send(...payloads));
    await scene.arrived(...payloads);
  }),

  check('one call after another arrives in their order, large or small', async (scene) => {
    const payloads = numbers.map((n) => `${n} ${'x'.repeat(n % 3 === 0 ? 100_000 : 1)}`);
    for (const [n, payload] of payloads.entries()) assertTaken(await scene.send(payload, `end of ${n}`));
    await scene.arrived(...payloads.flatMap((payload, n) => [payload, `end of ${n}`]));
  }),

  check('calls of several partitions may overlap, and each partition keeps its order', async (scene) => {
    const partitions = ['a', 'b', 'c'];
    await Promise.all(partitions.map((partition) => sendInTurn(scene, partition)));
    const found = await scene.texts();
    assert.equal(found.length, 2 * numbers.length * partitions.length);
    for (const partition of partitions)
      assert.deepEqual(
        found.filter((text) => text.startsWith(partition)),
        numbers.flatMap((n) => [`${partition}${n}`, `${partition}${n}+`]),
      );
  }),
];

async function sendInTurn(scene: Scene, partition: string): Promise<void> {
  for (const n of numbers) {
    const batch = batchOf([`${partition}${n}`, `${partition}${n}+`], { partition, position: 2 * n });
    assertTaken(await scene.write(outgoing(batch)));
  }
}
