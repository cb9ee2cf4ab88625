import { systemClock, windowTime, type Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import type { PartitionSession, Session } from '../core/session.ts';
import * as contract from '../core/store.ts';
import { Claiming, Fences } from './memory/claiming.ts';
import { Keys } from './memory/keys.ts';
import { Marks } from './memory/marks.ts';
import { Settling } from './memory/settling.ts';
import { Block, type Partition, type Tail } from './memory/tail.ts';

export interface MemoryStoreOptions {
  readonly windowMs: number;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** The most keys that are kept. Default and upper limit: 120 million. */
  readonly marksMax?: number;
  /** `wait` refuses claims (HPX-S002) until there is room, `shrink` shortens the window. */
  readonly whenFull?: 'wait' | 'shrink';
}

/** A lease has an end, whatever was asked for. */
const leaseMsMax = 86_400_000;

/**
 * A window in the memory of this process: nothing survives it, nobody shares it. Every key has a mark; what no
 * checkpoint has passed has an entry in the tail beside it, which says whether it is open or settled; a mark without an
 * entry is settled. This one is made to be fast and small; `readableStore` (hapax/testing) says the same plainly.
 */
export function memoryStore(options: MemoryStoreOptions): contract.WindowStore {
  return new MemoryStore(options);
}

class MemoryStore implements contract.WindowStore {
  readonly supports = { durable: false, shared: false, leases: true, bodies: true };
  readonly windowMs: number;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #windowNow: () => number;
  readonly #marksMax: number;
  readonly #shrinks: boolean;
  readonly #keys: Keys;
  readonly #marks: Marks;
  readonly #tail: Tail;
  readonly #fences = new Fences();
  #isClosed = false;

  constructor({
    windowMs,
    clock = systemClock,
    marksMax = Marks.most,
    whenFull = 'wait',
  }: MemoryStoreOptions) {
    if (!Number.isSafeInteger(windowMs) || windowMs < 1)
      throw new HapaxError('HPX-C001', `windowMs: ${String(windowMs)}`);
    this.windowMs = windowMs;
    this.#clock = clock;
    this.#windowNow = windowTime(clock);
    this.#marksMax = Math.min(marksMax, Marks.most);
    this.#shrinks = whenFull === 'shrink';
    this.#keys = new Keys(windowMs, this.#windowNow());
    this.#marks = this.#keys.marks;
    this.#tail = this.#keys.tail;
  }

  async enter(entries: readonly contract.Enter[]): Promise<contract.Entered[]> {
    this.#begin();
    return entries.map(({ session, settleBelow }) => {
      const { epoch } = session;
      const partition = this.#tail.partition(session);
      if (epoch <= partition.epoch) return { fenced: partition.epoch };
      newEpoch(partition, epoch);
      if (settleBelow) settleTail(partition, settleBelow);
      return undefined;
    });
  }

  async claim(claim: contract.Claim): Promise<contract.Claimed> {
    this.#begin();
    const { session } = claim;
    const fenced = session.kind === 'partition' ? this.#learn(session) : undefined;
    if (fenced) return fenced;
    const count = contract.countOf(claim);
    this.#makeRoom(claim, count);

    const owner = this.#tail.ownerOf(session);
    if (owner.kind === 'partition') owner.calls = Math.max(owner.calls, claim.call);
    const block = new Block(
      owner,
      this.#termOf(session),
      this.#keys.now,
      this.#marks.tagAt(this.#keys.now),
      claim,
    );
    this.#tail.add(block);
    const answer = new Claiming(this.#keys, this.#fences, claim, block, count).run();
    this.#tail.sweep(owner);
    return answer;
  }

  async settle(claims: contract.Claims): Promise<Uint8Array> {
    this.#begin();
    const owner = this.#tail.ownerOf(claims.session);
    const term = this.#termOf(claims.session);
    const { fingerprints, indices } = claims;
    const own = owner.blocks.find(
      (block) => block.fingerprints === fingerprints && (owner.kind === 'lease' || block.term === term),
    );
    const settling = new Settling(this.#keys, owner, term, claims);
    const overtaken = new Uint8Array(contract.countOf(claims));
    for (let k = 0; k < overtaken.length; k++) {
      const i = indices ? indices[k] : k;
      if (own?.isOpen(i) && own.isAlive(i, this.#keys.monotonic)) own.settle(i);
      else overtaken[k] = settling.settle(i);
    }
    this.#tail.sweep(owner);
    if (owner.kind === 'lease') this.#keys.leaveSettled(owner);
    return overtaken;
  }

  async release(claims: contract.Claims): Promise<Uint8Array> {
    this.#begin();
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
    this.#tail.sweep(owner);
    return released;
  }

  async trim(session: PartitionSession, below: number): Promise<contract.Fenced | undefined> {
    this.#begin();
    const fenced = this.#learn(session);
    if (fenced) return fenced;
    const partition = this.#tail.partition(session);
    for (const block of partition.blocks) this.#keys.trim(block, below);
    this.#tail.sweep(partition);
    return undefined;
  }

  async audit(session: PartitionSession, audit: contract.Audit): Promise<contract.Fenced | undefined> {
    this.#begin();
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

  async forget(fingerprints: Uint32Array): Promise<('none' | 'forgotten' | 'refused')[]> {
    this.#begin();
    return Array.from({ length: fingerprints.length / 4 }, (_, i) => {
      const found = this.#keys.seek(fingerprints, i);
      if (!found) return 'none';
      const { slot, entry } = found;
      if (entry && this.#keys.isLive(entry)) return 'refused';
      entry?.block.drop(entry.i);
      this.#marks.remove(slot, entry?.block.acceptedAt);
      return 'forgotten';
    });
  }

  async look(fingerprints: Uint32Array): Promise<contract.Sight[]> {
    this.#begin();
    return Array.from({ length: fingerprints.length / 4 }, (_, i) => this.#keys.look(fingerprints, i));
  }

  stats(): contract.StoreStats {
    this.#begin();
    return this.#keys.stats(this.windowMs);
  }

  onLoss(): () => void {
    // This memory does not lose marks: it goes as a whole.
    return () => undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Every call begins with the time: leases and windows end by it. */
  #begin(): void {
    if (this.#isClosed) throw new HapaxError('HPX-S003', 'memory');
    this.#keys.advance(this.#windowNow(), this.#clock.monotonic());
  }

  #termOf(session: Session): number {
    return session.kind === 'partition'
      ? session.epoch
      : this.#keys.monotonic + Math.min(session.leaseMs, leaseMsMax);
  }

  /** Older epochs are fenced, newer ones are learnt. */
  #learn(session: PartitionSession): contract.Fenced | undefined {
    const partition = this.#tail.partition(session);
    if (session.epoch < partition.epoch) return { fenced: partition.epoch };
    if (session.epoch > partition.epoch) newEpoch(partition, session.epoch);
    return undefined;
  }

  /** So that a claim is refused as a whole or not at all. */
  #makeRoom({ fingerprints, indices }: contract.Claim, count: number): void {
    if (this.#marks.size + count <= this.#marksMax) return;
    const missing = (): number => {
      let fresh = 0;
      for (let k = 0; k < count; k++)
        if (this.#marks.find(fingerprints, indices ? indices[k] : k) < 0) fresh++;
      return this.#marks.size + fresh - this.#marksMax;
    };
    if (this.#shrinks && missing() > 0) this.#marks.shorten(missing());
    if (missing() > 0) throw new HapaxError('HPX-S002', `memory, marksMax = ${this.#marksMax}`);
  }
}

function newEpoch(partition: Partition, epoch: number): void {
  partition.epoch = epoch;
  partition.calls = 0;
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
