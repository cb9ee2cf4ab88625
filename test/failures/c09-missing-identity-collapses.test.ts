import assert from 'node:assert/strict';
import test from 'node:test';
import { unidentifiedReasons, type Identity } from '../../src/core/identity.ts';
import { contentIdentity, jsonIdentity } from '../../src/core/identity/json-identity.ts';
import { hex, keysOf, space } from '../core/identity/batch.ts';

const byId = jsonIdentity({ ...space, id: '/meta/event-id' });
const withId = (id: string, n: number) => `{"meta":{"event-id":${id}},"n":${n}}`;

async function reasonsAndKeys(identity: Identity, payloads: readonly string[]) {
  const { reasons, fingerprints } = await keysOf(identity, payloads);
  return {
    reasons: [...reasons].map((reason) => unidentifiedReasons[reason]),
    keys: new Set(payloads.map((_, i) => hex(fingerprints, i))).size,
  };
}

const unusable: [form: string, reason: string, event: (n: number) => string][] = [
  ['absent', 'missing', (n) => `{"meta":{},"n":${n}}`],
  ['absent with its parent', 'missing', (n) => `{"n":${n}}`],
  ['below a text', 'missing', (n) => `{"meta":"event-id","n":${n}}`],
  ['null', 'null', (n) => withId('null', n)],
  ['empty', 'blank', (n) => withId('""', n)],
  ['spaces', 'blank', (n) => withId('"   "', n)],
  ['escaped blanks', 'blank', (n) => withId('"\\t\\u00a0\\n"', n)],
  ['no-break spaces', 'blank', (n) => withId('"\u00a0\u2003"', n)],
  ['an object', 'type', (n) => withId('{}', n)],
  ['an array', 'type', (n) => withId('[]', n)],
  ['an array of one id', 'type', (n) => withId('["e1"]', n)],
  ['true', 'type', (n) => withId('true', n)],
  ['NaN', 'malformed', (n) => withId('NaN', n)],
  ['undefined', 'malformed', (n) => withId('undefined', n)],
  ['replaced by a later key', 'null', (n) => `{"meta":{"event-id":"e1","event-id":null},"n":${n}}`],
  ['gone with its parent', 'missing', (n) => `{"meta":{"event-id":"e1"},"meta":{},"n":${n}}`],
];

for (const [form, reason, event] of unusable) {
  test(`an id that is ${form} is ${reason}, and two such events are not the same`, async () => {
    const { reasons, keys } = await reasonsAndKeys(byId, [event(1), event(2), event(1)]);
    assert.deepEqual(reasons, [reason, reason, reason]);
    assert.equal(keys, 3);
  });
}

test('a key of tenant and id needs both', async () => {
  const scoped = jsonIdentity({ ...space, id: '/id', scope: ['/tenant'] });
  const { reasons, keys } = await reasonsAndKeys(scoped, [
    '{"tenant":null,"id":null}',
    '{"tenant":null,"id":null}',
    '{"tenant":null,"id":"e1"}',
    '{"tenant":" ","id":"e1"}',
    '{"id":"e1"}',
    '{"tenant":"acme","id":null}',
    '{"tenant":"acme"}',
  ]);
  assert.deepEqual(reasons, ['null', 'null', 'scope', 'scope', 'scope', 'null', 'missing']);
  assert.equal(keys, 7);
});

test('the texts "null", "undefined", "0" and "false" are ordinary ids', async () => {
  const ids = ['"null"', '"undefined"', '"NaN"', '"0"', '0', '"false"', '"{}"'].map((id) => withId(id, 1));
  const { reasons, keys } = await reasonsAndKeys(byId, [...ids, ...ids]);
  assert.ok(reasons.every((reason) => reason === ''));
  assert.equal(keys, ids.length);
});

test('with the fingerprint policy the content decides, within the scope', async () => {
  const identity = jsonIdentity({ ...space, id: '/id', scope: ['/tenant'], unidentified: 'fingerprint' });
  const { reasons, keys } = await reasonsAndKeys(identity, [
    '{"tenant":"a","n":1}',
    '{"n":1, "tenant":"a"}',
    '{"n":1}',
    '{"n":2}',
    '{bad',
    '{bad',
    '"{bad"',
  ]);
  assert.ok(reasons.every((reason) => reason === ''));
  assert.equal(keys, 5);
});

test('content of which nothing is there is no identity', async () => {
  const picky = contentIdentity({ ...space, include: ['/order', '/line'] });
  const { reasons, keys } = await reasonsAndKeys(picky, [
    '{"n":1}',
    '{"n":2}',
    '{"order":null}',
    '{"order":null,"n":3}',
  ]);
  assert.deepEqual(reasons, ['missing', 'missing', '', '']);
  assert.equal(keys, 3);
});

test('with the fingerprint policy it matters which part of the scope is missing', async () => {
  const identity = jsonIdentity({
    ...space,
    id: '/id',
    scope: ['header:a', 'header:b'],
    unidentified: 'fingerprint',
  });
  const deliveries = ['a', 'b'].map((name) => ({
    payload: '{}',
    headers: [[name, Buffer.from('x')]] as const,
  }));
  const { fingerprints } = await keysOf(identity, deliveries);
  assert.notEqual(hex(fingerprints, 0), hex(fingerprints, 1));
});
