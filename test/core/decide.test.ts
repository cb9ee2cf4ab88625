import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deciding } from '../../src/core/decide.ts';
import { Unidentified } from '../../src/core/identity.ts';
import { usualPolicies, type Policies } from '../../src/core/policies.ts';
import { Fate, type MarkAfter, type Step } from '../../src/core/river/fate.ts';
import type { VerdictName } from '../../src/core/totals.ts';
import { Verdict } from '../../src/core/verdict.ts';

const windowMs = 1_000;
const now = 10_000;

type Outcome = 'waits' | readonly [booked: VerdictName, step: Step, mark: MarkAfter];
interface Case {
  readonly verdict: keyof typeof Verdict;
  readonly reason?: keyof typeof Unidentified;
  /** ms since 1970; the window begins at 9,000. */
  readonly time?: number;
  readonly policies?: Partial<Policies>;
}

function fateOf({ verdict, reason = 'no', time, policies }: Case): number {
  const known = {
    verdicts: Uint8Array.of(Verdict[verdict]),
    reasons: Uint8Array.of(Unidentified[reason]),
    ...(time !== undefined && { times: Float64Array.of(time) }),
    now,
  };
  return deciding({ ...usualPolicies, ...policies }, windowMs)(known)[0];
}

function becomes(name: string, cases: readonly (readonly [Case, Outcome])[]): void {
  describe(name, () => {
    for (const [given, outcome] of cases) {
      const { verdict, reason, time, policies } = given;
      const words = [reason, time === undefined ? '' : `of ${time}`, policies && JSON.stringify(policies)];
      const title = [verdict, ...words.filter(Boolean)].join(' ');
      test(`${title} -> ${outcome === 'waits' ? outcome : outcome.join(' ')}`, () => {
        assert.equal(fateOf(given), outcome === 'waits' ? Fate.waits : Fate.of(...outcome));
      });
    }
  });
}

becomes('what has an id', [
  [{ verdict: 'none' }, 'waits'],
  [{ verdict: 'first' }, ['first', 'emit', 'settle']],
  [{ verdict: 'resumed' }, ['resumed', 'emit', 'settle']],
  [{ verdict: 'duplicate' }, ['duplicate', 'drop', 'keep']],
  [{ verdict: 'held' }, 'waits'],
  [{ verdict: 'doneFirst' }, ['first', 'emitted', 'keep']],
  [{ verdict: 'doneResumed' }, ['resumed', 'emitted', 'keep']],
]);

becomes('a conflict', [
  [{ verdict: 'conflict' }, ['conflict', 'bury', 'settle']],
  [{ verdict: 'conflict', policies: { conflict: 'dead-letter' } }, ['conflict', 'bury', 'settle']],
  [{ verdict: 'conflict', policies: { conflict: 'pass' } }, ['conflict', 'emit', 'settle']],
  [{ verdict: 'conflict', policies: { conflict: 'drop' } }, ['conflict', 'drop', 'keep']],
  [{ verdict: 'doneConflict' }, ['conflict', 'buried', 'keep']],
  [{ verdict: 'doneConflict', policies: { conflict: 'pass' } }, ['conflict', 'emitted', 'keep']],
]);

const reasons = (Object.keys(Unidentified) as (keyof typeof Unidentified)[]).filter(
  (reason) => reason !== 'no' && reason !== 'tooLarge',
);
for (const reason of reasons) {
  const pass = { unidentified: 'pass' } as const;
  becomes(`what has no id (${reason})`, [
    [{ reason, verdict: 'none' }, 'waits'],
    [{ reason, verdict: 'first' }, ['unidentified', 'bury', 'settle']],
    [{ reason, verdict: 'resumed' }, ['unidentified', 'bury', 'settle']],
    [{ reason, verdict: 'duplicate' }, ['duplicate', 'drop', 'keep']],
    [{ reason, verdict: 'held' }, 'waits'],
    [{ reason, verdict: 'doneFirst' }, ['unidentified', 'buried', 'keep']],
    [{ reason, verdict: 'doneResumed' }, ['unidentified', 'buried', 'keep']],
    [{ reason, verdict: 'doneConflict' }, ['unidentified', 'buried', 'keep']],
    [{ reason, verdict: 'first', policies: pass }, ['unidentified', 'emit', 'settle']],
    [{ reason, verdict: 'resumed', policies: pass }, ['unidentified', 'emit', 'settle']],
    [{ reason, verdict: 'duplicate', policies: pass }, ['duplicate', 'drop', 'keep']],
    [{ reason, verdict: 'doneFirst', policies: pass }, ['unidentified', 'emitted', 'keep']],
    [{ reason, verdict: 'doneResumed', policies: pass }, ['unidentified', 'emitted', 'keep']],
    [{ reason, verdict: 'first', time: 1 }, ['unidentified', 'bury', 'settle']],
    [{ reason, verdict: 'first', time: 1, policies: { late: 'drop' } }, ['unidentified', 'bury', 'settle']],
  ]);
}

becomes('what was too large to be kept whole never goes on', [
  [{ reason: 'tooLarge', verdict: 'first' }, ['unidentified', 'bury', 'settle']],
  [
    { reason: 'tooLarge', verdict: 'first', policies: { unidentified: 'pass' } },
    ['unidentified', 'bury', 'settle'],
  ],
  [{ reason: 'tooLarge', verdict: 'first', policies: { observe: true } }, ['unidentified', 'bury', 'settle']],
  [
    { reason: 'tooLarge', verdict: 'doneFirst', policies: { observe: true } },
    ['unidentified', 'buried', 'keep'],
  ],
]);

becomes('what is older than the window', [
  [{ verdict: 'first', time: 8_999 }, ['late', 'emit', 'settle']],
  [{ verdict: 'first', time: 9_000 }, ['first', 'emit', 'settle']],
  [{ verdict: 'first', time: 20_000 }, ['first', 'emit', 'settle']],
  [{ verdict: 'first', time: NaN }, ['first', 'emit', 'settle']],
  [{ verdict: 'first', time: 8_999, policies: { late: 'drop' } }, ['late', 'drop', 'release']],
  [{ verdict: 'first', time: 8_999, policies: { late: 'dead-letter' } }, ['late', 'bury', 'release']],
  [{ verdict: 'doneFirst', time: 8_999 }, ['late', 'emitted', 'keep']],
  [{ verdict: 'resumed', time: 8_999, policies: { late: 'drop' } }, ['resumed', 'emit', 'settle']],
  [{ verdict: 'duplicate', time: 8_999, policies: { late: 'dead-letter' } }, ['duplicate', 'drop', 'keep']],
  [{ verdict: 'conflict', time: 8_999 }, ['conflict', 'bury', 'settle']],
  [{ verdict: 'held', time: 8_999 }, 'waits'],
  [{ verdict: 'none', time: 8_999 }, 'waits'],
]);

const observe = {
  observe: true,
  conflict: 'drop',
  late: 'drop',
  unidentified: 'dead-letter',
} as const satisfies Partial<Policies>;
becomes('whoever only observes lets everything go on, whatever the other policies say', [
  [{ verdict: 'first', policies: observe }, ['first', 'emit', 'settle']],
  [{ verdict: 'resumed', policies: observe }, ['resumed', 'emit', 'settle']],
  [{ verdict: 'duplicate', policies: observe }, ['duplicate', 'emit', 'keep']],
  [{ verdict: 'conflict', policies: observe }, ['conflict', 'emit', 'keep']],
  [{ verdict: 'held', policies: observe }, ['duplicate', 'emit', 'keep']],
  [{ verdict: 'doneFirst', policies: observe }, ['first', 'emitted', 'keep']],
  [{ verdict: 'doneResumed', policies: observe }, ['resumed', 'emitted', 'keep']],
  [{ verdict: 'doneConflict', policies: observe }, ['conflict', 'emitted', 'keep']],
  [{ verdict: 'first', time: 8_999, policies: observe }, ['late', 'emit', 'settle']],
  [{ verdict: 'first', reason: 'missing', policies: observe }, ['unidentified', 'emit', 'settle']],
  [{ verdict: 'resumed', reason: 'missing', policies: observe }, ['unidentified', 'emit', 'settle']],
  [{ verdict: 'duplicate', reason: 'missing', policies: observe }, ['duplicate', 'emit', 'keep']],
  [{ verdict: 'doneFirst', reason: 'missing', policies: observe }, ['unidentified', 'emitted', 'keep']],
]);

describe('without an answer of the store', () => {
  const fatesOf = (policies: Partial<Policies>) => {
    const { no, missing, tooLarge } = Unidentified;
    const known = { verdicts: new Uint8Array(4), reasons: Uint8Array.of(no, missing, tooLarge, no), now };
    return [...deciding({ ...usualPolicies, ...policies }, windowMs)({ ...known, unchecked: [0, 1, 2] })];
  };
  const passes = Fate.of('unchecked', 'emit', 'keep');
  const buried = Fate.of('unidentified', 'bury', 'keep');
  test('what has an id passes, what has none is put aside', () =>
    assert.deepEqual(fatesOf({}), [passes, buried, buried, Fate.waits]));
  test('what has no id passes where it always does, unless it was cut', () =>
    assert.deepEqual(fatesOf({ unidentified: 'pass' }), [passes, passes, buried, Fate.waits]));
  test('everything that is whole passes for whoever only observes', () =>
    assert.deepEqual(fatesOf({ observe: true }), [passes, passes, buried, Fate.waits]));
});

test('each delivery of a batch has its own fate', () => {
  const fates = deciding(
    usualPolicies,
    windowMs,
  )({
    verdicts: Uint8Array.of(Verdict.first, Verdict.duplicate, Verdict.first, Verdict.first, Verdict.none),
    reasons: Uint8Array.of(0, 0, Unidentified.null, 0, 0),
    times: Float64Array.of(now, now, NaN, 5, NaN),
    now,
  });
  assert.deepEqual(
    [...fates],
    [
      Fate.of('first', 'emit', 'settle'),
      Fate.of('duplicate', 'drop', 'keep'),
      Fate.of('unidentified', 'bury', 'settle'),
      Fate.of('late', 'emit', 'settle'),
      Fate.waits,
    ],
  );
});
