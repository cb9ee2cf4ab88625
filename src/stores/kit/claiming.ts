import type { Claim, Verdicts } from '../../core/store.ts';
import { Verdict } from '../../core/verdict.ts';
import { State, type Block, type Entry } from './block.ts';
import { isOther } from './body.ts';
import { isSameKey, textOf } from './key.ts';
import type { Keys } from './keys.ts';
import { Opened, Slots } from './slots.ts';

/** Numbers that only grow, and are not below the time in µs. */
export class Fences {
  last = 0;

  next(now: number): number {
    this.last = Math.max(this.last + 1, Math.floor(now * 1_000));
    return this.last;
  }
}

/** One claim: finds its verdicts, and puts what is granted into its block. */
export class Claiming {
  /** It is the answer when `run` is over. */
  readonly answer: Verdicts;
  readonly #keys: Keys;
  readonly #fences: Fences;
  readonly #claim: Claim;
  readonly #block: Block;

  constructor(keys: Keys, fences: Fences, claim: Claim, block: Block, count: number) {
    this.#keys = keys;
    this.#fences = fences;
    this.#claim = claim;
    this.#block = block;
    this.answer = {
      verdicts: new Uint8Array(count),
      accepted: new Float64Array(count).fill(keys.now),
      now: keys.now,
      ...(block.fences && { fences: new Float64Array(count) }),
    };
  }

  /** Opens what has no mark, and finds the verdicts of the others. HPX-S002 where there is no more memory. */
  run(): Verdicts {
    const { fingerprints, bodies, indices, standIns } = this.#claim;
    const { verdicts, accepted } = this.answer;
    const { marks } = this.#keys;
    const undone = standIns && this.#undone(standIns);
    const elements = undone && indices ? undone.map((k) => indices[k]) : (undone ?? indices);
    const count = undone?.length ?? verdicts.length;
    for (let from = 0; from < count; from += Slots.keysMax) {
      const to = Math.min(count, from + Slots.keysMax);
      const opened = marks.open(fingerprints, bodies, elements, from, to);
      for (let n = 0; n < opened.count; n++) {
        const k = undone ? undone[from + n] : from + n;
        const i = elements ? elements[from + n] : from + n;
        const found = opened.answers[n];
        if (found === Opened.opened) verdicts[k] = this.#grant(i, k, State.openFirst);
        else if (found === Opened.asksTail) verdicts[k] = this.#meet(i, k);
        else {
          verdicts[k] = found === Opened.settled ? Verdict.duplicate : Verdict.conflict;
          accepted[k] = marks.timeOf(opened.tags[n]);
        }
      }
      if (opened.count < to - from) throw marks.noMemory();
    }
    return this.answer;
  }

  /** Those of which no conflict was settled before; the others have their verdict. */
  #undone(standIns: Uint32Array): Uint32Array {
    const { indices } = this.#claim;
    const { verdicts } = this.answer;
    const undone = new Uint32Array(verdicts.length);
    let n = 0;
    for (let k = 0; k < verdicts.length; k++) {
      verdicts[k] = this.#settledStandIn(standIns, indices ? indices[k] : k, k);
      if (verdicts[k] === Verdict.none) undone[n++] = k;
    }
    return undone.subarray(0, n);
  }

  /** What a conflict came to is settled under position and bytes; a delivery whose key that is has no other. */
  #settledStandIn(standIns: Uint32Array, i: number, k: number): Verdict {
    const { fingerprints, owner, positions } = this.#block;
    if (isSameKey(standIns, i, fingerprints, i)) return Verdict.none;
    const found = this.#keys.seek(standIns, i);
    if (!found) return Verdict.none;
    const { slot, entry } = found;
    if (!entry) {
      this.answer.accepted[k] = this.#keys.marks.acceptedAt(slot);
      return Verdict.duplicate;
    }
    if (!entry.block.isSettled(entry.i)) return Verdict.none;
    this.answer.accepted[k] = entry.block.acceptedAt;
    return entry.block.isDelivery(entry.i, owner, positions[i]) ? Verdict.doneConflict : Verdict.duplicate;
  }

  /** A key that may be in the tail: as that says, else as its mark says, if there still is one. */
  #meet(i: number, k: number): Verdict {
    const { fingerprints, bodies } = this.#claim;
    const { marks } = this.#keys;
    const found = this.#keys.seek(fingerprints, i);
    if (!found) {
      marks.openOne(fingerprints, bodies, i);
      return this.#grant(i, k, State.openFirst);
    }
    if (found.entry) return this.#meetEntry(found.slot, found.entry, i, k);
    this.answer.accepted[k] = marks.acceptedAt(found.slot);
    return bodies && marks.hasOtherBody(found.slot, bodies, i) ? Verdict.conflict : Verdict.duplicate;
  }

  #meetEntry(slot: number, entry: Entry, i: number, k: number): Verdict {
    const { accepted, fences } = this.answer;
    const { marks, tail } = this.#keys;
    const block = this.#block;
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
    if (isLive && this.#claim.takeOver !== true) return Verdict.held;
    tail.lose(entry, this.#keys.now);
    marks.renew(slot, block.bodies, i, other.acceptedAt);
    const verdict = this.#grant(i, k, State.openResumed);
    other.leave(at);
    return verdict;
  }

  /** The claim is the caller's; that of a lease gets a number. */
  #grant(i: number, k: number, state: number): Verdict {
    const { accepted, fences } = this.answer;
    const { now, tail } = this.#keys;
    const block = this.#block;
    block.put(i, state);
    accepted[k] = now;
    if (fences && block.fences) fences[k] = block.fences[i] = this.#fences.next(now);
    if (block.owner.kind === 'lease') tail.lost.remove(block.owner.token, textOf(block.fingerprints, i));
    return state === State.openFirst ? Verdict.first : Verdict.resumed;
  }
}

function hasOtherBody(a: Block, i: number, b: Block, k: number): boolean {
  if (!a.bodies || !b.bodies) return false;
  return isOther(a.bodies[2 * i], a.bodies[2 * i + 1], b.bodies[2 * k], b.bodies[2 * k + 1]);
}
