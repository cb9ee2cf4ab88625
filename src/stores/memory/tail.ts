import { FingerprintMap } from '../../core/fingerprint-map.ts';
import type { Session } from '../../core/session.ts';
import { Verdict } from '../../core/verdict.ts';
import { isOther } from './marks.ts';

/** The entries of one partition, or of all leases, in the order of their positions. */
export class Room {
  first = -1;
  /** The entry that was put last: the next one belongs close to it. */
  near = -1;
}

/** Whose claims are cut off together. */
export interface Partition {
  readonly kind: 'partition';
  readonly name: string;
  readonly room: Room;
  /** The newest that was heard of, -1 = none. */
  epoch: number;
  /** The number of its latest claim. */
  calls: number;
}
export interface Lease {
  readonly kind: 'lease';
  readonly token: string;
  readonly leaseMs: number;
  readonly room: Room;
  entries: number;
}
export type Owner = Partition | Lease;

const State = { open: 0, settled: 1, cutOff: 2 } as const;
const entriesMin = 256;
/** All columns of one entry. */
const entryBytes = 75;
const none = -1;

/**
 * The claims that no checkpoint has passed yet, open and settled: columns of a pool, found by fingerprint, and in
 * order of position for each partition. A key that has an entry here has no mark: it is in one room at a time, so
 * an open claim cannot outlive its mark, nor the other way round.
 */
export class Tail {
  readonly #entries = new FingerprintMap();
  readonly #partitions = new Map<string, Partition>();
  readonly #leases = new Map<string, Lease>();
  /** Leases have no positions; their entries are in the order of acceptance. */
  readonly leaseRoom = new Room();

  keys = new Uint32Array(4 * entriesMin);
  /** 0 = not known. */
  bodies = new Uint32Array(2 * entriesMin);
  owners: Owner[] = [];
  /** The epoch of a partition's claim, the end of a lease's. */
  terms = new Float64Array(entriesMin);
  positions = new Float64Array(entriesMin);
  acceptedAt = new Float64Array(entriesMin);
  fences = new Float64Array(entriesMin);
  /** `first` or `resumed`. */
  was = new Uint8Array(entriesMin);
  /** 1 = settled by a claim that was cut off. */
  overtaken = new Uint8Array(entriesMin);
  #states = new Uint8Array(entriesMin);
  #next = new Int32Array(entriesMin);
  #previous = new Int32Array(entriesMin);
  #free = none;
  /** Entries from here on were never used. */
  #fresh = 0;

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#entries.bytes + entryBytes * this.#states.length;
  }

  ownerOf(session: Session): Owner {
    if (session.kind === 'partition') return this.partition(session.partition);
    const { token, leaseMs } = session;
    return this.#leases.get(token) ?? { kind: 'lease', token, leaseMs, room: this.leaseRoom, entries: 0 };
  }

  partition(name: string): Partition {
    let partition = this.#partitions.get(name);
    if (!partition) {
      partition = { kind: 'partition', name, room: new Room(), epoch: -1, calls: 0 };
      this.#partitions.set(name, partition);
    }
    return partition;
  }

  find(block: Uint32Array, i: number): number {
    return this.#entries.get(block, i);
  }

  /** An open claim of a key that has no entry. */
  add(block: Uint32Array, i: number, owner: Owner, term: number, position: number, now: number): number {
    let entry = this.#free;
    if (entry !== none) this.#free = this.#next[entry];
    else entry = this.#fresh++;
    if (entry === this.#states.length) this.#grow();
    for (let word = 0; word < 4; word++) this.keys[4 * entry + word] = block[4 * i + word];
    this.#entries.set(block, i, entry);
    this.acceptedAt[entry] = now;
    this.#open(entry, owner, term, position, Verdict.first);
    return entry;
  }

  /** Somebody else's open claim from now on. */
  resume(entry: number, owner: Owner, term: number, position: number, now: number): void {
    this.#unlink(entry);
    this.acceptedAt[entry] = now;
    this.#open(entry, owner, term, position, Verdict.resumed);
  }

  settle(entry: number): void {
    this.#states[entry] = State.settled;
  }

  /** Settled by another claim than the one that has the entry: it becomes that one's. */
  settleBy(entry: number, owner: Owner, term: number, position: number): void {
    const was = this.isDelivery(entry, owner, position) ? (this.was[entry] as Verdict) : Verdict.first;
    this.#unlink(entry);
    this.#open(entry, owner, term, position, was);
    this.#states[entry] = State.settled;
    this.overtaken[entry] = 1;
  }

  cutOff(entry: number): void {
    this.#states[entry] = State.cutOff;
  }

  remove(entry: number): void {
    this.#entries.delete(this.keys, entry);
    this.#unlink(entry);
    this.#next[entry] = this.#free;
    this.#free = entry;
  }

  setBody(entry: number, bodies: Uint32Array, i: number): void {
    this.bodies[2 * entry] = bodies[2 * i];
    this.bodies[2 * entry + 1] = bodies[2 * i + 1];
  }

  hasOtherBody(entry: number, bodies: Uint32Array, i: number): boolean {
    return isOther(this.bodies[2 * entry], this.bodies[2 * entry + 1], bodies[2 * i], bodies[2 * i + 1]);
  }

  isSettled(entry: number): boolean {
    return this.#states[entry] === State.settled;
  }

  isOpen(entry: number): boolean {
    return this.#states[entry] === State.open;
  }

  /** Open, and its session is not over. */
  isAlive(entry: number, monotonic: number): boolean {
    if (this.#states[entry] !== State.open) return false;
    const owner = this.owners[entry];
    return owner.kind === 'partition' ? this.terms[entry] === owner.epoch : this.terms[entry] > monotonic;
  }

  sessionOf(entry: number): Session {
    const owner = this.owners[entry];
    if (owner.kind === 'lease') return { kind: 'lease', token: owner.token, leaseMs: owner.leaseMs };
    return { kind: 'partition', partition: owner.name, epoch: this.terms[entry] };
  }

  /** Claimed or settled by this very delivery, whatever its epoch. A lease has no positions, so there it never is. */
  isDelivery(entry: number, owner: Owner, position: number): boolean {
    return owner.kind === 'partition' && this.owners[entry] === owner && this.positions[entry] === position;
  }

  /** Claimed or settled by this delivery or under this token. */
  isOwner(entry: number, owner: Owner, position: number): boolean {
    return owner.kind === 'lease' ? this.owners[entry] === owner : this.isDelivery(entry, owner, position);
  }

  /** This very claim, alive or not, unless an audit cut it off. */
  isClaim(entry: number, owner: Owner, term: number, position: number): boolean {
    if (this.#states[entry] !== State.open || this.owners[entry] !== owner) return false;
    return owner.kind === 'lease' || (this.terms[entry] === term && this.positions[entry] === position);
  }

  /** The entry behind this one in its room, or -1. */
  after(entry: number): number {
    return this.#next[entry];
  }

  *[Symbol.iterator](): Generator<number> {
    for (const { room } of [...this.#partitions.values(), { room: this.leaseRoom }]) {
      for (let entry = room.first; entry !== none; entry = this.#next[entry]) yield entry;
    }
  }

  #open(entry: number, owner: Owner, term: number, position: number, was: Verdict): void {
    this.owners[entry] = owner;
    this.terms[entry] = term;
    this.positions[entry] = owner.kind === 'partition' ? position : this.acceptedAt[entry];
    this.fences[entry] = 0;
    this.bodies[2 * entry] = 0;
    this.bodies[2 * entry + 1] = 0;
    this.was[entry] = was;
    this.overtaken[entry] = 0;
    this.#states[entry] = State.open;
    this.#link(entry);
  }

  #link(entry: number): void {
    const owner = this.owners[entry];
    const { room } = owner;
    const position = this.positions[entry];
    let previous = room.near;
    while (previous !== none && this.positions[previous] > position) previous = this.#previous[previous];
    let next = previous === none ? room.first : this.#next[previous];
    while (next !== none && this.positions[next] <= position) {
      previous = next;
      next = this.#next[next];
    }
    this.#previous[entry] = previous;
    this.#next[entry] = next;
    if (next !== none) this.#previous[next] = entry;
    if (previous !== none) this.#next[previous] = entry;
    else room.first = entry;
    room.near = entry;
    if (owner.kind === 'lease' && owner.entries++ === 0) this.#leases.set(owner.token, owner);
  }

  #unlink(entry: number): void {
    const owner = this.owners[entry];
    const { room } = owner;
    const previous = this.#previous[entry];
    const next = this.#next[entry];
    if (next !== none) this.#previous[next] = previous;
    if (previous !== none) this.#next[previous] = next;
    else room.first = next;
    if (room.near === entry) room.near = previous !== none ? previous : next;
    if (owner.kind === 'lease' && --owner.entries === 0) this.#leases.delete(owner.token);
  }

  #grow(): void {
    this.keys = doubled(this.keys);
    this.bodies = doubled(this.bodies);
    this.terms = doubled(this.terms);
    this.positions = doubled(this.positions);
    this.acceptedAt = doubled(this.acceptedAt);
    this.fences = doubled(this.fences);
    this.was = doubled(this.was);
    this.overtaken = doubled(this.overtaken);
    this.#states = doubled(this.#states);
    this.#next = doubled(this.#next);
    this.#previous = doubled(this.#previous);
  }
}

type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

function doubled<T extends Column>(column: T): T {
  const larger = new (column.constructor as new (length: number) => T)(2 * column.length);
  larger.set(column);
  return larger;
}
