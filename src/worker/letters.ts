import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { parseDeadLetter, type DeadLetter } from '../core/dead-letter.ts';
import { linesOf } from '../disk/lines.ts';

/** A dead letter, and where it stands. */
export interface StoredLetter {
  readonly file: string;
  /** byte */
  readonly at: number;
  /** bytes, without the terminator */
  readonly size: number;
  readonly letter: DeadLetter;
}

/** The files of an output: one of this name, or a series of them (see `keep`), the oldest first. */
export async function filesOf(path: string): Promise<string[]> {
  const { name, ext } = parse(path);
  const folder = dirname(path);
  const isOfSeries = (file: string) =>
    file.startsWith(`${name}-`) &&
    file.endsWith(ext) &&
    /^\d{8}T\d\dZ$/.test(file.slice(name.length + 1, -ext.length));
  const names = await readdir(folder).catch(() => []);
  const series = names.filter(isOfSeries).sort();
  const single = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return [...(single ? [path] : []), ...series.map((file) => join(folder, file))];
}

/**
 * Dead letters in the order in which they were written. Lines that are none, or were purged, are passed over; what comes
 * after this began is not among them.
 */
export async function* lettersIn(files: readonly string[]): AsyncGenerator<StoredLetter> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  for (const [k, file] of files.entries()) {
    for await (const { at, bytes } of linesOf(file, sizes[k])) {
      const letter = parseDeadLetter(bytes);
      if (letter) yield { file, at, size: bytes.length, letter };
    }
  }
}

const blank = 0x20;

/**
 * Makes blanks of these letters where they stand, so that nothing else moves: a worker may write behind them meanwhile.
 * On the disk when it resolves.
 */
export async function purge(letters: readonly StoredLetter[]): Promise<void> {
  for (const file of new Set(letters.map((letter) => letter.file))) {
    const handle = await open(file, 'r+');
    try {
      for (const { at, size } of letters.filter((letter) => letter.file === file))
        await handle.write(Buffer.alloc(size, blank), 0, size, at);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }
}
