import type { Notice } from '../../core/notice.ts';
import { unidentifiedReasons } from '../../core/identity.ts';
import { verdictOf, Fate } from '../../core/river/fate.ts';
import type { Arrivals } from './arrivals.ts';

/** Upper bounds in ms, and how they are called. */
export const ageBuckets = [
  [1_000, 'under 1 s'],
  [10_000, 'under 10 s'],
  [60_000, 'under 1 min'],
  [600_000, 'under 10 min'],
  [3_600_000, 'under 1 h'],
  [21_600_000, 'under 6 h'],
  [86_400_000, 'under 24 h'],
  [Infinity, '24 h or more'],
] as const;

/** Counts what the books do not tell: the age of duplicates, why events have no id, and which have no time. */
export class Tally {
  readonly duplicateAges = new Float64Array(ageBuckets.length);
  readonly unidentified = new Float64Array(unidentifiedReasons.length);
  /** Identified events whose own time cannot be read; only where events have one. */
  withoutTime: number | undefined;
  readonly #arrivals: Arrivals | undefined;

  /** With `arrivals` a duplicate is as old as its own time says, else as its first copy is. */
  constructor(arrivals: Arrivals | undefined) {
    this.#arrivals = arrivals;
    if (arrivals) this.withoutTime = 0;
  }

  hear(notice: Notice): void {
    if (notice.type !== 'booked') return;
    const { fates, accepted, now, keys, batch } = notice.part;
    for (let i = 0; i < fates.length; i++) {
      if (fates[i] === Fate.waits) continue;
      const verdict = verdictOf(fates[i]);
      const time = keys.times?.[i] ?? NaN;
      if (verdict === 'unidentified') this.unidentified[keys.reasons[i]]++;
      else if (this.withoutTime !== undefined && time !== time) this.withoutTime++;
      if (verdict !== 'duplicate') continue;
      const known =
        time === time ? this.#arrivals?.ageOf(batch.partition, batch.positions[i], time) : undefined;
      const age = known ?? now - accepted[i];
      this.duplicateAges[ageBuckets.findIndex(([most]) => age < most)]++;
    }
  }
}
