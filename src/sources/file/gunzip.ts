import { finished } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Input } from './input.ts';

const pieceSize = 65_536;
const partSize = 262_144;
/** zlib keeps back what it made of a piece that turns out damaged, so that piece is fed again in smaller ones. */
const steps = [pieceSize, 256, 1];

/**
 * Decompresses; throws zlib's error where the input is damaged or ends too early, after all that could be
 * decompressed, as far as the input can be read again.
 */
export async function* gunzip(open: () => Promise<Input>, again: boolean): AsyncGenerator<Uint8Array, void> {
  const done = { fed: 0, given: 0 };
  for (const step of again ? steps : [pieceSize]) {
    try {
      yield* inflate(await open(), step, done);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR' || step === (again ? 1 : pieceSize))
        throw error;
    }
  }
}

/** Goes on where the pass before ended: `done` is the input that was sound and the output that was given. */
async function* inflate(
  input: Input,
  step: number,
  done: { fed: number; given: number },
): AsyncGenerator<Uint8Array, void> {
  const inflater = startInflater();
  const buffer = new Uint8Array(pieceSize);
  const known = { ...done };
  let fed = 0;
  let made = 0;
  try {
    for (;;) {
      const size = await input.read(buffer.subarray(0, fed < known.fed ? known.fed - fed : step));
      const { parts, fault } = await inflater.feed(buffer.subarray(0, size));
      for (const part of parts) {
        const fresh = part.subarray(Math.max(0, Math.min(part.length, known.given - made)));
        made += part.length;
        done.given += fresh.length;
        if (fresh.length > 0) yield fresh;
      }
      if (fault) throw fault;
      if (size === 0) return;
      fed += size;
      done.fed = Math.max(done.fed, fed);
    }
  } finally {
    await input.close();
  }
}

/** Nothing fed = the end of the input. */
function startInflater() {
  const stream = createGunzip({ chunkSize: partSize });
  let parts: Buffer[] = [];
  let settle: (fault?: Error | null) => void = () => undefined;
  stream.on('data', (part: Buffer) => parts.push(part));
  stream.on('error', (fault) => {
    settle(fault);
  });
  const feed = (piece: Uint8Array) =>
    new Promise<{ parts: Buffer[]; fault?: Error }>((resolve) => {
      settle = (fault) => {
        while (stream.read() !== null);
        resolve({ parts, ...(fault && { fault }) });
        parts = [];
      };
      if (piece.length > 0) stream.write(piece, settle);
      else finished(stream.end(), settle);
    });
  return { feed };
}
