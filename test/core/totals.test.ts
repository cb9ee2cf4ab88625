import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addTotals,
  book,
  booked,
  entry,
  entryKinds,
  outcomeNames,
  verdictNames,
  zeroTotals,
  type Totals,
} from '../../src/core/totals.ts';

const tally = fc.array(fc.nat(1_000), { minLength: entryKinds, maxLength: entryKinds });

function outcomesOf(totals: Totals): number {
  return outcomeNames.reduce((sum, name) => sum + totals[name], 0);
}

test('the sum over the verdicts is the sum over the outcomes, and both are the deliveries booked', () => {
  fc.assert(
    fc.property(tally, tally, (before, now) => {
      const totals = book(book(zeroTotals, before), now);
      const count = [...before.slice(1), ...now.slice(1)].reduce((sum, n) => sum + n, 0);
      assert.equal(booked(totals), count);
      assert.equal(outcomesOf(totals), count);
    }),
  );
});

test('each kind of entry is one line: one verdict, one outcome', () => {
  const kinds = new Set<number>();
  for (const verdict of verdictNames)
    for (const outcome of outcomeNames) {
      const kind = entry(verdict, outcome);
      kinds.add(kind);
      const one = Array.from({ length: entryKinds }, (_, n) => (n === kind ? 3 : 0));
      assert.deepEqual(book(zeroTotals, one), { ...zeroTotals, [verdict]: 3, [outcome]: 3 });
    }
  assert.equal(kinds.size, entryKinds - 1);
  assert.ok(!kinds.has(0));
});

test('deliveries without an outcome are not booked', () => {
  const waiting = Array.from({ length: entryKinds }, (_, n) => (n === 0 ? 9 : 0));
  assert.deepEqual(book(zeroTotals, waiting), zeroTotals);
});

test('totals add up name by name', () => {
  fc.assert(
    fc.property(tally, tally, (a, b) => {
      const sum = addTotals(book(zeroTotals, a), book(zeroTotals, b));
      assert.deepEqual(sum, book(book(zeroTotals, a), b));
      assert.deepEqual(Object.keys(sum), [...verdictNames, ...outcomeNames]);
    }),
  );
});
