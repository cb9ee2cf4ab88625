import type { Block, Entry } from './block.ts';
import { isSameKey } from './key.ts';

const slotsMin = 16;

/**
 * Blocks whose entries are found by their keys. They get their places in an index when the first key is asked for:
 * copies of what is in the tail are rare.
 */
export class Shelf {
  /** Nothing in it was accepted before. */
  readonly since: number;
  /** Those without a place. */
  readonly #new = new Set<Block>();
  #placed: (Block | undefined)[] = [];
  /** Two words a slot: 1 + the place of a block, and the number of an entry; 0 = empty. */
  #slots = new Int32Array(2 * slotsMin);
  /** Entries in the index, and how many of them went with their blocks, at least. */
  #entered = 0;
  #left = 0;

  constructor(since: number) {
    this.since = since;
  }

  get isEmpty(): boolean {
    return this.#new.size === 0 && this.#placed.length === 0;
  }

  *[Symbol.iterator](): Generator<Block> {
    for (const block of this.#placed) if (block) yield block;
    yield* this.#new;
  }

  add(block: Block): void {
    this.#new.add(block);
  }

  remove(block: Block): void {
    if (this.#new.delete(block)) return;
    this.#placed[block.place] = undefined;
    block.place = -1;
    this.#left += block.size;
    if (2 * this.#left > this.#entered) this.#clear();
  }

  find(keys: Uint32Array, i: number): Entry | undefined {
    this.#placeNew();
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let slot = keys[4 * i] & mask; slots[2 * slot] > 0; slot = (slot + 1) & mask) {
      const block = this.#placed[slots[2 * slot] - 1];
      const entry = slots[2 * slot + 1];
      if (block && !block.isGone(entry) && isSameKey(block.fingerprints, entry, keys, i))
        return { block, i: entry };
    }
    return undefined;
  }

  /** A further entry of a block that has a place. */
  enter(block: Block, i: number): void {
    this.#makeRoom(++this.#entered);
    this.#set(block, i);
  }

  #placeNew(): void {
    if (this.#new.size === 0) return;
    let entries = this.#entered;
    for (const { live } of this.#new) entries += live;
    this.#makeRoom(entries);
    for (const block of this.#new) {
      block.place = this.#placed.push(block) - 1;
      for (let i = 0; i < block.states.length; i++) if (!block.isGone(i)) this.enter(block, i);
    }
    this.#new.clear();
  }

  #set(block: Block, i: number): void {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = block.fingerprints[4 * i] & mask;
    while (slots[2 * slot] > 0) slot = (slot + 1) & mask;
    slots[2 * slot] = block.place + 1;
    slots[2 * slot + 1] = i;
  }

  /** For so many entries the index is half full at most. */
  #makeRoom(entries: number): void {
    const before = this.#slots;
    let length = before.length;
    while (4 * entries > length) length *= 2;
    if (length === before.length) return;
    this.#slots = new Int32Array(length);
    for (let at = 0; at < before.length; at += 2) {
      const block = before[at] > 0 ? this.#placed[before[at] - 1] : undefined;
      if (block) this.#set(block, before[at + 1]);
    }
  }

  /** Those that are left get new places when a key is asked for again. */
  #clear(): void {
    for (const block of this.#placed) {
      if (!block) continue;
      block.place = -1;
      this.#new.add(block);
    }
    this.#placed = [];
    this.#slots = new Int32Array(2 * slotsMin);
    this.#entered = this.#left = 0;
  }
}
