import { createGzip } from 'node:zlib';

/** Takes bytes in order; one call at a time. */
export interface Output {
  /** Resolves when all of them are out. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  end(): Promise<void>;
}

type Writev = (pieces: readonly Uint8Array[]) => Promise<{ bytesWritten: number }>;

export function descriptorOutput(writev: Writev): Output {
  return {
    async write(pieces) {
      let left = pieces;
      while (left.length > 0) left = after(left, (await writev(left)).bytesWritten);
    },
    end: () => Promise.resolve(),
  };
}

export function gzipOutput(output: Output): Output {
  const stream = createGzip();
  let parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  const passOn = async () => {
    const ready = parts;
    parts = [];
    await output.write(ready);
  };
  return {
    async write(pieces) {
      for (const piece of pieces) await new Promise((resolve) => stream.write(piece, resolve));
      await passOn();
    },
    async end() {
      await new Promise((resolve) => stream.on('end', resolve).end());
      await passOn();
      await output.end();
    },
  };
}

/** What is left of the pieces when so many bytes of them are out. */
function after(pieces: readonly Uint8Array[], written: number): readonly Uint8Array[] {
  let size = written;
  let whole = 0;
  while (whole < pieces.length && size >= pieces[whole].length) size -= pieces[whole++].length;
  return size === 0 ? pieces.slice(whole) : [pieces[whole].subarray(size), ...pieces.slice(whole + 1)];
}
