import { fstatSync, statSync, type BigIntStats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HapaxError } from '../../core/errors.ts';
import type { DedupOptions } from '../commands/dedup.ts';

interface Place {
  /** The argument or option. */
  readonly name: string;
  readonly path: string;
  readonly isStandard: boolean;
  readonly id: string;
  /** Such as a terminal or /dev/null: it may be used more than once, where a file or a pipe has its content once. */
  readonly isDevice: boolean;
}

/** No place is read twice, written twice, or read and written, whatever it is called: HPX-C006. */
export function refuseSamePlace(
  files: readonly string[],
  { output, duplicates, deadLetter, state }: DedupOptions,
): void {
  const inputs = files.map((path) => placeOf('FILE', path, { stream: 'standard input', descriptor: 0 }));
  const outputs = Object.entries({
    '--output': output,
    '--duplicates': duplicates,
    '--dead-letter': deadLetter,
  })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, path]) => placeOf(name, path, { stream: 'standard output', descriptor: 1 }));
  refuseTwice(inputs);
  refuseTwice(outputs.filter(({ isStandard }) => isStandard));
  refuseTwice([...inputs, ...outputs].filter(({ isDevice }) => !isDevice));
  if (state !== undefined) for (const place of outputs) refuseWithin(state, place);
}

function refuseWithin(folder: string, { name, path, isStandard }: Place): void {
  if (isStandard) return;
  for (let at = resolve(path); at !== dirname(at); at = dirname(at))
    if (idOf(at) === idOf(folder)) throw new HapaxError('HPX-C006', `${name} lies within --state: ${path}`);
}

function refuseTwice(places: readonly Place[]): void {
  const known = new Map<string, Place>();
  for (const place of places) {
    const other = known.get(place.id);
    if (other) {
      const paths = new Set([other.path, place.path]);
      const what = `${other.name} and ${place.name} are the same: ${[...paths].join(' and ')}`;
      throw new HapaxError('HPX-C006', what);
    }
    known.set(place.id, place);
  }
}

function placeOf(name: string, path: string, standard: { stream: string; descriptor: number }): Place {
  const isStandard = path === '-';
  const found = isStandard ? fstatSync(standard.descriptor, { bigint: true }) : look(path);
  return {
    name,
    path: isStandard ? standard.stream : path,
    isStandard,
    id: idOf(path, found),
    isDevice: found !== undefined && !found.isFile() && !found.isFIFO(),
  };
}

function idOf(path: string, found = look(path)): string {
  return found ? `${found.dev}:${found.ino}` : resolve(path);
}

/** What cannot be looked at is told when it is opened. */
function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
