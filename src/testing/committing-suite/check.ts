import type { CommittingSink, Sink } from '../../core/sink.ts';
import type { ManualClock } from '../manual-clock.ts';
import type { CheckOf } from '../suite.ts';

export interface CommittingSupport {
  /** Each connection has a sink for dead letters in the same transaction. */
  readonly deadLetters: boolean;
}

/** What the suite has to know of a committing sink. */
export interface CommittingBench {
  readonly supports: CommittingSupport;
  /** An empty place without checkpoints of its own for each call. Epochs start at this clock, or at a later time. */
  open(clock: ManualClock): CommittingPlace | Promise<CommittingPlace>;
}

export interface CommittingPlace {
  /** A worker's connection, with transactions of its own. */
  connect(): Connection | Promise<Connection>;
  /** The payloads that somebody finds there now, in order. */
  read(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  readDeadLetters?(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Closes what is connected and clears up. */
  close(): Promise<void>;
}

export interface Connection {
  readonly sink: CommittingSink;
  readonly deadLetters?: Sink;
}

export type CommittingCheck = CheckOf<CommittingBench, CommittingSupport>;
