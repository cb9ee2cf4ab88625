import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Clock } from '../../core/clock.ts';
import { Gate } from '../kit/gate.ts';
import { headOf, isHeadOf, type KnownFile, type KnownFiles } from './known-files.ts';
import { isGone, type Found } from './listing.ts';

/** One input, as a partition. */
export interface Place {
  readonly partition: string;
  /** A regular file: it can be read again, grow and be replaced. Anything else is a stream. */
  readonly isFile: boolean;
  /** Open = started and not paused. */
  readonly gate: Gate;
  path: string;
  /** As they were when it was looked at last. */
  stats: Stats;
  /** Where reading goes on, and the number of the line there; NaN = nobody knows. */
  from: number;
  line: number;
  /** How often it was started. */
  starts: number;
  isRead: boolean;
  /** Its size and time of change when it was opened last. */
  seen: string;
}

export interface Changes {
  readonly assigned: readonly Place[];
  /** Their files are not there any more. */
  readonly gone: readonly Place[];
}

/** Where a partition was last. */
interface Whereabouts {
  readonly partition: string;
  readonly path: string;
  readonly inode: number;
  /** Nothing = it was never opened. */
  readonly file: KnownFile | undefined;
}

/**
 * Which file is which partition. A partition is a file: it is called by the path under which it was first met, and keeps
 * its name and position when the file is renamed. A file that takes the place of another one is a partition of its own,
 * `PATH@TIME`.
 */
export class Roster {
  /** In the order of reading. */
  order: readonly Place[] = [];
  readonly #known: KnownFiles;
  readonly #clock: Clock;
  readonly #places = new Map<string, Place>();
  /** Files that were replaced, whether that is kept already or not. */
  readonly #over = new Set<string>();

  constructor(knownFiles: KnownFiles, clock: Clock) {
    this.#known = knownFiles;
    this.#clock = clock;
  }

  get(partition: string): Place | undefined {
    return this.#places.get(partition);
  }

  /** Partitions whose files were known once and are not there. */
  absent(): string[] {
    return this.#whereabouts()
      .map(({ partition }) => partition)
      .filter((partition) => !this.#places.has(partition));
  }

  /** Another file is in its place. */
  end(place: Place): void {
    this.#over.add(place.partition);
    this.#places.delete(place.partition);
    this.order = this.order.filter((other) => other !== place);
  }

  /** What is there now. */
  async update(found: readonly Found[]): Promise<Changes> {
    const partitions = await this.#match(found);
    const assigned: Place[] = [];
    this.order = found.map((one) => {
      const partition = partitions.get(one) ?? this.#newName(one.path);
      let place = this.#places.get(partition);
      if (!place) assigned.push((place = placeOf(partition, one)));
      this.#places.set(partition, place);
      place.path = one.path;
      place.stats = one.stats;
      if (place.isFile && place.seen !== seenOf(one.stats)) place.isRead = false;
      return place;
    });
    const there = new Set(this.order);
    const gone = [...this.#places.values()].filter((place) => !there.has(place));
    for (const { partition } of gone) this.#places.delete(partition);
    return { assigned, gone };
  }

  /** The same file at its path; else one that was renamed; else one that was copied to where it had been. */
  async #match(found: readonly Found[]): Promise<Map<Found, string>> {
    const matched = new Map<Found, string>();
    const left = new Map(this.#whereabouts().map((file) => [file.partition, file]));
    const take = async (
      index: ReadonlyMap<string | number, Whereabouts>,
      key: (one: Found) => string | number,
      fits: (one: Found, was: Whereabouts) => boolean | Promise<boolean>,
    ) => {
      for (const one of found) {
        const was = matched.has(one) ? undefined : index.get(key(one));
        if (!was || !left.has(was.partition) || !(await fits(one, was))) continue;
        matched.set(one, was.partition);
        left.delete(was.partition);
      }
    };
    const by = <K extends 'path' | 'inode'>(name: K) =>
      new Map(Array.from(left.values(), (file) => [file[name], file]));
    await take(
      by('path'),
      ({ path }) => path,
      ({ stats }, was) => stats.ino === was.inode || !stats.isFile(),
    );
    if (matched.size === found.length) return matched;
    await take(by('inode'), ({ stats }) => stats.ino, looksLike);
    await take(by('path'), ({ path }) => path, looksLike);
    return matched;
  }

  #whereabouts(): Whereabouts[] {
    const all = new Map<string, Whereabouts>();
    for (const [partition, file] of this.#known.entries())
      if (!file.over && !this.#over.has(partition)) all.set(partition, { partition, ...file, file });
    for (const { partition, path, stats } of this.#places.values())
      all.set(partition, { partition, path, inode: stats.ino, file: this.#known.get(partition) });
    return [...all.values()];
  }

  #newName(path: string): string {
    let name = path;
    for (let at = this.#clock.now(); this.#isTaken(name); at++)
      name = `${path}@${new Date(at).toISOString()}`;
    return name;
  }

  #isTaken(name: string): boolean {
    return this.#places.has(name) || this.#over.has(name) || this.#known.get(name) !== undefined;
  }
}

function placeOf(partition: string, { path, stats }: Found): Place {
  return {
    partition,
    isFile: path !== '-' && stats.isFile(),
    gate: new Gate(),
    path,
    stats,
    from: 0,
    line: 1,
    starts: 0,
    isRead: false,
    seen: '',
  };
}

export function seenOf({ size, mtimeMs }: Stats): string {
  return `${size} ${mtimeMs}`;
}

async function looksLike({ path, stats }: Found, { file }: Whereabouts): Promise<boolean> {
  if (!stats.isFile()) return false;
  if (!file) return true;
  try {
    const handle = await open(path);
    return isHeadOf(file, await headOf(handle).finally(() => handle.close()));
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
