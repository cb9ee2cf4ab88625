import type { CommittingFilesOptions } from '../sinks/committing-files.ts';
import type { Wanted } from '../sources/file/listing.ts';
import type { Settings } from './schema.ts';

/** Where a path of the settings is. */
export type At = (path: string) => string;

/** Where events come from. */
export async function inputsOf({ source }: Pick<Settings, 'source'>, at: At): Promise<Wanted> {
  const { default: picomatch } = await import('picomatch');
  const isGlob = (path: string) => picomatch.scan(path).isGlob;
  return {
    paths: source.path.filter((path) => !isGlob(path)).map((path) => (path === '-' ? path : at(path))),
    globs: source.path.filter(isGlob).map(at),
  };
}

/** Where they go; nothing = to standard output. */
export function outputsOf(
  { sink, duplicates, deadLetter }: Pick<Settings, 'sink' | 'duplicates' | 'deadLetter'>,
  at: At,
): Pick<CommittingFilesOptions, 'path' | 'duplicates' | 'deadLetters'> | undefined {
  if (sink.type !== 'file') return undefined;
  const side = ({ path, keepMs }: NonNullable<typeof duplicates>) => ({
    path: at(path),
    ...(keepMs !== undefined && { keepMs }),
  });
  return {
    path: at(sink.path),
    ...(duplicates && { duplicates: side(duplicates) }),
    ...(deadLetter && { deadLetters: side(deadLetter) }),
  };
}
