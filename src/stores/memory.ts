import { systemClock, windowTime } from '../core/clock.ts';
import type { Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import type { PartitionSession, Session } from '../core/session.ts';
import type * as contract from '../core/store.ts';
import { Verdict } from '../core/verdict.ts';
import { Marks } from './memory/marks.ts';
import { Tail } from './memory/tail.ts';
import type { Owner, Partition, Room } from './memory/tail.ts';

export interface MemoryStoreOptions {
  readonly windowMs: number;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** The most keys that are kept. Default and upper limit: 120 million. */
  readonly marksMax?: number;
  /** `wait` refuses claims (HPX-S002) until there is room, `shrink` shortens the window. */
  readonly whenFull?: 'wait' | 'shrink';
}

/**
 * A window in the memory of this process: nothing survives it, nobody shares it. It is also the specification that
 * one can read: a key that no checkpoint has passed has an entry in the tail, all others are settled and have a mark.
 */
export function memoryStore(options: MemoryStoreOptions): contract.WindowStore {
  return new MemoryStore(options);
}

class MemoryStore implements contract.WindowStore {
  readonly supports = { durable: false, shared: false, leases: true, bodies: true };
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #windowNow: () => number;
  readonly windowMs: number;
  readonly #marksMax: number;
  readonly #shrinks: boolean;
  readonly #marks: Marks;
  readonly #tail = new Tail();
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
    this.#marks = new Marks(windowMs, this.#windowNow());
  }

  async enter(entries: readonly contract.Enter[]): Promise<contract.Entered[]> {
    this.#begin();
    return entries.map(({ session: { partition: name, epoch }, settleBelow }) => {
      const partition = this.#tail.partition(name);
      if (epoch <= partition.epoch) return { fenced: partition.epoch };
      newEpoch(partition, epoch);
      if (settleBelow) this.#settleBelow(partition, settleBelow);
      return undefined;
    });
  }

  async claim(claim: contract.Claim): Promise<contract.Claimed> {
    this.#begin();
    const { session, fingerprints } = claim;
    const fenced = session.kind === 'partition' ? this.#learn(session) : undefined;
    if (fenced) return fenced;
    const count = claim.positions.length;
    for (let i = 0; i < count; i++) this.#marks.touch(fingerprints, i);
    this.#makeRoom(fingerprints, count);

    const owner = this.#tail.ownerOf(session);
    const term = this.#termOf(session);
    if (owner.kind === 'partition') owner.calls = Math.max(owner.calls, claim.call);
    const answer = {
      verdicts: new Uint8Array(count),
      accepted: new Float64Array(count),
      now: this.#now,
      ...(session.kind === 'lease' && { fences: new Float64Array(count) }),
    };
    for (let i = 0; i < count; i++) answer.verdicts[i] = this.#decide(claim, i, owner, term, answer);
    return answer;
  }

  async settle(claims: contract.Claims): Promise<Uint8Array> {
    this.#begin();
    const owner = this.#tail.ownerOf(claims.session);
    const term = this.#termOf(claims.session);
    const overtaken = new Uint8Array(claims.positions.length);
    for (let i = 0; i < overtaken.length; i++) overtaken[i] = this.#settle(claims, i, owner, term);
    return overtaken;
  }

  async release(claims: contract.Claims): Promise<Uint8Array> {
    this.#begin();
    const { session, fingerprints, positions } = claims;
    const owner = this.#tail.ownerOf(session);
    const term = this.#termOf(session);
    const released = new Uint8Array(positions.length);
    for (let i = 0; i < released.length; i++) {
      const entry = this.#tail.find(fingerprints, i);
      if (entry < 0 || !this.#tail.isClaim(entry, owner, term, positions[i])) continue;
      if (!this.#tail.isAlive(entry, this.#monotonic)) continue;
      this.#tail.remove(entry);
      released[i] = 1;
    }
    return released;
  }

  async trim(session: PartitionSession, below: number): Promise<contract.Fenced | undefined> {
    this.#begin();
    const fenced = this.#learn(session);
    if (!fenced) this.#trim(this.#tail.partition(session.partition).room, below);
    return fenced;
  }

  async audit(session: PartitionSession, audit: contract.Audit): Promise<contract.Fenced | undefined> {
    this.#begin();
    const fenced = this.#learn(session);
    if (fenced) return fenced;
    const tail = this.#tail;
    const partition = tail.partition(session.partition);
    if (audit.call < partition.calls) return undefined;
    const listed = new Set<number>();
    audit.positions.forEach((position, i) => {
      const entry = tail.find(audit.fingerprints, i);
      if (entry >= 0 && tail.isClaim(entry, partition, session.epoch, position)) listed.add(entry);
    });
    for (let entry = partition.room.first; entry >= 0; entry = tail.after(entry)) {
      if (tail.isAlive(entry, this.#monotonic) && !listed.has(entry)) tail.cutOff(entry);
    }
    return undefined;
  }

  async forget(fingerprints: Uint32Array): Promise<('none' | 'forgotten' | 'refused')[]> {
    this.#begin();
    return Array.from({ length: fingerprints.length / 4 }, (_, i) => {
      const entry = this.#tail.find(fingerprints, i);
      if (entry >= 0) {
        if (this.#tail.isAlive(entry, this.#monotonic)) return 'refused';
        this.#tail.remove(entry);
        return 'forgotten';
      }
      const mark = this.#marks.find(fingerprints, i);
      if (mark < 0) return 'none';
      this.#marks.remove(mark);
      return 'forgotten';
    });
  }

  async look(fingerprints: Uint32Array): Promise<contract.Sight[]> {
    this.#begin();
    return Array.from({ length: fingerprints.length / 4 }, (_, i) => this.#look(fingerprints, i));
  }

  stats(): contract.StoreStats {
    this.#begin();
    let open = 0;
    let oldestAcceptedAt = this.#marks.oldestAcceptedAt();
    for (const entry of this.#tail) {
      if (!this.#tail.isSettled(entry)) open++;
      oldestAcceptedAt = Math.min(oldestAcceptedAt ?? Infinity, this.#tail.acceptedAt[entry]);
    }
    const { effectiveWindowMs } = this.#marks;
    return {
      marks: this.#marks.size + this.#tail.size,
      open,
      tail: this.#tail.size,
      bytes: this.#marks.bytes + this.#tail.bytes,
      oldestAcceptedAt,
      ...(effectiveWindowMs < this.windowMs && { effectiveWindowMs }),
    };
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
    this.#marks.advance(this.#now);
    this.#trim(this.#tail.leaseRoom, this.#marks.horizon);
  }

  #termOf(session: Session): number {
    return session.kind === 'partition' ? session.epoch : this.#monotonic + session.leaseMs;
  }

  /** Older epochs are fenced, newer ones are learnt. */
  #learn(session: PartitionSession): contract.Fenced | undefined {
    const partition = this.#tail.partition(session.partition);
    if (session.epoch < partition.epoch) return { fenced: partition.epoch };
    if (session.epoch > partition.epoch) newEpoch(partition, session.epoch);
    return undefined;
  }

  /** So that a claim is refused as a whole or not at all. */
  #makeRoom(fingerprints: Uint32Array, count: number): void {
    let missing = this.#marks.size + this.#tail.size + count - this.#marksMax;
    if (missing <= 0) return;
    if (this.#shrinks) {
      this.#marks.shorten(missing);
      missing = this.#marks.size + this.#tail.size + count - this.#marksMax;
    } else {
      for (let i = 0; i < count; i++) {
        if (this.#tail.find(fingerprints, i) >= 0 || this.#marks.find(fingerprints, i) >= 0) missing--;
      }
    }
    if (missing > 0) throw new HapaxError('HPX-S002', `memory, marksMax = ${this.#marksMax}`);
  }

  /** The first rule that matches counts. */
  #decide(claim: contract.Claim, i: number, owner: Owner, term: number, answer: contract.Verdicts): Verdict {
    const { fingerprints, bodies, standIns, takeOver = false } = claim;
    const { accepted, now } = answer;
    const position = claim.positions[i];
    const tail = this.#tail;

    const standIn =
      standIns && !isSame(standIns, fingerprints, i)
        ? this.#decideStandIn(standIns, i, owner, position, accepted)
        : Verdict.none;
    if (standIn !== Verdict.none) return standIn;

    let entry = tail.find(fingerprints, i);
    if (entry < 0) {
      const mark = this.#marks.find(fingerprints, i);
      if (mark >= 0) {
        accepted[i] = this.#marks.acceptedAt(mark);
        return bodies && this.#marks.hasOtherBody(mark, bodies, i) ? Verdict.conflict : Verdict.duplicate;
      }
      entry = tail.add(fingerprints, i, owner, term, position, now);
      return this.#grant(entry, claim, i, answer);
    }

    accepted[i] = tail.acceptedAt[entry];
    const isSettled = tail.isSettled(entry);
    const isAlive = tail.isAlive(entry, this.#monotonic);
    if (bodies && (isSettled || isAlive) && tail.hasOtherBody(entry, bodies, i)) return Verdict.conflict;
    if (isSettled && tail.isDelivery(entry, owner, position)) {
      return tail.was[entry] === Verdict.resumed ? Verdict.doneResumed : Verdict.doneFirst;
    }
    if (isSettled) return Verdict.duplicate;
    if (tail.isClaim(entry, owner, term, position)) {
      tail.terms[entry] = term;
      if (answer.fences) answer.fences[i] = tail.fences[entry];
      return tail.was[entry] as Verdict;
    }
    if (isAlive && !takeOver) return Verdict.held;
    tail.resume(entry, owner, term, position, now);
    return this.#grant(entry, claim, i, answer);
  }

  #decideStandIn(
    standIns: Uint32Array,
    i: number,
    owner: Owner,
    position: number,
    accepted: Float64Array,
  ): Verdict {
    const entry = this.#tail.find(standIns, i);
    if (entry >= 0) {
      if (!this.#tail.isSettled(entry)) return Verdict.none;
      accepted[i] = this.#tail.acceptedAt[entry];
      return this.#tail.isDelivery(entry, owner, position) ? Verdict.doneConflict : Verdict.duplicate;
    }
    const mark = this.#marks.find(standIns, i);
    if (mark < 0) return Verdict.none;
    accepted[i] = this.#marks.acceptedAt(mark);
    return Verdict.duplicate;
  }

  /** The claim is the caller's from now on. */
  #grant(
    entry: number,
    claim: contract.Claim,
    i: number,
    { accepted, now, fences }: contract.Verdicts,
  ): Verdict {
    if (claim.bodies) this.#tail.setBody(entry, claim.bodies, i);
    accepted[i] = now;
    if (fences) {
      this.#fence = Math.max(this.#fence + 1, Math.floor(now * 1_000));
      this.#tail.fences[entry] = fences[i] = this.#fence;
    }
    return this.#tail.was[entry] as Verdict;
  }

  #settle(claims: contract.Claims, i: number, owner: Owner, term: number): 0 | 1 {
    const { fingerprints, bodies } = claims;
    const position = claims.positions[i];
    const tail = this.#tail;
    let entry = tail.find(fingerprints, i);
    if (entry < 0) {
      if (this.#marks.find(fingerprints, i) >= 0) return 0;
      entry = tail.add(fingerprints, i, owner, term, position, this.#now);
      // Whoever settles without a claim has lost it: to a newer session, or with the marks of a store.
      tail.overtaken[entry] = owner.kind === 'partition' && term < owner.epoch ? 1 : 0;
    } else if (tail.isSettled(entry)) {
      return tail.isOwner(entry, owner, position) ? (tail.overtaken[entry] as 0 | 1) : 1;
    } else if (!tail.isClaim(entry, owner, term, position) || !tail.isAlive(entry, this.#monotonic)) {
      tail.settleBy(entry, owner, term, position);
    }
    if (bodies) tail.setBody(entry, bodies, i);
    tail.settle(entry);
    const overtaken = tail.overtaken[entry] as 0 | 1;
    if (owner.kind === 'lease' && overtaken === 0) this.#leave(entry);
    return overtaken;
  }

  #settleBelow(partition: Partition, { checkpoint, writer }: { checkpoint: number; writer: number }): void {
    const tail = this.#tail;
    let entry = partition.room.first;
    for (; entry >= 0 && tail.positions[entry] < checkpoint; entry = tail.after(entry)) {
      if (tail.isOpen(entry) && tail.terms[entry] === writer) tail.settle(entry);
    }
  }

  #trim(room: Room, below: number): void {
    const tail = this.#tail;
    let entry = room.first;
    for (; entry >= 0 && tail.positions[entry] < below; entry = tail.after(entry)) {
      this.#marks.touch(tail.keys, entry);
    }
    entry = room.first;
    while (entry >= 0 && tail.positions[entry] < below) {
      const next = tail.after(entry);
      if (tail.isSettled(entry)) this.#leave(entry);
      else if (!tail.isAlive(entry, this.#monotonic)) tail.remove(entry);
      entry = next;
    }
  }

  /** A settled key leaves the tail: a mark remains of it for the rest of its window. */
  #leave(entry: number): void {
    const { keys, bodies, acceptedAt } = this.#tail;
    this.#marks.add(keys, bodies, entry, acceptedAt[entry]);
    this.#tail.remove(entry);
  }

  #look(fingerprints: Uint32Array, i: number): contract.Sight {
    const tail = this.#tail;
    const entry = tail.find(fingerprints, i);
    if (entry < 0) {
      const mark = this.#marks.find(fingerprints, i);
      if (mark < 0) return { state: 'none' };
      const acceptedAt = this.#marks.acceptedAt(mark);
      return { state: 'settled', acceptedAt, endsAt: this.#marks.endOf(acceptedAt) };
    }
    const acceptedAt = tail.acceptedAt[entry];
    if (tail.isSettled(entry)) return { state: 'settled', acceptedAt, endsAt: this.#marks.endOf(acceptedAt) };
    const owner = tail.sessionOf(entry);
    return {
      state: 'open',
      acceptedAt,
      owner,
      position: owner.kind === 'lease' ? 0 : tail.positions[entry],
      alive: tail.isAlive(entry, this.#monotonic),
    };
  }
}

function newEpoch(partition: Partition, epoch: number): void {
  partition.epoch = epoch;
  partition.calls = 0;
}

function isSame(a: Uint32Array, b: Uint32Array, i: number): boolean {
  for (let word = 4 * i; word < 4 * i + 4; word++) if (a[word] !== b[word]) return false;
  return true;
}
