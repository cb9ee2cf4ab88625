/**
 * The hot path of identity, in AssemblyScript (`npm run wasm` compiles it): reads many JSON texts in one call and
 * makes the keys of those with ordinary ids. `src/core/identity/json-scan.ts` puts the bytes into this memory, lays
 * it out and takes the answers; nothing here allocates or recurses.
 *
 * A text is taken and refused as JSON.parse does it; that it is UTF-8 is the caller's to know. While a text is read
 * the byte after it is 0, which stands nowhere in JSON: whatever looks for something stops there, so that no step
 * asks whether the end is reached. Loads of 16 bytes go beyond a text, which is why there is room behind the last.
 */

/** Decodes an escaped key of a container on a pointer, which is rare; gives the child that it names, or 0. */
declare function escapedMember(node: u32, from: u32, length: u32): u32;

// Where things lie; set once by the caller, `levels` also when the memory grows.

/** A record for each node of the tree of pointers, in preorder; see `nodeSize`. */
export let nodes: u32 = 0;
/** The number of nodes, and of answers to a text. */
export let slots: u32 = 0;
/** u32: the nodes of the open containers that lie on a pointer, outermost first, … */
export let path: u32 = 0;
/** … and u32: how many elements of each have been seen. */
export let indices: u32 = 0;
/** u32: where the texts begin … */
export let starts: u32 = 0;
/** … and end. */
export let ends: u32 = 0;
/** u8: is the text JSON? */
export let valid: u32 = 0;
/** u8, `slots` for each text: what was found … */
export let found: u32 = 0;
/** … and u32: from where … */
export let froms: u32 = 0;
/** … to where. */
export let tos: u32 = 0;
/** u8: has the text a key? */
export let keyed: u32 = 0;
/** u32, four for each text: its key. */
export let keys: u32 = 0;
/** u32: the slots that a key is made of, in their order. */
export let parts: u32 = 0;
export let partCount: u32 = 0;
/** u32: Chaskey's key, and what is added to a last block that is full and to one that is not. */
export let mac: u32 = 0;
/** Room for the message that a key is made of. */
export let message: u32 = 0;
/** A bit for each open container: was the one around it an object? */
export let levels: u32 = 0;

/** What is added to a place in the caller's buffer to get its address here. */
let shift: u32 = 0;
/** The first slot of the text that is read. */
let row: u32 = 0;

// Fields of a node, u32 each: the last node below it; its first child and its next sibling, 0 = none (the root is
// neither); the index that its token is, −1 = none; where its token lies in UTF-8, padded to 16 bytes, and its length.
const nodeSize: u32 = 24;
const lastOffset: u32 = 0;
const childOffset: u32 = 4;
const siblingOffset: u32 = 8;
const indexOffset: u32 = 12;
const tokenOffset: u32 = 16;
const lengthOffset: u32 = 20;

const nobody: u32 = 0xffffffff;

// What is found; the same numbers as `Found`.
const text: u32 = 1;
const escapedText: u32 = 2;
const number: u32 = 3;
const boolean: u32 = 4;
const nothing: u32 = 5;
const objectKind: u32 = 6;
const arrayKind: u32 = 7;

const quote: u32 = 0x22;
const comma: u32 = 0x2c;
const minus: u32 = 0x2d;
const dot: u32 = 0x2e;
const zero: u32 = 0x30;
const colon: u32 = 0x3a;
const openArray: u32 = 0x5b;
const backslash: u32 = 0x5c;
const closeArray: u32 = 0x5d;
const letterN: u32 = 0x6e;
const letterU: u32 = 0x75;
const openObject: u32 = 0x7b;
const closeObject: u32 = 0x7d;

/** Reads the first `count` texts. */
export function scan(count: u32, added: u32): void {
  shift = added;
  for (let i: u32 = 0; i < count; i++) {
    const start = load<u32>(starts + (i << 2)) + added;
    const end = load<u32>(ends + (i << 2)) + added;
    row = i * slots;
    const after = load<u8>(end);
    store<u8>(end, 0);
    const isValid = isJson(start, end);
    store<u8>(end, after);
    if (!isValid) memory.fill(found + row, 0, slots);
    store<u8>(valid + i, isValid);
    store<u8>(keyed + i, isValid && partCount > 0 && putKey(keys + (i << 4)));
  }
}

function isJson(start: u32, end: u32): bool {
  let p = start;
  let depth: u32 = 0;
  let object: bool = false;
  let keyNext: bool = false;
  /** The open containers on a pointer are the outermost `watched`. */
  let watched: u32 = 0;
  let node: u32 = 0;
  while (true) {
    if (keyNext) {
      p = pastBlanks(p);
      if (load<u8>(p) != quote) return false;
      const from = p + 1;
      p = plainEnd(from);
      let isEscaped = false;
      if (load<u8>(p) != quote) {
        p = escapedEnd(p);
        if (load<u8>(p) != quote) return false;
        isEscaped = true;
      }
      node = watched == depth ? member(load<u32>(path + ((depth - 1) << 2)), from, p, isEscaped) : nobody;
      p = pastBlanks(p + 1);
      if (load<u8>(p) != colon) return false;
      p++;
    }

    // A value, for the pointer node `node`.
    p = pastBlanks(p);
    const from = p;
    const first: u32 = load<u8>(p);
    if (first == quote) {
      p = plainEnd(p + 1);
      let isEscaped = false;
      if (load<u8>(p) != quote) {
        p = escapedEnd(p);
        if (load<u8>(p) != quote) return false;
        isEscaped = true;
      }
      if (node != nobody) note(node, isEscaped ? escapedText : text, from + 1, p);
      p++;
    } else if (first == openObject || first == openArray) {
      push(depth, object);
      object = first == openObject;
      if (node != nobody) {
        note(node, object ? objectKind : arrayKind, from, from);
        if (load<u32>(nodes + node * nodeSize, childOffset) != 0) {
          store<u32>(path + (depth << 2), node);
          store<u32>(indices + (depth << 2), 0);
          watched = depth + 1;
        }
      }
      depth++;
      p = pastBlanks(p + 1);
      if (load<u8>(p) != (object ? closeObject : closeArray)) {
        keyNext = object;
        if (!object) node = watched == depth ? element(depth - 1) : nobody;
        continue;
      }
    } else if (first == minus || isDigit(first)) {
      p = numberEnd(p);
      if (p == 0) return false;
      if (node != nobody) note(node, number, from, p);
    } else {
      p = literalEnd(p);
      if (p == 0) return false;
      if (node != nobody) note(node, first == letterN ? nothing : boolean, from, p);
    }

    // What follows: brackets that close, then a comma or the end.
    p = pastBlanks(p);
    if (load<u8>(p) != comma) {
      do {
        if (depth == 0) return p == end;
        if (load<u8>(p) != (object ? closeObject : closeArray)) return false;
        depth--;
        if (watched > depth) watched = depth;
        object = pop(depth);
        p = pastBlanks(p + 1);
      } while (load<u8>(p) != comma);
    }
    if (depth == 0) return false;
    p++;
    keyNext = object;
    if (!object) node = watched == depth ? nextElement(depth - 1) : nobody;
  }
}

function push(depth: u32, object: bool): void {
  const at = levels + (depth >> 3);
  const bit: u32 = 1 << (depth & 7);
  const others: u32 = load<u8>(at) & ~bit;
  store<u8>(at, object ? others | bit : others);
}

function pop(depth: u32): bool {
  return ((load<u8>(levels + (depth >> 3)) >> (depth & 7)) & 1) != 0;
}

/**
 * Takes note of a value; what an earlier value of the same key had below it is gone, and below the whole document,
 * which is noted first, what an earlier text had.
 */
function note(node: u32, kind: u32, from: u32, to: u32): void {
  const slot = row + node;
  const below = load<u32>(nodes + node * nodeSize, lastOffset) - node;
  if (below > 0) memory.fill(found + slot + 1, 0, below);
  store<u8>(found + slot, kind);
  store<u32>(froms + (slot << 2), from - shift);
  store<u32>(tos + (slot << 2), to - shift);
}

function member(parent: u32, from: u32, to: u32, isEscaped: bool): u32 {
  const length = <u32>(to - from);
  let child = load<u32>(nodes + parent * nodeSize, childOffset);
  if (isEscaped) child = escapedMember(parent, from, length);
  else {
    while (child != 0) {
      const at = nodes + child * nodeSize;
      if (load<u32>(at, lengthOffset) == length && areEqual(from, load<u32>(at, tokenOffset), length)) break;
      child = load<u32>(at, siblingOffset);
    }
  }
  return child != 0 ? child : nobody;
}

function areEqual(a: u32, b: u32, length: u32): bool {
  for (; length > 16; length -= 16, a += 16, b += 16)
    if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
  const equal: u32 = i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)));
  return ctz(~equal) >= length;
}

function nextElement(level: u32): u32 {
  const at = indices + (level << 2);
  store<u32>(at, load<u32>(at) + 1);
  return element(level);
}

function element(level: u32): u32 {
  const index = load<u32>(indices + (level << 2));
  let child = load<u32>(nodes + load<u32>(path + (level << 2)) * nodeSize, childOffset);
  while (child != 0) {
    const at = nodes + child * nodeSize;
    if (load<u32>(at, indexOffset) == index) return child;
    child = load<u32>(at, siblingOffset);
  }
  return nobody;
}

/** Mostly there are none; the loop stands apart since entering a loop costs a look at the stack. */
function pastBlanks(p: u32): u32 {
  return load<u8>(p) <= 0x20 ? blanksEnd(p) : p;
}

function blanksEnd(p: u32): u32 {
  while (isBlank(load<u8>(p))) p++;
  return p;
}

function isBlank(c: u32): bool {
  return c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09;
}

function isDigit(c: u32): bool {
  return c - zero <= 9;
}

/** The first quote, backslash or control character at or after `p`. */
function plainEnd(p: u32): u32 {
  const hits = notPlain(p);
  return hits != 0 ? p + ctz(hits) : longPlainEnd(p + 16);
}

function longPlainEnd(p: u32): u32 {
  let hits = notPlain(p);
  while (hits == 0) {
    p += 16;
    hits = notPlain(p);
  }
  return p + ctz(hits);
}

/** A bit for each of 16 bytes. */
function notPlain(p: u32): u32 {
  const bytes = v128.load(p);
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>quote)), i8x16.eq(bytes, i8x16.splat(<i8>backslash))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    ),
  );
}

/** The closing quote of a text that has its first backslash at `p`; something else where an escape is wrong. */
function escapedEnd(p: u32): u32 {
  while (load<u8>(p) == backslash) {
    const escape: u32 = load<u8>(p, 1);
    if (escape == letterU) {
      for (let k = p + 2; k < p + 6; k++) if (!isHexDigit(load<u8>(k))) return p;
      p += 6;
    } else if (isSimpleEscape(escape)) p += 2;
    else return p;
    p = plainEnd(p);
  }
  return p;
}

function isHexDigit(c: u32): bool {
  return isDigit(c) || (c | 0x20) - 0x61 <= 5;
}

/** One of `"` `/` `\` `b` `f` `n` `r` `t`. */
function isSimpleEscape(c: u32): bool {
  return (
    c == quote ||
    c == 0x2f ||
    c == backslash ||
    c == 0x62 ||
    c == 0x66 ||
    c == letterN ||
    c == 0x72 ||
    c == 0x74
  );
}

/** 0 if it is no number. */
function numberEnd(p: u32): u32 {
  if (load<u8>(p) == minus) p++;
  if (load<u8>(p) == zero) p++;
  else {
    p = digitsEnd(p);
    if (p == 0) return 0;
  }
  if (load<u8>(p) == dot) {
    p = digitsEnd(p + 1);
    if (p == 0) return 0;
  }
  if ((load<u8>(p) | 0x20) == 0x65) {
    const sign: u32 = load<u8>(++p);
    if (sign == minus || sign == 0x2b) p++;
    p = digitsEnd(p);
  }
  return p;
}

/** After at least one digit; 0 if there is none. */
function digitsEnd(p: u32): u32 {
  if (!isDigit(load<u8>(p))) return 0;
  do p++;
  while (isDigit(load<u8>(p)));
  return p;
}

const littleTrue: u32 = 0x65757274;
const littleNull: u32 = 0x6c6c756e;
const littleFals: u32 = 0x736c6166;

/** 0 if it is no literal. */
function literalEnd(p: u32): u32 {
  const four = load<u32>(p);
  if (four == littleTrue || four == littleNull) return p + 4;
  return four == littleFals && load<u8>(p, 4) == 0x65 ? p + 5 : 0;
}

// Types of the parts of a message; the same numbers as in message.ts.
const asciiPart: u32 = 1;
const numberPart: u32 = 3;
/** Longer parts have their keys made elsewhere, so that `message` has a size. */
const partSizeMax: u32 = 512;

/**
 * The key of the text in hand, just as message.ts has it, if all its parts are numbers or texts that need neither
 * decoding nor a closer look (empty, with a blank in front, not all ASCII).
 */
function putKey(to: u32): bool {
  let w = message;
  for (let k: u32 = 0; k < partCount; k++) {
    const slot = row + load<u32>(parts + (k << 2));
    const kind: u32 = load<u8>(found + slot);
    let p: u32 = load<u32>(froms + (slot << 2));
    let left: u32 = load<u32>(tos + (slot << 2)) - p;
    p += shift;
    if (left > partSizeMax) return false;
    if (kind == text) {
      if (load<u8>(p) <= 0x20 || left == 0) return false;
      store<u32>(w, asciiPart);
    } else if (kind == number) store<u32>(w, numberPart);
    else return false;
    store<u32>(w, left, 4);
    w += 8;
    let highBits: u32 = 0;
    for (; left >= 16; left -= 16, p += 16, w += 16) {
      const bytes = v128.load(p);
      highBits |= i8x16.bitmask(bytes);
      v128.store(w, bytes);
    }
    const bytes = v128.and(v128.load(p), firstBytes(left));
    highBits |= i8x16.bitmask(bytes);
    v128.store(w, bytes);
    w += (left + 3) & ~3;
    if (highBits != 0) return false;
  }
  v128.store(w, i32x4.splat(0));
  putTag(<u32>(w - message), to);
  return true;
}

/** Ones in the first `count` bytes, zeros in the others. */
function firstBytes(count: u32): v128 {
  return i8x16.lt_u(i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), i8x16.splat(<i8>count));
}

/** Chaskey-12 over the message, which is not empty; see chaskey.ts. The tag is cut to 112 bits. */
function putTag(byteLength: u32, to: u32): void {
  const isFull = (byteLength & 15) == 0;
  const last = message + ((byteLength - 1) & ~15);
  const added = mac + (isFull ? 16 : 32);
  let a = load<u32>(mac, 0);
  let b = load<u32>(mac, 4);
  let c = load<u32>(mac, 8);
  let d = load<u32>(mac, 12);
  // A message has whole words; so has its end.
  if (!isFull) store<u32>(message + byteLength, 1);
  for (let w = message; ; w += 16) {
    a ^= load<u32>(w, 0);
    b ^= load<u32>(w, 4);
    c ^= load<u32>(w, 8);
    d ^= load<u32>(w, 12);
    if (w == last) {
      a ^= load<u32>(added, 0);
      b ^= load<u32>(added, 4);
      c ^= load<u32>(added, 8);
      d ^= load<u32>(added, 12);
    }
    for (let round = 0; round < 12; round++) {
      a += b;
      b = rotl<u32>(b, 5) ^ a;
      a = rotl<u32>(a, 16);
      c += d;
      d = rotl<u32>(d, 8) ^ c;
      a += d;
      d = rotl<u32>(d, 13) ^ a;
      c += b;
      b = rotl<u32>(b, 7) ^ c;
      c = rotl<u32>(c, 16);
    }
    if (w == last) break;
  }
  store<u32>(to, a ^ load<u32>(added, 0), 0);
  store<u32>(to, b ^ load<u32>(added, 4), 4);
  store<u32>(to, c ^ load<u32>(added, 8), 8);
  store<u32>(to, (d ^ load<u32>(added, 12)) & 0xffff, 12);
}
