import type { Sight, StoreStats } from '../../core/store.ts';
import type { Block, Entry, Partition } from './block.ts';
import { Marks } from './marks.ts';
import { Tail } from './tail.ts';

/** Marks and tail as one: how a key is found in both, and how it leaves them. */
export class Keys {
  readonly tail = new Tail();
  readonly marks: Marks;
  /** Of the running call: the time for windows, … */
  now: number;
  /** … and that for leases, which no clock that is set back may prolong. */
  monotonic = 0;

  constructor(windowMs: number, now: number) {
    this.now = now;
    this.marks = new Marks(windowMs, now, {
      has: (key, tag) => this.#keeps(key, tag),
      since: () => this.tail.since(),
    });
  }

  /** Every call begins with the time: leases and windows end by it. */
  advance(now: number, monotonic: number): void {
    const { horizon } = this.marks;
    this.now = now;
    this.monotonic = monotonic;
    this.marks.advance(now);
    if (this.marks.horizon > horizon) this.tail.lost.dropBefore(this.marks.horizon);
  }

  /** Settled entries below leave the tail, cut-off open ones go with their marks. */
  trim(partition: Partition, below: number): void {
    for (const block of partition.blocks.below(below)) this.#trim(block, below);
  }

  #trim(block: Block, below: number): void {
    const { positions, states } = block;
    const isAlive = block.isAlive(0, this.monotonic);
    let first = Infinity;
    for (let i = 0; i < states.length; i++) {
      if (block.isGone(i)) continue;
      const isBelow = positions[i] < below;
      if (isBelow && block.isSettled(i)) this.leave(block, i);
      else if (isBelow && !(isAlive && block.isOpen(i))) this.remove({ block, i });
      else if (positions[i] < first) first = positions[i];
    }
    block.first = first;
  }

  /** A lease has no checkpoint: what it settled leaves at once. */
  settle(block: Block, i: number): void {
    block.settle(i);
    if (block.owner.kind === 'lease') this.leave(block, i);
  }

  /** Its mark stays, unless it would be over by now. */
  leave(block: Block, i: number): void {
    if (block.acceptedAt < this.marks.horizon) this.remove({ block, i });
    else block.leave(i);
  }

  /** The entry goes together with its mark. */
  remove({ block, i }: Entry): void {
    this.marks.remove(this.marks.find(block.fingerprints, i), block.acceptedAt);
    block.remove(i);
  }

  /** The mark of a key, and its entry if it is in the tail. */
  seek(fingerprints: Uint32Array, i: number): { slot: number; entry: Entry | undefined } | undefined {
    const { marks } = this;
    const slot = marks.find(fingerprints, i);
    if (slot < 0) return undefined;
    const entry = marks.mayBeInTail(slot) ? this.tail.find(fingerprints, i, marks.tagOf(slot)) : undefined;
    if (entry && !this.#isOver(entry)) return { slot, entry };
    if (entry) this.remove(entry);
    else {
      marks.leaveTail(slot);
      if (!marks.isOver(slot)) return { slot, entry };
    }
    return undefined;
  }

  /** What a lease left behind is over with its window; it goes when it is met, or when its mark is cleared away. */
  #isOver(entry: Entry): boolean {
    const { owner, acceptedAt } = entry.block;
    return owner.kind === 'lease' && acceptedAt < this.marks.horizon && !this.isLive(entry);
  }

  /** Whether a mark that is over has to stay. */
  #keeps(key: Uint32Array, tag: number): boolean {
    const entry = this.tail.find(key, 0, tag);
    if (!entry || !this.#isOver(entry)) return entry !== undefined;
    entry.block.remove(entry.i);
    return false;
  }

  /** Open, and its session is not over. */
  isLive({ block, i }: Entry): boolean {
    return block.isOpen(i) && block.isAlive(i, this.monotonic);
  }

  look(fingerprints: Uint32Array, i: number): Sight {
    const found = this.seek(fingerprints, i);
    if (!found) return { state: 'none' };
    const { slot, entry } = found;
    const acceptedAt = entry ? entry.block.acceptedAt : this.marks.acceptedAt(slot);
    const endsAt = this.marks.endOf(acceptedAt);
    if (!entry) return { state: 'settled', acceptedAt, endsAt };
    const owner = entry.block.sessionOf();
    const position = owner.kind === 'lease' ? 0 : entry.block.positions[entry.i];
    if (entry.block.isSettled(entry.i)) return { state: 'settled', acceptedAt, endsAt, owner, position };
    return { state: 'open', acceptedAt, owner, position, alive: this.isLive(entry) };
  }

  stats(windowMs: number): StoreStats {
    let open = 0;
    let tail = 0;
    let bytes = this.marks.bytes;
    let oldestAcceptedAt = this.marks.oldestAcceptedAt();
    let marks = this.marks.size;
    for (const block of this.tail.blocks()) {
      tail += block.live;
      if (block.acceptedAt < this.marks.horizon) marks += block.live;
      bytes += block.bytes;
      block.states.forEach((_, i) => {
        if (!block.isGone(i) && !block.isSettled(i)) open++;
      });
      oldestAcceptedAt = Math.min(oldestAcceptedAt ?? Infinity, block.acceptedAt);
    }
    const { effectiveWindowMs } = this.marks;
    const shrunk = effectiveWindowMs < windowMs;
    return { marks, open, tail, bytes, oldestAcceptedAt, ...(shrunk && { effectiveWindowMs }) };
  }
}
