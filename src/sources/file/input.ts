import type { Readable } from 'node:stream';

/** The bytes of one input, in order. */
export interface Input {
  /** How many bytes to ask for at once. */
  readonly chunkSize: number;
  /** Fills `into` from its start, wholly or in part; 0 = the end. */
  read(into: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** What comes in parts of any size. */
export function inputOf(
  parts: AsyncIterable<Uint8Array>,
  chunkSize: number,
  close: () => Promise<unknown>,
): Input {
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

export function streamed(stream: Readable, chunkSize: number): Input {
  return inputOf(stream as AsyncIterable<Uint8Array>, chunkSize, async () => stream.destroy());
}

/** Tells how many bytes were read. */
export function counted(input: Input, onRead: (size: number) => void): Input {
  return {
    ...input,
    async read(into) {
      const size = await input.read(into);
      onRead(size);
      return size;
    },
  };
}

/** Without its first `size` bytes, as far as it has them. */
export async function skip(input: Input, size: number): Promise<Input> {
  const waste = new Uint8Array(size > 0 ? input.chunkSize : 0);
  for (let left = size; left > 0;) {
    const got = await input.read(waste.subarray(0, left));
    if (got === 0) break;
    left -= got;
  }
  return input;
}
