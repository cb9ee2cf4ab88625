/** What the store finds for a key, as a byte; `WindowStore.claim` has the rules. */
export const Verdict = {
  /** The delivery waits for another one and has no verdict yet. */
  none: 0,
  first: 1,
  resumed: 2,
  duplicate: 3,
  conflict: 4,
  /** A live claim of somebody else: not an outcome, ask again. */
  held: 5,
  /** Settled by this very delivery: nothing is done again, it is booked as what it was. */
  doneFirst: 6,
  doneResumed: 7,
  /** The delivery was in conflict and what a policy did with it is settled under its position and bytes. */
  doneConflict: 8,
} as const;
export type Verdict = (typeof Verdict)[keyof typeof Verdict];
