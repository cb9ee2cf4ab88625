import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { payloadOf, pick, slice, type Batch } from '../../src/core/event.ts';
import { batchOf } from './identity/batch.ts';

/** What a reader of the batch sees of each delivery. */
function seen(batch: Batch) {
  return Array.from({ length: batch.count }, (_, i) => ({
    payload: Buffer.from(payloadOf(batch, i)).toString('hex'),
    frame:
      batch.frames && Buffer.from(batch.bytes.subarray(batch.frames[i], batch.frames[i + 1])).toString('hex'),
    position: batch.positions[i],
    flaw: batch.flaws?.[i],
    attempt: batch.attempts?.[i],
    headers: batch.headersOf?.(i),
    key: batch.messageKeyOf?.(i),
  }));
}

/** Lines with blanks around them, as framed text has them; headers and flaws besides. */
const batch = fc
  .array(
    fc.record({ before: fc.nat(2), size: fc.nat(6), after: fc.integer({ min: 1, max: 2 }), flaw: fc.nat(1) }),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .chain((lines) => fc.record({ lines: fc.constant(lines), framed: fc.boolean(), first: fc.nat(1_000) }))
  .map(({ lines, framed, first }): Batch => {
    const count = lines.length;
    const starts = new Uint32Array(count);
    const ends = new Uint32Array(count);
    const frames = new Uint32Array(count + 1);
    let at = 3;
    lines.forEach(({ before, size, after }, i) => {
      frames[i] = at;
      starts[i] = at + before;
      ends[i] = starts[i] + size;
      frames[i + 1] = at = ends[i] + after;
    });
    return {
      ...batchOf(lines.map((_, i) => ({ headers: [['n', Uint8Array.of(i)]], key: Uint8Array.of(i, i) }))),
      bytes: Uint8Array.from({ length: at + 2 }, (_, i) => i),
      starts,
      ends,
      ...(framed && { frames }),
      positions: Float64Array.from(lines, (_, i) => first + 3 * i),
      next: first + 3 * count,
      attempts: Uint8Array.from(lines, ({ flaw }, i) => flaw + i),
      flaws: Uint8Array.from(lines, ({ flaw }) => flaw),
    };
  });

test('what is picked is what it was, with bytes of its own', () => {
  fc.assert(
    fc.property(batch, fc.array(fc.nat(), { maxLength: 6 }), (given, wanted) => {
      const indices = [...new Set(wanted.map((n) => n % given.count))].sort((a, b) => a - b);
      const picked = pick(given, indices);
      const before = seen(given);
      assert.deepEqual(seen(picked), indices.map((i) => before[i])); // prettier-ignore
      assert.equal(picked.partition, given.partition);
      assert.equal(picked.next, given.next);
      assert.equal(picked.count, indices.length);
      const size = picked.frames
        ? picked.frames[picked.count]
        : picked.starts.reduce((sum, start, i) => sum + picked.ends[i] - start, 0);
      assert.equal(picked.bytes.length, size, 'nothing else of the buffer is kept');
      given.bytes.fill(255);
      assert.deepEqual(seen(picked), indices.map((i) => before[i])); // prettier-ignore
    }),
  );
});

test('a slice shows the same deliveries and goes on where it ends', () => {
  fc.assert(
    fc.property(batch, fc.nat(), fc.nat(), (given, a, b) => {
      const [from, to] = [a % (given.count + 1), b % (given.count + 1)].sort((x, y) => x - y);
      const part = slice(given, from, to);
      assert.deepEqual(seen(part), seen(given).slice(from, to));
      assert.equal(part.next, to < given.count ? given.positions[to] : given.next);
      assert.equal(part.bytes, given.bytes);
    }),
  );
});

test('what a batch does not have is not made up', () => {
  const { partition, count, bytes, starts, ends, positions, next } = batchOf(['a', 'b']);
  const bare: Batch = { partition, count, bytes, starts, ends, positions, next };
  for (const part of [pick(bare, [1]), slice(bare, 1, 2)]) {
    for (const name of ['frames', 'flaws', 'headersOf', 'messageKeyOf'] as const) assert.ok(!(name in part));
    assert.equal(Buffer.from(payloadOf(part, 0)).toString(), 'b');
  }
});

test('headers of a slice are asked of the batch that has them', () => {
  const given: Batch & { names: string[] } = {
    ...batchOf(['a', 'b']),
    names: ['x', 'y'],
    headersOf(i) {
      return [[(this as unknown as { names: string[] }).names[i], Uint8Array.of()]];
    },
  };
  assert.equal(slice(given, 1, 2).headersOf?.(0)?.[0][0], 'y');
  assert.equal(pick(given, [1]).headersOf?.(0)?.[0][0], 'y');
});
