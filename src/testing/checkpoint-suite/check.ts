import type { CheckpointStore } from '../../core/checkpoint.ts';
import type { ManualClock } from '../manual-clock.ts';
import type { CheckOf } from '../suite.ts';

export interface CheckpointSupport {
  /** Commits of one call stand or fall each by itself; those of a committing sink do so together. */
  readonly apart: boolean;
}

/** What the suite has to know of a checkpoint store. */
export interface CheckpointBench {
  readonly supports: CheckpointSupport;
  /** A place without records of its own for each call. Epochs start at this clock, or at a later time. */
  open(clock: ManualClock): CheckpointPlace | Promise<CheckpointPlace>;
}

export interface CheckpointPlace {
  /** A worker's connection; what lives in one process may give the same one again. */
  connect(): CheckpointStore | Promise<CheckpointStore>;
  /** Closes what is connected and clears up. */
  close(): Promise<void>;
}

export type CheckpointCheck = CheckOf<CheckpointBench, CheckpointSupport>;
