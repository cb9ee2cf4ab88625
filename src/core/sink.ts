import type { Batch } from './event.ts';
import type { CheckpointStore } from './checkpoint.ts';

/**
 * Where first deliveries go: the place of the side effect. Also used for dead letters and dropped duplicates.
 *
 * Obligations: payloads leave as they came; within a partition the order of the calls and of the picks is kept (one
 * call of a partition is in flight at a time, those of several may overlap); when `write` resolves, what it does not
 * name in its answer is durable (a committing sink: staged). It answers for each delivery: *rejected* = will never be
 * taken (too large, wrong type, 4xx), *unavailable* = later (refused connection, time-out, 429, 5xx), and so is what
 * stands behind it in the partition; a throw means that all of them are unavailable. What is unavailable is offered
 * again as picks of the same batch. It may have been written all the same: at most a repeat.
 */
export interface Sink {
  write(outgoing: Outgoing, signal: AbortSignal): Promise<Written>;
  close(): Promise<void>;
}

/**
 * A sink that stores its output together with the checkpoints. `write` stages, `commit` makes all that is staged
 * durable with the checkpoints or nothing of it; `abort` drops what is staged. It hands out its own epochs.
 */
export interface CommittingSink extends Sink, CheckpointStore {
  abort(): Promise<void>;
}

export function isCommitting(sink: Sink): sink is CommittingSink {
  return 'abort' in sink && 'commit' in sink && 'take' in sink;
}

/** Some deliveries of one batch, in order. */
export interface Outgoing {
  readonly batch: Batch;
  readonly indices: Uint32Array;
  /** How each delivery comes, `Manner` as a byte for each index; absent = all ordinary. */
  readonly manners?: Uint8Array;
}

/**
 * What a sink or handler should know of a delivery beyond its bytes: duplicate detection is not order. `resumed` = it
 * was cut off or had to wait, and may come after its successors.
 */
export const Manner = { ordinary: 0, resumed: 1, unchecked: 2, unmarked: 3, redriven: 4 } as const;
export type Manner = (typeof Manner)[keyof typeof Manner];

/** Nothing named = all is durable (or staged). `at` counts within `outgoing.indices`. */
export interface Written {
  readonly rejected?: readonly Rejection[];
  readonly unavailable?: {
    readonly at: readonly number[];
    readonly reason: string;
    readonly retryAfterMs?: number;
  };
}
export interface Rejection {
  readonly at: number;
  readonly reason: string;
}
export const allWritten: Written = {};
