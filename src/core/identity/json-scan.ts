import type { Batch } from '../event.ts';
import type { Chaskey } from './chaskey.ts';
import { arrayIndex, nodeAt, pointerTree, type PointerNode } from './json-pointer.ts';
import { pageBytes, wasmModule, type Global, type Memory } from '../wasm.ts';
import { jsonScanWasm } from './json-scan-wasm.ts';

/** What the scanner found at a pointer, as a byte. */
export const Found = {
  missing: 0,
  text: 1,
  escapedText: 2,
  number: 3,
  boolean: 4,
  null: 5,
  object: 6,
  array: 7,
} as const;
export type Found = (typeof Found)[keyof typeof Found];

/**
 * Finds the values at JSON Pointers in many JSON texts, each in one pass to its end, without an allocation.
 * It takes and refuses what JSON.parse takes and refuses, and finds what JSON.parse would have there: of repeated
 * keys the last one counts. That the bytes are UTF-8 is the caller's to know.
 *
 * The reading is done by WebAssembly (assembly/json-scan.ts) in a memory of its own; this class copies the bytes
 * there, as many at a time as stay in the processor's cache. What was found is in `found`, `starts` and `ends` at
 * `at(i, slot)`; a text comes without its quotes, an object or array without its end. These are views of that memory:
 * take them after a scan and not before, for it may have grown.
 */
export class JsonScanner {
  found!: Uint8Array;
  starts!: Uint32Array;
  ends!: Uint32Array;
  /** Only after `keyBy`: four words for each delivery; only those of which `hasKey` is true mean something. */
  keys!: Uint32Array;
  readonly #tree: PointerNode;
  readonly #slots: number;
  readonly #wasm: Exports;
  #valid!: Uint8Array;
  #keyed!: Uint8Array;
  #textStarts!: Uint32Array;
  #textEnds!: Uint32Array;
  #memory!: Uint8Array;
  /** From here on the memory is free for texts. */
  #text = 16;
  #textSizeMax = 0;
  /** The delivery whose answers are the first. */
  #first = 0;

  constructor(pointers: readonly string[]) {
    this.#tree = pointerTree(pointers);
    const nodes = inPreorder(this.#tree);
    this.#slots = nodes.length;
    const escapedMember = (parent: number, from: number, length: number) => {
      const key = textAt(this.#memory, from >>> 0, (from >>> 0) + length, true);
      return nodes[parent].children.find(({ token }) => token === key)?.number ?? 0;
    };
    this.#wasm = instantiate({ 'json-scan': { escapedMember } }) as Exports;
    this.#layOut(nodes);
  }

  slotOf(pointer: string): number {
    return nodeAt(this.#tree, pointer)?.number ?? -1;
  }

  /** From now on keys are made, too: the fingerprint, as `Message` has it, of what is found in these slots. */
  keyBy(slots: readonly number[], mac: Chaskey): void {
    const { parts, partCount, mac: macAt, message } = this.#wasm;
    parts.value = this.#take(slots.length * 4);
    partCount.value = slots.length;
    macAt.value = this.#take(mac.words.length * 4);
    message.value = this.#take(slots.length * (8 + partSizeMax) + 16);
    this.#reserve(textSizeMax);
    this.#words(parts.value, slots);
    this.#words(macAt.value, mac.words);
  }

  /** Is `bytes[start … end)` a JSON text? What is found in it stands as that of delivery 0. */
  scan(bytes: Uint8Array, start: number, end: number): boolean {
    this.#textStarts[0] = start;
    this.#textEnds[0] = end;
    this.#read(bytes, start, end, 0, 1);
    return this.isValid(0);
  }

  /** Reads deliveries from `from` on, at least one and at most up to `to`; gives the first that it did not read. */
  scanBatch(
    { bytes, starts, ends }: Pick<Batch, 'bytes' | 'starts' | 'ends'>,
    from: number,
    to: number,
  ): number {
    const base = starts[from];
    let top = ends[from];
    let next = from + 1;
    for (const last = Math.min(to, from + textsMax); next < last; next++) {
      if (starts[next] < base || ends[next] - base > textSizeMax) break;
      if (ends[next] > top) top = ends[next];
    }
    this.#textStarts.set(starts.subarray(from, next));
    this.#textEnds.set(ends.subarray(from, next));
    this.#read(bytes, base, top, from, next - from);
    return next;
  }

  /** Is the payload a JSON text? */
  isValid(i: number): boolean {
    return this.#valid[i - this.#first] !== 0;
  }

  hasKey(i: number): boolean {
    return this.#keyed[i - this.#first] !== 0;
  }

  at(i: number, slot: number): number {
    return (i - this.#first) * this.#slots + slot;
  }

  /** Nothing is found in delivery `i` any more. */
  forget(i: number): void {
    this.found.fill(Found.missing, this.at(i, 0), this.at(i + 1, 0));
  }

  #read(bytes: Uint8Array, base: number, top: number, first: number, count: number): void {
    if (top - base > this.#textSizeMax) this.#reserve(top - base);
    this.#memory.set(bytes.subarray(base, top), this.#text);
    this.#first = first;
    this.#wasm.scan(count, this.#text - base);
  }

  #layOut(nodes: readonly PointerNode[]): void {
    const wasm = this.#wasm;
    wasm.slots.value = nodes.length;
    wasm.nodes.value = this.#take(nodes.length * nodeWords * 4);
    wasm.path.value = this.#take(nodes.length * 4);
    wasm.indices.value = this.#take(nodes.length * 4);
    wasm.starts.value = this.#take(textsMax * 4);
    wasm.ends.value = this.#take(textsMax * 4);
    wasm.valid.value = this.#take(textsMax);
    wasm.keyed.value = this.#take(textsMax);
    wasm.keys.value = this.#take(textsMax * 16);
    wasm.found.value = this.#take(textsMax * nodes.length);
    wasm.froms.value = this.#take(textsMax * nodes.length * 4);
    wasm.tos.value = this.#take(textsMax * nodes.length * 4);
    const tokens = nodes.map(({ token }) => Buffer.from(token));
    const tokensAt = tokens.map(({ length }) => this.#take(length));
    this.#reserve(textSizeMax);
    tokens.forEach((token, n) => this.#memory.set(token, tokensAt[n]));
    this.#words(
      wasm.nodes.value,
      nodes.flatMap((node, n) => [
        node.last,
        node.children.length > 0 ? node.children[0].number : 0,
        siblingOf(nodes, node),
        arrayIndex(node.token),
        tokensAt[n],
        // What no unescaped key can be (a lone surrogate) matches nothing.
        tokens[n].toString() === node.token ? tokens[n].length : -1,
      ]),
    );
  }

  /** Room for that many bytes. */
  #take(size: number): number {
    const at = this.#text;
    this.#text = (at + size + 31) & ~15;
    return at;
  }

  /** Behind the texts is room to load beyond their end, then a bit for each level: none has more levels than bytes. */
  #reserve(size: number): void {
    const { memory, levels } = this.#wasm;
    levels.value = this.#text + size + 32;
    const missing = levels.value + (size >> 3) + 16 - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
    this.#textSizeMax = size;
    this.#look();
  }

  /** Growing has taken the old views away. */
  #look(): void {
    const { memory, starts, ends, valid, keyed, keys, found, froms, tos } = this.#wasm;
    const bytesAt = ({ value }: Global, length: number) => new Uint8Array(memory.buffer, value, length);
    const wordsAt = ({ value }: Global, length: number) => new Uint32Array(memory.buffer, value, length);
    this.#memory = new Uint8Array(memory.buffer);
    this.#textStarts = wordsAt(starts, textsMax);
    this.#textEnds = wordsAt(ends, textsMax);
    this.#valid = bytesAt(valid, textsMax);
    this.#keyed = bytesAt(keyed, textsMax);
    this.keys = wordsAt(keys, textsMax * 4);
    this.found = bytesAt(found, textsMax * this.#slots);
    this.starts = wordsAt(froms, textsMax * this.#slots);
    this.ends = wordsAt(tos, textsMax * this.#slots);
  }

  #words(at: number, words: ArrayLike<number>): void {
    new Int32Array(this.#memory.buffer, at, words.length).set(words);
  }
}

/** So much at a time stays in the processor's cache with its answers; a longer text gets room of its own. */
const textsMax = 512;
const textSizeMax = 64 * 1_024;
/** As in assembly/json-scan.ts. */
const partSizeMax = 512;
const nodeWords = 6;

/** The text between the quotes, decoded. */
export function textAt(bytes: Uint8Array, from: number, to: number, escaped: boolean): string {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
  return escaped ? (JSON.parse(`"${raw}"`) as string) : raw;
}

function inPreorder(node: PointerNode): PointerNode[] {
  return [node, ...node.children.flatMap(inPreorder)];
}

function siblingOf(nodes: readonly PointerNode[], node: PointerNode): number {
  const parent = nodes.find(({ children }) => children.includes(node));
  return parent?.children[parent.children.indexOf(node) + 1]?.number ?? 0;
}

type Exports = Readonly<
  Record<
    | 'nodes'
    | 'slots'
    | 'path'
    | 'indices'
    | 'starts'
    | 'ends'
    | 'valid'
    | 'found'
    | 'froms'
    | 'tos'
    | 'keyed'
    | 'keys'
    | 'parts'
    | 'partCount'
    | 'mac'
    | 'message'
    | 'levels',
    Global
  >
> & {
  readonly memory: Memory;
  scan(count: number, shift: number): void;
};

const instantiate = wasmModule(jsonScanWasm);
