import { book, entryKinds, zeroTotals, type Entry, type Totals } from '../totals.ts';

/** Where a checkpoint may move to. */
export interface Ahead {
  readonly checkpoint: number;
  readonly totals: Totals;
  readonly through: number;
}

/**
 * How far a partition has come in this session: a ring with a line in the books for each delivery between the
 * checkpoint and the head. The checkpoint covers only the contiguous prefix of what has its outcome.
 * Deliveries are numbered in the order of reading; the numbers only grow.
 */
export class Progress {
  #entries = new Uint8Array(1024);
  #positions = new Float64Array(1024);
  #base = 0;
  #head = 0;
  #scanned = 0;
  #next: number | undefined;
  #checkpoint: number | undefined;
  #moved = false;
  #totals: Totals;
  #tally = new Float64Array(entryKinds);

  constructor(checkpoint: number | undefined, totals: Totals = zeroTotals) {
    this.#next = checkpoint;
    this.#checkpoint = checkpoint;
    this.#totals = totals;
  }

  /** Deliveries between the checkpoint and the head. */
  get ahead(): number {
    return this.#head - this.#base;
  }
  /** Where reading goes on: what lies below has been read by this session. */
  get readTo(): number {
    return this.#next ?? -Infinity;
  }
  /** The last durable checkpoint of this session. */
  get checkpoint(): number | undefined {
    return this.#checkpoint;
  }
  /** Durable with the last checkpoint. */
  get totals(): Totals {
    return this.#totals;
  }
  /** With what has its outcome but no checkpoint yet. */
  liveTotals(): Totals {
    const tally = new Float64Array(entryKinds);
    for (let n = this.#base; n < this.#head; n++) tally[this.#entries[n & this.#mask]]++;
    return book(this.#totals, tally);
  }

  /** Numbers for deliveries that were just read; `next` is the position behind them. */
  begin(positions: Float64Array, next: number): Float64Array {
    while (this.ahead + positions.length > this.#entries.length) this.#grow();
    const numbers = new Float64Array(positions.length);
    const entries = this.#entries;
    const ring = this.#positions;
    const mask = this.#mask;
    for (let i = 0, n = this.#head; i < positions.length; i++, n++) {
      entries[n & mask] = 0;
      ring[n & mask] = positions[i];
      numbers[i] = n;
    }
    this.#head += positions.length;
    if (this.#next === undefined || next > this.#next) this.#next = next;
    this.#moved = true;
    return numbers;
  }

  finish(number: number, entry: Entry): void {
    this.#entries[number & this.#mask] = entry;
  }
  /** Takes an outcome back that did not become durable (a commit that was aborted). */
  reopen(number: number): void {
    while (this.#scanned > number) this.#tally[this.#entries[--this.#scanned & this.#mask]]--;
    this.#entries[number & this.#mask] = 0;
  }

  /** The furthest checkpoint now, or nothing new. */
  peek(): Ahead | undefined {
    const entries = this.#entries;
    const mask = this.#mask;
    let scanned = this.#scanned;
    for (let entry; scanned < this.#head && (entry = entries[scanned & mask]) !== 0; scanned++)
      this.#tally[entry]++;
    this.#scanned = scanned;
    if (this.#scanned === this.#base && !(this.#moved && this.#scanned === this.#head)) return undefined;
    const checkpoint = this.#scanned < this.#head ? this.#positions[this.#scanned & this.#mask] : this.#next;
    if (checkpoint === undefined) return undefined;
    return { checkpoint, totals: book(this.#totals, this.#tally), through: this.#scanned };
  }

  /** The checkpoint is durable. */
  advance({ checkpoint, totals, through }: Ahead): void {
    this.#checkpoint = checkpoint;
    const entries = this.#entries;
    const mask = this.#mask;
    for (let n = this.#base; n < through; n++) this.#tally[entries[n & mask]]--;
    this.#totals = totals;
    this.#base = through;
    if (through === this.#head) this.#moved = false;
  }

  get #mask(): number {
    return this.#entries.length - 1;
  }
  #grow(): void {
    const size = this.#entries.length * 2;
    const entries = new Uint8Array(size);
    const positions = new Float64Array(size);
    for (let n = this.#base; n < this.#head; n++) {
      entries[n & (size - 1)] = this.#entries[n & this.#mask];
      positions[n & (size - 1)] = this.#positions[n & this.#mask];
    }
    this.#entries = entries;
    this.#positions = positions;
  }
}
