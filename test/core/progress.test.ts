import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Progress, type Ahead } from '../../src/core/river/progress.ts';
import {
  addTotals,
  booked,
  entry,
  outcomeNames,
  verdictNames,
  zeroTotals,
  type OutcomeName,
  type Totals,
  type VerdictName,
} from '../../src/core/totals.ts';

type Line = readonly [VerdictName, OutcomeName];

/** The same with nothing but an array: everything that was ever read, in order. */
class Naive {
  readonly deliveries: { readonly position: number; line: Line | undefined }[] = [];
  checkpoint: number | undefined;
  next: number | undefined;
  base = 0;
  moved = false;

  constructor(checkpoint: number | undefined) {
    this.checkpoint = this.next = checkpoint;
  }

  read(positions: readonly number[], next: number): void {
    for (const position of positions) this.deliveries.push({ position, line: undefined });
    this.next = Math.max(this.next ?? -Infinity, next);
    this.moved = true;
  }
  totals(to = this.deliveries.length): Totals {
    return this.deliveries
      .slice(0, to)
      .reduce((sum, { line }) => (line ? addTotals(sum, one(line)) : sum), zeroTotals);
  }
  prefix(): number {
    const open = this.deliveries.findIndex(({ line }) => !line);
    return open < 0 ? this.deliveries.length : open;
  }
  peek(): Ahead | undefined {
    const through = this.prefix();
    const isWhole = through === this.deliveries.length;
    if (through === this.base && !(isWhole && this.moved)) return undefined;
    const checkpoint = isWhole ? this.next : this.deliveries[through].position;
    return checkpoint === undefined ? undefined : { checkpoint, totals: this.totals(through), through };
  }
}

function one([verdict, outcome]: Line): Totals {
  return { ...zeroTotals, [verdict]: 1, [outcome]: 1 };
}

const line = fc.tuple(fc.constantFrom(...verdictNames), fc.constantFrom(...outcomeNames));
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('begin' as const), gaps: fc.array(fc.nat(3), { maxLength: 40 }), after: fc.nat(5) }) },
  { weight: 8, arbitrary: fc.record({ what: fc.constant('finish' as const), which: fc.nat(), line, many: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('reopen' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('peek' as const) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('advance' as const) }) },
); // prettier-ignore

test('it does what an array does: the checkpoint is the contiguous prefix, the totals are its tally', () => {
  fc.assert(
    fc.property(
      fc.option(fc.nat(100), { nil: undefined }),
      fc.array(step, { maxLength: 120, size: 'max' }),
      (from, steps) => {
        const progress = new Progress(from);
        const naive = new Naive(from);
        /** Where a checkpoint may move to that was not told as durable yet; a reopened number ends it. */
        let offered: Ahead | undefined;
        for (const each of steps) {
          if (each.what === 'begin') {
            let position = naive.next ?? 0;
            const positions = each.gaps.map((gap) => (position += gap + 1) - 1);
            naive.read(positions, position + each.after);
            const numbers = progress.begin(Float64Array.from(positions), position + each.after);
            assert.deepEqual(
              [...numbers],
              positions.map((_, i) => naive.deliveries.length - positions.length + i),
            );
          } else if (each.what === 'finish') {
            for (let k = 0; k <= each.many; k++) {
              const open = naive.deliveries.flatMap(({ line }, n) => (line ? [] : [n]));
              if (open.length === 0) break;
              const n = open[(each.which + 7 * k) % Math.min(open.length, 20)];
              naive.deliveries[n].line = each.line;
              progress.finish(n, entry(...each.line));
            }
          } else if (each.what === 'reopen') {
            const done = naive.deliveries.flatMap(({ line }, n) => (line && n >= naive.base ? [n] : []));
            if (done.length === 0) continue;
            const n = done[each.which % done.length];
            naive.deliveries[n].line = undefined;
            progress.reopen(n);
            offered = undefined;
          } else if (each.what === 'peek') {
            offered = progress.peek();
            assert.deepEqual(offered, naive.peek());
          } else if (offered) {
            progress.advance(offered);
            naive.checkpoint = offered.checkpoint;
            naive.base = offered.through;
            if (offered.through === naive.deliveries.length) naive.moved = false;
            offered = undefined;
          }
          assert.equal(progress.ahead, naive.deliveries.length - naive.base);
          assert.equal(progress.checkpoint, naive.checkpoint);
          assert.equal(progress.readTo, naive.next ?? -Infinity);
          assert.deepEqual(progress.totals, naive.totals(naive.base));
          assert.deepEqual(progress.liveTotals(), naive.totals());
        }
        assert.deepEqual(progress.peek(), naive.peek());
      },
    ),
    { numRuns: 300 },
  );
});

test('the ring grows with what is unfinished and forgets nothing of it', () => {
  const progress = new Progress(0);
  const count = 5_000;
  const emitted = entry('first', 'emitted');
  const read = (from: number): void => {
    progress.begin(
      Float64Array.from({ length: 500 }, (_, i) => 3 * (from + i)),
      3 * (from + 500),
    );
  };
  // The ring has gone round before it grows, so that what it holds lies across its end.
  for (let from = 0; from < 1_000; from += 500) read(from);
  for (let n = 0; n < 900; n++) progress.finish(n, emitted);
  const first = progress.peek();
  assert.equal(first?.checkpoint, 3 * 900);
  progress.advance(first);
  for (let from = 1_000; from < count; from += 500) read(from);
  for (let n = count - 1; n > 950; n--) progress.finish(n, emitted);
  assert.equal(progress.peek(), undefined);
  assert.equal(progress.ahead, count - 900);
  for (let n = 900; n < 950; n++) progress.finish(n, emitted);
  assert.equal(progress.peek()?.checkpoint, 3 * 950, 'a position from before it grew');
  progress.finish(950, emitted);
  const last = progress.peek();
  assert.equal(last?.checkpoint, 3 * count);
  assert.equal(booked(last.totals), count);
  assert.equal(last.totals.emitted, count);
});

test('positions that are skipped at the end move the checkpoint too', () => {
  const progress = new Progress(undefined);
  assert.equal(progress.peek(), undefined);
  progress.begin(new Float64Array(0), 12);
  const ahead = progress.peek();
  assert.equal(ahead?.checkpoint, 12);
  progress.advance(ahead);
  assert.equal(progress.peek(), undefined);
});

test('the totals go on from those of the checkpoint', () => {
  const before = { ...zeroTotals, first: 7, emitted: 7 };
  const progress = new Progress(7, before);
  assert.deepEqual(progress.liveTotals(), before);
  progress.begin(Float64Array.of(7, 8), 9);
  progress.finish(0, entry('duplicate', 'dropped'));
  assert.deepEqual(progress.totals, before);
  assert.deepEqual(progress.liveTotals(), { ...before, duplicate: 1, dropped: 1 });
  assert.deepEqual(progress.peek(), {
    checkpoint: 8,
    totals: { ...before, duplicate: 1, dropped: 1 },
    through: 1,
  });
});
