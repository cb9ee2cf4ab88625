import { systemClock, windowTime, type Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import type { PartitionSession, Session } from '../core/session.ts';
import * as contract from '../core/store.ts';
import { Verdict } from '../core/verdict.ts';
import { Blocks, Keys } from './memory/keys.ts';
import { isOther } from './memory/body.ts';
import { Marks } from './memory/marks.ts';
import { Opened, Slots } from './memory/slots.ts';
import { Block, isSameKey, State, type Entry, type Partition, type Tail } from './memory/tail.ts';

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
 * A window in the memory of this process: nothing survives it, nobody shares it. It is also the specification that
 * one can read: every key has a mark; what no checkpoint has passed has an entry in the tail beside it, which says
 * whether it is open or settled; a mark without an entry is settled.
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
  #fence = 0;
  #isClosed = false;

  /** Of the running call: the time for windows, and that for leases, which no clock that is set back may prolong. */
  #now = 0;
  #monotonic = 0;

  constructor({
    windowMs,
    clock = systemClock,
    marksMax = Marks.most,
    whenFull = 'wait',
  }: MemoryStoreOptions) {
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
    return entries.map(({ session: { partition: name, epoch }, settleBelow }) => {
      const partition = this.#tail.partition(name);
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
    const block = new Block(owner, this.#termOf(session), this.#now, this.#marks.tagAt(this.#now), claim);
    this.#tail.add(block);
    const answer: contract.Verdicts = {
      verdicts: new Uint8Array(count),
      accepted: new Float64Array(count).fill(this.#now),
      now: this.#now,
      ...(owner.kind === 'lease' && { fences: new Float64Array(count) }),
    };
    this.#answer(claim, block, answer);
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
    const others = new Blocks(this.#tail, owner, term, claims);
    const overtaken = new Uint8Array(contract.countOf(claims));
    for (let k = 0; k < overtaken.length; k++) {
      const i = indices ? indices[k] : k;
      if (own?.isOpen(i) && own.isAlive(i, this.#monotonic)) own.settle(i);
      else overtaken[k] = this.#settleElsewhere(others, i);
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
    const partition = this.#tail.partition(session.partition);
    for (const block of partition.blocks) this.#keys.trim(block, below);
    this.#tail.sweep(partition);
    return undefined;
  }

  async audit(session: PartitionSession, audit: contract.Audit): Promise<contract.Fenced | undefined> {
    this.#begin();
    const fenced = this.#learn(session);
    if (fenced) return fenced;
    const partition = this.#tail.partition(session.partition);
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

  onLoss(): void {
    // This memory does not lose marks: it goes as a whole.
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Every call begins with the time: leases and windows end by it. */
  #begin(): void {
    if (this.#isClosed) throw new HapaxError('HPX-S003', 'memory');
    this.#now = this.#windowNow();
    this.#monotonic = this.#clock.monotonic();
    this.#keys.advance(this.#now, this.#monotonic);
  }

  #termOf(session: Session): number {
    return session.kind === 'partition'
      ? session.epoch
      : this.#monotonic + Math.min(session.leaseMs, leaseMsMax);
  }

  /** Older epochs are fenced, newer ones are learnt. */
  #learn(session: PartitionSession): contract.Fenced | undefined {
    const partition = this.#tail.partition(session.partition);
    if (session.epoch < partition.epoch) return { fenced: partition.epoch };
    if (session.epoch > partition.epoch) newEpoch(partition, session.epoch);
    return undefined;
  }

  /** So that a claim is refused as a whole or not at all. */
  #makeRoom({ fingerprints, indices }: contract.Claim, count: number): void {
    let missing = this.#marks.size + count - this.#marksMax;
    if (missing <= 0) return;
    if (this.#shrinks) {
      this.#marks.shorten(missing);
      missing = this.#marks.size + count - this.#marksMax;
    } else {
      for (let k = 0; k < count; k++)
        if (this.#marks.find(fingerprints, indices ? indices[k] : k) >= 0) missing--;
    }
    if (missing > 0) throw new HapaxError('HPX-S002', `memory, marksMax = ${this.#marksMax}`);
  }

  /** Opens what has no mark, and finds the verdicts of the others. */
  #answer(claim: contract.Claim, block: Block, answer: contract.Verdicts): void {
    const { fingerprints, bodies, indices, standIns } = claim;
    const { verdicts, accepted } = answer;
    const undone = standIns && this.#undone(standIns, claim, block, answer);
    const elements = undone && indices ? undone.map((k) => indices[k]) : (undone ?? indices);
    const count = undone?.length ?? verdicts.length;
    for (let from = 0; from < count; from += Slots.keysMax) {
      const to = Math.min(count, from + Slots.keysMax);
      const opened = this.#marks.open(fingerprints, bodies, elements, from, to);
      for (let n = 0; n < opened.count; n++) {
        const k = undone ? undone[from + n] : from + n;
        const i = elements ? elements[from + n] : from + n;
        const found = opened.answers[n];
        if (found === Opened.opened) verdicts[k] = this.#grant(block, i, k, State.openFirst, answer);
        else if (found === Opened.asksTail)
          verdicts[k] = this.#meet(
            block,
            i,
            k,
            answer,
            claim,
            this.#marks.tagNow(opened, n, fingerprints, i),
          );
        else {
          verdicts[k] = found === Opened.settled ? Verdict.duplicate : Verdict.conflict;
          accepted[k] = this.#marks.timeOf(opened.tags[n]);
        }
      }
      if (opened.count < to - from) throw this.#marks.noMemory();
    }
  }

  /** Those of which no conflict was settled before; the others have their verdict. */
  #undone(
    standIns: Uint32Array,
    { indices }: contract.Claim,
    block: Block,
    answer: contract.Verdicts,
  ): Uint32Array {
    const { verdicts } = answer;
    const undone = new Uint32Array(verdicts.length);
    let n = 0;
    for (let k = 0; k < verdicts.length; k++) {
      verdicts[k] = this.#settledStandIn(standIns, block, indices ? indices[k] : k, k, answer);
      if (verdicts[k] === Verdict.none) undone[n++] = k;
    }
    return undone.subarray(0, n);
  }

  /** A key whose mark has this tag and may be in the tail: as that says, else settled. */
  #meet(
    block: Block,
    i: number,
    k: number,
    answer: contract.Verdicts,
    claim: contract.Claim,
    tag: number,
  ): Verdict {
    const { fingerprints, bodies, takeOver = false } = claim;
    const entry = this.#tail.find(fingerprints, i, tag);
    if (entry) return this.#meetEntry(entry, block, i, k, answer, takeOver);
    const at = this.#marks.timeOf(tag);
    if (at < this.#marks.horizon) {
      this.#marks.leaveTail(this.#marks.find(fingerprints, i));
      this.#marks.openOne(fingerprints, bodies, i);
      return this.#grant(block, i, k, State.openFirst, answer);
    }
    answer.accepted[k] = at;
    const isOther = bodies && this.#marks.hasOtherBody(this.#marks.find(fingerprints, i), bodies, i);
    return isOther ? Verdict.conflict : Verdict.duplicate;
  }

  #meetEntry(
    entry: Entry,
    block: Block,
    i: number,
    k: number,
    answer: contract.Verdicts,
    takeOver: boolean,
  ): Verdict {
    const { accepted, fences } = answer;
    const { block: other, i: at } = entry;
    const position = block.positions[i];
    const isSettled = other.isSettled(at);
    const isLive = this.#keys.isLive(entry);
    accepted[k] = other.acceptedAt;
    if ((isSettled || isLive) && hasOtherBody(other, at, block, i)) return Verdict.conflict;
    if (isSettled && other.isDelivery(at, block.owner, position)) {
      return other.wasResumed(at) ? Verdict.doneResumed : Verdict.doneFirst;
    }
    if (isSettled) return Verdict.duplicate;
    if (other.isClaim(at, block.owner, block.term, position) && other.positions[at] === position) {
      if (other.ends) other.ends[at] = block.term;
      if (fences && other.fences) fences[k] = other.fences[at];
      return other.wasResumed(at) ? Verdict.resumed : Verdict.first;
    }
    if (isLive && !takeOver) return Verdict.held;
    other.drop(at);
    this.#tail.sweep(other.owner, block);
    this.#marks.renew(this.#marks.find(block.fingerprints, i), block.bodies, i, other.acceptedAt);
    return this.#grant(block, i, k, State.openResumed, answer);
  }

  /** What a conflict came to is settled under position and bytes; a delivery whose key that is has no other. */
  #settledStandIn(
    standIns: Uint32Array,
    block: Block,
    i: number,
    k: number,
    { accepted }: contract.Verdicts,
  ): Verdict {
    if (isSameKey(standIns, i, block.fingerprints, i)) return Verdict.none;
    const found = this.#keys.seek(standIns, i);
    if (!found) return Verdict.none;
    const { slot, entry } = found;
    if (!entry) {
      accepted[k] = this.#marks.acceptedAt(slot);
      return Verdict.duplicate;
    }
    if (!entry.block.isSettled(entry.i)) return Verdict.none;
    accepted[k] = entry.block.acceptedAt;
    return entry.block.isDelivery(entry.i, block.owner, block.positions[i])
      ? Verdict.doneConflict
      : Verdict.duplicate;
  }

  /** The claim is the caller's; that of a lease gets a number. */
  #grant(
    block: Block,
    i: number,
    k: number,
    state: number,
    { accepted, fences }: contract.Verdicts,
  ): Verdict {
    block.put(i, state);
    accepted[k] = this.#now;
    if (fences && block.fences) {
      this.#fence = Math.max(this.#fence + 1, Math.floor(this.#now * 1_000));
      fences[k] = block.fences[i] = this.#fence;
    }
    return state === State.openFirst ? Verdict.first : Verdict.resumed;
  }

  /** Not by the caller's live claim: by another's, by one that was cut off, or by none. */
  #settleElsewhere(others: Blocks, i: number): 0 | 1 {
    const { owner, term, claims } = others;
    const { fingerprints, positions } = claims;
    const found = this.#keys.seek(fingerprints, i);
    if (!found) {
      this.#marks.openOne(fingerprints, claims.bodies, i);
      const block = others.of(this.#now, this.#marks.tagAt(this.#now));
      block.put(i, State.settledFirst);
      // Whoever settles without a claim has lost it: to a newer session, or with the marks of a store.
      if (owner.kind === 'partition' && term < owner.epoch) block.overtake(i);
      return block.isOvertaken(i);
    }
    if (!found.entry) return 0;
    const { block: other, i: at } = found.entry;
    const isOwners =
      owner.kind === 'lease' ? other.owner === owner : other.isDelivery(at, owner, positions[i]);
    if (other.isSettled(at)) return isOwners ? other.isOvertaken(at) : 1;
    const isOwn = other.isClaim(at, owner, term, positions[i]) && this.#keys.isLive(found.entry);
    const wasResumed = isOwners && other.wasResumed(at);
    const block = others.of(other.acceptedAt, other.tag);
    other.drop(at);
    this.#tail.sweep(other.owner, block);
    block.put(i, wasResumed ? State.settledResumed : State.settledFirst);
    if (claims.bodies) this.#marks.setBody(found.slot, claims.bodies, i);
    if (!isOwn) block.overtake(i);
    return block.isOvertaken(i);
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

function hasOtherBody(a: Block, i: number, b: Block, k: number): boolean {
  if (!a.bodies || !b.bodies) return false;
  return isOther(a.bodies[2 * i], a.bodies[2 * i + 1], b.bodies[2 * k], b.bodies[2 * k + 1]);
}
