import type { Batch } from './stream.ts';

/** A store that is measured. It answers when what it says is as durable as it can make it. */
export interface Contender {
  /** Answers how many keys are first; all others must be settled. */
  claim(batch: Batch): Promise<number>;
  /** The effect is durable: what was first is settled. */
  settle(batch: Batch): Promise<void>;
  /** In memory, by its own count. */
  bytes?(): number;
  close(): Promise<void>;
}
