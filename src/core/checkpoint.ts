import type { Totals } from './totals.ts';

/**
 * Where a partition never has to be read again below, together with the epoch that fences it. Epochs come from
 * here and never from the window store: whoever fences the commits gives the numbers.
 *
 * Obligations: `take` raises the epoch and reads the checkpoint in one step; after it commits of every *other*
 * epoch are refused (equal, not "older"); a number never comes again, so where there is no record the epoch starts
 * at the clock (µs); each partition keeps its own writer, and none where an operator moved the checkpoint.
 */
export interface CheckpointStore {
  /** A partition that belongs to somebody else by now is left out of the answer. */
  take(takes: readonly Take[]): Promise<Taken[]>;
  /** Durable when resolved. Names the partitions whose epoch is over. A committing sink commits all of them or none. */
  commit(commits: readonly Commit[]): Promise<Committed>;
  close(): Promise<void>;
}

export interface Committed {
  readonly fenced: readonly string[];
  /** Only of a committing sink: the transaction was given up, nothing of it is durable. */
  readonly aborted?: boolean;
}

export interface Take {
  readonly partition: string;
  /** An epoch that the window store told with `fenced`; the new one is above it. */
  readonly above: number;
}
export interface Taken {
  readonly partition: string;
  readonly epoch: number;
  /** Where to read from; `undefined` = nothing was ever committed, the source says where it begins. */
  readonly checkpoint: number | undefined;
  /** The epoch that wrote the checkpoint; `undefined` = an operator moved it. */
  readonly writer: number | undefined;
  readonly totals: Totals;
}
export interface Commit {
  readonly partition: string;
  readonly epoch: number;
  readonly checkpoint: number;
  /** Of all deliveries below the checkpoint, so that the books go back with the reader. */
  readonly totals: Totals;
  /** An operator moves it: what is stored has no writer, so no claim is settled for lying below it. */
  readonly moved?: boolean;
}

/** All that is stored, as a take would tell it; nothing is taken. */
export interface CheckpointList {
  readonly list: () => Promise<readonly Taken[]>;
}
