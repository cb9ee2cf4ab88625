import type { Batch } from './stream.ts';

/** A store that is measured. An answer comes when what it says is on the disk. */
export interface Contender {
  /** Answers how many keys are first; all others must be settled. */
  claim(batch: Batch): Promise<number>;
  /** The effect is durable: what was first is settled, and its entries leave the tail. */
  finish(batch: Batch): Promise<void>;
  /** In memory, by its own count. */
  bytes?(): number;
  close(): Promise<void>;
}
