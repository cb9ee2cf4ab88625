import { systemClock } from '../../core/clock.ts';
import type { KnownFiles } from './known-files.ts';
import { listFiles, type Wanted } from './listing.ts';
import { Roster } from './roster.ts';

/** A file that can be read, seen from outside. */
export interface Surveyed {
  readonly partition: string;
  readonly path: string;
  /** bytes */
  readonly size: number;
  /** Positions count what is in it, its size does not. */
  readonly isCompressed: boolean;
  /** ms since 1970 */
  readonly modifiedAt: number;
}

/** The regular files that a source of these paths and patterns would read, in its order. Nothing is opened for reading or changed. */
export async function surveyFiles({ paths, globs }: Wanted, knownFiles: KnownFiles): Promise<Surveyed[]> {
  const found = await listFiles({ paths: paths.filter((path) => path !== '-'), globs }, 'leave out');
  const roster = new Roster(knownFiles, systemClock);
  await roster.update(found);
  return roster.order
    .filter(({ isFile }) => isFile)
    .map(({ partition, path, stats }) => ({
      partition,
      path,
      size: stats.size,
      isCompressed: path.endsWith('.gz'),
      modifiedAt: stats.mtimeMs,
    }));
}
