/**
 * Chaskey-12 (ISO/IEC 29192-6): a MAC with a 128-bit key and tag, made of 32-bit additions, rotations and xors, which
 * is what JavaScript does fastest. The message are the first `byteLength` bytes of `words` (little-endian); what
 * follows them in the last block must be 0 and `words` must reach to its end. The tag goes to `tag[at … at + 4)`.
 */
export class Chaskey {
  /** The key, then what is added to a last block that is full and to one that is not. */
  readonly words: Int32Array;
  readonly #key: Int32Array;
  readonly #fullEnd: Int32Array;
  readonly #partEnd: Int32Array;

  /** `key`: four words. */
  constructor(key: ArrayLike<number>) {
    this.#key = Int32Array.from(key);
    this.#fullEnd = timesTwo(this.#key);
    this.#partEnd = timesTwo(this.#fullEnd);
    this.words = Int32Array.of(...this.#key, ...this.#fullEnd, ...this.#partEnd);
  }

  tag(words: Int32Array, byteLength: number, tag: Uint32Array, at: number): void {
    const full = byteLength > 0 && byteLength % 16 === 0;
    const end = full ? this.#fullEnd : this.#partEnd;
    const last = full ? (byteLength - 16) >> 2 : (byteLength >> 4) << 2;
    let a = this.#key[0];
    let b = this.#key[1];
    let c = this.#key[2];
    let d = this.#key[3];
    for (let w = 0; ; w += 4) {
      a ^= words[w];
      b ^= words[w + 1];
      c ^= words[w + 2];
      d ^= words[w + 3];
      if (w === last) {
        a ^= end[0];
        b ^= end[1];
        c ^= end[2];
        d ^= end[3];
        if (!full) {
          const mark = 1 << ((byteLength & 3) << 3);
          const word = (byteLength >> 2) & 3;
          if (word === 0) a ^= mark;
          else if (word === 1) b ^= mark;
          else if (word === 2) c ^= mark;
          else d ^= mark;
        }
      }
      for (let round = 0; round < 12; round++) {
        a = (a + b) | 0;
        b = ((b << 5) | (b >>> 27)) ^ a;
        a = (a << 16) | (a >>> 16);
        c = (c + d) | 0;
        d = ((d << 8) | (d >>> 24)) ^ c;
        a = (a + d) | 0;
        d = ((d << 13) | (d >>> 19)) ^ a;
        c = (c + b) | 0;
        b = ((b << 7) | (b >>> 25)) ^ c;
        c = (c << 16) | (c >>> 16);
      }
      if (w === last) break;
    }
    tag[at] = a ^ end[0];
    tag[at + 1] = b ^ end[1];
    tag[at + 2] = c ^ end[2];
    tag[at + 3] = d ^ end[3];
  }
}

/** Multiplication by x in GF(2^128). */
function timesTwo([a, b, c, d]: Int32Array): Int32Array {
  return Int32Array.of(
    (a << 1) ^ (d < 0 ? 0x87 : 0),
    (b << 1) | (a >>> 31),
    (c << 1) | (b >>> 31),
    (d << 1) | (c >>> 31),
  );
}
