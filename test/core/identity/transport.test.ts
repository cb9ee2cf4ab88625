import assert from 'node:assert/strict';
import test from 'node:test';
import { cloudEventsIdentity } from '../../../src/core/identity/cloud-events-identity.ts';
import { customIdentity } from '../../../src/core/identity/custom-identity.ts';
import {
  headerIdentity,
  lineIdentity,
  messageKeyIdentity,
} from '../../../src/core/identity/transport-identity.ts';
import { batchOf, fingerprintsOf, hex, keysOf, space, type Delivery } from './batch.ts';

const headers = (entries: Record<string, string>): Delivery => ({
  headers: Object.entries(entries).map(([name, value]) => [name, Buffer.from(value)] as const),
});

test('the last header of that name counts, whatever its case', async () => {
  const byHeader = headerIdentity({ ...space, header: 'Event-Id' });
  const twice: Delivery = {
    headers: [
      ['event-id', Buffer.from('a')],
      ['EVENT-ID', Buffer.from('b')],
    ],
  };
  const [one, other] = await fingerprintsOf(byHeader, [twice, headers({ 'event-id': 'b' })]);
  assert.equal(one, other);
  assert.equal(hex(byHeader.fingerprintOf('b')), one);
  const { reasons } = await keysOf(byHeader, [
    headers({}),
    headers({ 'event-id': '' }),
    headers({ 'event-id': ' \t' }),
    {},
    headers({ 'event-id': 'x' }),
  ]);
  assert.deepEqual([...reasons], [2, 4, 4, 2, 0]);
});

test('a header id within a JSON scope needs both', async () => {
  const scoped = headerIdentity({ ...space, header: 'id', scope: ['/tenant', 'header:region'] });
  const { reasons } = await keysOf(scoped, [
    { payload: '{"tenant":"a"}', ...headers({ id: '1', region: 'eu' }) },
    { payload: '{"tenant":"a"}', ...headers({ id: '1' }) },
    { payload: '{"tenant":null}', ...headers({ id: '1', region: 'eu' }) },
    { payload: '{', ...headers({ id: '1', region: 'eu' }) },
    { payload: '{"tenant":"a"}', ...headers({ region: 'eu' }) },
  ]);
  assert.deepEqual([...reasons], [0, 6, 6, 1, 2]);
});

test('a CloudEvent has one key, in binary and in structured mode', async () => {
  const identity = cloudEventsIdentity(space);
  const keys = await fingerprintsOf(identity, [
    '{"specversion":"1.0","source":"/shop é","id":"e 1","data":{}}',
    { payload: 'anything', ...headers({ ce_source: '/shop é', ce_id: 'e 1' }) },
    headers({ 'ce-source': '/shop%20%C3%A9', 'ce-id': 'e%201' }),
    headers({ 'cloudEvents:source': '/shop é', 'cloudEvents:id': 'e 1' }),
    headers({ ce_source: '/shop%20%C3%A9', ce_id: 'e 1' }),
  ]);
  assert.equal(new Set(keys.slice(0, 4)).size, 1);
  assert.notEqual(keys[4], keys[0]);
  assert.equal(hex(identity.fingerprintOf('e 1', ['/shop é'])), keys[0]);
  const { reasons } = await keysOf(identity, [
    '{"id":"1"}',
    headers({ ce_id: '1' }),
    headers({ ce_source: 's' }),
    '{"source":"s"}',
    'x',
  ]);
  assert.deepEqual([...reasons], [6, 6, 2, 2, 1]);
});

test('a line is its own id, blank or not', async () => {
  const { reasons, fingerprints } = await keysOf(lineIdentity(space), [
    '',
    '',
    ' ',
    'a',
    { payload: Uint8Array.of(0xff) },
    { payload: Uint8Array.of(0xfe) },
  ]);
  assert.deepEqual([...reasons], [0, 0, 0, 0, 0, 0]);
  assert.equal(hex(fingerprints, 0), hex(fingerprints, 1));
  assert.equal(new Set([0, 1, 2, 3, 4, 5].map((i) => hex(fingerprints, i))).size, 5);
});

test('a function may be slow, and may find nothing', async () => {
  const ids = [
    'a',
    7,
    7n,
    NaN,
    null,
    undefined,
    ' ',
    Uint8Array.of(1),
    ['t', 'a'],
    [null, 'a'],
    ['t', undefined],
    [],
  ];
  const identity = customIdentity({ ...space, name: 'avro@1', idsOf: () => Promise.resolve(ids) });
  const { reasons, fingerprints } = await keysOf(
    identity,
    ids.map(() => ''),
  );
  assert.deepEqual([...reasons], [0, 0, 0, 5, 3, 2, 4, 0, 0, 6, 2, 2]);
  assert.equal(hex(fingerprints, 1), hex(fingerprints, 2));
  assert.equal(hex(identity.fingerprintOf('a')), hex(fingerprints, 0));
  assert.equal(hex(identity.fingerprintOf('a', ['t'])), hex(fingerprints, 8));
});

test('a function that gives too few ids is a fault, not a batch of missing ids', async () => {
  const identity = customIdentity({ ...space, name: 'f', idsOf: () => ['a'] });
  await assert.rejects(async () => identity.identify(batchOf(['', ''])), RangeError);
});

test('a message key is bytes, and blank is not missing', async () => {
  const byKey = messageKeyIdentity(space);
  const { reasons } = await keysOf(byKey, [{ key: Uint8Array.of(0) }, { key: new Uint8Array(0) }, {}]);
  assert.deepEqual([...reasons], [0, 4, 2]);
});
