import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBlock, writeBlock, type BlockRecord } from '../../../src/stores/file/block-record.ts';
import { Eye, Pen } from '../../../src/stores/file/pen.ts';

const big = fc.oneof(fc.nat(300), fc.maxSafeNat());
const owner = fc.oneof(
  fc.nat().map((number) => ({ kind: 'partition' as const, number })),
  fc
    .tuple(fc.string(), fc.nat(), big)
    .map(([token, leaseMs, fence]) => ({ kind: 'lease' as const, token, leaseMs, fence })),
);
const position = fc.oneof(fc.nat(1_000), fc.maxSafeNat(), fc.constantFrom(-1, 0.5));

const block: fc.Arbitrary<BlockRecord> = fc
  .tuple(
    owner,
    big,
    big,
    fc.boolean(),
    fc.array(fc.record({ has: fc.boolean(), position, state: fc.nat(255) }), { minLength: 1 }),
    fc.boolean(),
  )
  .map(([whose, id, term, sorted, elements, withBodies]) => {
    const count = elements.length;
    const positions = Float64Array.from(elements, (it) => it.position);
    if (sorted) positions.sort();
    const has = (i: number) => elements[i].has;
    const where = (width: number, of: (i: number) => number) =>
      Array.from({ length: width * count }, (_, k) => (has(Math.floor(k / width)) ? of(k) : 0));
    return {
      id,
      owner: whose,
      term: whose.kind === 'lease' ? 0 : term,
      acceptedAt: 1_700_000_000_000.25,
      count,
      elements: Uint32Array.from([...elements.keys()].filter(has)),
      fingerprints: Uint32Array.from(
        where(4, (k) => (k % 4 === 3 ? Math.imul(k + 1, 0x9e370000) : Math.imul(k + 1, 0x9e3779b1))),
      ),
      positions: Float64Array.from(where(1, (k) => positions[k])),
      states: Uint8Array.from(where(1, (k) => elements[k].state)),
      ...(withBodies && { bodies: Uint32Array.from(where(2, (k) => Math.imul(k + 1, 0x85ebca6b))) }),
    };
  })
  .filter(({ elements }) => elements.length > 0);

test('a block is read as it was written', () => {
  fc.assert(
    fc.property(block, (written) => {
      const pen = new Pen(1);
      writeBlock(pen, written);
      const eye = new Eye(pen.bytes.subarray(0, pen.at));
      assert.deepEqual(readBlock(eye), written);
      assert.equal(eye.at, pen.at);
    }),
  );
});
