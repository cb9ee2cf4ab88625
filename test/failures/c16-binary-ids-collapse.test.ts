import assert from 'node:assert/strict';
import test from 'node:test';
import { headerIdentity, messageKeyIdentity } from '../../src/core/identity/transport-identity.ts';
import { customIdentity } from '../../src/core/identity/custom-identity.ts';
import { fingerprintsOf, hex, keysOf, space } from '../core/identity/batch.ts';

const byKey = messageKeyIdentity(space);
const byHeader = headerIdentity({ ...space, header: 'id' });

const binary = [
  '0084',
  '008a',
  '0094',
  '84',
  '000084',
  '00',
  '0000',
  'efbfbd',
  'ff',
  'c3a9',
  'c3',
  '00112233445566778899aabbccddeeff',
  '80112233445566778899aabbccddeeff',
];

test('message keys that are no text stay different', async () => {
  const keys = await fingerprintsOf(
    byKey,
    binary.map((bytes) => ({ key: Buffer.from(bytes, 'hex') })),
  );
  assert.equal(new Set(keys).size, binary.length);
});

test('header values that are no text stay different', async () => {
  const keys = await fingerprintsOf(
    byHeader,
    binary.map((bytes) => ({ headers: [['id', Buffer.from(bytes, 'hex')]] as const })),
  );
  assert.equal(new Set(keys).size, binary.length);
});

test('an empty key is not a missing one, and neither is an id', async () => {
  const { reasons, fingerprints } = await keysOf(byKey, [
    { key: new Uint8Array(0) },
    {},
    { key: new Uint8Array(0) },
  ]);
  assert.deepEqual([...reasons], [4, 2, 4]);
  assert.notEqual(hex(fingerprints, 0), hex(fingerprints, 2));
});

test('the same id as bytes and as text is two ids', async () => {
  const identity = customIdentity({ ...space, name: 'f', idsOf: () => ['e1', Buffer.from('e1')] });
  const keys = await fingerprintsOf(identity, ['', '']);
  assert.equal(new Set(keys).size, 2);
  assert.equal(hex(identity.fingerprintOf(Buffer.from('e1'))), keys[1]);
});

test('a person finds a binary id by its bytes', async () => {
  const [key] = await fingerprintsOf(byKey, [{ key: Buffer.from('0084', 'hex') }]);
  assert.equal(hex(byKey.fingerprintOf(Buffer.from('0084', 'hex'))), key);
});
