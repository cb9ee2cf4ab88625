import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { bytesOf } from '../batches.ts';
import type { SourceCheck } from './check.ts';
import { check, log } from './scene.ts';

export const waiting: readonly SourceCheck[] = [
  check('a wait ends with its signal', [log('a')], async ({ connect, partitions, quiet }) => {
    const reader = await connect();
    await reader.until(() => reader.assigned.length === partitions.length);
    const stop = new AbortController();
    const next = reader.next(stop.signal);
    await quiet();
    stop.abort();
    assert.equal(await next, undefined);
    assert.equal(await reader.next(AbortSignal.abort()), undefined, 'and one that is over before it begins');
  }),

  check('waits that are ended lose nothing and repeat nothing', [log('a', 50)], async (scene) => {
    const reader = await (await scene.connect()).start(scene.partitions);
    for (let n = 0; n < 30; n++) {
      const stop = new AbortController();
      const next = reader.next(stop.signal);
      for (let turn = 0; turn < n % 4; turn++) await Promise.resolve();
      stop.abort();
      await next;
      if (n % 3 === 0) await scene.quiet();
    }
    await reader.count(50);
    await reader.rest();
    assert.deepEqual(reader.texts, log('a', 50));
  }),

  check('a wait leaves no listener at its signal', [log('a', 50)], async ({ connect, partitions }) => {
    const reader = await (await connect()).start(partitions);
    const { signal } = new AbortController();
    for (let n = 0; n < 3; n++) await reader.source.next(signal);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  }),

  check(
    'what is appended while it waits comes, and what is appended later too',
    [log('a', 2)],
    async (scene) => {
      const [partition] = scene.partitions;
      const reader = await (await scene.connect()).start(scene.partitions);
      await reader.count(2);
      const coming = reader.count(3);
      await scene.quiet();
      await scene.place.append?.(partition, ['b'].map(bytesOf));
      await coming;
      await reader.rest();
      await scene.place.append?.(partition, ['c', 'd'].map(bytesOf));
      await reader.count(5);
      assert.deepEqual(reader.texts, [...log('a', 2), 'b', 'c', 'd']);
    },
    'grows',
  ),
];
