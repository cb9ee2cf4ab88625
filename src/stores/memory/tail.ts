import type { PartitionSession, Session } from '../../core/session.ts';
import type { Claims } from '../../core/store.ts';
import { Lost } from './lost.ts';

/** Whose claims are cut off together. */
export interface Partition {
  readonly kind: 'partition';
  readonly keySpace: string;
  readonly name: string;
  readonly blocks: Block[];
  /** The newest that was heard of, -1 = none. */
  epoch: number;
  /** The number of its latest claim. */
  calls: number;
}
export interface Lease {
  readonly kind: 'lease';
  readonly token: string;
  readonly leaseMs: number;
  readonly blocks: Block[];
  /** The entries of all leases, by `textOf` their keys: there may be thousands of blocks, of few keys each. */
  readonly entries: Map<string, Entry>;
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
} as const;
const toSettled = State.settledFirst - State.openFirst;
const toCutOff = State.cutOffFirst - State.openFirst;

/** An entry: element `i` of a block. */
export interface Entry {
  readonly block: Block;
  readonly i: number;
}

/**
 * The claims of one call that no checkpoint has passed yet. Entry `i` is element `i` of the arrays that the caller
 * gave, which are kept and not copied; nothing is made for a single entry.
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
  /** 1 = settled by a claim that was cut off. */
  #overtaken: Uint8Array | undefined;
  /** Entries that are not gone. */
  live = 0;
  #index: Int32Array | undefined;

  constructor(
    owner: Owner,
    term: number,
    acceptedAt: number,
    tag: number,
    { fingerprints, positions, bodies }: Claims,
  ) {
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
    this.live++;
    if (this.#index) this.#enter(this.#index, i);
    if (this.owner.kind === 'lease') this.owner.entries.set(textOf(this.fingerprints, i), { block: this, i });
  }
  drop(i: number): void {
    this.states[i] = State.gone;
    this.live--;
    if (this.owner.kind === 'lease') this.owner.entries.delete(textOf(this.fingerprints, i));
  }

  isOpen(i: number): boolean {
    return this.states[i] === State.openFirst || this.states[i] === State.openResumed;
  }
  isSettled(i: number): boolean {
    return this.states[i] === State.settledFirst || this.states[i] === State.settledResumed;
  }
  wasResumed(i: number): boolean {
    return this.states[i] !== State.gone && (this.states[i] & 1) === 0;
  }
  settle(i: number): void {
    this.states[i] += toSettled;
  }
  cutOff(i: number): void {
    this.states[i] += toCutOff;
  }

  /** The session of the claim is not over; for a partition it is the same for all. */
  isAlive(i: number, monotonic: number): boolean {
    return this.owner.kind === 'partition'
      ? this.term === this.owner.epoch
      : (this.ends?.[i] ?? 0) > monotonic;
  }

  /** Claimed or settled by this very delivery, whatever its epoch. A lease has no positions, so there it never is. */
  isDelivery(i: number, owner: Owner, position: number): boolean {
    return owner.kind === 'partition' && this.owner === owner && this.positions[i] === position;
  }

  /** This very claim, alive or not, unless an audit cut it off. */
  isClaim(i: number, owner: Owner, term: number, position: number): boolean {
    if (!this.isOpen(i) || this.owner !== owner) return false;
    return owner.kind === 'lease' || (this.term === term && this.positions[i] === position);
  }

  isOvertaken(i: number): 0 | 1 {
    return this.#overtaken?.[i] === 1 ? 1 : 0;
  }
  overtake(i: number): void {
    this.#overtaken ??= new Uint8Array(this.states.length);
    this.#overtaken[i] = 1;
  }

  sessionOf(): Session {
    const { owner } = this;
    if (owner.kind === 'lease') return { kind: 'lease', token: owner.token, leaseMs: owner.leaseMs };
    return { kind: 'partition', keySpace: owner.keySpace, partition: owner.name, epoch: this.term };
  }

  /** The entry of this key, or -1. The index is made when it is first asked for: copies of what is in the tail are rare. */
  find(block: Uint32Array, i: number): number {
    this.#index ??= this.#indexed();
    const mask = this.#index.length - 1;
    for (let slot = block[4 * i] & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#index[slot];
      if (entry < 0) return -1;
      if (this.states[entry] !== State.gone && isSameKey(this.fingerprints, entry, block, i)) return entry;
    }
  }

  #indexed(): Int32Array {
    let size = 4;
    while (size < 2 * this.states.length) size *= 2;
    const index = new Int32Array(size).fill(-1);
    for (let entry = 0; entry < this.states.length; entry++) {
      if (this.states[entry] !== State.gone) this.#enter(index, entry);
    }
    return index;
  }

  #enter(index: Int32Array, entry: number): void {
    const mask = index.length - 1;
    let slot = this.fingerprints[4 * entry] & mask;
    while (index[slot] >= 0) slot = (slot + 1) & mask;
    index[slot] = entry;
  }

  get bytes(): number {
    const { fingerprints, positions, bodies, states } = this;
    return fingerprints.byteLength + positions.byteLength + (bodies?.byteLength ?? 0) + states.byteLength;
  }
}

/** 112 bits of it. */
export function isSameKey(a: Uint32Array, i: number, b: Uint32Array, k: number): boolean {
  return (
    a[4 * i] === b[4 * k] &&
    a[4 * i + 1] === b[4 * k + 1] &&
    a[4 * i + 2] === b[4 * k + 2] &&
    (a[4 * i + 3] ^ b[4 * k + 3]) >>> 16 === 0
  );
}

/** Seven characters for 112 bits. */
export function textOf(keys: Uint32Array, i: number): string {
  const at = 4 * i;
  return String.fromCharCode(
    ...[keys[at] & 0xffff, keys[at] >>> 16, keys[at + 1] & 0xffff, keys[at + 1] >>> 16],
    ...[keys[at + 2] & 0xffff, keys[at + 2] >>> 16, keys[at + 3] >>> 16],
  );
}

/** The claims that no checkpoint has passed yet, open and settled, by their owners. */
export class Tail {
  readonly #partitions = new Map<string, Partition>();
  readonly #leases = new Map<string, Lease>();
  readonly #leased = new Map<string, Entry>();
  readonly lost = new Lost();
  /** No block of a lease was accepted before this. */
  leasesSince = Infinity;

  /** A lease that is not known yet is only kept once it has a block. */
  ownerOf(session: Session): Owner {
    if (session.kind === 'partition') return this.partition(session);
    const { token, leaseMs } = session;
    return this.#leases.get(token) ?? { kind: 'lease', token, leaseMs, blocks: [], entries: this.#leased };
  }

  partition({ keySpace, partition: name }: PartitionSession): Partition {
    const key = JSON.stringify([keySpace, name]);
    let partition = this.#partitions.get(key);
    if (!partition) {
      partition = { kind: 'partition', keySpace, name, blocks: [], epoch: -1, calls: 0 };
      this.#partitions.set(key, partition);
    }
    return partition;
  }

  add(block: Block): void {
    const { owner } = block;
    owner.blocks.push(block);
    if (owner.kind === 'partition') return;
    this.#leases.set(owner.token, owner);
    this.leasesSince = Math.min(this.leasesSince, block.acceptedAt);
  }

  /** Somebody else has the claim now. */
  lose({ block, i }: Entry, now: number): void {
    if (block.owner.kind === 'lease') this.lost.add(block.owner.token, textOf(block.fingerprints, i), now);
    block.drop(i);
  }

  /** Blocks of this owner in which nothing is left go, but for one that is being filled. */
  sweep(owner: Owner, filling?: Block): void {
    let kept = 0;
    for (const block of owner.blocks) if (block.live > 0 || block === filling) owner.blocks[kept++] = block;
    owner.blocks.length = kept;
    if (owner.kind === 'lease' && kept === 0) this.#leases.delete(owner.token);
  }

  /** The entry of a key whose mark carries this tag. */
  find(keys: Uint32Array, i: number, tag: number): Entry | undefined {
    for (const { blocks } of this.#partitions.values()) {
      for (const block of blocks) {
        const entry = block.tag === tag ? block.find(keys, i) : -1;
        if (entry >= 0) return { block, i: entry };
      }
    }
    return this.#leased.size > 0 ? this.#leased.get(textOf(keys, i)) : undefined;
  }

  has(key: Uint32Array, tag: number): boolean {
    return this.find(key, 0, tag) !== undefined;
  }

  /** The first acceptance of all blocks; Infinity = there are none. */
  since(): number {
    let since = Infinity;
    for (const { acceptedAt } of this.blocks()) since = Math.min(since, acceptedAt);
    return since;
  }

  *blocks(): Generator<Block> {
    for (const { blocks } of this.#partitions.values()) yield* blocks;
    for (const { blocks } of this.#leases.values()) yield* blocks;
  }
  leases(): Iterable<Lease> {
    return this.#leases.values();
  }
}
