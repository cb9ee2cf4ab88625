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

const gatherSize = 65_536;

/** Small writes go out together with those that follow; for an output that nobody reads before its end. */
export function gatheringOutput(output: Output): Output {
  const gathered = Buffer.allocUnsafeSlow(gatherSize);
  let size = 0;
  const put = async (pieces: readonly Uint8Array[]) => {
    const first = gathered.subarray(0, size);
    size = 0;
    await output.write([first, ...pieces].filter(({ length }) => length > 0));
  };
  return {
    async write(pieces) {
      const more = pieces.reduce((sum, { length }) => sum + length, 0);
      if (size + more > gatherSize) return put(pieces);
      for (const piece of pieces) {
        gathered.set(piece, size);
        size += piece.length;
      }
    },
    async end() {
      await put([]);
      await output.end();
    },
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
