import type { Stats } from 'node:fs';
import { createReadStream, fstat, open as openFd } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { HapaxError } from '../../core/errors.ts';
import { inputFault } from './fault.ts';
import { gunzip } from './gunzip.ts';

/** The bytes of one input, in order. */
export interface Input {
  /** How many bytes to ask for at once. */
  readonly chunkSize: number;
  /** Fills `into` from its start, wholly or in part; 0 = the end. */
  read(into: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

export interface Opening {
  readonly path: string;
  /** Offset in the uncompressed stream. */
  readonly from: number;
  readonly chunkSizeMax: number;
  /** Told how many bytes came from outside, before decompression. */
  readonly onRead: (size: number) => void;
}

const pipeChunkSize = 65_536;

export async function openInput(opening: Opening): Promise<Input> {
  const { path, from, chunkSizeMax } = opening;
  if (path === '-') return skip(counted(await standardInput(chunkSizeMax), opening), from);
  const found = await look(path);
  const raw = async (at: number) => counted(await rawInput(path, found, at, chunkSizeMax), opening);
  if (!path.endsWith('.gz')) return raw(from);
  const parts = gunzip(() => raw(0), found.isFile());
  return skip(
    iterated(parts, chunkSizeMax, () => parts.return()),
    from,
  );
}

/** What there is to read, before decompression; `undefined` if an input does not tell. Refuses what cannot be an input. */
export async function totalSize(paths: readonly string[]): Promise<number | undefined> {
  const found = await Promise.all(paths.map((path) => (path === '-' ? promisify(fstat)(0) : look(path))));
  return found.every((input) => input.isFile()) ? found.reduce((sum, { size }) => sum + size, 0) : undefined;
}

async function look(path: string): Promise<Stats> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new HapaxError('HPX-I001', `${path}: it is a directory`);
    return found;
  } catch (error) {
    throw inputFault(path, error);
  }
}

async function rawInput(path: string, found: Stats, from: number, chunkSizeMax: number): Promise<Input> {
  if (found.isFile()) return regular(path, found.size, from, chunkSizeMax);
  const stream = found.isFIFO()
    ? new Socket({ fd: await promisify(openFd)(path, 'r') })
    : createReadStream(path);
  return skip(streamed(stream, pipeChunkSize), from);
}

/** A pipe is read as a stream: a plain read would sit in a thread and keep the process from ending. */
async function standardInput(chunkSizeMax: number): Promise<Input> {
  const found = await promisify(fstat)(0);
  if (!found.isFile()) return streamed(process.stdin, pipeChunkSize);
  return streamed(
    createReadStream('', { fd: 0, autoClose: false, highWaterMark: chunkSizeMax }),
    chunkSizeMax,
  );
}

async function regular(path: string, size: number, from: number, chunkSizeMax: number): Promise<Input> {
  const file = await open(path);
  let position = from;
  return {
    chunkSize: Math.min(chunkSizeMax, Math.max(4_096, size - from + 1)),
    async read(into) {
      const { bytesRead } = await file.read(into, 0, into.length, position);
      position += bytesRead;
      return bytesRead;
    },
    close: () => file.close(),
  };
}

function streamed(stream: Readable, chunkSize: number): Input {
  return iterated(stream as AsyncIterable<Uint8Array>, chunkSize, async () => stream.destroy());
}

function iterated(parts: AsyncIterable<Uint8Array>, chunkSize: number, close: () => Promise<unknown>): Input {
  const iterator = parts[Symbol.asyncIterator]();
  let part: Uint8Array = new Uint8Array(0);
  return {
    chunkSize,
    async read(into) {
      while (part.length === 0) {
        const next = await iterator.next();
        if (next.done) return 0;
        part = next.value;
      }
      const size = Math.min(part.length, into.length);
      into.set(part.subarray(0, size));
      part = part.subarray(size);
      return size;
    },
    async close() {
      await close();
    },
  };
}

function counted(input: Input, { onRead }: Opening): Input {
  return {
    ...input,
    async read(into) {
      const size = await input.read(into);
      onRead(size);
      return size;
    },
  };
}

async function skip(input: Input, size: number): Promise<Input> {
  const waste = new Uint8Array(size > 0 ? input.chunkSize : 0);
  for (let left = size; left > 0;) {
    const got = await input.read(waste.subarray(0, left));
    if (got === 0) break;
    left -= got;
  }
  return input;
}
