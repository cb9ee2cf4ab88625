import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check, windowMs } from './scene.ts';
import type { Scene } from './scene.ts';

const withLeases = (name: string, run: (scene: Scene) => Promise<void>): Check => check(name, run, 'leases');
const leaseMs = 30_000;

export const leases: readonly Check[] = [
  withLeases(
    'a copy is held while the lease lives, and a duplicate when its claim is settled',
    async (scene) => {
      const { lease, clock } = scene;
      const one = lease('one', leaseMs);
      const two = lease('two', leaseMs);
      assert.equal(await one.claim('X'), 'first');
      clock.tick(leaseMs - 1);
      assert.equal(await two.claim('X'), 'held');
      assert.equal(await one.settle('X'), false);
      assert.equal(await two.claim('X'), 'duplicate');
      assert.equal(await one.claim('X'), 'duplicate');
    },
  ),

  withLeases('when the lease has ended, whoever comes next resumes', async ({ lease, clock }) => {
    await lease('one', leaseMs).claim('X');
    clock.tick(leaseMs + 1);
    assert.equal(await lease('two', leaseMs).claim('X'), 'resumed');
    assert.equal(await lease('three', leaseMs).claim('X'), 'held');
  }),

  withLeases('the same attempt that asks again renews its lease', async ({ lease, clock }) => {
    const one = lease('one', leaseMs);
    await one.claim('X');
    for (let n = 0; n < 5; n++) {
      clock.tick(leaseMs - 1);
      assert.equal(await one.claim('X'), 'first');
    }
    assert.equal(await lease('two', leaseMs).claim('X'), 'held');
  }),

  withLeases('the token names the attempt: another one is not the owner', async ({ lease }) => {
    await lease('one', leaseMs).claim('X');
    const two = lease('two', leaseMs);
    assert.equal(await two.release('X'), false);
    assert.equal(await two.claim('X'), 'held');
  }),

  withLeases('an attempt whose lease has ended releases nothing', async ({ lease, clock }) => {
    const one = lease('one', leaseMs);
    await one.claim('X');
    clock.tick(leaseMs + 1);
    assert.equal(await one.release('X'), false, 'cut off');
    await lease('two', leaseMs).claim('X');
    assert.equal(await one.release('X'), false, 'taken');
    assert.equal(await lease('three', leaseMs).claim('X'), 'held');
  }),

  withLeases(
    'an attempt whose lease has ended may settle, and learns that it was late',
    async ({ lease, clock }) => {
      const one = lease('one', leaseMs);
      await one.claim('X');
      clock.tick(leaseMs + 1);
      const two = lease('two', leaseMs);
      assert.equal(await two.claim('X'), 'resumed');
      assert.equal(await one.settle('X'), true);
      assert.equal(await two.claim('X'), 'duplicate');
      assert.equal(await two.release('X'), false);
    },
  ),

  withLeases(
    'who was overtaken learns it also when the new owner has settled already',
    async ({ lease, clock }) => {
      const one = lease('one', leaseMs);
      await one.claim('X');
      clock.tick(leaseMs + 1);
      await lease('two', leaseMs).finish('X');
      assert.equal(await lease('two', leaseMs).settle('X'), false, 'the owner says it again');
      assert.equal(await one.settle('X'), true);
    },
  ),

  withLeases(
    'fences only grow, whatever is released and however the clock is set',
    async ({ lease, clock }) => {
      let last = 0;
      const next = async (token: string, keys: readonly string[]) => {
        const { words, fences } = await lease(token, leaseMs).claimAll(keys.map((key) => ({ key })));
        words.forEach((word, i) => {
          assert.ok(word === 'first' || word === 'resumed', word);
          assert.ok(Number.isSafeInteger(fences[i]) && fences[i] > last, `fence ${fences[i]} after ${last}`);
          last = fences[i];
        });
      };
      await next('one', ['X', 'Y']);
      await lease('one', leaseMs).release('X');
      await next('two', ['X']);
      clock.set(clock.now() - 86_400_000);
      clock.tick(leaseMs + 1);
      await next('three', ['X', 'Y', 'Z']);
    },
  ),

  withLeases(
    'fences are not below the time in µs, so that they grow over a restart',
    async ({ lease, clock }) => {
      const { fences } = await lease('one', leaseMs).claimAll([{ key: 'X' }]);
      assert.ok(fences[0] >= 1_000 * clock.now());
    },
  ),

  withLeases('a lease ends by time that passes, whatever the clock is set to', async ({ lease, clock }) => {
    await lease('one', leaseMs).claim('X');
    clock.set(clock.now() - 86_400_000);
    clock.tick(leaseMs + 1);
    assert.equal(await lease('two', leaseMs).claim('X'), 'resumed');
  }),

  withLeases('leases and partitions meet on one key', async ({ lease, partition, clock }) => {
    const one = lease('one', leaseMs);
    const a = partition('a', 1);
    await one.claim('X');
    assert.equal(await a.claim('X', 0), 'held');
    clock.tick(leaseMs + 1);
    assert.equal(await a.claim('X', 0), 'resumed');
    assert.equal(await one.claim('X'), 'held');
    await a.settle('X', 0);
    assert.equal(await one.claim('X'), 'duplicate');
  }),

  withLeases(
    'a settled key ends with its window, and an abandoned claim is kept no longer',
    async (scene) => {
      const { lease, clock, store } = scene;
      await lease('one', leaseMs).finish('X');
      await lease('two', leaseMs).claim('Y');
      clock.tick(windowMs - 1);
      assert.equal(await lease('three', leaseMs).claim('X'), 'duplicate');
      clock.tick(windowMs);
      assert.equal(await lease('three', leaseMs).claim('X'), 'first');
      assert.ok(store.stats().marks <= 2);
      assert.match(await lease('three', leaseMs).claim('Y'), /first|resumed/);
    },
  ),
];
