import { createReadStream, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { gunzip } from './gunzip.ts';
import { counted, inputOf, skip, streamed, type Input } from './input.ts';
import { openNamedPipe } from './named-pipe.ts';

export interface Opening {
  readonly path: string;
  readonly chunkSizeMax: number;
  /** Told how many bytes came from outside, before decompression. */
  readonly onRead: (size: number) => void;
}

const pipeChunkSize = 65_536;

export interface Stretch {
  /** Offset in the uncompressed content. */
  readonly from: number;
  /** bytes; how large the file is */
  readonly size: number;
  /** Reads no further than that, though the file may have grown. */
  readonly bounded: boolean;
}

/** Of a regular file; the handle stays the caller's. */
export async function fileInput(handle: FileHandle, stretch: Stretch, opening: Opening): Promise<Input> {
  const { path, chunkSizeMax, onRead } = opening;
  const raw = (from: number) => counted(plainInput(handle, { ...stretch, from }, chunkSizeMax), onRead);
  if (!path.endsWith('.gz')) return raw(stretch.from);
  const parts = gunzip(() => Promise.resolve(raw(0)), true);
  return skip(
    inputOf(parts, chunkSizeMax, () => parts.return()),
    stretch.from,
  );
}

/** What can be read only once: standard input (`-`), a named pipe, a device. */
export async function streamInput(stats: Stats, opening: Opening): Promise<Input> {
  const { path, chunkSizeMax, onRead } = opening;
  const raw = counted(await openStream(stats, path, chunkSizeMax), onRead);
  if (!path.endsWith('.gz')) return raw;
  const parts = gunzip(() => Promise.resolve(raw), false);
  return inputOf(parts, chunkSizeMax, async () => {
    await raw.close();
    await parts.return();
  });
}

/** A pipe is read as a stream: a plain read would sit in a thread and keep the process from ending. */
async function openStream(stats: Stats, path: string, chunkSizeMax: number): Promise<Input> {
  if (stats.isFIFO() && path !== '-') return openNamedPipe(path);
  if (path !== '-') return streamed(createReadStream(path), pipeChunkSize);
  if (!stats.isFile()) return streamed(process.stdin, pipeChunkSize);
  const stream = createReadStream('', { fd: 0, autoClose: false, highWaterMark: chunkSizeMax });
  return streamed(stream, chunkSizeMax);
}

function plainInput(handle: FileHandle, { from, size, bounded }: Stretch, chunkSizeMax: number): Input {
  const end = bounded ? size : Infinity;
  let position = from;
  return {
    chunkSize: Math.min(chunkSizeMax, Math.max(4_096, size - from + 1)),
    async read(into) {
      const { bytesRead } = await handle.read(into, 0, Math.min(into.length, end - position), position);
      position += bytesRead;
      return bytesRead;
    },
    close: () => Promise.resolve(),
  };
}
