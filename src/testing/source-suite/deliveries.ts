import assert from 'node:assert/strict';
import type { Batch } from '../../core/event.ts';
import { bytesOf, type Payload } from '../batches.ts';
import type { SourceCheck, SourceSupport } from './check.ts';
import { check, log } from './scene.ts';

const texts = ['{"id":1}', ' {"a" : 1.0} ', '"ü 😀 \u2028"', '\\', '1', '{"n":12345678901234567890}'];
const noText = Uint8Array.of(0x7b, 0xff, 0xfe, 0xc3, 0x7d);
const large = JSON.stringify('0123456789abcdef'.repeat(200_000));
const many = Array.from({ length: 2_000 }, (_, n) => `{"n":${n}}`);
const anyBytes = ['', 'a\nb\r\n', '\n', Uint8Array.from({ length: 256 }, (_, byte) => byte), ''];

export const deliveries: readonly SourceCheck[] = [
  arrive('each payload arrives byte for byte, once and in order', [...texts, noText, 'end']),
  arrive('a large payload arrives whole', ['a', large, 'b']),
  arrive('many small ones arrive', many),
  arrive('equal payloads are deliveries of their own', ['a', 'a', 'b', 'a']),
  arrive('empty payloads, line breaks and any bytes arrive', anyBytes, 'binary'),

  check('a batch agrees with itself', [log('a', 50)], async ({ connect, partitions }) => {
    const reader = await (await connect()).start(partitions);
    await reader.count(50);
    for (const batch of reader.batches) assertSound(batch);
  }),

  check('what was given stays as it is', [log('a', 50)], async ({ connect, partitions }) => {
    const reader = await (await connect()).start(partitions);
    const copies: unknown[] = [];
    const stretches = ({ bytes, starts, ends, positions }: Batch) =>
      Array.from(starts, (start, i) => [
        positions[i],
        Buffer.from(bytes.subarray(start, ends[i])).toString('hex'),
      ]);
    await reader.until(() => {
      copies.push(...reader.batches.slice(copies.length).map(stretches));
      return reader.deliveries.length >= 50;
    });
    assert.deepEqual(reader.batches.map(stretches), copies);
  }),
];

function arrive(name: string, payloads: readonly Payload[], needs?: keyof SourceSupport): SourceCheck {
  return check(
    name,
    [payloads],
    async ({ connect, partitions }) => {
      const reader = await (await connect()).start(partitions);
      await reader.count(payloads.length);
      await reader.rest();
      const found = reader.deliveries.map(({ payload }) => short(payload));
      assert.deepEqual(found, payloads.map(bytesOf).map(short));
    },
    needs,
  );
}

/** Long payloads are compared by their length and a sum, so that a failure can be read. */
function short(payload: Uint8Array): string {
  const bytes = Buffer.from(payload);
  if (bytes.length <= 300) return bytes.toString('latin1');
  return `${bytes.length} bytes, sum ${bytes.reduce((sum, byte) => (31 * sum + byte) >>> 0, 0)}`;
}

function assertSound({ count, bytes, starts, ends, positions, frames, flaws }: Batch): void {
  assert.ok(count > 0 && count <= 65_536, `${count} deliveries`);
  assert.deepEqual([starts.length, ends.length, positions.length], [count, count, count]);
  assert.ok([undefined, count].includes(flaws?.length));
  assert.ok([undefined, count + 1].includes(frames?.length));
  let after = 0;
  for (let i = 0; i < count; i++) {
    assert.ok(starts[i] >= after && ends[i] >= starts[i], `${i}: ${starts[i]} to ${ends[i]}`);
    if (frames) assert.ok(frames[i] <= starts[i] && ends[i] <= frames[i + 1], `${i} and its frame`);
    after = ends[i];
  }
  assert.ok(after <= bytes.length);
}
