import { slice, type Batch } from '../../core/event.ts';
import { markSize } from './encoding.ts';
import type { Input } from './input.ts';
import type { Chunk, LineFramer } from './line-framer.ts';
import type { Place } from './roster.ts';

const headroom = 65_536;
/** The engine takes so many at once. */
const deliveriesMax = 65_536;

/**
 * What the input of a place has from where the place stands; the next chunk is on its way while this one is at work.
 * The byte order mark belongs to no line; within the output it would do harm, so only the first place `keepsMark`.
 */
export async function* batchesOf(
  input: Input,
  { partition, path, isFile, from, line }: Place,
  framer: LineFramer,
  keepsMark: boolean,
): AsyncGenerator<readonly Batch[], void> {
  framer.begin(partition, from, line);
  let chunk = await readChunk(input, 3);
  if (!chunk) return;
  const start = chunk.headroom;
  // Positions of a stream go on from one process to the next, each gives its beginning.
  const isStart = from === 0 || !isFile;
  const text = start + (isStart ? markSize(chunk.buffer.subarray(start), path) : 0);
  if (text > start) framer.begin(partition, from + text - start, line);
  if (keepsMark) framer.ride(chunk.buffer.subarray(start, text));
  chunk = { buffer: chunk.buffer, headroom: text };
  while (chunk) {
    const ahead = readChunk(input, 1);
    ahead.catch(() => undefined);
    const batches = framer.push(chunk);
    if (batches.length > 0) yield batches.flatMap(pieces);
    chunk = await ahead;
  }
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
