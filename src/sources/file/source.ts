import { systemClock, type Clock } from '../../core/clock.ts';
import type { Happening, Source } from '../../core/source.ts';
import { unlessAborted } from '../kit/unless-aborted.ts';
import type { KnownFile, KnownFiles } from './known-files.ts';
import { LineFramer } from './line-framer.ts';
import { Roster } from './roster.ts';
import { Story, type Step } from './story.ts';

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

/** bytes; for pipelines in which events without a usable id go on */
export const usualWholeSizeMax = 268_435_456;

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

/** NDJSON, or any text by lines. Positions are byte offsets in the uncompressed stream. */
export function fileSource(options: FileSourceOptions): FileSource {
  const { paths = [], globs = [], follow = false, clock = systemClock } = options;
  const { lines = false, lineSizeMax = 16_777_216, wholeSizeMax = lineSizeMax } = options;
  const { knownFiles = new Map<string, KnownFile>(), chunkSizeMax = 1_048_576 } = options;
  const watch = { knownFiles, isKept: options.knownFiles !== undefined, follow };
  const roster = new Roster(knownFiles, clock);
  const framer = new LineFramer({ lines, lineSizeMax, wholeSizeMax });
  const story = new Story({ wanted: { paths, globs }, watch, chunkSizeMax, clock, roster, framer });
  return new Files(story, roster, framer);
}

class Files implements FileSource {
  readonly #story: Story;
  readonly #roster: Roster;
  readonly #framer: LineFramer;
  readonly #steps: AsyncGenerator<Step, void>;
  #coming: Promise<Step | undefined> | undefined;
  /** What a stream cannot give again. */
  readonly #gaps: Happening[] = [];

  constructor(story: Story, roster: Roster, framer: LineFramer) {
    this.#story = story;
    this.#roster = roster;
    this.#framer = framer;
    this.#steps = story.steps();
  }

  async next(signal: AbortSignal): Promise<Happening | undefined> {
    for (;;) {
      const gap = this.#gaps.shift();
      if (gap) return gap;
      this.#coming ??= this.#steps.next().then(({ value }) => value ?? undefined);
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
      const line = from === 0 || !place.isFile ? 1 : NaN;
      Object.assign(place, { from, line, isRead: false });
      this.#story.lookBack();
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

  close(): Promise<void> {
    return this.#story.close();
  }

  progress(): FileProgress {
    return { blank: this.#framer.blank, ...this.#story.progress };
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
}
