import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf, Fate, isMark, isStep, rejected, verdictOf } from '../../src/core/river/fate.ts';
import { entry, entryKinds, verdictNames, type OutcomeName } from '../../src/core/totals.ts';

const booked: readonly [Parameters<typeof Fate.of>[1], OutcomeName][] = [
  ['emit', 'emitted'],
  ['emitted', 'emitted'],
  ['bury', 'dead_lettered'],
  ['buried', 'dead_lettered'],
  ['drop', 'dropped'],
];

test('a fate keeps its verdict, its step and what happens to the mark, and has its line in the books', () => {
  const seen = new Set<number>();
  for (const verdict of verdictNames)
    for (const [step, outcome] of booked)
      for (const mark of ['keep', 'settle', 'release'] as const) {
        const fate = Fate.of(verdict, step, mark);
        assert.ok(!seen.has(fate) && fate > 0 && fate < 256);
        seen.add(fate);
        assert.equal(verdictOf(fate), verdict);
        assert.ok(isStep(fate, step) && isMark(fate, mark));
        assert.equal(entryOf[fate], entry(verdict, outcome));
      }
});

test('what waits has no line in the books, and no line is 0', () => {
  assert.equal(entryOf[Fate.waits], 0);
  const entries = verdictNames.flatMap((verdict) => booked.map(([, outcome]) => entry(verdict, outcome)));
  assert.ok(entries.every((it) => it > 0 && it < entryKinds));
});

test('what is rejected is buried, and a mark of its own is taken back', () => {
  assert.equal(rejected(Fate.of('first', 'emit', 'settle')), Fate.of('first', 'bury', 'release'));
  assert.equal(rejected(Fate.of('resumed', 'emit', 'settle')), Fate.of('resumed', 'bury', 'release'));
  assert.equal(rejected(Fate.of('duplicate', 'emit', 'keep')), Fate.of('duplicate', 'bury', 'keep'));
  assert.equal(rejected(Fate.of('unchecked', 'emit', 'keep')), Fate.of('unchecked', 'bury', 'keep'));
});
