import type { Sight, StoreStats } from '../../core/store.ts';
import { Marks } from './marks.ts';
import { State, Tail, type Block, type Entry, type Owner } from './tail.ts';

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
    this.marks = new Marks(windowMs, now, this.tail);
  }

  /** Every call begins with the time: leases and windows end by it. */
  advance(now: number, monotonic: number): void {
    this.now = now;
    this.monotonic = monotonic;
    this.marks.advance(now);
    this.tail.lost.dropBefore(this.marks.horizon);
    if (this.tail.leasesSince < this.marks.horizon) this.dropOldLeases();
  }

  /** Settled entries below leave the tail, cut-off open ones go with their marks. */
  trim(block: Block, below: number): void {
    const { positions, states } = block;
    const isAlive = block.isAlive(0, this.monotonic);
    for (let i = 0; i < states.length; i++) {
      if (states[i] === State.gone || positions[i] >= below) continue;
      if (block.isSettled(i)) this.leave(block, i);
      else if (!isAlive || !block.isOpen(i)) this.remove({ block, i });
    }
  }

  /** Leases have no checkpoint: what is settled leaves at once, unless it has yet to tell that it was overtaken. */
  leaveSettled(owner: Owner): void {
    for (const block of owner.blocks) {
      block.states.forEach((_, i) => {
        if (block.isSettled(i) && block.isOvertaken(i) === 0) this.leave(block, i);
      });
    }
    this.tail.sweep(owner);
  }

  /** What a lease left behind goes when its window is over. */
  dropOldLeases(): void {
    let since = Infinity;
    for (const lease of [...this.tail.leases()]) {
      for (const block of lease.blocks) {
        if (block.acceptedAt < this.marks.horizon) this.removeDead(block);
        if (block.live > 0) since = Math.min(since, block.acceptedAt);
      }
      this.tail.sweep(lease);
    }
    this.tail.leasesSince = since;
  }

  removeDead(block: Block): void {
    block.states.forEach((state, i) => {
      if (state !== State.gone && !this.isLive({ block, i })) this.remove({ block, i });
    });
  }

  /** Its mark stays, unless it would be over by now. */
  leave(block: Block, i: number): void {
    if (block.acceptedAt < this.marks.horizon) this.remove({ block, i });
    else block.drop(i);
  }

  /** The entry goes together with its mark. */
  remove({ block, i }: Entry): void {
    this.marks.remove(this.marks.find(block.fingerprints, i), block.acceptedAt);
    block.drop(i);
  }

  /** The mark of a key, and its entry if it is in the tail. */
  seek(fingerprints: Uint32Array, i: number): { slot: number; entry: Entry | undefined } | undefined {
    const slot = this.marks.find(fingerprints, i);
    if (slot < 0) return undefined;
    const entry = this.entryOf(slot, fingerprints, i);
    return entry || !this.marks.isOver(slot) ? { slot, entry } : undefined;
  }

  entryOf(slot: number, fingerprints: Uint32Array, i: number): Entry | undefined {
    if (!this.marks.mayBeInTail(slot)) return undefined;
    const entry = this.tail.find(fingerprints, i, this.marks.tagOf(slot));
    if (!entry) this.marks.leaveTail(slot);
    return entry;
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
    if (!entry || entry.block.isSettled(entry.i)) {
      return { state: 'settled', acceptedAt, endsAt: this.marks.endOf(acceptedAt) };
    }
    const owner = entry.block.sessionOf();
    const position = owner.kind === 'lease' ? 0 : entry.block.positions[entry.i];
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
      block.states.forEach((state, i) => {
        if (state !== State.gone && !block.isSettled(i)) open++;
      });
      oldestAcceptedAt = Math.min(oldestAcceptedAt ?? Infinity, block.acceptedAt);
    }
    const { effectiveWindowMs } = this.marks;
    const shrunk = effectiveWindowMs < windowMs;
    return { marks, open, tail, bytes, oldestAcceptedAt, ...(shrunk && { effectiveWindowMs }) };
  }
}
