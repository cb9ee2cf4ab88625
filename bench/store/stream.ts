export const batchSize = 1_000;
const copyShare = 0.1;
/** Bytes between positions, as in a file of events. */
const eventSize = 300;
/** What is younger than so many batches may be in flight, and has no copy yet. */
const batchesApart = 8;

export interface Batch {
  readonly number: number;
  readonly fingerprints: Uint32Array;
  readonly positions: Float64Array;
  /** The position behind its last event. */
  readonly next: number;
  /** The elements that are no copies. */
  readonly firsts: Uint32Array;
  /** The 14 bytes of each fingerprint that count, as databases take them. */
  readonly keys: readonly Buffer[];
}

export interface StreamOptions {
  readonly withKeys: boolean;
  /** Copies are of one of so many ids before; default: of any. */
  readonly reach?: number;
}

/** A stream of deliveries, the same for everybody: a tenth are copies. */
export class Stream {
  readonly #withKeys: boolean;
  readonly #reach: number;
  #batches = 0;
  #ids = 0;
  /** How many ids there were before each of the latest batches. */
  readonly #before: number[] = [];
  #random = 0x2545f491;

  constructor({ withKeys, reach = Infinity }: StreamOptions) {
    this.#withKeys = withKeys;
    this.#reach = reach;
  }

  get ids(): number {
    return this.#ids;
  }

  next(): Batch {
    const number = this.#batches++;
    this.#before.push(this.#ids);
    const old = this.#before.length > batchesApart ? (this.#before.shift() ?? 0) : 0;
    const fingerprints = new Uint32Array(4 * batchSize);
    const positions = new Float64Array(batchSize);
    const firsts = new Uint32Array(batchSize);
    let count = 0;
    for (let i = 0; i < batchSize; i++) {
      const isCopy = old > 0 && this.#chance() < copyShare;
      if (!isCopy) firsts[count++] = i;
      writeKey(fingerprints, i, isCopy ? this.#idBefore(old) : this.#ids++);
      positions[i] = (number * batchSize + i) * eventSize;
    }
    const next = (number + 1) * batchSize * eventSize;
    const keys = this.#withKeys ? keysOf(fingerprints) : [];
    return { number, fingerprints, positions, next, firsts: firsts.slice(0, count), keys };
  }

  #idBefore(old: number): number {
    return old - 1 - Math.floor(this.#chance() * Math.min(old, this.#reach));
  }

  /** xorshift32, 0 … 1 */
  #chance(): number {
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x;
    return (x >>> 0) / 4_294_967_296;
  }
}

/** Four words that look like chance, as a fingerprint does. */
function writeKey(fingerprints: Uint32Array, i: number, event: number): void {
  let x = Math.imul(event + 1, 0x9e3779b9);
  for (let word = 4 * i; word < 4 * i + 4; word++) {
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    fingerprints[word] = x ^ (x >>> 15);
    x = (x + 0x9e3779b9) | 0;
  }
}

function keysOf(fingerprints: Uint32Array): Buffer[] {
  const all = Buffer.from(fingerprints.buffer);
  return Array.from({ length: batchSize }, (_, i) => {
    const key = Buffer.allocUnsafe(14);
    all.copy(key, 0, 16 * i, 16 * i + 12);
    all.copy(key, 12, 16 * i + 14, 16 * i + 16);
    return key;
  });
}
