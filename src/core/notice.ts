import type { Part } from './river/part.ts';

/** What the engine tells whoever listens: logs, metrics, progress. Listeners must not throw and must be quick. */
export type Notice =
  /** Deliveries got their outcome: `part.fates`, `part.accepted` and `part.now` say which. */
  | { readonly type: 'booked'; readonly part: Part }
  | {
      readonly type: 'taken';
      readonly partition: string;
      readonly epoch: number;
      readonly checkpoint: number | undefined;
    }
  | { readonly type: 'ended'; readonly partition: string; readonly reason: 'fenced' | 'revoked' | 'stopped' }
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

export type Wanted = 'store' | 'sink' | 'dead-letters' | 'duplicates' | 'checkpoints';
