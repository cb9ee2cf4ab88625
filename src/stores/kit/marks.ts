import { HapaxError } from '../../core/errors.ts';
import { isOther } from './body.ts';
import { Opened, Slots } from './slots.ts';

/** Less than half of the tags, so that a tag stays clear for a whole window after its mark is over. */
const ticksPerWindow = 15_000;
const roundsPerWindow = 8;

/** A mark whose key is in the tail stays, over or not. */
export interface MarksTail {
  /** Whether it has the key (its words in a block of one), whose mark has this tag. */
  has(key: Uint32Array, tag: number): boolean;
  /** When the first of its keys was accepted, ms since 1970; Infinity = it has none. */
  since(): number;
}

/**
 * One mark a key, and the time that it keeps: when it was accepted, to within a tick, and when it is over. Where the
 * marks are, `Slots` knows.
 */
export class Marks {
  /** The largest number of marks that is sure to fit, with bodies too. */
  static readonly most = 120_000_000;

  readonly tickMs: number;
  readonly #windowMs: number;
  /** Nothing was accepted before. */
  readonly #openedAt: number;
  readonly #ticksPerRound: number;

  #slots: Slots;
  #tick: number;
  #tag = 0;
  /** The first tick whose marks are not over, and how old in ticks a mark may be. */
  #oldest: number;
  #ageMax = 0;
  /** How many marks that are not over have each tag. */
  readonly #counts = new Uint32Array(Slots.tags + 1);
  #size = 0;

  readonly #tail: MarksTail;

  constructor(windowMs: number, now: number, tail: MarksTail) {
    this.#windowMs = windowMs;
    this.#openedAt = now;
    this.#tail = tail;
    this.tickMs = Math.ceil(windowMs / ticksPerWindow);
    this.#ticksPerRound = Math.max(1, Math.floor(windowMs / this.tickMs / roundsPerWindow));
    this.#slots = new Slots(false, (key, tag) => tail.has(key, tag));
    this.#tick = Math.floor(now / this.tickMs);
    this.#oldest = this.#oldestAt(now);
    this.advance(now);
  }

  /** Marks that are not over. */
  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#slots.bytes;
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
    if (passed === 0 && oldest === this.#oldest && this.#tag !== 0) return;
    if (oldest > this.#tick) this.#clear(oldest);
    // After a long silence tags would get ambiguous: what was over already goes first.
    else if (passed > this.#ticksPerRound) this.#clean();
    this.#tick = tick;
    this.#tag = tagOf(tick);
    while (this.#oldest < oldest) this.#dropOldestTick();
    this.#tellTime();
    if (passed > 0) this.#slots.walk((this.#slots.count * passed) / this.#ticksPerRound);
  }

  /** Ends the window of the oldest ticks early until so many marks are gone or only those of this tick are left. */
  shorten(marks: number): void {
    const enough = this.size - marks;
    while (this.size > enough && this.#oldest < this.#tick) this.#dropOldestTick();
    this.#tellTime();
  }

  /** Ends the window of everything that was accepted by then early. */
  shortenTo(acceptedAt: number): void {
    const tick = Math.floor(acceptedAt / this.tickMs);
    while (this.#oldest <= Math.min(tick, this.#tick - 1)) this.#dropOldestTick();
    this.#tellTime();
  }

  /** The slot of the key's mark, or -1; one that is over only if the tail has to be asked. Good until a change. */
  find(keys: Uint32Array, i: number): number {
    const slot = this.#slots.find(keys, i);
    return slot < 0 || (!this.mayBeInTail(slot) && this.isOver(slot)) ? -1 : slot;
  }

  /**
   * Gives keys without a mark one that is in the tail (see `Slots.open`). It may stop before `to` for want of memory:
   * what was opened by then must get its entry, or it would count as settled.
   */
  open(
    keys: Uint32Array,
    bodies: Uint32Array | undefined,
    elements: Uint32Array | undefined,
    from: number,
    to: number,
  ): ReturnType<Slots['open']> {
    if (bodies && !this.#slots.hasBodies) this.#moveTo(true);
    const found = this.#slots.open(keys, bodies, elements, from, to);
    let opened = 0;
    for (let k = 0; k < found.count; k++) if (found.answers[k] === Opened.opened) opened++;
    this.#size += opened;
    this.#counts[this.#tag] += opened;
    return found;
  }

  /** A mark of this acceptance, whether there was one or not; of one that is over nothing is counted. */
  keep(keys: Uint32Array, bodies: Uint32Array | undefined, i: number, acceptedAt: number): void {
    let slot = this.#slots.find(keys, i);
    if (slot < 0) {
      this.openOne(keys, bodies, i);
      slot = this.#slots.find(keys, i);
    }
    this.#uncount(this.acceptedAt(slot));
    const tag = this.tagAt(acceptedAt);
    this.#slots.renew(slot, tag);
    this.setBody(slot, bodies, i);
    if (acceptedAt < this.horizon) return;
    this.#size++;
    this.#counts[tag]++;
  }

  /** There will be so many marks: a table that is still empty begins as large as they need. */
  reserve(marks: number): void {
    if (this.#slots.used > 0) return;
    this.#slots = this.#slots.sized(marks);
    this.#tellTime();
  }

  openOne(keys: Uint32Array, bodies: Uint32Array | undefined, i: number): void {
    if (this.open(keys, bodies, undefined, i, i + 1).count === 0) throw this.noMemory();
  }

  noMemory(): HapaxError {
    return new HapaxError('HPX-S002', `no memory for more than ${String(this.#slots.used)} marks`);
  }

  /** The tail has to be asked for the key. */
  mayBeInTail(slot: number): boolean {
    return this.#slots.mayBeInTail(slot);
  }

  tagOf(slot: number): number {
    return this.#slots.tagOf(slot);
  }

  /** The tail does not have it. */
  leaveTail(slot: number): void {
    this.#slots.leaveTail(slot);
  }

  isOver(slot: number): boolean {
    return this.#age(this.tagOf(slot)) > this.#ageMax;
  }

  /** It is accepted now, and in the tail; until now it was accepted as told (see `remove`). */
  renew(slot: number, bodies: Uint32Array | undefined, i: number, acceptedAt = this.acceptedAt(slot)): void {
    this.#uncount(acceptedAt);
    this.#slots.renew(slot, this.#tag);
    this.#size++;
    this.#counts[this.#tag]++;
    this.setBody(slot, bodies, i);
  }

  setBody(slot: number, bodies: Uint32Array | undefined, i: number): void {
    if (!this.#slots.hasBodies) return;
    const body = this.#slots.bodyOf(slot);
    body[0] = bodies ? bodies[2 * i] : 0;
    body[1] = bodies ? bodies[2 * i + 1] : 0;
  }

  /** What the mark of a key carries that was accepted then. */
  tagAt(acceptedAt: number): number {
    return tagOf(Math.floor(acceptedAt / this.tickMs));
  }

  /** When a mark with this tag was first accepted, rounded down to a tick. */
  timeOf(tag: number): number {
    return Math.max(this.#openedAt, (this.#tick - this.#age(tag)) * this.tickMs);
  }
  acceptedAt(slot: number): number {
    return this.timeOf(this.tagOf(slot));
  }

  /** Both known and not the same; 0 = not known. */
  hasOtherBody(slot: number, bodies: Uint32Array, i: number): boolean {
    if (!this.#slots.hasBodies) return false;
    const [b0, b1] = this.#slots.bodyOf(slot);
    return isOther(b0, b1, bodies[2 * i], bodies[2 * i + 1]);
  }

  /** The tail tells when it was accepted: the tag of a mark that is kept for it may have come round. */
  remove(slot: number, acceptedAt = this.acceptedAt(slot)): void {
    this.#uncount(acceptedAt);
    this.#slots.remove(slot);
  }

  #uncount(acceptedAt: number): void {
    if (acceptedAt < this.horizon) return;
    this.#size--;
    this.#counts[this.tagAt(acceptedAt)]--;
  }

  #age(tag: number): number {
    return tag <= this.#tag ? this.#tag - tag : this.#tag - tag + Slots.tags;
  }

  /** A mark is over when the whole of its tick has left the window. */
  #oldestAt(now: number): number {
    return Math.floor((now - this.#windowMs) / this.tickMs);
  }

  #tailAge(): number {
    const since = this.#tail.since();
    return since === Infinity ? 0 : Math.max(0, this.#tick - Math.floor(since / this.tickMs));
  }

  /** The tail has got older claims than it had. */
  heedTail(): void {
    this.#tellTime();
  }

  #tellTime(): void {
    this.#ageMax = this.#tick - this.#oldest;
    this.#slots.setTime(this.#tag, this.#ageMax, this.#tailAge());
  }

  #dropOldestTick(): void {
    const tag = tagOf(this.#oldest++);
    this.#size -= this.#counts[tag];
    this.#counts[tag] = 0;
  }

  /** All marks are over: only those of the tail stay. */
  #clear(oldest: number): void {
    this.#oldest = oldest;
    this.#counts.fill(0);
    this.#size = 0;
    this.#slots.setTime(this.#tag, -1, this.#tailAge());
    this.#clean();
  }

  /** What is over goes at once. A table that is far too large then is left for a new one. */
  #clean(): void {
    this.#slots.walk(this.#slots.count);
    if (this.#slots.isVast) this.#moveTo(this.#slots.hasBodies);
  }

  #moveTo(hasBodies: boolean): void {
    this.#slots = this.#slots.copy(hasBodies);
    this.#slots.setTime(this.#tag, this.#ageMax, this.#tailAge());
  }
}

function tagOf(tick: number): number {
  return (((tick % Slots.tags) + Slots.tags) % Slots.tags) + 1;
}
