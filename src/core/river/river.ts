import type { CheckpointStore } from '../checkpoint.ts';
import type { Clock } from '../clock.ts';
import type { Decide } from '../decide.ts';
import type { Ended, Notice, Wanted } from '../notice.ts';
import type { Policies } from '../policies.ts';
import type { Sink } from '../sink.ts';
import type { WindowStore } from '../store.ts';
import type { Change } from './change.ts';
import type { Delivery, Hand } from './hand.ts';
import type { Partition } from './partition.ts';
import type { Rooms } from './rooms.ts';

/** What every stage of one running pipeline shares. */
export interface River {
  readonly keySpace: string;
  readonly store: WindowStore;
  readonly sink: Sink;
  readonly deadLetters: Sink | undefined;
  readonly duplicates: Sink | undefined;
  readonly checkpoints: CheckpointStore;
  readonly sourceName: string;
  readonly policies: Policies;
  readonly decide: Decide;
  readonly clock: Clock;
  /** 0 … 1, for jitter */
  readonly random: () => number;
  readonly hand: Hand;
  readonly rooms: Rooms;
  /** Told after whatever somebody may wait for. */
  readonly change: Change;
  /** Ends every wait: what is not done by then is left for the next session. */
  readonly signal: AbortSignal;
  notify(notice: Notice): void;
  /** Asks until there is an answer. */
  patiently<T>(on: Wanted, work: () => Promise<T>): Promise<T>;
  /** Copies that lead now, since whoever led is gone: they are asked for. */
  follow(deliveries: readonly Delivery[]): void;
  /** Runs work in the background: a fault ends the pipeline, unless it was told to stop. Never rejects. */
  attempt(work: () => Promise<void>): Promise<void>;
  /** Something of the partition is done: whether it is read on may have changed. */
  regulate(partition: Partition): void;
  /** The checkpoint of the partition is durable: its tail goes when the store is asked next. */
  trim(partition: Partition): void;
  /** The partition's session is over. */
  end(partition: Partition, reason: Ended, storeEpoch?: number): void;
}
