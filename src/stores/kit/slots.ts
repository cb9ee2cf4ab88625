import { HapaxError } from '../../core/errors.ts';
import { wasmModule, type Global, type Memory } from '../../core/wasm.ts';
import { slotsWasm } from './slots-wasm.ts';

/** What `open` found for a key, as a byte. */
export const Opened = {
  /** It had no mark, or one that was over; now it has one that is in the tail. */
  opened: 0,
  settled: 1,
  /** Settled, with another checksum of the body. */
  otherBody: 2,
  /** The tail may have it, which knows more. */
  asksTail: 3,
} as const;

/** The key may have an entry in the tail; the tail is asked, and the bit goes when it says no. */
const inTail = 0x8000;
const tagBits = 0x7fff;
const markBits = 0xffff;
const loadOfCopy = 0.6;
const loadSized = 0.7;
/** See `isVast`. */
const slotsVast = 1 << 16;
const loadVast = 16;

/**
 * The table of marks: 112 bits of fingerprint, 15 of time (the tag, from 1 on) and one for the tail in a slot of four
 * words, six with bodies. WebAssembly (assembly/slots.ts) does what moves slots, in a memory of its own that grows
 * where it stands. Slots are addresses, good until something is opened, put, removed or time passes.
 */
export class Slots {
  readonly hasBodies: boolean;
  readonly #isInTail: (key: Uint32Array, tag: number) => boolean;
  readonly #wasm: Exports;
  #words!: Uint32Array;
  #halves!: Uint16Array;
  #bytes!: Uint8Array;

  /** `isInTail` is asked for keys whose marks are over, in a block of one. */
  constructor(hasBodies: boolean, isInTail: (key: Uint32Array, tag: number) => boolean, capacity = 0) {
    this.hasBodies = hasBodies;
    this.#isInTail = isInTail;
    this.#wasm = instantiate({
      slots: {
        isInTail: (at: number) => {
          const word = at >>> 2;
          const key = this.#fresh().slice(word, word + 4);
          return isInTail(key, key[3] & tagBits);
        },
      },
    }) as Exports;
    if (this.#wasm.begin(hasBodies, capacity) === 0)
      throw new HapaxError('HPX-S002', 'no memory for a table');
    this.#look();
  }

  /** As in assembly/slots.ts. */
  static readonly keysMax = 512;
  static readonly tags = 32_767;

  /** In memory, empty slots too. */
  get bytes(): number {
    return this.#wasm.bytes() >>> 0;
  }
  /** How many slots there are, empty ones too. */
  get count(): number {
    return this.#wasm.slots() >>> 0;
  }
  /** How many have a mark, over or not. */
  get used(): number {
    return this.#wasm.used.value >>> 0;
  }

  /** New marks get this tag; those that are older in ticks are over (-1 = all); in the tail is nothing older than that. */
  setTime(tag: number, ageMax: number, tailAge: number): void {
    this.#wasm.now.value = tag;
    this.#wasm.ageMax.value = Math.min(ageMax, Slots.tags);
    this.#wasm.tailAge.value = Math.min(tailAge, Slots.tags);
  }

  /** Clears away what is over in so many slots more. */
  walk(slots: number): void {
    this.#wasm.walk(Math.min(Math.floor(slots), 0x7fffffff));
  }

  /** Opens `keys[from … to)`, at most `keysMax`, or those that `elements` names there; less if there is no memory. */
  open(
    keys: Uint32Array,
    bodies: Uint32Array | undefined,
    elements: Uint32Array | undefined,
    from: number,
    to: number,
  ): { count: number; answers: Uint8Array; tags: Uint16Array } {
    const words = this.#fresh();
    const { keys: keysAt, bodies: bodiesAt, answers, tagsFound } = this.#wasm;
    put(words, keysAt.value >>> 2, 4, keys, elements, from, to);
    if (bodies) put(words, bodiesAt.value >>> 2, 2, bodies, elements, from, to);
    const count = this.#wasm.open(to - from, bodies ? 1 : 0);
    this.#fresh();
    return {
      count,
      answers: this.#bytes.slice(answers.value, answers.value + count),
      tags: this.#halves.slice(tagsFound.value >>> 1, (tagsFound.value >>> 1) + count),
    };
  }

  /** The slot of key `i`, over or not, or -1. */
  find(keys: Uint32Array, i: number): number {
    const words = this.#fresh();
    const to = this.#wasm.keys.value >>> 2;
    for (let word = 0; word < 4; word++) words[to + word] = keys[4 * i + word];
    return this.#wasm.find() >>> 0 || -1;
  }

  remove(slot: number): void {
    this.#wasm.remove(slot);
  }

  tagOf(slot: number): number {
    return this.#fresh()[(slot >>> 2) + 3] & tagBits;
  }
  mayBeInTail(slot: number): boolean {
    return (this.#fresh()[(slot >>> 2) + 3] & inTail) !== 0;
  }
  leaveTail(slot: number): void {
    this.#fresh()[(slot >>> 2) + 3] &= ~inTail;
  }
  /** It has this tag, and is in the tail. */
  renew(slot: number, tag: number): void {
    const word = (slot >>> 2) + 3;
    const words = this.#fresh();
    words[word] = (words[word] & ~markBits) | inTail | tag;
  }

  /** The two words of a body; 0 = not known. Only with bodies. */
  bodyOf(slot: number): Uint32Array {
    const word = (slot >>> 2) + 4;
    return this.#fresh().subarray(word, word + 2);
  }

  /** So much larger than what is in it that to walk it costs more than a new one. */
  get isVast(): boolean {
    return this.count > slotsVast && this.count > loadVast * this.used;
  }

  /** An empty one for so many marks. */
  sized(marks: number): Slots {
    return new Slots(this.hasBodies, this.#isInTail, Math.ceil(marks / loadSized));
  }

  /**
   * A table with the same marks. It is as large as they need from the beginning: they come in the order of their homes,
   * and would crowd in one that is still to grow.
   */
  copy(hasBodies: boolean): Slots {
    const copy = new Slots(hasBodies, this.#isInTail, Math.ceil(this.used / loadOfCopy));
    for (const mark of this.#marks()) copy.#put(mark);
    return copy;
  }

  *#marks(): Generator<Uint32Array> {
    const size = this.hasBodies ? 6 : 4;
    const words = this.#fresh();
    const first = this.#wasm.table.value >>> 2;
    for (let word = first; word < first + size * this.count; word += size) {
      if ((words[word + 3] & markBits) !== 0) yield words.subarray(word, word + size);
    }
  }

  #put(mark: Uint32Array): void {
    const words = this.#fresh();
    words.set(mark.subarray(0, 4), this.#wasm.keys.value >>> 2);
    words.set(mark.length > 4 ? mark.subarray(4) : [0, 0], this.#wasm.bodies.value >>> 2);
    if (this.#wasm.put() === 0) throw new HapaxError('HPX-S002', 'no memory for a copy of the table');
  }

  /** Growing takes the old views away. */
  #fresh(): Uint32Array {
    if (this.#words.length === 0) this.#look();
    return this.#words;
  }
  #look(): void {
    const { buffer } = this.#wasm.memory;
    this.#words = new Uint32Array(buffer);
    this.#halves = new Uint16Array(buffer);
    this.#bytes = new Uint8Array(buffer);
  }
}

/** Copies elements `from … to` of an array, or those that are named there. */
function put(
  words: Uint32Array,
  at: number,
  width: 2 | 4,
  source: Uint32Array,
  elements: Uint32Array | undefined,
  from: number,
  to: number,
): void {
  if (!elements) {
    words.set(source.subarray(width * from, width * to), at);
    return;
  }
  for (let k = from, word = at; k < to; k++) {
    const first = width * elements[k];
    for (let w = 0; w < width; w++) words[word++] = source[first + w];
  }
}

interface Exports {
  readonly memory: Memory;
  readonly keys: Global;
  readonly bodies: Global;
  readonly answers: Global;
  readonly tagsFound: Global;
  readonly table: Global;
  readonly now: Global;
  readonly ageMax: Global;
  readonly tailAge: Global;
  readonly used: Global;
  begin(withBodies: boolean, capacity: number): number;
  bytes(): number;
  slots(): number;
  open(count: number, withBodies: 0 | 1): number;
  find(): number;
  put(): number;
  remove(slot: number): void;
  walk(count: number): void;
}

const instantiate = wasmModule(slotsWasm);
