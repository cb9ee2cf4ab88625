import type { Part } from './part.ts';

export interface Delivery {
  readonly part: Part;
  readonly index: number;
}

/** Deliveries of one part at most, so that a place in the hand fits into 31 bits. */
export const partSizeMax = 1 << 16;
const indexBits = partSizeMax - 1;
const slotsMin = 64;
const nobody: readonly Delivery[] = [];

/**
 * What the worker has in hand over all its partitions, by key. Of copies only the one that was read first stands for
 * the key (it *leads*); the others *follow*: they are not claimed before it is done. One order, that of reading, over
 * all partitions: any other lets two workers wait for each other.
 *
 * The table of leaders holds a hash and a place (part and index) in each slot; keys stay in their parts.
 */
export class Hand {
  /** Hash and place by turns; an empty slot has the place -1. */
  #slots = new Int32Array(2 * slotsMin).fill(-1);
  #mask = slotsMin - 1;
  #size = 0;
  readonly #parts: (Part | undefined)[] = [];
  /** How many deliveries of each part lead. */
  readonly #led: number[] = [];
  readonly #free: number[] = [];
  #read = 0;
  readonly #followers = new Map<number, Delivery[]>();

  /** Takes a part in, in the order of reading. */
  enter(part: Part): void {
    part.readAt = ++this.#read;
    for (let i = 0; i < part.count; i++) this.join(part, i);
  }

  /** The delivery leads its key, or follows the one that does. */
  join(part: Part, index: number): void {
    const slot = this.#find(part, index);
    const leader = this.#slots[2 * slot + 1];
    if (leader < 0) {
      part.follows[index] = 0;
      part.leads[index] = 1;
      this.#slots[2 * slot] = hashOf(part, index);
      this.#slots[2 * slot + 1] = this.#place(part, index);
      if (2 * ++this.#size > this.#mask) this.#grow();
      return;
    }
    part.follows[index] = 1;
    const followers = this.#followers.get(leader);
    if (followers) followers.push({ part, index });
    else this.#followers.set(leader, [{ part, index }]);
  }

  leaderOf(part: Part, index: number): Delivery | undefined {
    const place = this.#slots[2 * this.#find(part, index) + 1];
    const leader = place < 0 ? undefined : this.#parts[place >> 16];
    return leader && { part: leader, index: place & indexBits };
  }
  followersOf(part: Part, index: number): readonly Delivery[] {
    return part.leads[index] ? (this.#followers.get((part.slot << 16) | index) ?? nobody) : nobody;
  }

  /** The delivery is done with (or given up); whoever followed it is handed back. */
  leave(part: Part, index: number): readonly Delivery[] {
    if (!part.leads[index]) return nobody;
    part.leads[index] = 0;
    const place = (part.slot << 16) | index;
    this.#delete(this.#slotOf(hashOf(part, index), place));
    this.#unplace(part);
    if (this.#followers.size === 0) return nobody;
    const followers = this.#followers.get(place);
    if (!followers) return nobody;
    this.#followers.delete(place);
    return followers.filter(({ part: other, index: i }) => other.follows[i] === 1);
  }

  /** The delivery goes on as `to[at]`: part of the same story under another place. */
  move(from: Part, index: number, to: Part, at: number): void {
    if (from.leads[index]) {
      const before = (from.slot << 16) | index;
      const slot = this.#slotOf(hashOf(from, index), before);
      from.leads[index] = 0;
      to.leads[at] = 1;
      const place = this.#place(to, at);
      this.#slots[2 * slot + 1] = place;
      this.#unplace(from);
      const followers = this.#followers.get(before);
      this.#followers.delete(before);
      if (followers) this.#followers.set(place, followers);
    } else if (from.follows[index]) {
      const followers = this.#followers.get(this.#slots[2 * this.#find(from, index) + 1]);
      const k = followers?.findIndex((f) => f.part === from && f.index === index) ?? -1;
      if (followers && k >= 0) followers[k] = { part: to, index: at };
    }
  }

  #place(part: Part, index: number): number {
    if (part.slot < 0) {
      part.slot = this.#free.pop() ?? this.#parts.length;
      this.#parts[part.slot] = part;
      this.#led[part.slot] = 0;
    }
    this.#led[part.slot]++;
    return (part.slot << 16) | index;
  }
  #unplace(part: Part): void {
    if (--this.#led[part.slot] > 0) return;
    this.#parts[part.slot] = undefined;
    this.#free.push(part.slot);
    part.slot = -1;
  }

  /** The slot of the key's leader, or the empty one where it belongs. */
  #find(part: Part, index: number): number {
    const slots = this.#slots;
    const hash = hashOf(part, index);
    let slot = hash & this.#mask;
    for (let place; (place = slots[2 * slot + 1]) >= 0; slot = (slot + 1) & this.#mask) {
      if (slots[2 * slot] === hash && isSameKey(this.#parts[place >> 16], place & indexBits, part, index))
        break;
    }
    return slot;
  }

  #slotOf(hash: number, place: number): number {
    let slot = hash & this.#mask;
    while (this.#slots[2 * slot + 1] !== place) slot = (slot + 1) & this.#mask;
    return slot;
  }

  /** Closes the gap, so that there are no tombstones. */
  #delete(slot: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let gap = slot;
    for (let next = (gap + 1) & mask; slots[2 * next + 1] >= 0; next = (next + 1) & mask) {
      const fromHome = (next - slots[2 * next]) & mask;
      if (fromHome < ((next - gap) & mask)) continue;
      slots[2 * gap] = slots[2 * next];
      slots[2 * gap + 1] = slots[2 * next + 1];
      gap = next;
    }
    slots[2 * gap + 1] = -1;
    this.#size--;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length).fill(-1);
    this.#mask = before.length - 1;
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] < 0) continue;
      let slot = before[at] & this.#mask;
      while (this.#slots[2 * slot + 1] >= 0) slot = (slot + 1) & this.#mask;
      this.#slots[2 * slot] = before[at];
      this.#slots[2 * slot + 1] = before[at + 1];
    }
  }
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
