import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const fencing: readonly Check[] = [
  check('an older epoch cannot claim', async ({ partition, look }) => {
    await partition('a', 2).enter();
    const old = partition('a', 1);
    assert.equal(await old.claim('X', 0), 'fenced');
    assert.deepEqual(await old.store.claim({ ...old.claims('X'), call: 2 }), { fenced: 2 });
    assert.deepEqual(await look('X'), { state: 'none' });
  }),

  check('an older epoch cannot trim', async ({ partition }) => {
    const old = partition('a', 1);
    await old.finish('X', 0);
    const next = partition('a', 2);
    await next.enter();
    assert.equal(await old.trim(1), 2);
    assert.equal(await next.claim('X', 0), 'doneFirst', 'its entry is still in the tail');
  }),

  check('an older epoch cannot audit', async ({ partition }) => {
    const next = partition('a', 2);
    await next.enter();
    await next.claim('X', 0);
    assert.equal(await partition('a', 1).audit([]), 2);
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
  }),

  check('an epoch that is not above the store’s cannot enter', async ({ partition }) => {
    const a = partition('a', 5);
    assert.equal(await a.enter(), undefined);
    assert.equal(await a.enter(), 5, 'equal');
    assert.equal(await partition('a', 4).enter(), 5, 'older');
    assert.equal(await partition('a', 6).enter(), undefined);
    assert.equal(await a.claim('X', 0), 'fenced');
  }),

  check(
    'a partition that was only claimed for cannot be entered with the same epoch',
    async ({ partition }) => {
      await partition('a', 3).claim('X', 0);
      assert.equal(await partition('a', 3).enter(), 3);
    },
  ),

  check('each partition is fenced by itself, in one call too', async ({ partition }) => {
    const { store } = partition('a', 1);
    await partition('a', 9).enter();
    const session = (name: string) =>
      ({ kind: 'partition', keySpace: 'suite', partition: name, epoch: 4 }) as const;
    const entered = await store.enter([{ session: session('a') }, { session: session('b') }]);
    assert.deepEqual(entered, [{ fenced: 9 }, undefined]);
    assert.equal(await partition('b', 4).claim('X', 0), 'first');
  }),

  check('a newer epoch is learnt from a claim, a trim and an audit', async ({ partition }) => {
    const teach = [
      ['claim', () => partition('claim', 2).claim('Y', 0)],
      ['trim', () => partition('trim', 2).trim(0)],
      ['audit', () => partition('audit', 2).audit([])],
    ] as const;
    for (const [name, call] of teach) {
      const old = partition(name, 1);
      assert.equal(await old.claim(`X ${name}`, 0), 'first');
      await call();
      assert.equal(await old.claim(`X ${name}`, 0), 'fenced', name);
      assert.equal(await partition('b', 1).claim(`X ${name}`, 0), 'resumed', `${name} cuts off`);
    }
  }),
];
