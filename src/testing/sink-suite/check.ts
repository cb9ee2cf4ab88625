import type { Manner, Sink } from '../../core/sink.ts';
import type { CheckOf } from '../suite.ts';

export interface SinkSupport {
  /** Any bytes are taken; without it payloads are text without line breaks, and what is no text may be rejected. */
  readonly binary: boolean;
  /** What is written is there when `write` resolves; without it when the output is finished or committed. */
  readonly durable: boolean;
  /** The place can be told to refuse a payload. */
  readonly refuses: boolean;
  /** The place can be told to fail for a while. */
  readonly fails: boolean;
  /** Whoever reads the place sees how each delivery came. */
  readonly manners: boolean;
}

/** What the suite has to know of a sink. */
export interface SinkBench {
  readonly supports: SinkSupport;
  /** An empty place of its own for each call. */
  open(): SinkPlace | Promise<SinkPlace>;
}

export interface SinkPlace {
  readonly sink: Sink;
  /**
   * What somebody finds there now, in order; a place that is not durable is finished or committed for it, and not
   * written to any more.
   */
  read(): readonly Arrival[] | Promise<readonly Arrival[]>;
  /** From now on it refuses this payload for good. */
  refuse?(payload: string): void;
  /** It cannot take this payload, or anything at all, until it is mended. */
  fail?(payload: string): void;
  mend?(): void;
  /** Closes the sink and clears up. */
  close(): Promise<void>;
}

/** One delivery as it arrived. */
export interface Arrival {
  readonly payload: Uint8Array;
  readonly manner?: Manner;
}

export type SinkCheck = CheckOf<SinkBench, SinkSupport>;
