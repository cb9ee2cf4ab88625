/**
 * The books. At every moment `received = sum of verdicts + in flight` and
 * `received = emitted + dead-lettered + dropped + in flight`: each delivery is booked once, at its outcome.
 */
export const verdictNames = [
  'first',
  'resumed',
  'duplicate',
  'conflict',
  'late',
  'unidentified',
  'unchecked',
] as const;
export const outcomeNames = ['emitted', 'dead_lettered', 'dropped'] as const;
export type VerdictName = (typeof verdictNames)[number];
export type OutcomeName = (typeof outcomeNames)[number];

/** Counts of deliveries that have their outcome. */
export type Totals = Readonly<Record<VerdictName | OutcomeName, number>>;

export const zeroTotals: Totals = {
  first: 0,
  resumed: 0,
  duplicate: 0,
  conflict: 0,
  late: 0,
  unidentified: 0,
  unchecked: 0,
  emitted: 0,
  dead_lettered: 0,
  dropped: 0,
};

/** One delivery's line in the books as a byte: never 0. */
export type Entry = number;

export function entry(verdict: VerdictName, outcome: OutcomeName): Entry {
  return 1 + verdictNames.indexOf(verdict) * outcomeNames.length + outcomeNames.indexOf(outcome);
}
export const entryKinds = 1 + verdictNames.length * outcomeNames.length;

/** Adds up `tally[entry] = count of deliveries` to the totals. */
export function book(totals: Totals, tally: ArrayLike<number>): Totals {
  const sum: Record<VerdictName | OutcomeName, number> = { ...totals };
  verdictNames.forEach((verdict, v) => {
    outcomeNames.forEach((outcome, o) => {
      const n = tally[1 + v * outcomeNames.length + o];
      sum[verdict] += n;
      sum[outcome] += n;
    });
  });
  return sum;
}

export function addTotals(a: Totals, b: Totals): Totals {
  const sum: Record<VerdictName | OutcomeName, number> = { ...a };
  for (const name of [...verdictNames, ...outcomeNames]) sum[name] += b[name];
  return sum;
}

/** Deliveries with an outcome: the sum over the verdicts, which is also the sum over the outcomes. */
export function booked(totals: Totals): number {
  return verdictNames.reduce((sum, name) => sum + totals[name], 0);
}
