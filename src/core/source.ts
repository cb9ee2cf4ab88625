import type { Batch } from './event.ts';

/**
 * Where deliveries come from. The engine pulls one happening at a time; a source never runs ahead of it by more
 * than its own bounded buffer.
 *
 * Obligations: positions rise within a partition; batches of a partition come in order, payloads byte for byte, and
 * what was given is not changed any more; nothing of a partition is given before `start`, nothing after its `revoked`;
 * what can no longer be read is told as a `gap`, never skipped in silence. A batch may be given again (after a
 * reconnect): the engine drops what its session has read. A wait that its signal ends loses nothing.
 */
export interface Source {
  /** Resolves with what happens next; `undefined` when the signal ended the wait. */
  next(signal: AbortSignal): Promise<Happening | undefined>;
  /**
   * Reads the partition from here, whether it was paused or not; `undefined` = from where the source's own setting
   * says. Called again it goes back: the next that is given stands here, and nothing of before comes any more.
   */
  start(partition: string, position: number | undefined): void;
  /** Nothing of it is given by waits that begin after this, until `resume` or `start`. */
  pause(partition: string): void;
  resume(partition: string): void;
  close(): Promise<void>;
}

export type Happening =
  | { readonly type: 'batches'; readonly batches: readonly Batch[] }
  /** These partitions are ours now; they are read after `start`. */
  | { readonly type: 'assigned'; readonly partitions: readonly string[] }
  /** These go to somebody else; what is in hand may be finished within the time, then `done` is called. */
  | {
      readonly type: 'revoked';
      readonly partitions: readonly string[];
      readonly drainMs: number;
      readonly done: () => void;
    }
  /** The source no longer lists these: they are taken and entered once, so that nothing waits for them. */
  | { readonly type: 'retired'; readonly partitions: readonly string[] }
  | {
      readonly type: 'gap';
      readonly partition: string;
      readonly from: number;
      readonly to: number;
      readonly reason: string;
    }
  | { readonly type: 'end' };
