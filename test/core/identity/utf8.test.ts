import assert from 'node:assert/strict';
import test from 'node:test';
import { jsonIdentity } from '../../../src/core/identity/json-identity.ts';
import { batchOf, keysOf, space } from './batch.ts';

const byId = jsonIdentity({ ...space, id: '/id' });
const encoding = 7;

test('two halves of a character in neighbouring payloads do not make a whole one', async () => {
  const whole = Buffer.from('{"id":"é"}');
  const cut = whole.indexOf(0xa9);
  const { reasons } = await keysOf(byId, [
    '{"id":1}',
    { payload: whole.subarray(0, cut) },
    { payload: whole.subarray(cut) },
    '{"id":2}',
  ]);
  assert.deepEqual([...reasons], [0, encoding, encoding, 0]);
});

test('one payload that is not UTF-8 does not spoil the others', async () => {
  const bad = Buffer.from('{"id":"x"}');
  bad[7] = 0xff;
  const { reasons } = await keysOf(byId, ['{"id":"é"}', { payload: bad }, '{"id":"\u{1f600}"}', '{"id":""}']);
  assert.deepEqual([...reasons], [0, encoding, 0, 4]);
});

test('payloads anywhere in the buffer are checked', async () => {
  const batch = batchOf(['{"id":"é"}', '{"id":"b"}']);
  const swapped = { ...batch, starts: batch.starts.toReversed(), ends: batch.ends.toReversed() };
  assert.deepEqual([...(await byId.identify(swapped)).reasons], [0, 0]);
  assert.equal((await byId.identify(batchOf([]))).reasons.length, 0);
});
