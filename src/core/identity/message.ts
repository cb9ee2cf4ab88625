import type { Chaskey } from './chaskey.ts';

/** What a part of a key is; parts of different types never are equal. */
const Part = { ascii: 1, utf16: 2, number: 3, bytes: 4, content: 5, position: 6, absent: 7 } as const;
type Part = (typeof Part)[keyof typeof Part];

/**
 * The message that a fingerprint is made of: its parts one after another, each as type, length in bytes, and data
 * (little-endian, filled up to whole words with zeros). So no two lists of parts give the same message.
 * A text is framed by its UTF-16 value: a byte a unit where all of them are ASCII, else two.
 */
export class Message {
  #words = new Int32Array(64);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  text(value: string): void {
    const at = this.#begin(Part.ascii, value.length);
    let seen = 0;
    for (let k = 0; k < value.length; k++) {
      const unit = value.charCodeAt(k);
      seen |= unit;
      this.#words[at + (k >> 2)] |= unit << ((k & 3) << 3);
    }
    if (seen > 0x7f) {
      this.#length = at - 2;
      this.#wideText(value);
    }
  }

  /** A text that stands in the bytes without escapes; `false`, and nothing is added, if it is not all ASCII. */
  asciiText(view: DataView, from: number, to: number): boolean {
    return this.#copy(Part.ascii, view, from, to) >= 0;
  }

  /** A number by its source text. */
  number(digits: string): void {
    const bytes = Buffer.from(digits);
    this.#copy(Part.number, viewOf(bytes), 0, bytes.length);
  }

  numberIn(view: DataView, from: number, to: number): void {
    this.#copy(Part.number, view, from, to);
  }

  bytes(bytes: Uint8Array): void {
    this.#copy(Part.bytes, viewOf(bytes), 0, bytes.length);
  }

  bytesIn(view: DataView, from: number, to: number): void {
    this.#copy(Part.bytes, view, from, to);
  }

  /** Canonical JSON. */
  content(canonical: string): void {
    const bytes = Buffer.from(canonical);
    this.#copy(Part.content, viewOf(bytes), 0, bytes.length);
  }

  position(position: number): void {
    const at = this.#begin(Part.position, 8);
    this.#words[at] = position;
    this.#words[at + 1] = Math.floor(position / 0x1_0000_0000);
  }

  absent(): void {
    this.#begin(Part.absent, 0);
  }

  /** The fingerprint of the message: the first 112 bits of its tag, the rest 0. */
  fingerprint(mac: Chaskey, out: Uint32Array, at: number): void {
    const words = this.#words;
    const length = this.#length;
    words[length] = words[length + 1] = words[length + 2] = 0;
    mac.tag(words, length * 4, out, at);
    out[at + 3] &= 0xffff;
  }

  #wideText(value: string): void {
    const at = this.#begin(Part.utf16, value.length * 2);
    for (let k = 0; k < value.length; k++)
      this.#words[at + (k >> 1)] |= value.charCodeAt(k) << ((k & 1) << 4);
  }

  /** Frames a part; its words are zero. */
  #begin(type: Part, byteLength: number): number {
    const at = this.#length + 2;
    this.#length = at + ((byteLength + 3) >>> 2);
    if (this.#length + 4 > this.#words.length) this.#grow();
    this.#words[at - 2] = type;
    this.#words[at - 1] = byteLength;
    this.#words.fill(0, at, this.#length);
    return at;
  }

  /** Negative if there are bytes that are not ASCII; such an `ascii` part is taken back. */
  #copy(type: Part, view: DataView, from: number, to: number): number {
    const before = this.#length;
    const byteLength = to - from;
    const at = before + 2;
    this.#length = at + ((byteLength + 3) >>> 2);
    if (this.#length + 4 > this.#words.length) this.#grow();
    const words = this.#words;
    words[at - 2] = type;
    words[at - 1] = byteLength;
    let seen = 0;
    let w = at;
    let p = from;
    for (; p + 4 <= to; p += 4) seen |= words[w++] = view.getInt32(p, true);
    if (p < to) {
      let rest = 0;
      for (let shift = 0; p < to; p++, shift += 8) rest |= view.getUint8(p) << shift;
      seen |= words[w] = rest;
    }
    const highBits = seen & 0x80808080;
    if (highBits !== 0 && type === Part.ascii) this.#length = before;
    return highBits === 0 ? 0 : -1;
  }

  #grow(): void {
    const larger = new Int32Array((this.#length + 4) * 2);
    larger.set(this.#words);
    this.#words = larger;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
