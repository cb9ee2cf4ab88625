import { realpathSync } from 'node:fs';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import type { Facts } from '../cross-checks.ts';
import { nameOf, type Finding, type Path } from '../document.ts';
import { need } from './contradiction.ts';

interface Output {
  readonly path: readonly [name: string, ...Path];
  readonly place: string;
}

/** No place is read and written or written twice, and every output can be committed. */
export function checkPlaces({
  settings,
  folder,
  file,
  show,
}: Omit<Facts, 'given' | 'file'> & { readonly file?: string }): Finding[] {
  const { source, store, sink, duplicates, deadLetter } = settings;
  const placeOf = (path: string) => realPlace(resolve(folder, path));
  const outputs: Output[] = [];
  const findings: Finding[] = [];

  const add = (name: string, path: string, files: readonly string[]) => {
    const output: Output = { path: [name, 'file', 'path'], place: placeOf(path) };
    const clash = (other: string) => findings.push(same(output.path, other, show(output.path, path)));
    const twin = outputs.find(({ place }) => place === output.place);
    if (twin) clash(`${nameOf(twin.path)} is the same place`);
    if (file !== undefined && placeOf(file) === output.place) clash('that is the configuration itself');
    if (store.type === 'file' && isWithin(output.place, placeOf(store.path)))
      clash('it lies in the directory of store.file.path');
    if (files.some((it) => reads(source.path, folder, placeOf(it)))) clash('source.file.path reads it');
    if (path.endsWith('.gz')) findings.push(compressed(output.path));
    outputs.push(output);
  };
  if (sink.type === 'file') add('sink', sink.path, [sink.path, `${sink.path}.commits`]);
  if (duplicates) add('duplicates', duplicates.path, filesOf(duplicates));
  if (deadLetter) add('dead_letter', deadLetter.path, filesOf(deadLetter));
  if (sink.type === 'stdout')
    for (const [name] of outputs.map(({ path }) => path)) findings.push(uncommitted(name));
  return findings;
}

/** Examples of the names that a side output has: of a series, if its events are kept for a time. */
function filesOf({ path, keepMs }: { readonly path: string; readonly keepMs?: number }): string[] {
  const { dir, name, ext } = parse(path);
  return [keepMs === undefined ? path : join(dir, `${name}-20260131T12Z${ext}`)];
}

function same(path: Path, why: string, place: string): Finding {
  return { severity: 'error', code: 'HPX-C006', path, message: `${nameOf(path)} cannot be ${place}: ${why}` };
}

function compressed(path: Path): Finding {
  const message = `${nameOf(path)} cannot be compressed: it is cut back to the last commit after a crash`;
  return { severity: 'error', code: 'HPX-O007', path, message, hint: 'leave out .gz' };
}

function uncommitted(name: string): Finding {
  return need([name], name, 'sink.file', 'it is committed together with the file of the sink');
}

/** Whether a source of these paths and patterns finds the file; what follows a "!" is left out. */
function reads(patterns: readonly string[], folder: string, place: string): boolean {
  const found = (pattern: string) => finds(pattern, folder, place);
  const leftOut = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  return patterns.some((pattern) => !pattern.startsWith('!') && found(pattern)) && !leftOut.some(found);
}

function finds(pattern: string, folder: string, place: string): boolean {
  if (pattern === '-') return false;
  const { base, glob } = picomatch.scan(pattern);
  const root = realPlace(resolve(folder, base));
  if (!glob) return root === place;
  return isWithin(place, root) && picomatch(glob)(relative(root, place).replaceAll(sep, '/'));
}

function isWithin(place: string, directory: string): boolean {
  return place === directory || place.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Through links, as far as it exists. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPlace(parent), basename(path));
  }
}
