import type { Session } from '../../core/session.ts';
import type { Claims } from '../../core/store.ts';
import type { Queue } from './queue.ts';

/** Whose claims are cut off together. */
export interface Partition {
  readonly kind: 'partition';
  readonly keySpace: string;
  readonly name: string;
  readonly blocks: Queue<Block>;
  /** The newest that was heard of, -1 = none. */
  epoch: number;
  /** The number of its latest claim. */
  calls: number;
  /** The session of this epoch went with its process; a newer one begins. */
  isOver: boolean;
}
export interface Lease {
  readonly kind: 'lease';
  readonly token: string;
  readonly leaseMs: number;
}
export type Owner = Partition | Lease;

/** Of an entry. First and resumed alternate, so that what it was stays known. */
export const State = {
  gone: 0,
  openFirst: 1,
  openResumed: 2,
  settledFirst: 3,
  settledResumed: 4,
  cutOffFirst: 5,
  cutOffResumed: 6,
  /** Gone, but not its mark. */
  left: 7,
} as const;
export function isGone(state: number): boolean {
  return state === State.gone || state === State.left;
}
const toSettled = State.settledFirst - State.openFirst;
const toCutOff = State.cutOffFirst - State.openFirst;

/** An entry: element `i` of a block. */
export interface Entry {
  readonly block: Block;
  readonly i: number;
}

/** Where a block is as long as something is live in it. */
export interface Home {
  add(block: Block): void;
  remove(block: Block): void;
  /** A further entry of a block that has its place there. */
  enter(block: Block, i: number): void;
  /** Something changed in a block that had not (`isChanged`). */
  change(block: Block): void;
}

/**
 * The claims of one call that no checkpoint has passed yet. Entry `i` is element `i` of the arrays that the caller
 * gave, which are kept and not copied; nothing is made for a single entry. `put`, `settle`, `cutOff`, `leave` and
 * `remove` are all that happens to one.
 */
export class Block {
  readonly owner: Owner;
  /** The epoch of a partition's claims, the end that a lease's began with. */
  readonly term: number;
  readonly acceptedAt: number;
  /** What its marks carry of that time. */
  readonly tag: number;
  readonly fingerprints: Uint32Array;
  readonly positions: Float64Array;
  readonly bodies: Uint32Array | undefined;
  readonly states: Uint8Array;
  /** Only for leases: the number of each claim, and when it ends. */
  readonly fences: Float64Array | undefined;
  readonly ends: Float64Array | undefined;
  /** Entries that are not gone, and those that ever were. */
  live = 0;
  size = 0;
  /** No entry has a lower position. */
  first = Infinity;
  /** Its number on the shelf, -1 = it has none yet. */
  place = -1;
  /** Something changed since somebody asked (see `Tail.takeChanged`). */
  isChanged = false;
  readonly #home: Home;
  /** 1 = settled by a claim that was cut off. */
  #overtaken: Uint8Array | undefined;

  constructor(
    home: Home,
    owner: Owner,
    term: number,
    acceptedAt: number,
    tag: number,
    { fingerprints, positions, bodies }: Pick<Claims, 'fingerprints' | 'positions' | 'bodies'>,
  ) {
    this.#home = home;
    this.tag = tag;
    this.owner = owner;
    this.term = term;
    this.acceptedAt = acceptedAt;
    this.fingerprints = fingerprints;
    this.positions = positions;
    this.bodies = bodies;
    this.states = new Uint8Array(positions.length);
    if (owner.kind === 'lease') {
      this.fences = new Float64Array(positions.length);
      this.ends = new Float64Array(positions.length).fill(term);
    }
  }

  put(i: number, state: number): void {
    this.states[i] = state;
    this.size++;
    if (this.positions[i] < this.first) this.first = this.positions[i];
    if (this.live++ === 0) this.#home.add(this);
    else if (this.place >= 0) this.#home.enter(this, i);
    this.#change();
  }
  settle(i: number): void {
    this.states[i] += toSettled;
    this.#change();
  }
  cutOff(i: number): void {
    this.states[i] += toCutOff;
    this.#change();
  }
  /** Its mark stays, alone or with another entry. */
  leave(i: number): void {
    this.#go(i, State.left);
  }
  /** Its mark goes with it. */
  remove(i: number): void {
    this.#go(i, State.gone);
  }

  #go(i: number, state: number): void {
    this.states[i] = state;
    if (--this.live === 0) this.#home.remove(this);
    this.#change();
  }

  #change(): void {
    if (!this.isChanged) this.#home.change(this);
  }

  isGone(i: number): boolean {
    return isGone(this.states[i]);
  }
  isOpen(i: number): boolean {
    return this.states[i] === State.openFirst || this.states[i] === State.openResumed;
  }
  isSettled(i: number): boolean {
    return this.states[i] === State.settledFirst || this.states[i] === State.settledResumed;
  }
  wasResumed(i: number): boolean {
    return !this.isGone(i) && (this.states[i] & 1) === 0;
  }

  /** The session of the claim is not over; for a partition it is the same for all. */
  isAlive(i: number, monotonic: number): boolean {
    return this.owner.kind === 'partition'
      ? this.term === this.owner.epoch && !this.owner.isOver
      : (this.ends?.[i] ?? 0) > monotonic;
  }

  isOf(owner: Owner): boolean {
    return owner.kind === 'lease' && this.owner.kind === 'lease'
      ? this.owner.token === owner.token
      : this.owner === owner;
  }

  /** Claimed or settled by this very delivery, whatever its epoch. A lease has no positions, so there it never is. */
  isDelivery(i: number, owner: Owner, position: number): boolean {
    return owner.kind === 'partition' && this.owner === owner && this.positions[i] === position;
  }

  /** This very claim, alive or not, unless an audit cut it off. */
  isClaim(i: number, owner: Owner, term: number, position: number): boolean {
    if (!this.isOpen(i) || !this.isOf(owner)) return false;
    return owner.kind === 'lease' || (this.term === term && this.positions[i] === position);
  }

  isOvertaken(i: number): 0 | 1 {
    return this.#overtaken?.[i] === 1 ? 1 : 0;
  }
  overtake(i: number): void {
    this.#overtaken ??= new Uint8Array(this.states.length);
    this.#overtaken[i] = 1;
    this.#change();
  }

  sessionOf(): Session {
    const { owner } = this;
    if (owner.kind === 'lease') return { kind: 'lease', token: owner.token, leaseMs: owner.leaseMs };
    return { kind: 'partition', keySpace: owner.keySpace, partition: owner.name, epoch: this.term };
  }

  /** The greatest fence of its claims. */
  get fenceMax(): number {
    return this.fences?.reduce((most, fence) => Math.max(most, fence), 0) ?? 0;
  }

  get bytes(): number {
    const { fingerprints, positions, bodies, states } = this;
    return fingerprints.byteLength + positions.byteLength + (bodies?.byteLength ?? 0) + states.byteLength;
  }
}
