import { pickNumbers, pickWords } from './pick.ts';
import type { PartitionSession, Session } from './session.ts';

/**
 * The window store: what was seen, for one window. A key is **none**, **open** (a session works on it) or
 * **settled** (its effect is durable); only settled makes a duplicate.
 *
 * Obligations of every implementation:
 * - each call is atomic for each key, not for the whole batch;
 * - a call that is sent twice, or whose reply was lost, gets the same answer again;
 * - an open claim and its mark live and die together: no fault may turn open into settled;
 * - a settled mark stays for the window, and as long as its entry is in the tail (see `trim`);
 * - a failed call throws a `HapaxError` of the store and may or may not have happened.
 * Settles, trims and audits may wait a moment to ride on the next claim; their promise resolves when they are durable.
 * Not the store's job: order, policies, waiting for a held key.
 */
export interface WindowStore {
  readonly supports: StoreSupport;
  /** As configured; a store that had to shrink it says so in its stats. */
  readonly windowMs: number;
  /**
   * Opens partitions before anything of them is read. An epoch not above the store's is fenced (one that is sent
   * again takes again). Settled entries of the tail are marked anew. Where `settleBelow` is given (committing
   * sinks), the open claims of session `writer` below it are settled, and no others.
   */
  enter(entries: readonly Enter[]): Promise<Entered[]>;
  /**
   * Who is first? Verdicts in the order of the keys. The first rule that matches counts:
   * 1. an older epoch: the whole call is fenced (a newer epoch is learnt);
   * 2. settled under its stand-in: `doneConflict` for this very delivery, else `duplicate`;
   * 3. no mark in the window: `first`;
   * 4. another body on a settled mark or a live claim: `conflict`;
   * 5. settled by this very delivery, whose entry is in the tail: `doneFirst` or `doneResumed`;
   * 6. settled: `duplicate`;
   * 7. open by this very claim: what it was answered before;
   * 8. open and cut off, or `takeOver`: `resumed`, with its time and body renewed;
   * 9. open and alive: `held`.
   */
  claim(claim: Claim): Promise<Claimed>;
  /** The effect is durable. From anyone, repeatable, never refused; 1 = the caller's claim was cut off (`overtaken`). */
  settle(claims: Claims): Promise<Uint8Array>;
  /** Takes an open mark back if it is this very claim and its session lives: 1, else 0 and nothing happens. */
  release(claims: Claims): Promise<Uint8Array>;
  /**
   * The checkpoint of the partition is durable at `below`: settled entries below it go and leave their marks, a
   * cut-off open entry goes together with the mark that names it, a live one stays.
   */
  trim(session: PartitionSession, below: number): Promise<Fenced | undefined>;
  /**
   * This session's open claims that are not listed are cut off. Teaches the store the epoch. An audit that a later
   * claim has overtaken (a greater `call`) knows too little and is ignored.
   */
  audit(session: PartitionSession, audit: Audit): Promise<Fenced | undefined>;
  /** An operator's word: settled or cut off becomes none (`forgotten`), a live claim is `refused`. */
  forget(fingerprints: Uint32Array): Promise<('none' | 'forgotten' | 'refused')[]>;
  look(fingerprints: Uint32Array): Promise<Sight[]>;
  stats(): StoreStats;
  /** Calls back when marks were lost (flush, restore, lagging replica promoted), until what it returns is called. */
  onLoss(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface StoreSupport {
  /** Settled marks survive a kill of this process; without it a restart may repeat a window of events. */
  readonly durable: boolean;
  /** Several processes may use it at once; without it a second worker has a window of its own. */
  readonly shared: boolean;
  /** Lease sessions can claim; without it only sources with positions can use it. */
  readonly leases: boolean;
  /** Body checksums are kept; without it `conflict` is never answered. */
  readonly bodies: boolean;
}

export interface Enter {
  readonly session: PartitionSession;
  readonly settleBelow?: { readonly checkpoint: number; readonly writer: number };
}
export interface Fenced {
  /** The epoch that the store knows; take again above it. */
  readonly fenced: number;
}
export type Entered = Fenced | undefined;

/**
 * Fingerprints are four words a key, of which 112 bits count; the other arrays have an element for each key. The arrays
 * are not changed any more by whoever gave them, so a store may keep them.
 */
export interface Claims {
  readonly session: Session;
  /** Which elements are meant, in order; absent = all. Answers have an element for each that is meant. */
  readonly indices?: Uint32Array;
  readonly fingerprints: Uint32Array;
  readonly positions: Float64Array;
  /** Checksums of the bodies, two words a key; a settle stores them. */
  readonly bodies?: Uint32Array;
}
export interface Claim extends Claims {
  /** Numbers the claims of a partition session in the order of asking; the same again when it is sent again. */
  readonly call: number;
  /** Keys by position and bytes; a settled mark under one is looked for before its key (only where bodies are checked). */
  readonly standIns?: Uint32Array;
  /** Ends a wait for a live owner: such keys are taken over instead of `held` (costs one more emission at most). */
  readonly takeOver?: boolean;
}
/** Everything that the session believes it has, or has asked for, up to claim number `call`. */
export interface Audit extends Claims {
  readonly call: number;
}
export type Claimed = Fenced | Verdicts;
export interface Verdicts {
  readonly verdicts: Uint8Array;
  /** When each key was first accepted, ms since 1970 to within a tick; for `first` and `resumed` it is `now`. */
  readonly accepted: Float64Array;
  /** The store's time. */
  readonly now: number;
  /** Only for leases: the fence of each claim, a number that only grows. */
  readonly fences?: Float64Array;
}

export type Sight =
  | { readonly state: 'none' }
  | {
      readonly state: 'settled';
      readonly acceptedAt: number;
      readonly endsAt: number;
      /** Whose it was, as long as its entry is in the tail. */
      readonly owner?: Session;
      readonly position?: number;
    }
  | {
      readonly state: 'open';
      readonly acceptedAt: number;
      readonly owner: Session;
      readonly position: number;
      readonly alive: boolean;
    };

export interface StoreStats {
  readonly marks: number;
  readonly open: number;
  readonly tail: number;
  readonly bytes: number;
  /** Only where it is kept on a disk of its own. */
  readonly diskBytes?: number;
  /** ms */
  readonly oldestAcceptedAt: number | undefined;
  /** ms; only while a full store that was told to shrink keeps less than the window. */
  readonly effectiveWindowMs?: number;
}

/** How many keys are meant. */
export function countOf({ indices, positions }: Claims): number {
  return indices ? indices.length : positions.length;
}

/** The same claims with arrays of just what is meant, for a store that wants them so. */
export function chosen<T extends Claims & Pick<Claim, 'standIns'>>(claims: T): T {
  const { indices, fingerprints, positions, bodies, standIns, ...rest } = claims;
  if (!indices) return claims;
  return {
    ...rest,
    fingerprints: pickWords(fingerprints, 4, indices),
    positions: pickNumbers(positions, indices),
    ...(bodies && { bodies: pickWords(bodies, 2, indices) }),
    ...(standIns && { standIns: pickWords(standIns, 4, indices) }),
  } as unknown as T;
}
