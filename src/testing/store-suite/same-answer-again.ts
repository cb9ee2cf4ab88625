import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

/** Requests are sent twice when a reply is lost, and a second copy may come late. */
export const sameAnswerAgain: readonly Check[] = [
  check('a claim that is sent again gets the same verdicts', async ({ partition, clock }) => {
    const a = partition('a', 1);
    await a.finish('old', 0);
    await partition('b', 1).claim('theirs', 0);
    await partition('c', 1).claim('cut off', 0);
    await partition('c', 2).enter();
    const deliveries = ['new', 'old', 'theirs', 'cut off'].map((key, n) => ({ key, position: 1 + n }));
    const once = await a.claimAll(deliveries);
    assert.deepEqual(once.words, ['first', 'duplicate', 'held', 'resumed']);
    clock.tick(1_000);
    const again = await a.claimAll(deliveries, { again: true });
    assert.deepEqual(again, once);
  }),

  check('the same claim in a later call is the same claim', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    assert.equal(await a.claim('X', 0), 'first');
    assert.equal(await a.settle('X', 0), false);
  }),

  check('a settle that is sent again changes nothing and gets the same answer', async ({ partition }) => {
    const old = partition('a', 1);
    await old.claim('X', 0);
    const next = partition('a', 2);
    await next.enter();
    assert.equal(await old.settle('X', 0), true);
    assert.equal(await old.settle('X', 0), true);
    await next.claim('Y', 1);
    assert.equal(await next.settle('Y', 1), false);
    assert.equal(await next.settle('Y', 1), false);
    await next.trim(2);
    assert.equal(await next.settle('Y', 1), false);
  }),

  check('a trim that arrives again, late, does no harm', async ({ partition }) => {
    const a = partition('a', 1);
    await a.finish('X', 0);
    assert.equal(await a.trim(1), undefined);
    await a.claim('Y', 0);
    assert.equal(await a.trim(1), undefined);
    assert.equal(await partition('b', 1).claim('Y', 0), 'held');
    assert.equal(await partition('b', 1).claim('X', 0), 'duplicate');
  }),

  check('a release that arrives again, late, does not take the next claim', async ({ partition }) => {
    const a = partition('a', 1);
    await a.claim('X', 0);
    await a.release('X', 0);
    await partition('b', 1).claim('X', 0);
    assert.equal(await a.release('X', 0), false);
    assert.equal(await a.claim('X', 0), 'held');
  }),

  check('a fenced claim is fenced again', async ({ partition }) => {
    await partition('a', 2).enter();
    const old = partition('a', 1);
    assert.equal(await old.claim('X', 0), 'fenced');
    assert.equal(await old.claim('X', 0), 'fenced');
  }),

  check(
    'a lease’s claim that is sent again has the same fence',
    async ({ lease, clock }) => {
      const one = lease('one');
      const once = await one.claimAll([{ key: 'X' }]);
      await lease('two').claim('Y');
      clock.tick(1_000);
      assert.deepEqual(await one.claimAll([{ key: 'X' }], { again: true }), once);
    },
    'leases',
  ),

  check(
    'a late settle of a lease is answered the same again',
    async ({ lease, clock }) => {
      const one = lease('one', 1_000);
      await one.claim('X');
      clock.tick(1_001);
      await lease('two').claim('X');
      assert.equal(await one.settle('X'), true);
      assert.equal(await one.settle('X'), true);
      await lease('three').finish('Y');
      assert.equal(await lease('three').settle('Y'), false);
    },
    'leases',
  ),
];
