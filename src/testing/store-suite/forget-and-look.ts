import assert from 'node:assert/strict';
import { tickMsMax } from '../../core/window.ts';
import type { Check } from './check.ts';
import { check, windowMs } from './scene.ts';

export const forgetAndLook: readonly Check[] = [
  check('a settled key that is forgotten is first again', async ({ partition, forget }) => {
    const a = partition('a', 1);
    await a.finish('X', 0);
    assert.equal(await forget('X'), 'forgotten');
    assert.equal(await a.claim('X', 0), 'first');
    await a.settle('X', 0);
    await a.trim(1);
    assert.equal(await forget('X'), 'forgotten', 'below the checkpoint');
    assert.equal(await forget('X'), 'none');
    assert.equal(await a.claim('X', 1), 'first');
  }),

  check('a live claim is not forgotten, one that was cut off is', async ({ partition, forget }) => {
    await partition('a', 1).claim('X', 0);
    assert.equal(await forget('X'), 'refused');
    assert.equal(await partition('b', 1).claim('X', 0), 'held');
    await partition('a', 2).enter();
    assert.equal(await forget('X'), 'forgotten');
    assert.equal(await partition('b', 1).claim('X', 0), 'first');
  }),

  check(
    'forgetting takes the entry too: entering does not bring the mark back',
    async ({ partition, forget, look }) => {
      await partition('a', 1).finish('X', 0);
      await forget('X');
      const next = partition('a', 2);
      await next.enter({ checkpoint: 1, writer: 1 });
      assert.deepEqual(await look('X'), { state: 'none' });
      await partition('b', 1).claim('X', 5);
      await next.trim(1);
      assert.equal(await next.claim('X', 1), 'held', 'nor does a trim touch the new claim');
    },
  ),

  check('look tells what the store knows of a key', async ({ partition, look, clock }) => {
    const a = partition('a', 3);
    assert.deepEqual(await look('X'), { state: 'none' });
    const acceptedAt = clock.now();
    await a.claim('X', 7);
    const open = { state: 'open', acceptedAt, owner: a.session, position: 7 };
    assert.deepEqual(await look('X'), { ...open, alive: true });
    await partition('a', 4).enter();
    assert.deepEqual(await look('X'), { ...open, alive: false });
    await a.settle('X', 7);
    for (const trimmed of [false, true]) {
      if (trimmed) await partition('a', 4).trim(8);
      const sight = await look('X');
      assert.equal(sight.state, 'settled');
      const tick = tickMsMax(windowMs);
      assert.ok(sight.acceptedAt <= acceptedAt && sight.acceptedAt > acceptedAt - tick);
      assert.ok(sight.endsAt >= acceptedAt + windowMs && sight.endsAt <= acceptedAt + windowMs + tick);
      const { owner, position } = sight;
      assert.deepEqual([owner, position], trimmed ? [undefined, undefined] : [a.session, 7]);
    }
  }),

  check('looking changes nothing', async ({ partition, look, clock }) => {
    const a = partition('a', 1);
    await a.finish('X', 0);
    await a.trim(1);
    clock.tick(windowMs / 2);
    await look('X');
    clock.tick(windowMs / 2 + tickMsMax(windowMs) + 1);
    await look('X');
    assert.equal(await a.claim('X', 1), 'first');
  }),

  check(
    'a lease is looked at like any other claim',
    async ({ lease, look, clock }) => {
      const one = lease('one', 1_000);
      await one.claim('X');
      const sight = await look('X');
      assert.ok(
        sight.state === 'open' && sight.alive && sight.owner.kind === 'lease' && sight.owner.token === 'one',
      );
      clock.tick(1_001);
      const later = await look('X');
      assert.ok(later.state === 'open' && !later.alive);
    },
    'leases',
  ),

  check('the numbers of the store are those of its keys', async ({ partition, store, clock }) => {
    const since = clock.now();
    const a = partition('a', 1);
    await a.finish('X', 0);
    clock.tick(60_000);
    await a.finish('Y', 1);
    await a.claim('Z', 2);
    await a.trim(1);
    const { marks, open, tail, oldestAcceptedAt = 0 } = store.stats();
    assert.deepEqual({ marks, open, tail }, { marks: 3, open: 1, tail: 2 });
    assert.ok(oldestAcceptedAt <= since && oldestAcceptedAt > since - tickMsMax(windowMs));
  }),
];
