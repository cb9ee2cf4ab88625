import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HapaxError } from '../../src/core/errors.ts';
import type { Identity, TypedId } from '../../src/core/identity.ts';
import { jsonIdentity } from '../../src/core/identity/json-identity.ts';
import { lineIdentity } from '../../src/core/identity/transport-identity.ts';
import { tickMsMax } from '../../src/core/window.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { explain, forget } from '../../src/worker/explain.ts';

const windowMs = 3_600_000;
const common = { pipeline: 'orders', secret: new Uint8Array(32) };
const scoped = jsonIdentity({ ...common, id: '/id', scope: ['/tenant'] });
const plain = jsonIdentity({ ...common, id: '/id' });

/** A window in which partition `p` of epoch 7 claims events. */
function bench(identity: Identity = plain) {
  const clock = new ManualClock();
  const store = memoryStore({ windowMs, clock });
  const session = { kind: 'partition', keySpace: identity.keySpace, partition: 'p', epoch: 7 } as const;
  let call = 0;
  const claim = async (position: number, id: TypedId, ...scope: TypedId[]) => {
    const claims = {
      session,
      fingerprints: identity.fingerprintOf(id, scope),
      positions: Float64Array.of(position),
    };
    await store.claim({ ...claims, call: ++call });
    return { settle: () => store.settle(claims) };
  };
  const ask = (id: string, ...scope: string[]) => explain({ id, scope }, identity, store);
  const drop = (id: string, ...scope: string[]) => forget({ id, scope }, identity, store);
  return { clock, store, session, claim, ask, drop };
}

describe('explain', () => {
  test('tells none, open with its owner, settled with its end', async () => {
    const { clock, store, session, claim, ask } = bench();
    assert.deepEqual(await ask('a'), { id: 'a', scope: [], state: 'none', sights: [] });
    const at = clock.now();
    const { settle } = await claim(42, 'a');
    const open = await ask('a');
    const [sight] = open.sights;
    assert.equal(open.state, 'open');
    assert.deepEqual(sight, {
      read_as: { id: 'text', scope: [] },
      state: 'open',
      first: new Date(at).toISOString(),
      tick_ms: tickMsMax(windowMs),
      ends: null,
      owner: { partition: 'p', position: 42, epoch: 7 },
      alive: true,
    });
    await settle();
    const [inTail] = (await ask('a')).sights;
    assert.deepEqual([inTail.state, inTail.owner, inTail.alive], ['settled', sight.owner, null]);
    await store.trim(session, 43);
    const [{ owner, ends, first }] = (await ask('a')).sights;
    assert.equal(owner, null, 'its checkpoint has passed');
    assert.ok(Date.parse(ends ?? '') >= at + windowMs && Date.parse(first) <= at);
  });

  test('tells of a claim whose session is over that it is cut off', async () => {
    const { store, session, claim, ask } = bench();
    await claim(0, 'a');
    await store.enter([{ session: { ...session, epoch: 8 } }]);
    assert.equal((await ask('a')).sights[0].alive, false);
  });

  test('reads digits as a text and as a number, and says which it found', async () => {
    const { claim, ask } = bench();
    await claim(0, 12n);
    await claim(1, '13');
    await claim(2, 14n);
    await claim(3, '14');
    const readings = async (id: string) => (await ask(id)).sights.map(({ read_as }) => read_as.id);
    assert.deepEqual(await readings('12'), ['number']);
    assert.deepEqual(await readings('13'), ['text']);
    assert.deepEqual(await readings('14'), ['text', 'number']);
    for (const text of ['012', '+12', '12.0', '1e1', '0x0c', '-0', ' 12', '']) {
      if (text) assert.deepEqual(await readings(text), [], text);
    }
    const negative = bench();
    await negative.claim(0, -7n);
    assert.deepEqual((await negative.ask('-7')).sights[0].read_as.id, 'number');
  });

  test('reads the parts of a scope in the same way, in their order', async () => {
    const { claim, ask } = bench(scoped);
    await claim(0, 5n, 7n);
    assert.deepEqual((await ask('5', '7')).sights[0].read_as, { id: 'number', scope: ['number'] });
    assert.equal((await ask('7', '5')).state, 'none');
  });

  test('refuses another number of parts than the pipeline has', async () => {
    const isScope = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-C010';
    await assert.rejects(bench(scoped).ask('a'), isScope);
    await assert.rejects(bench(scoped).ask('a', 'b', 'c'), isScope);
    await assert.rejects(bench().ask('a', 'b'), isScope);
  });

  test('where bytes are ids, digits have one reading', async () => {
    const { claim, ask } = bench(lineIdentity(common));
    await claim(0, Buffer.from('12'));
    assert.deepEqual((await ask('12')).sights.map(({ read_as }) => read_as.id), ['text']); // prettier-ignore
  });

  test('without a window nothing is known', async () => {
    assert.equal((await explain({ id: 'a', scope: [] }, plain, undefined)).state, 'none');
  });
});

describe('forget', () => {
  test('forgets what is settled or cut off, and tells what it was', async () => {
    const { claim, ask, drop } = bench();
    await (await claim(0, 'a')).settle();
    const { state, sights } = await drop('a');
    assert.deepEqual([state, sights[0].state], ['forgotten', 'settled']);
    assert.equal((await ask('a')).state, 'none');
    assert.deepEqual(await drop('a'), { id: 'a', scope: [], state: 'none', sights: [] });
  });

  test('refuses a live claim, and then forgets no other reading of the id', async () => {
    const { claim, ask, drop } = bench();
    await (await claim(0, '5')).settle();
    await claim(1, 5n);
    assert.equal((await drop('5')).state, 'refused');
    assert.equal((await ask('5')).sights.length, 2);
  });
});
