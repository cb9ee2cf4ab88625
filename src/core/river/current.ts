import type { Delivery } from './hand.ts';
import type { Part } from './part.ts';

/** What carries parts down the river: at least once, or in transactions. */
export interface Current {
  /** Takes parts over, in the order of reading. */
  carry(parts: readonly Part[]): void;
  /** Takes copies over that lead now, since whoever led is gone. */
  follow(deliveries: readonly Delivery[]): void;
  /** Work that must not meet a transaction: nothing is staged while it goes on. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when there is room for more, or the signal ends the wait. */
  room(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when everything has its outcome and is checkpointed (what waits for others too, unless told not to care),
   * or the signal ends the wait.
   */
  settled(options: { evenHeld: boolean; signal: AbortSignal }): Promise<void>;
}

/** How long what is held waits before it is asked again: soon at first, then ever less often. */
export const askAgainMs = { first: 50, most: 1_000 } as const;
