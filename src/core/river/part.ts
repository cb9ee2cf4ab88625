import { pick, type Batch } from '../event.ts';
import type { Keys } from '../identity.ts';
import { pickNumbers, pickWords } from '../pick.ts';
import type { Claim, Claims } from '../store.ts';
import { Verdict } from '../verdict.ts';
import type { Place } from './line.ts';
import type { Partition } from './partition.ts';

/** Whether a delivery follows a copy that was read earlier and is in hand. */
export const Follows = {
  nobody: 0,
  /** It is not claimed before that one is done. */
  waits: 1,
  /** That one's key turned out to be taken, so there is no claim to wait for: it was asked for as well. */
  along: 2,
  /** It goes on in another part. */
  elsewhere: 3,
} as const;
export type Follows = (typeof Follows)[keyof typeof Follows];

const nobody: readonly number[] = [];

/**
 * Some deliveries of one partition on their way down the river, with what is known of each. What has to wait is
 * split off into a part of its own (`Hand.split`), so that the rest goes on.
 */
export class Part {
  readonly partition: Partition;
  readonly batch: Batch;
  readonly keys: Keys;
  /** Their numbers in the partition's progress. */
  readonly numbers: Float64Array;
  readonly verdicts: Uint8Array;
  readonly accepted: Float64Array;
  /** 1 = it stands for its key in the hand; copies of it wait. */
  readonly leads: Uint8Array;
  /** `Follows` as a byte. */
  readonly follows: Uint8Array;
  /** 1 = in conflict: it goes by its key of position and bytes. */
  readonly standsIn: Uint8Array;
  fates: Uint8Array;
  /** A claim is under way. */
  asking = false;
  /** Why the sink rejected a delivery. */
  readonly rejections = new Map<number, string>();
  /** The store's time at the last answer, ms since 1970. */
  now = 0;
  /** It waited while work went on behind it, so it may come after its successors. */
  waited = false;
  /** Since when it waits for somebody else's claim (monotonic ms). */
  heldSince: number | undefined;
  /** Its place in the order of reading over all partitions of the worker. */
  readAt = 0;
  /** Its number in the hand while some of it leads. */
  slot = -1;
  /** By index, of what has copies in hand. */
  places: Map<number, Place> | undefined;
  /** Copies that stayed behind when the rest of their part was done. */
  isLeftBehind = false;

  constructor(partition: Partition, batch: Batch, keys: Keys, numbers: Float64Array) {
    this.partition = partition;
    this.batch = batch;
    this.keys = keys;
    this.numbers = numbers;
    this.verdicts = new Uint8Array(batch.count);
    this.accepted = new Float64Array(batch.count);
    this.leads = new Uint8Array(batch.count);
    this.follows = new Uint8Array(batch.count);
    this.standsIn = new Uint8Array(batch.count);
    this.fates = new Uint8Array(batch.count);
  }

  get count(): number {
    return this.batch.count;
  }

  /** The indices of what has copies in hand, or had some, in order. */
  inLine(): readonly number[] {
    return this.places ? [...this.places.keys()].sort((a, b) => a - b) : nobody;
  }

  /** The indices for which it holds, in order. */
  where(holds: (i: number) => boolean): Uint32Array {
    const found = new Uint32Array(this.count);
    let n = 0;
    for (let i = 0; i < this.count; i++) if (holds(i)) found[n++] = i;
    return found.subarray(0, n);
  }

  /** The indices whose fates are among these (a byte for every fate), in order. */
  fated(among: Uint8Array): Uint32Array {
    const { fates } = this;
    const found = new Uint32Array(fates.length);
    let n = 0;
    for (let i = 0; i < fates.length; i++) if (among[fates[i]] === 1) found[n++] = i;
    return found.subarray(0, n);
  }

  /** These deliveries, in order, in a part of their own; the hand is not told. Bytes are copied unless it is all of them. */
  subset(indices: ArrayLike<number>): Part {
    const part =
      indices.length === this.count
        ? new Part(this.partition, this.batch, this.keys, this.numbers)
        : new Part(
            this.partition,
            pick(this.batch, indices),
            pickKeys(this.keys, indices),
            pickNumbers(this.numbers, indices),
          );
    for (let k = 0; k < indices.length; k++) {
      part.verdicts[k] = this.verdicts[indices[k]];
      part.accepted[k] = this.accepted[indices[k]];
    }
    part.now = this.now;
    part.readAt = this.readAt;
    part.waited = this.waited;
    part.heldSince = this.heldSince;
    return part;
  }

  /** What the store is told of these deliveries. */
  claims(indices: Uint32Array): Claims & Pick<Claim, 'standIns'> {
    const { bodies, standIns } = this.keys;
    return {
      session: this.partition.session,
      fingerprints: this.#someStandIn(indices) ? this.#withStandIns() : this.keys.fingerprints,
      positions: this.batch.positions,
      ...(indices.length < this.count && { indices }),
      ...(bodies && { bodies }),
      ...(standIns && { standIns }),
    };
  }

  #someStandIn(indices: Uint32Array): boolean {
    return this.keys.standIns !== undefined && indices.some((i) => this.standsIn[i] === 1);
  }

  #withStandIns(): Uint32Array {
    const { fingerprints, standIns = fingerprints } = this.keys;
    const keys = fingerprints.slice();
    for (const i of this.where((k) => this.standsIn[k] === 1))
      keys.set(standIns.subarray(4 * i, 4 * i + 4), 4 * i);
    return keys;
  }

  /** The delivery has a claim of its own, or had one before it was finished. */
  hasClaim(i: number): boolean {
    return (
      this.verdicts[i] === Verdict.first || this.verdicts[i] === Verdict.resumed || this.standsIn[i] === 1
    );
  }

  /** The claims that the worker believes it has, or has asked for. */
  believed(): Uint32Array {
    const { nobody, along } = Follows;
    const isAskedFor = (i: number) => this.follows[i] === nobody || this.follows[i] === along;
    return this.where((i) => this.hasClaim(i) || (this.asking && isAskedFor(i)));
  }
}

function pickKeys(keys: Keys, indices: ArrayLike<number>): Keys {
  return {
    fingerprints: pickWords(keys.fingerprints, 4, indices),
    reasons: Uint8Array.from(indices, (i) => keys.reasons[i]),
    ...(keys.bodies && { bodies: pickWords(keys.bodies, 2, indices) }),
    ...(keys.standIns && { standIns: pickWords(keys.standIns, 4, indices) }),
    ...(keys.times && { times: pickNumbers(keys.times, indices) }),
  };
}
