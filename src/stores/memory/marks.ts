import { HapaxError } from '../../core/errors.ts';
import { isOther } from './body.ts';
import { StretchingWords } from './stretching-words.ts';

/** Tags are 15 bits: 0 = the slot is empty, else the tick of the acceptance, modulo this. */
const tags = 32_767;
const tagBits = 0x7fff;
/** The key may have an entry in the tail, which knows more; the tail is asked, and the bit goes when it says no. */
const inTail = 0x8000;
/** Less than half of the tags, so that a tag stays clear for a whole window after its mark is over. */
const ticksPerWindow = 15_000;
const roundsPerWindow = 8;
const [loadMax, growth, slotsMin] = [0.72, 1.35, 4_096];
/** While the table grows: slots that are moved for each mark that is added, so that it is done before it is crowded. */
const slotsPerMark = 12;

/**
 * One mark a key: 112 bits of fingerprint, 15 of time and one for the tail in a slot of four words (six with a body checksum),
 * open addressing, linear probing.
 *
 * One hand goes round the table, downwards, a few slots at a time. It clears away the marks that are over, and when
 * the table grows, it moves each run of slots that it passes to where the larger table wants it: slots below the hand
 * are placed by the old capacity, all others by the new one. So nothing ever pauses, and there are never two tables.
 */
export class Marks {
  /** The largest number of marks that is sure to fit, with bodies too. */
  static readonly most = 120_000_000;

  readonly tickMs: number;
  /** Means nothing; without a use the compiler would leave `touch` out. */
  touched = 0;
  readonly #windowMs: number;
  readonly #ticksPerRound: number;

  #memory = new StretchingWords();
  #words = this.#memory.stretch(4 * (slotsMin + 1));
  #stride: 4 | 6 = 4;
  #slots = this.#words.length / 4;
  #used = 0;
  /** The slots that one run of marks is moved out to. */
  #run = new Uint32Array(6 * 256);

  /** Capacity by which keys are placed whose home is below the hand, and by which the others are. */
  #below = slotsMin;
  #above = slotsMin;
  #hand = slotsMin;
  #owed = 0;

  #tick: number;
  #tag = 0;
  /** The first tick whose marks are not over, and how old in ticks a mark may be. */
  #oldest: number;
  #ageMax = 0;
  /** How many marks that are not over have each tag. */
  readonly #counts = new Uint32Array(tags + 1);
  #size = 0;

  /** Whether a key (its words in a block of one) has an entry in the tail: then its mark stays, over or not. */
  readonly #isInTail: (key: Uint32Array, acceptedTag: number) => boolean;

  constructor(windowMs: number, now: number, isInTail: (key: Uint32Array, acceptedTag: number) => boolean) {
    this.#windowMs = windowMs;
    this.#isInTail = isInTail;
    this.tickMs = Math.ceil(windowMs / ticksPerWindow);
    this.#ticksPerRound = Math.max(1, Math.floor(windowMs / this.tickMs / roundsPerWindow));
    this.#tick = Math.floor(now / this.tickMs);
    this.#oldest = this.#oldestAt(now);
    this.advance(now);
  }

  /** Marks that are not over. */
  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  /** A mark that was accepted before this is over. */
  get horizon(): number {
    return this.#oldest * this.tickMs;
  }

  /** The first moment at which a mark of this acceptance is over. */
  endOf(acceptedAt: number): number {
    return (Math.floor(acceptedAt / this.tickMs) + 1) * this.tickMs + this.#windowMs;
  }

  /** How far back marks reach: less than the window after `shorten`. */
  get effectiveWindowMs(): number {
    return Math.min(this.#windowMs, this.#ageMax * this.tickMs);
  }

  oldestAcceptedAt(): number | undefined {
    for (let tick = this.#oldest; tick <= this.#tick; tick++) {
      if (this.#counts[tagOf(tick)] > 0) return tick * this.tickMs;
    }
    return undefined;
  }

  /** Must be told the time before anything else. It does not go back. */
  advance(now: number): void {
    const tick = Math.floor(now / this.tickMs);
    const passed = tick - this.#tick;
    const oldest = this.#oldestAt(now);
    if (oldest > this.#tick) this.#clear(oldest);
    // After a long silence tags would get ambiguous: what was over already goes first.
    else if (passed > this.#ticksPerRound) this.#walk(this.#slots);
    this.#tick = tick;
    this.#tag = tagOf(tick);
    while (this.#oldest < oldest) this.#dropOldestTick();
    this.#ageMax = tick - this.#oldest;
    if (passed > 0) this.#walk((this.#slots * passed) / this.#ticksPerRound);
  }

  /** Ends the window of the oldest ticks early until so many marks are gone or only those of this tick are left. */
  shorten(marks: number): void {
    const enough = this.size - marks;
    while (this.size > enough && this.#oldest < this.#tick) this.#dropOldestTick();
    this.#ageMax = this.#tick - this.#oldest;
  }

  /** Reads where the key would be: done for many before they are needed, their cache misses overlap. */
  touch(block: Uint32Array, i: number): void {
    this.touched ^= this.#words[this.#stride * this.#home(block, 4 * i) + 3];
  }

  /** The slot of the key's mark, or -1; one that is over only if the tail has to be asked. Good until a change. */
  find(block: Uint32Array, i: number): number {
    const at = this.#seek(block, 4 * i);
    const tag = this.#words[at + 3] & 0xffff;
    return tag === 0 || (this.#isOver(tag) && tag < inTail) ? -1 : at / this.#stride;
  }

  /** The slot of the key's mark, as `find`; without one it gets one that is in the tail, and the answer is -1. */
  findOrOpen(block: Uint32Array, i: number, bodies: Uint32Array | undefined): number {
    if (bodies && this.#stride === 4) this.#widen();
    const at = this.#seek(block, 4 * i);
    const tag = this.#words[at + 3] & 0xffff;
    if (tag !== 0 && (tag >= inTail || !this.#isOver(tag))) return at / this.#stride;
    if (tag === 0) this.#insert(block, 4 * i, at, bodies, i);
    else this.renew(at / this.#stride, bodies, i);
    return -1;
  }

  /** The tail has to be asked for the key. */
  mayBeInTail(slot: number): boolean {
    return (this.#words[this.#stride * slot + 3] & inTail) !== 0;
  }

  tagOf(slot: number): number {
    return this.#words[this.#stride * slot + 3] & tagBits;
  }

  /** The tail does not have it. */
  leaveTail(slot: number): void {
    this.#words[this.#stride * slot + 3] &= ~inTail;
  }

  isOver(slot: number): boolean {
    return this.#isOver(this.#words[this.#stride * slot + 3] & 0xffff);
  }

  /** It is accepted now, and in the tail; until now it was accepted as told (see `remove`). */
  renew(slot: number, bodies: Uint32Array | undefined, i: number, acceptedAt = this.acceptedAt(slot)): void {
    const last = this.#stride * slot + 3;
    this.#uncount(acceptedAt);
    this.#words[last] = (this.#words[last] & 0xffff0000) | inTail | this.#tag;
    this.#size++;
    this.#counts[this.#tag]++;
    this.setBody(slot, bodies, i);
  }

  setBody(slot: number, bodies: Uint32Array | undefined, i: number): void {
    if (this.#stride === 4) return;
    const at = this.#stride * slot + 4;
    this.#words[at] = bodies ? bodies[2 * i] : 0;
    this.#words[at + 1] = bodies ? bodies[2 * i + 1] : 0;
  }

  /** What the mark of a key carries that was accepted then. */
  tagAt(acceptedAt: number): number {
    return tagOf(Math.floor(acceptedAt / this.tickMs));
  }

  /** When it was first accepted, rounded down to a tick. */
  acceptedAt(slot: number): number {
    return (this.#tick - this.#age(this.#words[this.#stride * slot + 3] & tagBits)) * this.tickMs;
  }

  /** Both known and not the same; 0 = not known. */
  hasOtherBody(slot: number, bodies: Uint32Array, i: number): boolean {
    if (this.#stride === 4) return false;
    const at = this.#stride * slot + 4;
    return isOther(this.#words[at], this.#words[at + 1], bodies[2 * i], bodies[2 * i + 1]);
  }

  /** The tail tells when it was accepted: the tag of a mark that is kept for it may have come round. */
  remove(slot: number, acceptedAt = this.acceptedAt(slot)): void {
    this.#uncount(acceptedAt);
    this.#empty(slot);
  }

  #uncount(acceptedAt: number): void {
    if (acceptedAt < this.horizon) return;
    this.#size--;
    this.#counts[this.tagAt(acceptedAt)]--;
  }

  #empty(slot: number): void {
    this.#words[this.#stride * slot + 3] = 0;
    this.#used--;
    let to = slot + 1;
    while ((this.#words[this.#stride * to + 3] & 0xffff) !== 0) to++;
    this.#placeAnew(slot + 1, to);
  }

  /** Where the key is, over or not, or the empty slot where it belongs; as the offset of its first word. */
  #seek(block: Uint32Array, key: number): number {
    const words = this.#words;
    const stride = this.#stride;
    const [k0, k1, k2, k3] = [block[key], block[key + 1], block[key + 2], block[key + 3]];
    for (let at = stride * this.#home(block, key); ; at += stride) {
      const last = words[at + 3];
      if ((last & 0xffff) === 0) return at;
      if (words[at] === k0 && words[at + 1] === k1 && words[at + 2] === k2 && (last ^ k3) >>> 16 === 0)
        return at;
    }
  }

  #insert(source: Uint32Array, from: number, at: number, bodies: Uint32Array | undefined, i: number): void {
    this.#write(source, from, inTail | this.#tag, at);
    if (bodies) this.setBody(at / this.#stride, bodies, i);
    this.#used++;
    this.#size++;
    this.#counts[this.#tag]++;
    if (this.#below !== this.#above) this.#walk(slotsPerMark);
    else if (this.#used > loadMax * this.#above) this.#startRound();
  }

  #age(tag: number): number {
    return tag <= this.#tag ? this.#tag - tag : this.#tag - tag + tags;
  }

  #isOver(tag: number): boolean {
    return this.#age(tag & tagBits) > this.#ageMax;
  }

  /** A mark is over when the whole of its tick has left the window. */
  #oldestAt(now: number): number {
    return Math.floor((now - this.#windowMs) / this.tickMs);
  }

  #home(words: Uint32Array, at: number): number {
    const hash = (Math.imul(words[at] ^ words[at + 1], 0x9e3779b1) >>> 0) / 2 ** 32;
    const home = Math.floor(hash * this.#below);
    return home < this.#hand ? home : Math.floor(hash * this.#above);
  }

  /** Writes a fingerprint and its tag to the first free slot from its home on. */
  #place(source: Uint32Array, from: number, tag: number): number {
    const words = this.#words;
    const stride = this.#stride;
    let at = stride * this.#home(source, from);
    while ((words[at + 3] & 0xffff) !== 0) at += stride;
    this.#write(source, from, tag, at);
    return at;
  }

  #write(source: Uint32Array, from: number, tag: number, at: number): void {
    if (at === this.#stride * (this.#slots - 1)) this.#stretch(this.#slots + slotsMin);
    const words = this.#words;
    words[at] = source[from];
    words[at + 1] = source[from + 1];
    words[at + 2] = source[from + 2];
    words[at + 3] = (source[from + 3] & 0xffff0000) | tag;
  }

  /** Takes the marks out of these slots, up to the end of a run, and puts those that are not over where they belong. */
  #placeAnew(from: number, to: number): void {
    const stride = this.#stride;
    const words = this.#words;
    const size = stride * (to - from);
    if (this.#run.length < size) this.#run = new Uint32Array(2 * size);
    const run = this.#run;
    for (let at = 0; at < size; at++) {
      run[at] = words[stride * from + at];
      words[stride * from + at] = 0;
    }
    for (let at = 0; at < size; at += stride) {
      const tag = run[at + 3] & 0xffff;
      if (this.#isOver(tag) && !this.#isKept(run, at)) {
        this.#used--;
        continue;
      }
      const put = this.#place(run, at, tag);
      for (let word = 4; word < stride; word++) this.#words[put + word] = run[at + word];
    }
  }

  /** The hand passes so many slots more, whole runs at a time. */
  #walk(slots: number): void {
    this.#owed = Math.min(this.#owed + slots, this.#slots);
    while (this.#owed > 0) {
      const hand = this.#hand;
      if (hand === 0) this.#startRound();
      else this.#passRun();
      this.#owed -= Math.max(1, hand - this.#hand);
    }
  }

  #passRun(): void {
    const words = this.#words;
    const stride = this.#stride;
    const tagAt = (slot: number) => words[stride * slot + 3] & 0xffff;
    let to = this.#hand;
    while (to > 0 && tagAt(to - 1) === 0) to--;
    let from = to;
    let isDirty = this.#below !== this.#above;
    for (let tag; (tag = tagAt(to)) !== 0; to++) isDirty ||= this.#isOver(tag);
    for (let tag; from > 0 && (tag = tagAt(from - 1)) !== 0; from--) isDirty ||= this.#isOver(tag);
    this.#hand = from;
    if (isDirty) this.#placeAnew(from, to);
  }

  #startRound(): void {
    this.#below = this.#above;
    this.#hand = this.#below;
    if (this.#used <= loadMax * this.#below) return;
    const slots = Math.max(Math.ceil(growth * this.#below), this.#below + slotsMin);
    this.#stretch(slots + 1);
    this.#above = slots;
  }

  #stretch(slots: number): void {
    try {
      this.#words = this.#memory.stretch(this.#stride * slots);
    } catch (cause) {
      throw new HapaxError('HPX-S002', `no memory for ${String(this.#used)} marks`, { cause });
    }
    this.#slots = Math.floor(this.#words.length / this.#stride);
  }

  /** Makes place for bodies: the slots stay where they are. */
  #widen(): void {
    const narrow = this.#words;
    const slots = this.#slots;
    this.#memory = new StretchingWords();
    this.#stride = 6;
    this.#stretch(slots);
    for (let slot = 0; slot < slots; slot++) {
      for (let word = 0; word < 4; word++) this.#words[6 * slot + word] = narrow[4 * slot + word];
    }
  }

  #dropOldestTick(): void {
    const tag = tagOf(this.#oldest++);
    this.#size -= this.#counts[tag];
    this.#counts[tag] = 0;
  }

  /** Over, but the tail has it. */
  #isKept(words: Uint32Array, at: number): boolean {
    const last = words[at + 3];
    return (last & inTail) !== 0 && this.#isInTail(words.slice(at, at + 4), last & tagBits);
  }

  /** All marks are over, but for those of the tail: begins with a table of those alone. */
  #clear(oldest: number): void {
    const kept: number[][] = [];
    for (let at = 0; this.#used > 0 && at < this.#stride * this.#slots; at += this.#stride) {
      if ((this.#words[at + 3] & 0xffff) !== 0 && this.#isKept(this.#words, at)) {
        kept.push([...this.#words.subarray(at, at + this.#stride)]);
      }
    }
    this.#oldest = oldest;
    this.#counts.fill(0);
    this.#size = 0;
    if (this.#used === 0) return;
    this.#memory = new StretchingWords();
    this.#below = this.#above = this.#hand = slotsMin;
    this.#stretch(slotsMin + 1);
    this.#used = 0;
    for (const words of kept) this.#keep(Uint32Array.from(words));
  }

  #keep(words: Uint32Array): void {
    const at = this.#place(words, 0, words[3] & 0xffff);
    for (let word = 4; word < this.#stride; word++) this.#words[at + word] = words[word];
    this.#used++;
    if (this.#below !== this.#above) this.#walk(slotsPerMark);
    else if (this.#used > loadMax * this.#above) this.#startRound();
  }
}

function tagOf(tick: number): number {
  return (((tick % tags) + tags) % tags) + 1;
}
