import type { Batch } from '../../core/event.ts';
import { Unidentified } from '../../core/identity.ts';
import { countLines, LineTable, type Framing } from './line-table.ts';

/** Some more of an input, after `headroom` bytes that may be overwritten. */
export interface Chunk {
  readonly buffer: Buffer;
  readonly headroom: number;
}

const LF = 10;
/** What is kept of a line that is never held whole. */
const cutSize = 65_536;
/** More than the pipeline has in flight. */
const recentMax = 8;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Makes batches of inputs, one after another. A frame is the blank lines before a line, the line, and its
 * terminator, LF or CRLF: side by side the frames are the input, however it came in chunks.
 */
export class LineFramer {
  /** Blank lines so far. */
  blank = 0;
  readonly #framing: Framing;
  readonly #table = new LineTable();
  /** The latest batches, and the number of the line that each begins with. */
  readonly #recent: { readonly batch: Batch; readonly line: number }[] = [];
  #partition = '';
  /** Of the next chunk in its input. */
  #offset = 0;
  /** The number of the next line. */
  #line = 1;
  /** Bytes that ride along with the next delivery. */
  #lead = nothing;
  /** The start of a line that goes on in the next chunk, as far as it is kept, and its size so far. */
  #begun: Buffer[] = [];
  #begunSize = 0;

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  /** The following chunks come from this input and this offset, where the line of this number begins. */
  begin(partition: string, offset: number, line = 1): void {
    this.#partition = partition;
    this.#offset = offset;
    this.#line = line;
    if (this.#lead.length > 0 && this.#lead.at(-1) !== LF) this.ride(Buffer.of(LF));
  }

  /** What was begun, for an input that is left and read again. */
  forget(): void {
    this.#lead = nothing;
    this.#begun = [];
    this.#begunSize = 0;
  }

  /** A line that was begun and may go on later is left out for now; tells where it begins, and its number. */
  leave(): { offset: number; line: number } {
    this.#offset -= this.#begunSize;
    this.#begun = [];
    this.#begunSize = 0;
    return { offset: this.#offset, line: this.#line };
  }

  /** Bytes of no line, kept before the next one; more than a line may have are not kept. */
  ride(bytes: Buffer): void {
    if (this.#lead.length + bytes.length <= this.#framing.lineSizeMax)
      this.#lead = Buffer.concat([this.#lead, bytes]);
  }

  /** Batches of the lines that end in this chunk. */
  push({ buffer, headroom }: Chunk): Batch[] {
    const after = buffer.indexOf(LF, headroom) + 1;
    if (after === 0) {
      this.#keep(buffer.subarray(headroom));
      return [];
    }
    if (!this.#overlong) return this.#lines({ buffer, headroom }, false);
    return [this.#cutLine(after - headroom), ...this.push({ buffer, headroom: after })];
  }

  /** A last line without terminator. */
  end(): Batch[] {
    if (this.#begunSize === 0) return [];
    return this.#overlong ? [this.#cutLine(0)] : this.#lines({ buffer: nothing, headroom: 0 }, true);
  }

  /** What stands after the last line: blank lines. */
  get rest(): Uint8Array {
    return this.#lead;
  }

  /** The number, from 1, of the line at this position, as long as its batch is one of the latest. */
  lineAt(partition: string, position: number): number | undefined {
    const found = this.#recent.find(({ batch }) => batch.partition === partition && position < batch.next);
    if (!found || position < found.batch.positions[0] || Number.isNaN(found.line)) return undefined;
    const { bytes, positions, starts } = found.batch;
    return found.line + countLines(bytes.subarray(0, position - positions[0] + starts[0]));
  }

  /** It is not held whole. */
  get #overlong(): boolean {
    return this.#begunSize > this.#framing.wholeSizeMax;
  }

  #keep(bytes: Buffer): void {
    if (!this.#overlong && bytes.length > 0) this.#begun.push(Buffer.from(bytes));
    this.#begunSize += bytes.length;
    this.#offset += bytes.length;
  }

  #lines({ buffer, headroom }: Chunk, last: boolean): Batch[] {
    const lead = this.#lead;
    const bytes = join([lead, ...this.#begun], buffer, headroom);
    const base = this.#offset - this.#begunSize - lead.length;
    const rest = this.#table.fill(bytes, lead.length, lead.length + this.#begunSize, last, this.#framing);
    const { count, blank, large } = this.#table;
    const frames = new Uint32Array(count + 1);
    frames.set(this.#table.afters.subarray(0, count), 1);
    const size = frames[count];
    const batch = {
      partition: this.#partition,
      count,
      bytes: bytes.subarray(0, size),
      starts: this.#table.starts.slice(0, count),
      ends: this.#table.ends.slice(0, count),
      frames,
      positions: offsets(this.#table.starts, count, base),
      next: base + rest,
      ...(large.length > 0 && { flaws: this.#flaws() }),
    };
    const line = this.#line - countLines(lead);
    this.#line += count + blank;
    this.blank += blank;

    this.#offset = base + rest;
    this.#lead = nothing;
    this.ride(bytes.subarray(size, rest));
    this.#begun = [];
    this.#begunSize = 0;
    this.#keep(bytes.subarray(rest));
    return count > 0 ? [this.#remember(batch, line)] : [];
  }

  /** The line that goes on for `size` more bytes was too large to be held. */
  #cutLine(size: number): Batch {
    const payload = join(this.#begun, nothing, 0).subarray(0, cutSize);
    const position = this.#offset - this.#begunSize;
    this.#offset += size;
    const batch = {
      partition: this.#partition,
      count: 1,
      bytes: payload,
      starts: Uint32Array.of(0),
      ends: Uint32Array.of(payload.length),
      frames: Uint32Array.of(0, payload.length),
      positions: Float64Array.of(position),
      next: this.#offset,
      flaws: Uint8Array.of(Unidentified.tooLarge),
    };
    this.#begun = [];
    this.#begunSize = 0;
    return this.#remember(batch, this.#line++);
  }

  #flaws(): Uint8Array {
    const { count, large, starts, ends } = this.#table;
    const flaws = new Uint8Array(count);
    for (const i of large) {
      const isWhole = ends[i] - starts[i] <= this.#framing.wholeSizeMax;
      flaws[i] = isWhole ? Unidentified.largeButWhole : Unidentified.tooLarge;
    }
    return flaws;
  }

  #remember(batch: Batch, line: number): Batch {
    this.#recent.push({ batch, line });
    if (this.#recent.length > recentMax) this.#recent.shift();
    return batch;
  }
}

/** The pieces and then the chunk, which is not moved if the pieces fit before it. */
function join(pieces: readonly Buffer[], buffer: Buffer, headroom: number): Buffer {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const fits = size <= headroom;
  const joined = fits
    ? buffer.subarray(headroom - size)
    : Buffer.allocUnsafeSlow(size + buffer.length - headroom);
  let at = 0;
  for (const piece of fits ? pieces : [...pieces, buffer.subarray(headroom)]) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

function offsets(starts: Uint32Array, count: number, base: number): Float64Array {
  const positions = new Float64Array(count);
  for (let i = 0; i < count; i++) positions[i] = base + starts[i];
  return positions;
}
