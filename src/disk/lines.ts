import { open } from 'node:fs/promises';

/** A line where it stands in its file; without its terminator. */
export interface Line {
  readonly at: number;
  /** A view, good until the next line is asked for. */
  readonly bytes: Uint8Array;
}

const LF = 10;
const chunkSize = 1_048_576;

/** The terminated lines of a file, up to `end`. */
export async function* linesOf(path: string, end = Infinity): AsyncGenerator<Line> {
  const file = await open(path);
  try {
    let rest = Buffer.alloc(0);
    /** Where `rest` begins. */
    let at = 0;
    while (at + rest.length < end) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkSize, end - at - rest.length));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at + rest.length);
      if (bytesRead === 0) return;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let from = 0;
      for (let lf = rest.indexOf(LF); lf >= 0; lf = rest.indexOf(LF, from)) {
        yield { at: at + from, bytes: rest.subarray(from, lf) };
        from = lf + 1;
      }
      at += from;
      rest = rest.subarray(from);
    }
  } finally {
    await file.close();
  }
}
