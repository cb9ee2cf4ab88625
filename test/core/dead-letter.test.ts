import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deadLetterBatch, parseDeadLetter, type Letter } from '../../src/core/dead-letter.ts';
import { payloadOf, type Batch, type Headers } from '../../src/core/event.ts';
import { batchOf } from './identity/batch.ts';
import type { DeadLetter } from './workshop.ts';

const from = { source: 'orders', time: Date.UTC(2026, 0, 31, 12) };
const why = { code: 'rejected', reason: 'too odd' };

function lettersOf(batch: Batch, letters: readonly Letter[]): DeadLetter[] {
  const made = deadLetterBatch(batch, letters, from);
  return Array.from(
    { length: made.count },
    (_, i) => JSON.parse(Buffer.from(payloadOf(made, i)).toString()) as DeadLetter,
  );
}

test('a dead letter says what it was, where it was and why', () => {
  const headers: Headers = [
    ['trace', Buffer.from('t1')],
    ['trace', Buffer.from('é')],
  ];
  const batch = batchOf(['{"id":1}', { payload: '{"id":"ü"}', headers }], 'p', 40);
  assert.deepEqual(lettersOf(batch, [{ index: 1, ...why }]), [
    {
      ...why,
      source: 'orders',
      partition: 'p',
      offset: 41,
      time: '2026-01-31T12:00:00.000Z',
      attempt: 1,
      headers: [
        ['trace', 't1'],
        ['trace', 'é'],
      ],
      body: '{"id":"ü"}',
    },
  ]);
});

test('a redrive that fails again says the how manieth it was', () => {
  assert.equal(lettersOf(batchOf(['x']), [{ index: 0, ...why, attempt: 3 }])[0].attempt, 3);
});

test('no headers are an empty list', () => {
  const { partition, count, bytes, starts, ends, positions, next } = batchOf(['x']);
  const bare: Batch = { partition, count, bytes, starts, ends, positions, next };
  assert.deepEqual(lettersOf(bare, [{ index: 0, ...why }])[0].headers, []);
});

test('the bytes come back as they were, text or not', () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(fc.array(payload, { minLength: 1, maxLength: 5 }), (payloads) => {
      const batch = batchOf(payloads.map((bytes) => ({ payload: bytes })));
      const letters = lettersOf(batch, payloads.map((_, index) => ({ index, ...why }))); // prettier-ignore
      letters.forEach(({ body, body_base64 }, i) => {
        const isText = Buffer.from(payloads[i]).equals(Buffer.from(Buffer.from(payloads[i]).toString()));
        assert.equal(body !== undefined, isText);
        assert.notEqual(body === undefined, body_base64 === undefined);
        const bytes = body === undefined ? Buffer.from(body_base64 ?? '', 'base64') : Buffer.from(body);
        assert.deepEqual(bytes, Buffer.from(payloads[i]));
      });
    }),
  );
});

test('it is a batch of one line each, at the positions of what it is about', () => {
  const batch = batchOf(['a\nb', 'b', '"c"'], 'p', 7);
  const made = deadLetterBatch(batch, [0, 2].map((index) => ({ index, ...why })), from); // prettier-ignore
  assert.deepEqual([...made.positions], [7, 9]);
  assert.equal(made.partition, 'p');
  assert.equal(made.next, 10);
  for (let i = 0; i < made.count; i++) assert.ok(!payloadOf(made, i).includes(10));
});

const sound = {
  code: 'rejected',
  reason: 'too large',
  source: 'file',
  partition: 'p',
  offset: 1,
  time: '2026-01-01T00:00:00.000Z',
  attempt: 1,
  headers: [],
  body: '{}',
};
const parsed = (it: unknown) => parseDeadLetter(Buffer.from(JSON.stringify(it)));

test('a line that has all that a dead letter has is one', () => {
  assert.deepEqual(parsed(sound), sound);
});

for (const change of [
  { body: 5 },
  { body: undefined },
  { body_base64: 'e30=' },
  { code: 1 },
  { offset: '1' },
  { headers: {} },
  { time: null },
])
  test(`a line with ${JSON.stringify(change)} is no dead letter`, () => {
    assert.equal(parsed({ ...sound, ...change }), undefined);
  });
for (const line of [null, 5, [], 'x'])
  test(`${JSON.stringify(line)} is no dead letter`, () => {
    assert.equal(parsed(line), undefined);
  });
