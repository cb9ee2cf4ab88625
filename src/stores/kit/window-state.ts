import { HapaxError } from '../../core/errors.ts';
import type { PartitionSession, Session } from '../../core/session.ts';
import * as contract from '../../core/store.ts';
import { Block, isGone, type Owner, type Partition } from './block.ts';
import { Claiming, Fences } from './claiming.ts';
import { textOf } from './key.ts';
import { Keys } from './keys.ts';
import { Marks } from './marks.ts';
import { Settling } from './settling.ts';
import { Opened, Slots } from './slots.ts';
import type { Tail } from './tail.ts';

export interface WindowOptions {
  readonly windowMs: number;
  /** The most keys that are kept. Default and upper limit: 120 million. */
  readonly marksMax?: number | undefined;
  /** `wait` refuses claims (HPX-S002) until there is room, `shrink` shortens the window. */
  readonly whenFull?: 'wait' | 'shrink' | undefined;
}

/** A lease has an end, whatever was asked for. */
const leaseMsMax = 86_400_000;

/**
 * A window in memory, and all that a store can be asked of it. Every key has a mark; what no checkpoint has passed has an
 * entry in the tail beside it, which says whether it is open or settled; a mark without an entry is settled. Whoever has
 * it tells it the time (`advance`) before each call.
 */
export class WindowState {
  readonly windowMs: number;
  readonly #marksMax: number;
  readonly #shrinks: boolean;
  readonly #keys: Keys;
  readonly #marks: Marks;
  readonly #tail: Tail;
  readonly #fences = new Fences();

  constructor({ windowMs, marksMax = Marks.most, whenFull = 'wait' }: WindowOptions, now: number) {
    if (!Number.isSafeInteger(windowMs) || windowMs < 1)
      throw new HapaxError('HPX-C001', `windowMs: ${String(windowMs)}`);
    this.windowMs = windowMs;
    this.#marksMax = Math.min(marksMax, Marks.most);
    this.#shrinks = whenFull === 'shrink';
    this.#keys = new Keys(windowMs, now);
    this.#marks = this.#keys.marks;
    this.#tail = this.#keys.tail;
  }

  /** ms since 1970, for windows; `monotonic` for leases, which no clock that is set back may prolong. */
  advance(now: number, monotonic: number): void {
    this.#keys.advance(now, monotonic);
  }

  get now(): number {
    return this.#keys.now;
  }
  /** What was accepted before this is over. */
  get horizon(): number {
    return this.#marks.horizon;
  }
  /** No fence that was given is greater. */
  get fence(): number {
    return this.#fences.last;
  }

  enter(entries: readonly contract.Enter[]): contract.Entered[] {
    return entries.map(({ session, settleBelow }) => {
      const { epoch } = session;
      const partition = this.#tail.partition(session);
      if (epoch <= partition.epoch) return { fenced: partition.epoch };
      newEpoch(partition, epoch);
      if (settleBelow) settleTail(partition, settleBelow);
      return undefined;
    });
  }

  claim(claim: contract.Claim): contract.Claimed {
    const { session } = claim;
    const fenced = session.kind === 'partition' ? this.#learn(session) : undefined;
    if (fenced) return fenced;
    const count = contract.countOf(claim);
    this.#makeRoom(claim, count);

    const owner = this.#tail.ownerOf(session);
    if (owner.kind === 'partition') owner.calls = Math.max(owner.calls, claim.call);
    const block = new Block(
      this.#tail,
      owner,
      this.#termOf(session),
      this.#keys.now,
      this.#marks.tagAt(this.#keys.now),
      claim,
    );
    return new Claiming(this.#keys, this.#fences, claim, block, count).run();
  }

  settle(claims: contract.Claims): Uint8Array {
    const owner = this.#tail.ownerOf(claims.session);
    const term = this.#termOf(claims.session);
    const { fingerprints, indices } = claims;
    const own = this.#tail.claimedWith(fingerprints, owner, term);
    const settling = new Settling(this.#keys, owner, term, claims);
    const overtaken = new Uint8Array(contract.countOf(claims));
    for (let k = 0; k < overtaken.length; k++) {
      const i = indices ? indices[k] : k;
      if (own?.isOpen(i) && own.isAlive(i, this.#keys.monotonic)) this.#keys.settle(own, i);
      else overtaken[k] = settling.settle(i);
    }
    return overtaken;
  }

  release(claims: contract.Claims): Uint8Array {
    const { session, fingerprints, positions, indices } = claims;
    const owner = this.#tail.ownerOf(session);
    const term = this.#termOf(session);
    const released = new Uint8Array(contract.countOf(claims));
    for (let k = 0; k < released.length; k++) {
      const i = indices ? indices[k] : k;
      const entry = this.#keys.seek(fingerprints, i)?.entry;
      if (!entry?.block.isClaim(entry.i, owner, term, positions[i]) || !this.#keys.isLive(entry)) continue;
      this.#keys.remove(entry);
      released[k] = 1;
    }
    return released;
  }

  trim(session: PartitionSession, below: number): contract.Fenced | undefined {
    const fenced = this.#learn(session);
    if (fenced) return fenced;
    this.#keys.trim(this.#tail.partition(session), below);
    return undefined;
  }

  audit(session: PartitionSession, audit: contract.Audit): contract.Fenced | undefined {
    const fenced = this.#learn(session);
    if (fenced) return fenced;
    const partition = this.#tail.partition(session);
    if (audit.call < partition.calls) return undefined;
    const { fingerprints, positions } = contract.chosen(audit);
    const believed = new Map<Block, Set<number>>();
    positions.forEach((position, k) => {
      const entry = this.#keys.seek(fingerprints, k)?.entry;
      if (!entry?.block.isClaim(entry.i, partition, session.epoch, position)) return;
      const known = believed.get(entry.block) ?? new Set();
      believed.set(entry.block, known.add(entry.i));
    });
    for (const block of partition.blocks) {
      if (block.term !== session.epoch) continue;
      block.states.forEach((_, i) => {
        if (block.isOpen(i) && !believed.get(block)?.has(i)) block.cutOff(i);
      });
    }
    return undefined;
  }

  forget(fingerprints: Uint32Array): ('none' | 'forgotten' | 'refused')[] {
    return Array.from({ length: fingerprints.length / 4 }, (_, i) => {
      const found = this.#keys.seek(fingerprints, i);
      if (!found) return 'none';
      const { slot, entry } = found;
      if (entry && this.#keys.isLive(entry)) return 'refused';
      entry?.block.remove(entry.i);
      this.#marks.remove(slot, entry?.block.acceptedAt);
      return 'forgotten';
    });
  }

  look(fingerprints: Uint32Array): contract.Sight[] {
    return Array.from({ length: fingerprints.length / 4 }, (_, i) => this.#keys.look(fingerprints, i));
  }

  stats(): contract.StoreStats {
    return this.#keys.stats(this.windowMs);
  }

  partitionOf(of: Pick<PartitionSession, 'keySpace' | 'partition'>): Partition {
    return this.#tail.partition(of);
  }

  /** Ends the window of everything that was accepted by then; what is open or in the tail stays. */
  shortenTo(acceptedAt: number): void {
    this.#marks.shortenTo(acceptedAt);
  }

  /** Blocks in which something changed since this was asked last. */
  takeChanged(): Block[] {
    return this.#tail.takeChanged();
  }

  /** Fences go on above this one. */
  begin(at: number, fence: number): void {
    this.advance(Math.max(at, this.now), 0);
    this.#fences.last = Math.max(this.#fences.last, fence);
  }

  /** There will be so many keys. */
  reserve(keys: number): void {
    this.#marks.reserve(keys);
  }

  /** The process of all sessions so far is over. */
  endSessions(): void {
    this.#tail.endSessions();
    this.#tail.takeChanged();
    this.#marks.heedTail();
  }

  /** Puts the marks of these elements as they were when they were claimed; what is newer than the time sets it. */
  restoreMarks({ acceptedAt, fingerprints, bodies, elements }: Restored): void {
    this.advance(Math.max(acceptedAt, this.now), 0);
    if (acceptedAt < this.now) {
      for (const i of elements) this.#marks.keep(fingerprints, bodies, i, acceptedAt);
      return;
    }
    for (let from = 0; from < elements.length; from += Slots.keysMax) {
      const to = Math.min(elements.length, from + Slots.keysMax);
      const { count, answers } = this.#marks.open(fingerprints, bodies, elements, from, to);
      if (count < to - from) throw this.#marks.noMemory();
      for (let n = 0; n < count; n++)
        if (answers[n] !== Opened.opened)
          this.#marks.keep(fingerprints, bodies, elements[from + n], acceptedAt);
    }
  }

  /** Puts a block into the tail again; the oldest first. What its session had open is cut off. */
  restore(block: Restored, owner: Owner): Block {
    const { term, acceptedAt, fingerprints, bodies, elements, states } = block;
    const tag = this.#marks.tagAt(acceptedAt);
    const restored = new Block(this.#tail, owner, term, acceptedAt, tag, block);
    for (const i of elements) {
      if (isGone(states[i])) continue;
      this.#marks.keep(fingerprints, bodies, i, acceptedAt);
      restored.put(i, states[i] & stateBits);
      if (states[i] > stateBits) restored.overtake(i);
    }
    return restored;
  }

  removeMark(fingerprints: Uint32Array, i: number): void {
    const slot = this.#marks.find(fingerprints, i);
    if (slot >= 0) this.#marks.remove(slot);
  }

  #termOf(session: Session): number {
    return session.kind === 'partition'
      ? session.epoch
      : this.#keys.monotonic + Math.min(session.leaseMs, leaseMsMax);
  }

  /** Older epochs are fenced, newer ones are learnt. */
  #learn(session: PartitionSession): contract.Fenced | undefined {
    const partition = this.#tail.partition(session);
    if (session.epoch < partition.epoch || (session.epoch === partition.epoch && partition.isOver))
      return { fenced: partition.epoch };
    if (session.epoch > partition.epoch) newEpoch(partition, session.epoch);
    return undefined;
  }

  /** So that a claim is refused as a whole or not at all. */
  #makeRoom(claim: contract.Claim, count: number): void {
    if (this.#marks.size + count <= this.#marksMax) return;
    const { fingerprints, indices } = claim;
    const keys = new Map<string, number>();
    for (let k = 0; k < count; k++) {
      const i = indices ? indices[k] : k;
      keys.set(textOf(fingerprints, i), i);
    }
    const missing = (): number => {
      let fresh = 0;
      for (const i of keys.values()) if (this.#marks.find(fingerprints, i) < 0) fresh++;
      return this.#marks.size + fresh - this.#marksMax;
    };
    if (missing() <= 0) return;
    const full = `marksMax = ${this.#marksMax}`;
    if (keys.size > this.#marksMax) throw new HapaxError('HPX-S006', `${keys.size} keys, ${full}`);
    if (this.#shrinks) this.#marks.shorten(missing());
    if (missing() > 0) throw new HapaxError('HPX-S002', full);
  }
}

const stateBits = 0x3f;

/** Elements of a block as they were; the arrays have a place for each element of the block. */
export interface Restored {
  /** The epoch of a partition's claims; of leases, 0: they are over. */
  readonly term: number;
  readonly acceptedAt: number;
  readonly elements: Uint32Array;
  readonly fingerprints: Uint32Array;
  readonly positions: Float64Array;
  readonly bodies?: Uint32Array;
  readonly states: Uint8Array;
}

function newEpoch(partition: Partition, epoch: number): void {
  partition.epoch = epoch;
  partition.calls = 0;
  partition.isOver = false;
}

/** Open claims of the session that wrote the checkpoint, below it: their output was committed with it. */
function settleTail(
  { blocks }: Partition,
  { checkpoint, writer }: { checkpoint: number; writer: number },
): void {
  for (const block of blocks) {
    if (block.term !== writer) continue;
    block.positions.forEach((position, i) => {
      if (position < checkpoint && block.isOpen(i)) block.settle(i);
    });
  }
}
