import { slice, type Batch } from '../../core/event.ts';
import type { Happening, Source } from '../../core/source.ts';
import { Gate } from '../kit/gate.ts';
import { unlessAborted } from '../kit/unless-aborted.ts';
import { markSize } from './encoding.ts';
import { inputFault } from './fault.ts';
import { openInput, totalSize, type Input } from './input.ts';
import { LineFramer, type Chunk } from './line-framer.ts';

export interface FileSourceOptions {
  /** Read one after another, each a partition of that name; `-` is standard input, `.gz` is decompressed. */
  readonly paths: readonly string[];
  /** Each line is a delivery, blank ones too; else blank lines are counted and left out. */
  readonly lines?: boolean;
  /** bytes; a longer line comes flawed as `too_large` */
  readonly lineSizeMax?: number;
  /** bytes that are read at once; what ends in them is a batch */
  readonly chunkSizeMax?: number;
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

interface Place {
  readonly path: string;
  /** Open = started and not paused. */
  readonly gate: Gate;
  from: number;
  /** How often it was started. */
  starts: number;
  isRead: boolean;
}

/** What comes next, unless its place was started again meanwhile. */
interface Step {
  readonly happening: Happening;
  readonly place?: Place;
  readonly starts?: number;
}

const headroom = 65_536;
/** The engine takes so many at once. */
const deliveriesMax = 65_536;

/** NDJSON, or any text by lines. Positions are byte offsets in the uncompressed stream. */
export function fileSource(options: FileSourceOptions): FileSource {
  const { paths, lines = false, lineSizeMax = 16_777_216, chunkSizeMax = 1_048_576 } = options;
  const framer = new LineFramer({ lines, lineSizeMax });
  const places = paths.map((path): Place => ({ path, gate: new Gate(), from: 0, starts: 0, isRead: false }));
  const placesOf = (partition: string) => places.filter(({ path }) => path === partition);
  let input: Input | undefined;
  let bytesRead = 0;
  let bytesTotal: number | undefined;
  let coming: Promise<Step> | undefined;

  async function* steps(): AsyncGenerator<Step, never> {
    bytesTotal = await totalSize(paths);
    yield { happening: { type: 'assigned', partitions: paths } };
    for (;;) {
      const place = places.find(({ isRead }) => !isRead);
      if (place) yield* stepsOf(place);
      else yield { happening: { type: 'end' } };
    }
  }

  async function* stepsOf(place: Place): AsyncGenerator<Step, void> {
    await place.gate.passed;
    const { path, from, starts } = place;
    if (starts > 1) framer.forget();
    for await (const batches of read(path, from)) {
      yield { happening: { type: 'batches', batches }, place, starts };
      if (place.starts !== starts) return;
    }
    place.isRead = place.starts === starts;
  }

  /** The next chunk is on its way while this one is at work. */
  async function* read(path: string, from: number): AsyncGenerator<readonly Batch[], void> {
    try {
      input = await openInput({ path, from, chunkSizeMax, onRead: (size) => (bytesRead += size) });
      let chunk = await readChunk(input, 3);
      if (chunk) chunk = begin(path, from, chunk);
      while (chunk) {
        const ahead = readChunk(input, 1);
        ahead.catch(() => undefined);
        const batches = framer.push(chunk);
        if (batches.length > 0) yield batches.flatMap(pieces);
        chunk = await ahead;
      }
      const last = framer.end();
      if (last.length > 0) yield last;
    } catch (error) {
      throw inputFault(path, error);
    } finally {
      await input?.close();
      input = undefined;
    }
  }

  /** The byte order mark belongs to no line; within the output it would do harm, so only the first input keeps it. */
  function begin(path: string, from: number, { buffer, headroom: start }: Chunk): Chunk {
    const end = start + (from === 0 ? markSize(buffer.subarray(start), path) : 0);
    framer.begin(path, from + end - start);
    if (path === paths[0]) framer.ride(buffer.subarray(start, end));
    return { buffer, headroom: end };
  }

  const isOld = ({ happening, place, starts }: Step): boolean =>
    happening.type === 'end' ? places.some(({ isRead }) => !isRead) : place?.starts !== starts;

  const story = steps();
  return {
    async next(signal) {
      for (;;) {
        coming ??= story.next().then(({ value }) => value);
        const step = await unlessAborted(coming, signal);
        if (!step) return undefined;
        if (isOld(step)) {
          coming = undefined;
        } else if (step.place?.gate.isOpen !== false) {
          coming = undefined;
          return step.happening;
        } else {
          await unlessAborted(step.place.gate.passed, signal);
        }
      }
    },
    start(partition, from = 0) {
      for (const place of placesOf(partition)) {
        Object.assign(place, { from, starts: place.starts + 1, isRead: false });
        place.gate.open();
      }
    },
    pause(partition) {
      for (const { gate } of placesOf(partition)) gate.close();
    },
    resume(partition) {
      for (const { gate } of placesOf(partition)) gate.open();
    },
    close: async () => input?.close(),
    progress: () => ({ blank: framer.blank, bytesRead, bytesTotal }),
    rest: () => framer.rest,
    lineAt: (partition, position) => framer.lineAt(partition, position),
  };
}

function pieces(batch: Batch): Batch[] {
  const found: Batch[] = [];
  for (let from = 0; from < batch.count; from += deliveriesMax)
    found.push(slice(batch, from, Math.min(batch.count, from + deliveriesMax)));
  return found;
}

async function readChunk(input: Input, sizeMin: number): Promise<Chunk | undefined> {
  const buffer = Buffer.allocUnsafeSlow(headroom + Math.max(input.chunkSize, sizeMin));
  let end = headroom;
  while (end < headroom + sizeMin) {
    const size = await input.read(buffer.subarray(end));
    if (size === 0) break;
    end += size;
  }
  return end > headroom ? { buffer: buffer.subarray(0, end), headroom } : undefined;
}
