import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FingerprintMap } from '../../src/core/fingerprint-map.ts';

test('a fingerprint is found by all of its 112 bits and by no others', () => {
  const map = new FingerprintMap();
  const block = new Uint32Array(4 * 114);
  for (let bit = 0; bit < 112; bit++) {
    const fromTop = bit < 96 ? bit % 32 : bit - 96;
    block[4 * bit + Math.min(3, Math.floor(bit / 32))] = 2 ** (31 - fromTop);
    map.set(block, bit, bit);
  }
  assert.equal(map.size, 112);
  for (let bit = 0; bit < 112; bit++) assert.equal(map.get(block, bit), bit);
  assert.equal(map.get(block, 112), -1, 'all zero is a key like any other, and absent');
  block.set([block[0], block[1], block[2], 0xffff], 4 * 113);
  assert.equal(map.get(block, 113), 0, 'the low half of the last word does not count');
});

test('it does what a Map does, whatever the order of sets and deletions, in crowded slots too', () => {
  // Few different words: long runs, keys that share a home, and growth in between.
  const word = fc.constantFrom(0, 1, 2, 63, 0xffffffff);
  const key = fc.tuple(word, word, word, fc.constantFrom(0, 0x10000, 0xffff0000));
  const step = fc.record({ key, what: fc.constantFrom('set', 'set', 'delete', 'get'), value: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const map = new FingerprintMap();
      const reference = new Map<string, number>();
      for (const { key, what, value } of steps) {
        const block = Uint32Array.of(9, 9, 9, 9, ...key);
        const name = key.join();
        if (what === 'set') {
          map.set(block, 1, value);
          reference.set(name, value);
        } else if (what === 'delete') {
          assert.equal(map.delete(block, 1), reference.delete(name));
        } else {
          assert.equal(map.get(block, 1), reference.get(name) ?? -1);
        }
        assert.equal(map.size, reference.size);
      }
      for (const [name, value] of reference)
        assert.equal(map.get(Uint32Array.from(name.split(','), Number), 0), value);
    }),
    { numRuns: 300 },
  );
});

test('clear leaves an empty map that can be used', () => {
  const map = new FingerprintMap();
  const block = Uint32Array.from({ length: 4000 }, (_, i) => i * 0x9e3779b1);
  for (let i = 0; i < 1000; i++) map.set(block, i, i);
  map.clear();
  assert.equal(map.size, 0);
  assert.equal(map.get(block, 7), -1);
  map.set(block, 7, 70);
  assert.equal(map.get(block, 7), 70);
});
