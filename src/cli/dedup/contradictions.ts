import { fstatSync, statSync, type BigIntStats } from 'node:fs';
import { resolve } from 'node:path';
import { HapaxError } from '../../core/errors.ts';
import type { DedupOptions, DedupRequest } from '../commands/dedup.ts';

type Name = keyof DedupOptions;

/** Refuses what cannot be meant: HPX-C006, and HPX-C008 for an option that says something about one that is missing. */
export function refuseContradictions({ files, options, given }: DedupRequest): void {
  const lines = options.lines ?? options.id === 'line';
  const asLines = options.lines ? 'lines' : 'id';
  if (options.lines && given('id') && options.id !== 'line') exclude('lines', 'id');
  for (const name of ['scope', 'bodyCheck', 'bodyExclude', 'eventTime'] as const)
    if (lines && given(name)) exclude(asLines, name);
  for (const name of ['unidentified', 'conflict', 'late'] as const)
    if (options.observe && given(name)) exclude('observe', name);
  need(given, 'agree', 'observe');
  need(given, 'late', 'eventTime');
  need(given, 'bodyExclude', 'bodyCheck');
  need(given, 'conflict', 'bodyCheck');
  for (const name of ['unidentified', 'conflict', 'late'] as const)
    if (given(name) && options[name] === 'dead-letter') need(given, name, 'deadLetter');
  if (options.conflict === 'dead-letter' && !options.observe) need(given, 'bodyCheck', 'deadLetter');
  refuseSamePlace(files, options);
}

function exclude(one: Name, other: Name): never {
  throw new HapaxError('HPX-C006', `${flag(one)} and ${flag(other)}`);
}

function need(given: DedupRequest['given'], name: Name, other: Name): void {
  if (given(name) && !given(other)) throw new HapaxError('HPX-C008', `${flag(name)} needs ${flag(other)}`);
}

/** `bodyCheck` as it is written: --body-check. */
function flag(name: Name): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** No place is read and written, or written twice. */
function refuseSamePlace(files: readonly string[], { output, duplicates, deadLetter }: DedupOptions): void {
  const places = new Map<string, string>();
  const add = (name: string, path: string | undefined, place: string | undefined) => {
    if (path === undefined || place === undefined) return;
    const other = places.get(place);
    if (other) throw new HapaxError('HPX-C006', `${other} and ${name} are the same: ${path}`);
    places.set(place, name);
  };
  for (const file of files) add('FILE', file, file === '-' ? 'standard input' : placeOf(file));
  add('--output', output, writtenPlace(output));
  add('--duplicates', duplicates, duplicates && writtenPlace(duplicates));
  add('--dead-letter', deadLetter, deadLetter && writtenPlace(deadLetter));
}

function writtenPlace(path: string): string | undefined {
  if (path !== '-') return placeOf(path);
  const found = fstatSync(1, { bigint: true });
  return found.isFile() ? inode(found) : 'standard output';
}

/** Devices may be used more than once. */
function placeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found && !found.isFile()) return undefined;
  return found ? inode(found) : resolve(path);
}

function inode({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
