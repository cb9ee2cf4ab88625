import { fstat, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { promisify } from 'node:util';
import { HapaxError } from '../../core/errors.ts';
import { inputFault } from './fault.ts';

/** An input that is there. */
export interface Found {
  readonly path: string;
  readonly stats: Stats;
}

export interface Wanted {
  /** As they are; `-` is standard input. */
  readonly paths: readonly string[];
  /** Patterns of regular files. */
  readonly globs: readonly string[];
}

/**
 * Paths in their order, then what matches, by path. A path that is not there is HPX-I001, or left out `ifGone`; so is what
 * cannot be an input.
 */
export async function listFiles({ paths, globs }: Wanted, ifGone: 'refuse' | 'leave out'): Promise<Found[]> {
  const named = paths.map((path) => (ifGone === 'refuse' ? look(path) : look(path).catch(unlessGone)));
  const matched = (await matching(globs)).map((path) => look(path).catch(unlessGone));
  const found = (await Promise.all([...named, ...matched])).filter((one) => one !== undefined);
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

export function nothingToRead({ paths, globs }: Wanted): HapaxError {
  return new HapaxError('HPX-I001', `nothing matches ${[...paths, ...globs].join(', ')}`);
}

/** `undefined` if an input does not tell its size. */
export function totalSize(found: readonly Found[]): number | undefined {
  return found.every(({ stats }) => stats.isFile())
    ? found.reduce((sum, { stats }) => sum + stats.size, 0)
    : undefined;
}

async function look(path: string): Promise<Found> {
  try {
    const stats = path === '-' ? await promisify(fstat)(0) : await stat(path);
    if (stats.isDirectory()) throw new HapaxError('HPX-I001', `${path}: it is a directory`);
    return { path, stats };
  } catch (error) {
    throw inputFault(path, error);
  }
}

function unlessGone(error: unknown): undefined {
  if (isGone(error)) return undefined;
  throw error;
}

export function isGone(error: unknown): boolean {
  const cause = error instanceof HapaxError ? error.cause : error;
  return ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/** A relative pattern gives relative paths, an absolute one gives absolute paths. */
async function matching(globs: readonly string[]): Promise<string[]> {
  if (globs.length === 0) return [];
  const { glob } = await import('tinyglobby');
  const find = (absolute: boolean) => {
    const patterns = globs.filter((pattern) => isAbsolute(pattern) === absolute);
    return patterns.length > 0 ? glob(patterns, { absolute, expandDirectories: false }) : [];
  };
  return [...(await find(true)), ...(await find(false))].sort();
}
