import { FingerprintMap } from '../fingerprint-map.ts';
import type { Part } from './part.ts';

export interface Delivery {
  readonly part: Part;
  readonly index: number;
}

/** Deliveries of one part at most, so that a place in the hand fits into 31 bits. */
export const partSizeMax = 1 << 16;

/**
 * What the worker has in hand over all its partitions, by key. Of copies only the one that was read first stands for
 * the key (it *leads*); the others *follow*: they are not claimed before it is done. One order, that of reading, over
 * all partitions: any other lets two workers wait for each other.
 */
export class Hand {
  readonly #leaders = new FingerprintMap();
  readonly #parts: (Part | undefined)[] = [];
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
    const leader = this.#leaders.get(part.keys.fingerprints, index);
    if (leader >= 0) {
      part.follows[index] = 1;
      const followers = this.#followers.get(leader);
      if (followers) followers.push({ part, index });
      else this.#followers.set(leader, [{ part, index }]);
      return;
    }
    part.follows[index] = 0;
    part.leads[index] = 1;
    this.#leaders.set(part.keys.fingerprints, index, this.#place(part, index));
  }

  leaderOf(part: Part, index: number): Delivery | undefined {
    const place = this.#leaders.get(part.keys.fingerprints, index);
    const leader = place < 0 ? undefined : this.#parts[place >> 16];
    return leader && { part: leader, index: place & (partSizeMax - 1) };
  }
  followersOf(part: Part, index: number): readonly Delivery[] {
    return part.leads[index] ? (this.#followers.get((part.slot << 16) | index) ?? []) : [];
  }

  /** The delivery is done with (or given up); whoever followed it is handed back. */
  leave(part: Part, index: number): readonly Delivery[] {
    if (!part.leads[index]) return [];
    part.leads[index] = 0;
    const place = (part.slot << 16) | index;
    this.#leaders.delete(part.keys.fingerprints, index);
    this.#unplace(part);
    const followers = this.#followers.get(place);
    if (!followers) return [];
    this.#followers.delete(place);
    return followers.filter(({ part: other, index: i }) => other.follows[i] === 1);
  }

  /** The delivery goes on as `to[at]`: part of the same story under another place. */
  move(from: Part, index: number, to: Part, at: number): void {
    if (from.leads[index]) {
      const followers = this.#followers.get((from.slot << 16) | index);
      this.#followers.delete((from.slot << 16) | index);
      from.leads[index] = 0;
      to.leads[at] = 1;
      const place = this.#place(to, at);
      this.#leaders.set(to.keys.fingerprints, at, place);
      if (followers) this.#followers.set(place, followers);
      this.#unplace(from);
    } else if (from.follows[index]) {
      const leader = this.#leaders.get(from.keys.fingerprints, index);
      const followers = this.#followers.get(leader);
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
}
