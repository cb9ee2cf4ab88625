import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { formatRate, formatSize, parseRate, parseSize } from '../../src/config/quantities.ts';

test('sizes have units by 1,024 and by 1,000', () => {
  for (const [text, bytes] of [
    ['1B', 1],
    ['1kB', 1e3],
    ['1MB', 1e6],
    ['1GB', 1e9],
    ['1TB', 1e12],
    ['1KiB', 1_024],
    ['1MiB', 1_048_576],
    ['2GiB', 2_147_483_648],
    ['1TiB', 1_099_511_627_776],
    ['1.5GiB', 1_610_612_736],
  ] as const)
    assert.equal(parseSize(text), bytes, text);
});

test('what has no unit, another one, or is no number of bytes is no size', () => {
  for (const text of [
    '',
    '20',
    '0GiB',
    '-1GiB',
    '1gb',
    '1KB',
    '1 GiB',
    '1GiB ',
    '0.5B',
    '1.0001kB',
    '99999999TiB',
    '1e3MB',
  ])
    assert.equal(parseSize(text), undefined, text);
});

test('rates are counted by the second', () => {
  assert.equal(parseRate('5000/s'), 5_000);
  assert.equal(parseRate('300/m'), 5);
  assert.equal(parseRate('1.5/h'), 1.5 / 3_600);
  for (const text of ['', '5000', '0/s', '-1/s', '5/w', '5,000/s', '99999999999/s', '0.001/d'])
    assert.equal(parseRate(text), undefined, text);
});

test('what is printed is read as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (size) => {
      assert.equal(parseSize(formatSize(size)), size);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.constantFrom('s', 'm', 'h', 'd'), (count, unit) => {
      const rate = parseRate(`${count}/${unit}`)!;
      assert.equal(parseRate(formatRate(rate)), rate);
    }),
  );
  assert.equal(formatSize(21_474_836_480), '20GiB');
  assert.equal(formatSize(500_000_000), '500MB');
  assert.equal(formatRate(parseRate('50/m')!), '50/m');
});
