/**
 * The table of marks, in AssemblyScript (`npm run wasm` compiles it): open addressing, linear probing, one slot for
 * each key. `src/stores/kit/slots.ts` gives the keys of many claims at once and says what time it is.
 *
 * A slot is four words, or six with a checksum of the body: 112 bits of the key, then 16 bits that are 0 where the slot
 * is empty, else a tag (15 bits, the time of acceptance) and a bit for the tail.
 *
 * One hand goes round the table, downwards, a few slots at a time. It clears away the marks that are over, and when
 * the table grows, it moves each run of slots that it passes to where the larger table wants it: slots below the hand
 * are placed by the old capacity, all others by the new one. So nothing ever pauses, and there are never two tables.
 */

/** Whether the key at this address has an entry in the tail, which is rare to ask: then its mark stays, over or not. */
declare function isInTail(key: u32): bool;

/** Keys that are opened in one call at most (as in slots.ts); so many stay in the processor's cache with their answers. */
const keysMax: u32 = 512;
/** Four words a key, … */
export const keys: u32 = 16;
/** … two words for its body, if there are any, … */
export const bodies: u32 = keys + 16 * keysMax;
/** … an answer as a byte, … */
export const answers: u32 = bodies + 8 * keysMax;
/** … and the tag that its mark had as a u16. */
export const tagsFound: u32 = answers + keysMax;
/** The marks of one run while they are moved. A longer one does not come about, since keys are scattered. */
const run: u32 = tagsFound + 2 * keysMax;
const runMax: u32 = 1 << 16;
export const table: u32 = run + runMax;

// Answers.
const opened: u8 = 0;
const isSettled: u8 = 1;
const hasOtherBody: u8 = 2;
const asksTail: u8 = 3;

/** Tags go from 1 to this, and round again. */
const tags: u32 = 32767;
const tagBits: u32 = 0x7fff;
const inTail: u32 = 0x8000;
const markBits: u32 = 0xffff;

const slotsMin: u32 = 4096;
const loadMax: f64 = 0.78;
const growth: f64 = 1.3;
/** While the table grows: slots that are moved for each mark that is added, so that it is done before it is crowded. */
const slotsPerMark: u32 = 12;
/** Slots behind the last home, for the run that ends there. */
const overhang: u32 = 1 << 10;

/** Bytes of a slot, 16 or 24. */
let size: u32 = 16;
/** The tag of now, and how old in ticks a mark may be; -1 = all are over. */
export let now: u32 = 1;
export let ageMax: i32 = 0;
/** No key in the tail was accepted longer ago, in ticks. */
export let tailAge: u32 = 0;
/** Slots that are not empty. */
export let used: u32 = 0;

/** Capacity by which keys are placed whose home is below the hand, and by which the others are. */
let below: u32 = 0;
let above: u32 = 0;
let hand: u32 = 0;
/** Slots that the hand has yet to pass. */
let owed: u32 = 0;
/** Means nothing; without a use the compiler would leave the touching out. */
export let touched: u32 = 0;

/** Must be called first; `capacity` is the number of homes to begin with, at least. */
export function begin(withBodies: bool, capacity: u32): bool {
  size = withBodies ? 24 : 16;
  below = above = hand = capacity > slotsMin ? capacity : slotsMin;
  return stretch(above);
}

/** Bytes that the table takes. */
export function bytes(): u32 {
  return (above + overhang) * size;
}

/**
 * Opens the marks of the first `count` keys that have none, and answers for each. Gives how many it did: less than
 * all if there is no more memory.
 */
export function open(count: u32, withBodies: bool): u32 {
  // All slots are read before they are needed, so that their cache misses overlap.
  for (let i: u32 = 0; i < count; i++) touched ^= load<u32>(slotAt(home(keys + (i << 4))), 12);
  for (let i: u32 = 0; i < count; i++) {
    const key = keys + (i << 4);
    const at = seek(key);
    const mark = load<u32>(at, 12) & markBits;
    const body = withBodies ? bodies + (i << 3) : 0;
    if (mark == 0) {
      if (!hasRoom()) return i;
      openAt(at, key, body);
      used++;
      if (below != above) walk(slotsPerMark);
      store<u8>(answers + i, opened);
    } else if (mayBeInTail(mark)) {
      store<u8>(answers + i, asksTail);
      store<u16>(tagsFound + (i << 1), <u16>(mark & tagBits));
    } else if (isOver(mark)) {
      openAt(at, key, body);
      store<u8>(answers + i, opened);
    } else {
      store<u8>(
        answers + i,
        body != 0 && size == 24 && differ(load<u64>(at, 16), load<u64>(body)) ? hasOtherBody : isSettled,
      );
      store<u16>(tagsFound + (i << 1), <u16>(mark & tagBits));
    }
  }
  return count;
}

function openAt(at: u32, key: u32, body: u32): void {
  v128.store(at, v128.load(key));
  store<u32>(at, (load<u32>(key, 12) & ~markBits) | inTail | now, 12);
  if (size == 24) store<u64>(at, body != 0 ? load<u64>(body) : 0, 16);
}

/** The slot of the first key, over or not; 0 = it has none. */
export function find(): u32 {
  const at = seek(keys);
  return (load<u32>(at, 12) & markBits) != 0 ? at : 0;
}

/** Puts the first key with its mark and its body into a slot of its own; false if there is no more memory. */
export function put(): bool {
  if (!hasRoom()) return false;
  place(keys, bodies);
  used++;
  if (below != above) walk(slotsPerMark);
  return true;
}

/** Empties the slot and closes the gap. */
export function remove(at: u32): void {
  store<u32>(at, 0, 12);
  used--;
  let end = at + size;
  while (markAt(end) != 0) end += size;
  placeAnew(at + size, end);
}

/** The hand passes so many slots more, whole runs at a time. */
export function walk(count: u32): void {
  const owing = <u64>owed + count;
  owed = owing < above ? <u32>owing : above;
  while (owed > 0) {
    const before = hand;
    if (hand == 0) {
      if (!startRound()) return;
      owed--;
      continue;
    }
    passRun();
    const passed = before - hand;
    owed = passed < owed ? owed - passed : 0;
  }
}

/** Slots that can be looked at in order, empty or not. */
export function slots(): u32 {
  return above + overhang;
}

function slotAt(slot: u32): u32 {
  return table + slot * size;
}

function markAt(at: u32): u32 {
  return load<u32>(at, 12) & markBits;
}

function ageOf(mark: u32): u32 {
  const tag = mark & tagBits;
  return tag <= now ? now - tag : now - tag + tags;
}

function isOver(mark: u32): bool {
  return <i32>ageOf(mark) > ageMax;
}

function mayBeInTail(mark: u32): bool {
  return (mark & inTail) != 0 && ageOf(mark) <= tailAge;
}

/** Both known and not the same; 0 = not known. */
function differ(a: u64, b: u64): bool {
  return a != b && a != 0 && b != 0;
}

/** All 112 bits count, so that only who knows the key of the fingerprints can make keys that crowd. */
function home(key: u32): u32 {
  const left = load<u64>(key);
  const right = load<u64>(key, 8) & 0xffff0000ffffffff;
  const mixed = (left ^ rotr<u64>(right, 29)) * 0x9e3779b97f4a7c15;
  const hash = (mixed ^ (mixed >> 32)) & 0xffffffff;
  const slot = <u32>((hash * below) >> 32);
  return slot < hand ? slot : <u32>((hash * above) >> 32);
}

/** Where the key is, over or not, or the empty slot where it belongs. */
function seek(key: u32): u32 {
  const left = load<u64>(key);
  const right = load<u64>(key, 8);
  let at = slotAt(home(key));
  while (true) {
    const last = load<u64>(at, 8);
    if ((last & 0x0000ffff00000000) == 0) return at;
    if (((last ^ right) & 0xffff0000ffffffff) == 0 && load<u64>(at) == left) return at;
    at += size;
  }
}

/** Copies a mark (its words and its body) into the first free slot from its home on. */
function place(mark: u32, body: u32): void {
  let at = slotAt(home(mark));
  while (markAt(at) != 0) at += size;
  v128.store(at, v128.load(mark));
  if (size == 24) store<u64>(at, load<u64>(body), 16);
}

/** Takes the marks out of these slots, up to the end of a run, and puts those that are not over where they belong. */
function placeAnew(from: u32, end: u32): void {
  const length = end - from;
  if (length > runMax) unreachable();
  memory.copy(run, from, length);
  for (let at = from; at < end; at += size) store<u32>(at, 0, 12);
  for (let at = run; at < run + length; at += size) {
    const mark = markAt(at);
    if (isOver(mark) && !(mayBeInTail(mark) && isInTail(at))) used--;
    else place(at, at + 16);
  }
}

function passRun(): void {
  let end = slotAt(hand);
  while (end > table && markAt(end - size) == 0) end -= size;
  let from = end;
  let isDirty = below != above;
  for (let mark = markAt(end); mark != 0; mark = markAt(end)) {
    isDirty = isDirty || isOver(mark);
    end += size;
  }
  while (from > table) {
    const mark = markAt(from - size);
    if (mark == 0) break;
    isDirty = isDirty || isOver(mark);
    from -= size;
  }
  hand = (from - table) / size;
  if (isDirty) placeAnew(from, end);
}

/** For one more mark: starts to grow in time. */
function hasRoom(): bool {
  return below != above || <f64>used <= loadMax * <f64>above || startRound();
}

function startRound(): bool {
  const wanted = <u32>Math.ceil(growth * <f64>above);
  const grown = wanted > above + slotsMin ? wanted : above + slotsMin;
  const grows = <f64>used > loadMax * <f64>above;
  if (grows && !stretch(grown)) return false;
  below = hand = above;
  if (grows) above = grown;
  return true;
}

function stretch(capacity: u32): bool {
  const wanted = <u64>table + (<u64>capacity + overhang) * size + 32;
  if (wanted > 0xffff0000) return false;
  const missing = <i32>((wanted + 0xffff) >> 16) - memory.size();
  return missing <= 0 || memory.grow(missing) != -1;
}
