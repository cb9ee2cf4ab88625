import { arrayIndex, nodeAt, pointerTree, type PointerNode } from './json-pointer.ts';

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

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const openArray = 0x5b;
const openObject = 0x7b;
/** From `[` to `]` and from `{` to `}`. */
const toClosing = 2;
const letterN = 0x6e;

const nobody = -1;

/**
 * Finds the values at JSON Pointers in the bytes of one JSON text, in one pass to its end, without an allocation.
 * It takes and refuses what JSON.parse takes and refuses, and finds what JSON.parse would have there: of repeated
 * keys the last one counts. That the bytes are UTF-8 is the caller's to know.
 *
 * The answer to the last `scan` is in `found`, `starts` and `ends` at the number that `slotOf` gives for a pointer;
 * a text comes without its quotes, an object or array without its end.
 */
export class JsonScanner {
  readonly found: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly #tree: PointerNode;
  readonly #nodes: readonly Watched[];
  /** The nodes of the open containers that lie on a pointer; the outermost containers are the first to be watched. */
  readonly #path: Int32Array;
  readonly #indices: Float64Array;
  #containers = new Uint8Array(64);
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);

  constructor(pointers: readonly string[]) {
    this.#tree = pointerTree(pointers);
    this.#nodes = watchedNodes(this.#tree);
    this.found = new Uint8Array(this.#nodes.length);
    this.starts = new Uint32Array(this.#nodes.length);
    this.ends = new Uint32Array(this.#nodes.length);
    this.#path = new Int32Array(this.#nodes.length);
    this.#indices = new Float64Array(this.#nodes.length);
  }

  slotOf(pointer: string): number {
    return nodeAt(this.#tree, pointer)?.number ?? nobody;
  }

  /** Is `bytes[start … end)` a JSON text? */
  scan(bytes: Uint8Array, start: number, end: number): boolean {
    if (bytes !== this.#bytes) this.#look(bytes);
    const view = this.#view;
    const nodes = this.#nodes;
    const path = this.#path;
    const indices = this.#indices;
    let containers = this.#containers;
    this.forget();

    let p = start;
    let depth = 0;
    let object = false;
    let keyed = false;
    let watched = 0;
    let node = 0;
    for (;;) {
      if (keyed) {
        p = pastBlanks(bytes, p, end);
        if (p >= end || bytes[p] !== quote) return false;
        const from = p + 1;
        p = plainEnd(bytes, view, from, end);
        const escaped = p < end && bytes[p] === backslash;
        if (escaped) p = escapedEnd(bytes, p, end);
        if (p >= end || bytes[p] !== quote) return false;
        node = watched === depth ? this.#member(path[depth - 1], from, p, escaped) : nobody;
        p = pastBlanks(bytes, p + 1, end);
        if (p >= end || bytes[p] !== colon) return false;
        p++;
      }

      // A value, for the pointer node `node`.
      p = pastBlanks(bytes, p, end);
      if (p >= end) return false;
      const from = p;
      const first = bytes[p];
      if (first === quote) {
        p = plainEnd(bytes, view, p + 1, end);
        const escaped = p < end && bytes[p] === backslash;
        if (escaped) p = escapedEnd(bytes, p, end);
        if (p >= end || bytes[p] !== quote) return false;
        if (node !== nobody) this.#note(node, escaped ? Found.escapedText : Found.text, from + 1, p);
        p++;
      } else if (first === openObject || first === openArray) {
        object = first === openObject;
        if (node !== nobody) {
          this.#note(node, object ? Found.object : Found.array, from, from);
          if (nodes[node].children.length > 0) {
            path[depth] = node;
            indices[depth] = 0;
            watched = depth + 1;
          }
        }
        if (depth === containers.length) containers = this.#deeper();
        containers[depth++] = first;
        p = pastBlanks(bytes, p + 1, end);
        if (p >= end) return false;
        if (bytes[p] !== first + toClosing) {
          keyed = object;
          if (!object) node = watched === depth ? this.#element(path[depth - 1], 0) : nobody;
          continue;
        }
      } else if (first === minus || isDigit(first)) {
        p = numberEnd(bytes, p, end);
        if (p === 0) return false;
        if (node !== nobody) this.#note(node, Found.number, from, p);
      } else {
        p = literalEnd(view, p, end);
        if (p === 0) return false;
        if (node !== nobody) this.#note(node, first === letterN ? Found.null : Found.boolean, from, p);
      }

      // What follows: brackets that close, then a comma or the end.
      for (;;) {
        p = pastBlanks(bytes, p, end);
        if (depth === 0) return p === end;
        if (p >= end) return false;
        const c = bytes[p++];
        if (c === comma) {
          keyed = object;
          if (!object)
            node = watched === depth ? this.#element(path[depth - 1], ++indices[depth - 1]) : nobody;
          break;
        }
        depth--;
        if (c !== containers[depth] + toClosing) return false;
        if (watched > depth) watched = depth;
        object = depth > 0 && containers[depth - 1] === openObject;
      }
    }
  }

  /** Nothing is found any more. */
  forget(): void {
    for (let n = 0; n < this.found.length; n++) this.found[n] = Found.missing;
  }

  /** Takes note of a value; what an earlier value of the same key had below it is gone. */
  #note(node: number, kind: number, from: number, to: number): void {
    const last = this.#nodes[node].last;
    for (let n = node + 1; n <= last; n++) this.found[n] = Found.missing;
    this.found[node] = kind;
    this.starts[node] = from;
    this.ends[node] = to;
  }

  #member(node: number, from: number, to: number, escaped: boolean): number {
    const children = this.#nodes[node].children;
    if (escaped) {
      const key = textAt(this.#bytes, from, to, true);
      return children.find((child) => child.token === key)?.number ?? nobody;
    }
    for (let k = 0; k < children.length; k++) {
      const key = children[k].key;
      if (key.length === to - from && matches(this.#bytes, from, key)) return children[k].number;
    }
    return nobody;
  }

  #element(node: number, index: number): number {
    const children = this.#nodes[node].children;
    for (let k = 0; k < children.length; k++) if (children[k].index === index) return children[k].number;
    return nobody;
  }

  #look(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #deeper(): Uint8Array<ArrayBuffer> {
    const twice = new Uint8Array(this.#containers.length * 2);
    twice.set(this.#containers);
    this.#containers = twice;
    return twice;
  }
}

interface Watched {
  readonly number: number;
  readonly last: number;
  readonly token: string;
  /** The token in UTF-8; what no unescaped key can be (a lone surrogate) matches nothing. */
  readonly key: Uint8Array;
  readonly index: number;
  readonly children: readonly Watched[];
}

function watchedNodes(tree: PointerNode): Watched[] {
  const nodes: Watched[] = [];
  const watch = ({ token, number, last, children }: PointerNode): Watched => {
    const below: Watched[] = [];
    const utf8 = Buffer.from(token);
    const key = utf8.toString() === token ? new Uint8Array(utf8) : unmatchable;
    nodes[number] = { number, last, token, key, index: arrayIndex(token), children: below };
    for (const child of children) below.push(watch(child));
    return nodes[number];
  };
  watch(tree);
  return nodes;
}
const unmatchable = Uint8Array.of(0xff);

/** The text between the quotes, decoded. */
export function textAt(bytes: Uint8Array, from: number, to: number, escaped: boolean): string {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
  return escaped ? (JSON.parse(`"${raw}"`) as string) : raw;
}

function matches(bytes: Uint8Array, from: number, key: Uint8Array): boolean {
  for (let k = 0; k < key.length; k++) if (bytes[from + k] !== key[k]) return false;
  return true;
}

function pastBlanks(bytes: Uint8Array, p: number, end: number): number {
  while (p < end && bytes[p] <= 0x20 && isBlank[bytes[p]]) p++;
  return p;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/**
 * The first quote, backslash or control character at or after `p`; `end` or more if there is none.
 * Four bytes at a time: the lowest bit that is set in `hits` marks the first of them.
 */
function plainEnd(bytes: Uint8Array, view: DataView, p: number, end: number): number {
  while (p + 4 <= end) {
    const four = view.getInt32(p, true);
    const q = four ^ 0x22222222;
    const b = four ^ 0x5c5c5c5c;
    const hits =
      (((q - 0x01010101) & ~q) | ((b - 0x01010101) & ~b) | ((four - 0x20202020) & ~four)) & 0x80808080;
    if (hits !== 0) return p + ((31 - Math.clz32(hits & (~hits + 1))) >> 3);
    p += 4;
  }
  while (p < end && isPlain[bytes[p]]) p++;
  return p;
}

/** The closing quote of a text that has its first backslash at `p`; `end` if an escape is wrong. */
function escapedEnd(bytes: Uint8Array, p: number, end: number): number {
  while (p < end && (isPlain[bytes[p]] || bytes[p] === backslash)) {
    const length = isPlain[bytes[p]] ? 1 : escapeLength(bytes, p, end);
    if (length === 0) return end;
    p += length;
  }
  return p;
}

const isBlank = table((c) => ' \t\n\r'.includes(c));
const isPlain = table((c) => c >= ' ' && c !== '"' && c !== '\\');
const isSimpleEscape = table((c) => '"\\/bfnrt'.includes(c));
const isHexDigit = table((c) => /[0-9a-fA-F]/.test(c));

function table(holds: (c: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, c) => (holds(String.fromCharCode(c)) ? 1 : 0));
}

function escapeLength(bytes: Uint8Array, p: number, end: number): number {
  if (p + 1 >= end) return 0;
  if (isSimpleEscape[bytes[p + 1]]) return 2;
  if (bytes[p + 1] !== 0x75 || p + 6 > end) return 0;
  for (let k = p + 2; k < p + 6; k++) if (!isHexDigit[bytes[k]]) return 0;
  return 6;
}

function numberEnd(bytes: Uint8Array, p: number, end: number): number {
  if (bytes[p] === minus) p++;
  if (p >= end) return 0;
  if (bytes[p] === zero) p++;
  else if ((p = digitsEnd(bytes, p, end)) === 0) return 0;
  if (p < end && bytes[p] === dot && (p = digitsEnd(bytes, p + 1, end)) === 0) return 0;
  if (p < end && (bytes[p] | 0x20) === 0x65) {
    p++;
    if (p < end && (bytes[p] === minus || bytes[p] === 0x2b)) p++;
    p = digitsEnd(bytes, p, end);
  }
  return p;
}

/** After at least one digit; 0 if there is none. */
function digitsEnd(bytes: Uint8Array, p: number, end: number): number {
  const from = p;
  while (p < end && isDigit(bytes[p])) p++;
  return p === from ? 0 : p;
}

const littleTrue = 0x65757274;
const littleNull = 0x6c6c756e;
const littleAlse = 0x65736c61;

function literalEnd(view: DataView, p: number, end: number): number {
  if (p + 4 > end) return 0;
  const four = view.getInt32(p, true);
  if (four === littleTrue || four === littleNull) return p + 4;
  return p + 5 <= end && view.getUint8(p) === 0x66 && view.getInt32(p + 1, true) === littleAlse ? p + 5 : 0;
}
