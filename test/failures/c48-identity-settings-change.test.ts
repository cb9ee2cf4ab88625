import assert from 'node:assert/strict';
import test from 'node:test';
import type { Identity } from '../../src/core/identity.ts';
import { cloudEventsIdentity } from '../../src/core/identity/cloud-events-identity.ts';
import { customIdentity } from '../../src/core/identity/custom-identity.ts';
import { contentIdentity, jsonIdentity } from '../../src/core/identity/json-identity.ts';
import {
  headerIdentity,
  lineIdentity,
  messageKeyIdentity,
} from '../../src/core/identity/transport-identity.ts';
import { space } from '../core/identity/batch.ts';

const idsOf = () => [];
const json = { ...space, id: '/id' };

const different: Identity[] = [
  jsonIdentity(json),
  jsonIdentity({ ...json, id: '/event_id' }),
  jsonIdentity({ ...json, pipeline: 'payments' }),
  jsonIdentity({ ...json, replay: 'r1' }),
  jsonIdentity({ ...json, scope: ['/a'] }),
  jsonIdentity({ ...json, scope: ['/a', '/b'] }),
  jsonIdentity({ ...json, scope: ['/b', '/a'] }),
  jsonIdentity({ ...json, scope: ['header:a'] }),
  jsonIdentity({ ...json, normalise: ['lower'] }),
  jsonIdentity({ ...json, normalise: ['lower', 'trim'] }),
  jsonIdentity({ ...json, normalise: ['trim', 'lower'] }),
  jsonIdentity({ ...json, unidentified: 'fingerprint' }),
  jsonIdentity({ ...json, bodyCheck: {} }),
  jsonIdentity({ ...json, bodyCheck: { exclude: ['/sent_at'] } }),
  headerIdentity({ ...space, header: 'id' }),
  headerIdentity({ ...space, header: '/id' }),
  messageKeyIdentity(space),
  lineIdentity(space),
  cloudEventsIdentity(space),
  contentIdentity(space),
  contentIdentity({ ...space, include: ['/a'] }),
  contentIdentity({ ...space, exclude: ['/a'] }),
  customIdentity({ ...space, name: 'ids@1', idsOf }),
  customIdentity({ ...space, name: 'ids@2', idsOf }),
];

test('every setting that changes keys changes the signature', () => {
  const signatures = different.map(({ signature }) => signature);
  assert.equal(new Set(signatures).size, different.length);
});

test('the signature names the version of the key format', () => {
  for (const { signature } of different) assert.equal((JSON.parse(signature) as { key: number }).key, 1);
});

test('what changes no key changes no signature', () => {
  const { signature } = jsonIdentity(json);
  assert.equal(jsonIdentity({ ...json, secret: new Uint8Array(32) }).signature, signature);
  assert.equal(jsonIdentity({ ...json, unidentified: 'pass' }).signature, signature);
  assert.equal(jsonIdentity({ ...json, eventTime: '/at' }).signature, signature);
  assert.equal(jsonIdentity({ ...json, scope: [], normalise: [] }).signature, signature);
  const excluding = ['/a', '/b'];
  assert.equal(
    jsonIdentity({ ...json, bodyCheck: { exclude: excluding } }).signature,
    jsonIdentity({ ...json, bodyCheck: { exclude: excluding.toReversed() } }).signature,
  );
});

test('the secret does not show', () => {
  const secret = Buffer.from('0123456789abcdef0123456789abcdef');
  const { signature } = jsonIdentity({ ...json, secret });
  assert.ok(
    !signature.includes(secret.toString()) &&
      !signature.includes(secret.toString('hex')) &&
      !signature.includes(secret.toString('base64')),
  );
});
