import type { Batch } from './event.ts';
import type { Keys } from './identity.ts';

/** Deliveries of one batch that went down the river together; arrays have an element for each, to be read only. */
export interface Booked {
  readonly batch: Batch;
  readonly keys: Keys;
  /** `Verdict` bytes. */
  readonly verdicts: ArrayLike<number>;
  /** `Fate` bytes; 0 = it waits still and is told later. */
  readonly fates: ArrayLike<number>;
  /** When the key was first accepted, ms since 1970; only of what was claimed. */
  readonly accepted: ArrayLike<number>;
  /** The store's time, ms since 1970. */
  readonly now: number;
}

/** What the engine tells whoever listens: logs, metrics, progress. Listeners must not throw and must be quick. */
export type Notice =
  /** Deliveries got their outcome. What is told may change afterwards: whoever needs it longer copies it. */
  | { readonly type: 'booked'; readonly part: Booked }
  | {
      readonly type: 'taken';
      readonly partition: string;
      readonly epoch: number;
      readonly checkpoint: number | undefined;
    }
  | { readonly type: 'ended'; readonly partition: string; readonly reason: Ended }
  | { readonly type: 'retired'; readonly partition: string }
  | {
      readonly type: 'gap';
      readonly partition: string;
      readonly from: number;
      readonly to: number;
      readonly reason: string;
    }
  /** Something does not answer and is asked again. */
  | {
      readonly type: 'waiting';
      readonly on: Wanted;
      readonly attempt: number;
      readonly ms: number;
      readonly error: unknown;
    }
  /** A copy has waited long for somebody else's live claim. */
  | { readonly type: 'held'; readonly partition: string; readonly position: number; readonly forMs: number }
  /** Claims that were cut off before they were settled: their effect may have been repeated. */
  | { readonly type: 'overtaken'; readonly partition: string; readonly count: number }
  /** The store has lost marks: what was lately finished is said again. */
  | { readonly type: 'marks-lost' };

/** Why a session is over; `moved` = an operator moves the checkpoint. */
export type Ended = 'fenced' | 'revoked' | 'moved' | 'stopped';
export type Wanted = 'store' | 'sink' | 'dead-letters' | 'duplicates' | 'checkpoints';
