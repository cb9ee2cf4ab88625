import type { Source } from '../../core/source.ts';
import type { CheckOf } from '../suite.ts';
import type { Limit } from './reader.ts';

export interface SourceSupport {
  /** The same delivery comes again under the same position; without it what was given is gone. */
  readonly replays: boolean;
  /** Payloads may be any bytes; without it they are lines: not empty, without line breaks. */
  readonly binary: boolean;
  /** Partitions are read side by side; without it there is one, or one after another. */
  readonly sideBySide: boolean;
  /** It ends when everything is read; without it, it waits for more. */
  readonly ends: boolean;
  /** What is appended while it is read comes as well. */
  readonly grows: boolean;
  /** Partitions can be taken away from a connection, and given back. */
  readonly revokes: boolean;
  /** What is old can be removed before it was read. */
  readonly retains: boolean;
  /** Partitions can be removed altogether. */
  readonly retires: boolean;
}

/** What the suite has to know of a source. */
export interface SourceBench {
  readonly supports: SourceSupport;
  /** A place with a partition for each log, and nothing else. */
  open(logs: readonly (readonly Uint8Array[])[]): SourcePlace | Promise<SourcePlace>;
  /** Resolves when whatever comes by itself has come: some turns of the event loop, unless a network is between. */
  readonly quiet?: Limit;
  /** Resolves when it is too late for what has to come; without it there is no limit but that of the test runner. */
  readonly overdue?: Limit;
}

export interface SourcePlace {
  /** As the source calls them, in the order of the logs. */
  readonly partitions: readonly string[];
  /** A connection that has all partitions, and reads from the beginning what is started without a position. */
  connect(): Source | Promise<Source>;
  append?(partition: string, payloads: readonly Uint8Array[]): void | Promise<void>;
  /** From the latest connection. */
  revoke?(partition: string): void | Promise<void>;
  /** To the latest connection. */
  giveBack?(partition: string): void | Promise<void>;
  /** All deliveries of the partition but the last so many are gone. */
  retain?(partition: string, count: number): void | Promise<void>;
  retire?(partition: string): void | Promise<void>;
  /** Closes what is connected and clears up. */
  close(): Promise<void>;
}

export type SourceCheck = CheckOf<SourceBench, SourceSupport>;
