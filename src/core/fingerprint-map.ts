/**
 * A map from fingerprints to numbers from 0 up, without an object for each: element `i` of a block is the words
 * `block[4 i … 4 i + 3]`, of which 112 bits count (not the low half of the last). Open addressing with linear probing;
 * a deletion closes its gap, so there are no tombstones. Only growing allocates.
 */
export class FingerprintMap {
  #keys = new Uint32Array(4 * slotsMin);
  /** -1 = the slot is empty. */
  #values = new Int32Array(slotsMin).fill(-1);
  #mask = slotsMin - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#values.byteLength;
  }

  /** -1 = absent. */
  get(block: Uint32Array, i: number): number {
    return this.#values[this.#find(block, i)];
  }

  set(block: Uint32Array, i: number, value: number): void {
    const slot = this.#find(block, i);
    const isNew = this.#values[slot] < 0;
    this.#put(slot, block, i, value);
    if (isNew && 8 * ++this.#size > 5 * this.#values.length) this.#grow();
  }

  /** Tells whether it was there. */
  delete(block: Uint32Array, i: number): boolean {
    let gap = this.#find(block, i);
    if (this.#values[gap] < 0) return false;
    this.#size--;
    const mask = this.#mask;
    for (let slot = (gap + 1) & mask; this.#values[slot] >= 0; slot = (slot + 1) & mask) {
      const fromHome = (slot - this.#home(this.#keys, slot)) & mask;
      if (fromHome < ((slot - gap) & mask)) continue;
      this.#put(gap, this.#keys, slot, this.#values[slot]);
      gap = slot;
    }
    this.#values[gap] = -1;
    return true;
  }

  clear(): void {
    this.#values.fill(-1);
    this.#size = 0;
  }

  #home(block: Uint32Array, i: number): number {
    return (block[4 * i] ^ Math.imul(block[4 * i + 1], 0x9e3779b1)) & this.#mask;
  }

  /** The slot that holds the fingerprint, or the empty one where it belongs. */
  #find(block: Uint32Array, i: number): number {
    const keys = this.#keys;
    const values = this.#values;
    const mask = this.#mask;
    const at = 4 * i;
    let slot = this.#home(block, i);
    while (
      values[slot] >= 0 &&
      (keys[4 * slot] !== block[at] ||
        keys[4 * slot + 1] !== block[at + 1] ||
        keys[4 * slot + 2] !== block[at + 2] ||
        (keys[4 * slot + 3] ^ block[at + 3]) >>> 16 !== 0)
    ) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #put(slot: number, block: Uint32Array, i: number, value: number): void {
    const keys = this.#keys;
    keys[4 * slot] = block[4 * i];
    keys[4 * slot + 1] = block[4 * i + 1];
    keys[4 * slot + 2] = block[4 * i + 2];
    keys[4 * slot + 3] = block[4 * i + 3];
    this.#values[slot] = value;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = new Uint32Array(2 * keys.length);
    this.#values = new Int32Array(2 * values.length).fill(-1);
    this.#mask = 2 * values.length - 1;
    for (let slot = 0; slot < values.length; slot++) {
      if (values[slot] >= 0) this.#put(this.#find(keys, slot), keys, slot, values[slot]);
    }
  }
}

const slotsMin = 64;
