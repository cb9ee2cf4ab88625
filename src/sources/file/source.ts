import { systemClock, type Clock } from '../../core/clock.ts';
import type { Happening, Source } from '../../core/source.ts';
import { unlessAborted } from '../kit/unless-aborted.ts';
import { batchesOf } from './batches-of.ts';
import { inputFault } from './fault.ts';
import type { Input } from './input.ts';
import { setOver, type KnownFiles } from './known-files.ts';
import { LineFramer } from './line-framer.ts';
import { isGone, listFiles, nothingToRead, totalSize, type Wanted } from './listing.ts';
import { openPlace, type Watch } from './open-place.ts';
import { Roster, type Place } from './roster.ts';

export interface FileSourceOptions {
  /** Read one after another, each a partition of that name; `-` is standard input, `.gz` is decompressed. */
  readonly paths?: readonly string[];
  /** Patterns like `events/*.ndjson`: what matches is read after the paths, sorted. */
  readonly globs?: readonly string[];
  /** At the end it waits for more lines, and for more files that match; a last line counts when it is terminated. */
  readonly follow?: boolean;
  /** Tells a file from another one that took its place while no process was there. */
  readonly knownFiles?: KnownFiles | undefined;
  /** Each line is a delivery, blank ones too; else blank lines are counted and left out. */
  readonly lines?: boolean;
  /** bytes; a longer line comes flawed as `too_large` */
  readonly lineSizeMax?: number;
  /** bytes; up to this size such a line is whole all the same, beyond it is cut */
  readonly wholeSizeMax?: number;
  /** bytes that are read at once; what ends in them is a batch */
  readonly chunkSizeMax?: number;
  readonly clock?: Clock;
}

export interface FileSource extends Source {
  progress(): FileProgress;
  /** Blank lines after the last delivery: they are in no frame. */
  rest(): Uint8Array;
  /** The number, from 1, of the line at a position that was lately given. */
  lineAt(partition: string, position: number): number | undefined;
}

export interface FileProgress {
  /** Blank lines that were left out. */
  readonly blank: number;
  /** Before decompression, as is the total; that is `undefined` where an input does not tell its size. */
  readonly bytesRead: number;
  readonly bytesTotal: number | undefined;
}

/** What comes next, unless its place was started again meanwhile. */
interface Step {
  readonly happening: Happening;
  readonly place?: Place;
  readonly starts?: number;
}

const pollMs = 1_000;
const drainMs = 30_000;

/** NDJSON, or any text by lines. Positions are byte offsets in the uncompressed stream. */
export function fileSource(options: FileSourceOptions): FileSource {
  return new Files(options);
}

class Files implements FileSource {
  readonly #wanted: Wanted;
  readonly #chunkSizeMax: number;
  readonly #watch: Watch;
  readonly #clock: Clock;
  readonly #roster: Roster;
  readonly #framer: LineFramer;
  readonly #story = this.#steps();
  #coming: Promise<Step | undefined> | undefined;
  /** What a stream cannot give again. */
  readonly #gaps: Happening[] = [];
  /** Whose hand is empty. */
  readonly #left: { readonly place: Place; readonly isOver: boolean }[] = [];
  /** The next place to look at. */
  #at = 0;
  /** The list of files is not true any more. */
  #isStale = true;
  #isClosed = false;
  #wake = new AbortController();
  #input: Input | undefined;
  #bytesRead = 0;
  #bytesTotal: number | undefined;

  constructor(options: FileSourceOptions) {
    const { paths = [], globs = [], follow = false, clock = systemClock } = options;
    const { lines = false, lineSizeMax = 16_777_216, wholeSizeMax = lineSizeMax } = options;
    const { knownFiles, chunkSizeMax = 1_048_576 } = options;
    this.#wanted = { paths, globs };
    this.#chunkSizeMax = chunkSizeMax;
    this.#clock = clock;
    this.#watch = { knownFiles: knownFiles ?? new Map(), isKept: knownFiles !== undefined, follow };
    this.#roster = new Roster(this.#watch.knownFiles, clock);
    this.#framer = new LineFramer({ lines, lineSizeMax, wholeSizeMax });
  }

  async next(signal: AbortSignal): Promise<Happening | undefined> {
    for (;;) {
      const gap = this.#gaps.shift();
      if (gap) return gap;
      this.#coming ??= this.#story.next().then(({ value }) => value ?? undefined);
      const step = await unlessAborted(this.#coming, signal);
      if (!step) return undefined;
      if (this.#isOld(step)) {
        this.#coming = undefined;
      } else if (step.place?.gate.isOpen !== false) {
        this.#coming = undefined;
        return this.#given(step);
      } else {
        await unlessAborted(step.place.gate.passed, signal);
      }
    }
  }

  start(partition: string, from = 0): void {
    const place = this.#roster.get(partition);
    if (!place) return;
    if (place.isFile || place.starts === 0) {
      Object.assign(place, { from, line: from === 0 ? 1 : NaN, isRead: false });
      this.#at = 0;
      this.#wake.abort();
    } else if (from < place.from) {
      this.#gaps.push({ type: 'gap', partition, from, to: place.from, reason: 'a stream is read only once' });
    }
    place.starts++;
    place.gate.open();
  }

  pause(partition: string): void {
    this.#roster.get(partition)?.gate.close();
  }

  resume(partition: string): void {
    this.#roster.get(partition)?.gate.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake.abort();
    await this.#input?.close();
  }

  progress(): FileProgress {
    return { blank: this.#framer.blank, bytesRead: this.#bytesRead, bytesTotal: this.#bytesTotal };
  }

  rest(): Uint8Array {
    return this.#framer.rest;
  }

  lineAt(partition: string, position: number): number | undefined {
    return this.#framer.lineAt(partition, position);
  }

  #isOld({ happening, place, starts }: Step): boolean {
    if (happening.type === 'end') return this.#roster.order.some(({ isRead }) => !isRead);
    return place?.isFile === true && place.starts !== starts;
  }

  #given({ happening, place }: Step): Happening {
    if (happening.type === 'batches' && place?.isFile === false)
      place.from = happening.batches.at(-1)?.next ?? place.from;
    return happening;
  }

  async *#steps(): AsyncGenerator<Step, void> {
    yield* this.#list('refuse');
    while (!this.#isClosed) {
      if (this.#at < this.#roster.order.length) {
        const place = this.#roster.order[this.#at++];
        if (!place.isRead) yield* this.#visit(place);
      } else if (this.#isStale) {
        yield* this.#list('leave out');
      } else if (this.#watch.follow) {
        this.#wake = new AbortController();
        await this.#clock.sleep(pollMs, this.#wake.signal);
        this.#isStale = true;
      } else {
        yield { happening: { type: 'end' } };
      }
    }
  }

  /** What is there now, and what became of the partitions. */
  async *#list(ifGone: 'refuse' | 'leave out'): AsyncGenerator<Step, void> {
    const found = await listFiles(this.#wanted, ifGone);
    if (found.length === 0 && !this.#watch.follow) throw nothingToRead(this.#wanted);
    const { assigned, gone } = await this.#roster.update(found);
    this.#isStale = false;
    this.#at = 0;
    if (ifGone === 'refuse') {
      if (!this.#watch.follow) this.#bytesTotal = totalSize(found);
      yield* told('retired', this.#roster.absent());
    }
    yield* told(
      'assigned',
      assigned.map(({ partition }) => partition),
    );
    for (const place of gone) yield* this.#letGo(place, false);
    yield* told('retired', await this.#emptied());
  }

  /** What is in hand of it is finished first, then it is retired. */
  *#letGo(place: Place, isOver: boolean): Generator<Step, void> {
    const { partition, from, stats, path } = place;
    const missing = place.isFile && !isOver && !path.endsWith('.gz') && stats.size > from;
    if (missing)
      yield { happening: { type: 'gap', partition, from, to: stats.size, reason: 'the file is gone' } };
    const done = () => {
      this.#left.push({ place, isOver });
    };
    yield { happening: { type: 'revoked', partitions: [partition], drainMs, done } };
  }

  /** Partitions that were let go and of which nothing is in hand any more, unless they came back. */
  async #emptied(): Promise<string[]> {
    const left = this.#left.splice(0);
    for (const { place, isOver } of left) if (isOver) await setOver(this.#watch.knownFiles, place);
    return left
      .map(({ place: { partition } }) => partition)
      .filter((partition) => !this.#roster.get(partition));
  }

  async *#visit(place: Place): AsyncGenerator<Step, void> {
    await place.gate.passed;
    const input = await this.#open(place);
    if (input === 'replaced') {
      this.#roster.end(place);
      this.#isStale = true;
      yield* this.#letGo(place, true);
    } else if (!input) {
      place.isRead = true;
    } else if (this.#isClosed) {
      await input.close();
    } else yield* this.#read(place, input);
  }

  /** Nothing if it is gone and may be so. */
  async #open(place: Place): Promise<Input | 'replaced' | undefined> {
    try {
      const onRead = (size: number) => (this.#bytesRead += size);
      return await openPlace(place, this.#watch, { chunkSizeMax: this.#chunkSizeMax, onRead });
    } catch (error) {
      if (this.#watch.follow && isGone(error)) return undefined;
      throw inputFault(place.path, error);
    }
  }

  async *#read(place: Place, input: Input): AsyncGenerator<Step, void> {
    const { starts, path } = place;
    const framer = this.#framer;
    const isFirst = place === this.#roster.order[0];
    const isOld = () => place.isFile && place.starts !== starts;
    const grows = this.#watch.follow && place.isFile && !path.endsWith('.gz');
    this.#input = input;
    try {
      for await (const batches of batchesOf(input, place, framer, isFirst)) {
        yield { happening: { type: 'batches', batches }, place, starts };
        if (isOld()) break;
      }
      const last = grows || isOld() ? [] : framer.end();
      if (last.length > 0) yield { happening: { type: 'batches', batches: last }, place, starts };
    } catch (error) {
      // It may be written still.
      const isUnfinished = this.#watch.follow && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
      if (!isUnfinished) throw inputFault(path, error);
    } finally {
      this.#input = undefined;
      await input.close();
    }
    if (isOld()) return framer.forget();
    const { offset, line } = framer.leave();
    Object.assign(place, { from: offset, line, isRead: true });
  }
}

function* told(type: 'assigned' | 'retired', partitions: readonly string[]): Generator<Step, void> {
  if (partitions.length > 0) yield { happening: { type, partitions } };
}
