import { once } from 'node:events';
import { slice, type Batch } from '../../core/event.ts';
import type { Happening, Source } from '../../core/source.ts';
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

const headroom = 65_536;
/** The engine takes so many at once. */
const deliveriesMax = 65_536;

/** NDJSON, or any text by lines. Positions are byte offsets in the uncompressed stream. */
export function fileSource(options: FileSourceOptions): FileSource {
  const { paths, lines = false, lineSizeMax = 16_777_216, chunkSizeMax = 1_048_576 } = options;
  const framer = new LineFramer({ lines, lineSizeMax });
  const started = new Map<string, number>();
  const paused = new Set<string>();
  const changes = new EventTarget();
  const changed = () => changes.dispatchEvent(new Event('change'));
  let input: Input | undefined;
  let bytesRead = 0;
  let bytesTotal: number | undefined;
  let step: Promise<IteratorResult<Happening, void>> | undefined;

  async function* happenings(): AsyncGenerator<Happening, void> {
    bytesTotal = await totalSize(paths);
    yield { type: 'assigned', partitions: paths };
    for (const path of paths) {
      while (!started.has(path)) await once(changes, 'change');
      for await (const batches of read(path, started.get(path) ?? 0)) {
        while (paused.has(path)) await once(changes, 'change');
        yield { type: 'batches', batches };
      }
    }
    for (;;) yield { type: 'end' };
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

  const story = happenings();
  return {
    async next(signal) {
      step ??= story.next();
      const happening = await unlessAborted(step, signal);
      if (happening) step = undefined;
      return happening?.value ?? undefined;
    },
    start(partition, position = 0) {
      started.set(partition, position);
      changed();
    },
    pause(partition) {
      paused.add(partition);
    },
    resume(partition) {
      paused.delete(partition);
      changed();
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

/** `undefined` if the signal is aborted first; the work goes on. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      resolve(undefined);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
