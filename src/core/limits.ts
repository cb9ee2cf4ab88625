/** What one running pipeline keeps in hand at most. */
export interface Limits {
  readonly batchesInFlightMax: number;
  /** Deliveries of one partition between checkpoint and head; beyond, it is paused. */
  readonly aheadMax: number;
  /** Deliveries of one partition that wait for others; beyond, it is paused. */
  readonly waitingMax: number;
  /** How long a stop may finish what is in hand. */
  readonly drainMs: number;
  readonly auditEveryMs: number;
}
export const usualLimits: Limits = {
  batchesInFlightMax: 4,
  aheadMax: 1_000_000,
  waitingMax: 10_000,
  drainMs: 30_000,
  auditEveryMs: 60_000,
};

/** Deliveries of one batch at most, whatever the source: a claim of all of them is one call. */
export const batchSizeMax = 1 << 16;
