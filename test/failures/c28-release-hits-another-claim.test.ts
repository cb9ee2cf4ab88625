import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonIdentity } from '../../src/core/identity/json-identity.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { openScene } from '../../src/testing/store-suite/scene.ts';
import { space } from '../core/identity/batch.ts';

/** Worker 1 has stalled, and worker 2 has taken its claim of E(1). */
const takings = {
  'the lease ended': async () => {
    const { lease, clock } = await openScene(memoryStore);
    const [one, two, third] = ['one', 'two', 'three'].map((token) => lease(token, 5_000));
    await one.claim('1');
    clock.tick(5_001);
    assert.equal(await two.claim('1'), 'resumed');
    return { one, two, third };
  },
  'the partition moved': async () => {
    const { partition } = await openScene(memoryStore);
    const one = partition('a', 1);
    await one.claim('1');
    const two = partition('a', 2);
    await two.enter();
    assert.equal(await two.claim('1'), 'resumed');
    return { one, two, third: partition('b', 1) };
  },
  'a copy took it over': async () => {
    const { partition } = await openScene(memoryStore);
    const [one, two] = [partition('a', 1), partition('b', 1)];
    await one.claim('1');
    assert.equal(await two.claim('1', 0, { takeOver: true }), 'resumed');
    return { one, two, third: partition('c', 1) };
  },
};

for (const [how, taken] of Object.entries(takings)) {
  test(`${how}, the old holder fails and releases: the new claim stays`, async () => {
    const { one, two, third } = await taken();
    assert.equal(await one.release('1'), false);
    assert.equal(await third.claim('1'), 'held');
    assert.equal(await two.settle('1'), false);
    assert.equal(await one.release('1'), false);
    assert.equal(await third.claim('1'), 'duplicate');
  });

  test(`${how}, the old holder succeeds: that is a fact, and it is told that it was late`, async () => {
    const { one, two, third } = await taken();
    assert.equal(await one.settle('1'), true);
    assert.equal(await two.release('1'), false, 'what is done is not taken back');
    assert.equal(await third.claim('1'), 'duplicate');
  });

  test(`${how}, the new holder fails: its own claim is released, once`, async () => {
    const { one, two, third } = await taken();
    assert.equal(await two.release('1'), true);
    assert.equal(await third.claim('1'), 'first');
    assert.equal(await two.release('1'), false);
    assert.equal(await one.release('1'), false);
    assert.equal(await third.settle('1'), false);
  });
}

test('a key with a scope is released under the form in which it was claimed', async () => {
  const identity = jsonIdentity({ ...space, id: '/id', scope: ['/tenant'] });
  const store = memoryStore({ windowMs: 3_600_000, clock: new ManualClock() });
  const session = { kind: 'partition', keySpace: 'suite', partition: 'a', epoch: 1 } as const;
  const claims = (tenant: string, position: number) => ({
    session,
    fingerprints: identity.fingerprintOf('1', [tenant]),
    positions: Float64Array.of(position),
  });
  await store.claim({ ...claims('acme', 0), call: 1 });
  await store.claim({ ...claims('other', 1), call: 2 });
  assert.deepEqual(await store.release(claims('acme', 0)), Uint8Array.of(1));
  const states = await Promise.all(
    ['acme', 'other'].map((tenant) => store.look(claims(tenant, 0).fingerprints)),
  );
  assert.deepEqual(
    states.map(([{ state }]) => state),
    ['none', 'open'],
  );
});
