import { Verdict } from '../verdict.ts';
import { Place } from './line.ts';
import { Follows, type Part } from './part.ts';

export interface Delivery {
  readonly part: Part;
  readonly index: number;
}

const slotsMin = 64;
const nobody: readonly Delivery[] = [];

/**
 * What the worker has in hand over all its partitions, by key. Of copies only the one that was read first stands for
 * the key (it *leads*); the others *follow* in a line, in the order of reading: they are not claimed before it is done,
 * and when it leaves, the next of them leads. One order, that of reading, over all partitions: any other lets two
 * workers wait for each other.
 *
 * The table of leaders holds a hash, a part's number and an index in each slot; keys stay in their parts.
 */
export class Hand {
  /** An empty slot has the part -1. */
  #slots = new Int32Array(3 * slotsMin).fill(-1);
  #mask = slotsMin - 1;
  #size = 0;
  readonly #parts: (Part | undefined)[] = [];
  /** How many deliveries of each part lead. */
  readonly #led: number[] = [];
  readonly #free: number[] = [];
  #read = 0;

  /** Takes a part in, in the order of reading. */
  enter(part: Part): void {
    part.readAt = ++this.#read;
    for (let i = 0; i < part.count; i++) this.join(part, i);
  }

  /** The delivery leads its key, or follows at the end of the line. */
  join(part: Part, index: number): void {
    const slot = this.#find(part, index);
    const leading = this.#leaderIn(slot);
    if (!leading) {
      this.#slots[3 * slot] = hashOf(part, index);
      this.#lead(slot, part, index);
      if (4 * ++this.#size > 3 * this.#mask) this.#grow();
      return;
    }
    part.follows[index] = Follows.waits;
    placeOf(part, index).stepInFrontOf(placeOf(leading.part, leading.index));
  }

  leaderOf(part: Part, index: number): Delivery | undefined {
    return this.#leaderIn(this.#find(part, index));
  }

  /** In the order of reading. Who was just given may leave. */
  followersOf(part: Part, index: number): Iterable<Delivery> {
    const first = part.leads[index] ? part.places?.get(index) : undefined;
    return first ? othersOf(first) : nobody;
  }

  /** The delivery is done with, or given up. If it led, the next one leads; answers which, if that one has waited. */
  leave(part: Part, index: number): Delivery | undefined {
    const next = part.places?.get(index)?.stepOut();
    part.places?.delete(index);
    if (!part.leads[index]) {
      part.follows[index] = Follows.nobody;
      return undefined;
    }
    const slot = this.#slotOf(part, index);
    part.leads[index] = 0;
    if (next) this.#lead(slot, next.part, next.index);
    else this.#delete(slot);
    this.#unplace(part);
    if (!next) return undefined;
    const hasWaited = next.part.follows[next.index] === Follows.waits;
    next.part.follows[next.index] = Follows.nobody;
    return hasWaited ? { part: next.part, index: next.index } : undefined;
  }

  /** The same for all that lead in a part and never had a copy in hand: nobody is next. */
  leaveAlone(part: Part): void {
    const { leads, places } = part;
    for (let i = 0; i < leads.length && part.slot >= 0; i++) {
      if (leads[i] === 0 || places?.has(i)) continue;
      this.#delete(this.#slotOf(part, i));
      leads[i] = 0;
      this.#unplace(part);
    }
  }

  /** These deliveries go on in a part of their own. */
  split(part: Part, indices: ArrayLike<number>): Part {
    const own = part.subset(indices);
    for (let k = 0; k < indices.length; k++) this.#move(part, indices[k], own, k);
    return own;
  }

  #move(from: Part, index: number, to: Part, at: number): void {
    if (from.leads[index]) {
      const slot = this.#slotOf(from, index);
      from.leads[index] = 0;
      this.#lead(slot, to, at);
      this.#unplace(from);
    }
    const place = from.places?.get(index);
    if (place) {
      from.places?.delete(index);
      (to.places ??= new Map()).set(at, place);
      place.part = to;
      place.index = at;
    }
    to.follows[at] = from.follows[index];
    from.follows[index] = Follows.elsewhere;
    // Once it has asked it decides what to do: not what goes on in another part.
    if (from.asking) from.verdicts[index] = Verdict.none;
  }

  #lead(slot: number, part: Part, index: number): void {
    if (part.slot < 0) {
      part.slot = this.#free.pop() ?? this.#parts.length;
      this.#parts[part.slot] = part;
      this.#led[part.slot] = 0;
    }
    this.#led[part.slot]++;
    this.#slots[3 * slot + 1] = part.slot;
    this.#slots[3 * slot + 2] = index;
    part.leads[index] = 1;
  }
  #unplace(part: Part): void {
    if (--this.#led[part.slot] > 0) return;
    this.#parts[part.slot] = undefined;
    this.#free.push(part.slot);
    part.slot = -1;
  }

  #leaderIn(slot: number): Delivery | undefined {
    const place = this.#slots[3 * slot + 1];
    const part = place < 0 ? undefined : this.#parts[place];
    return part && { part, index: this.#slots[3 * slot + 2] };
  }

  /** The slot of the key's leader, or the empty one where it belongs. */
  #find(part: Part, index: number): number {
    const slots = this.#slots;
    const hash = hashOf(part, index);
    let slot = hash & this.#mask;
    for (let place; (place = slots[3 * slot + 1]) >= 0; slot = (slot + 1) & this.#mask) {
      if (slots[3 * slot] === hash && isSameKey(this.#parts[place], slots[3 * slot + 2], part, index)) break;
    }
    return slot;
  }

  /** The slot of a delivery that leads. */
  #slotOf(part: Part, index: number): number {
    const slots = this.#slots;
    let slot = hashOf(part, index) & this.#mask;
    while (slots[3 * slot + 1] !== part.slot || slots[3 * slot + 2] !== index) slot = (slot + 1) & this.#mask;
    return slot;
  }

  /** Closes the gap, so that there are no tombstones. */
  #delete(slot: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let gap = slot;
    for (let next = (gap + 1) & mask; slots[3 * next + 1] >= 0; next = (next + 1) & mask) {
      const fromHome = (next - slots[3 * next]) & mask;
      if (fromHome < ((next - gap) & mask)) continue;
      copySlot(slots, next, slots, gap);
      gap = next;
    }
    slots[3 * gap + 1] = -1;
    this.#size--;
  }

  #grow(): void {
    const before = this.#slots;
    const size = 2 * (this.#mask + 1);
    this.#slots = new Int32Array(3 * size).fill(-1);
    this.#mask = size - 1;
    for (let at = 0; 2 * at < size; at++) {
      if (before[3 * at + 1] < 0) continue;
      let slot = before[3 * at] & this.#mask;
      while (this.#slots[3 * slot + 1] >= 0) slot = (slot + 1) & this.#mask;
      copySlot(before, at, this.#slots, slot);
    }
  }
}

function copySlot(from: Int32Array, at: number, to: Int32Array, slot: number): void {
  for (let k = 0; k < 3; k++) to[3 * slot + k] = from[3 * at + k];
}

/** Who led alone stands in a line of one. */
function placeOf(part: Part, index: number): Place {
  const places = (part.places ??= new Map<number, Place>());
  let place = places.get(index);
  if (!place) places.set(index, (place = new Place(part, index)));
  return place;
}

function* othersOf(first: Place): Generator<Delivery> {
  for (const { part, index } of first.others()) yield { part, index };
}

function hashOf({ keys: { fingerprints } }: Part, index: number): number {
  return fingerprints[4 * index] ^ Math.imul(fingerprints[4 * index + 1], 0x9e3779b1);
}

function isSameKey(a: Part | undefined, i: number, b: Part, k: number): boolean {
  if (!a) return false;
  const [left, right] = [a.keys.fingerprints, b.keys.fingerprints];
  for (let word = 0; word < 4; word++) if (left[4 * i + word] !== right[4 * k + word]) return false;
  return true;
}
