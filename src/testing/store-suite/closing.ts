import assert from 'node:assert/strict';
import { HapaxError } from '../../core/errors.ts';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const closing: readonly Check[] = [
  check('closing twice is closing once', async ({ store }) => {
    await store.close();
    await store.close();
  }),

  check('a closed store says so', async ({ store, partition }) => {
    await store.close();
    const a = partition('a', 1);
    const isClosed = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-S003';
    await assert.rejects(() => a.claim('X', 0), isClosed);
    await assert.rejects(() => a.settle('X', 0), isClosed);
    await assert.rejects(() => a.enter(), isClosed);
  }),
];
