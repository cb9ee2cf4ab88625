import { open, readdir, readFile, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { HapaxError } from '../../core/errors.ts';
import { syncFolder } from '../../disk/folder.ts';
import { headerSize, scanRecords, type DiskRecord, type Ending } from '../../disk/record.ts';
import type { CrashAt } from './crash-points.ts';
import { Eye } from './pen.ts';
import { readHeadStart } from './records.ts';
import type { LogFile } from './writer.ts';

/** bytes of a key in a record of many */
const sizeOfKey = 16;

const nameOf = (number: number) => `window-${String(number).padStart(8, '0')}.log`;
const numberOf = (name: string) => Number(/^window-(\d{8,})\.log$/.exec(name)?.[1] ?? NaN);

/** Where a log is. */
export interface LogFolder {
  readonly path: string;
  /** The store's own name. */
  readonly id: string;
  readonly crashAt: CrashAt;
}

/** One file of the window's log. It is dropped as a whole when all marks in it are over. */
export class Segment implements LogFile {
  readonly number: number;
  readonly salt: number;
  readonly path: string;
  readonly #folder: LogFolder;
  #bytes: Promise<Buffer> | undefined;
  size = 0;
  /** When it was begun and when its latest key was accepted, ms since 1970. */
  openedAt = 0;
  newestAt = 0;
  /** Where it begins in the log: bytes of all segments before. */
  from = 0;

  constructor(folder: LogFolder, number: number) {
    this.#folder = folder;
    this.number = number;
    this.salt = crc32(`${folder.id} ${String(number)}`);
    this.path = join(folder.path, nameOf(number));
  }

  begin(openedAt: number, from: number): void {
    this.openedAt = this.newestAt = openedAt;
    this.from = from;
  }

  async open(): Promise<FileHandle> {
    if (this.size > 0) return open(this.path, 'r+');
    const file = await open(this.path, 'w', 0o600);
    await syncFolder(this.#folder.path);
    this.#folder.crashAt('segment.created');
    return file;
  }

  async drop(): Promise<void> {
    await rm(this.path, { force: true });
  }

  /**
   * Tells its records in order. What a torn last write left is cut off where that can be, in the last segment; anything
   * else that is not sound is refused (HPX-S005).
   */
  async read(
    hear: (record: DiskRecord) => void,
    { isLast, keepSound }: { isLast: boolean; keepSound: boolean },
  ): Promise<void> {
    const ending = await this.scan(hear);
    this.size = ending.at;
    if (ending.type === 'whole') return;
    const isTorn = ending.type === 'torn' && isLast;
    if (!isTorn && !keepSound) throw this.damagedAt(ending);
    if (!isLast) return;
    await truncate(this.path, ending.at);
    this.#folder.crashAt('open.tail-cut');
  }

  /** Begins to read what will be told next, so that it is there when the one before has been heard. */
  readAhead(): void {
    this.#bytes = readFile(this.path);
    // A fault of it is thrown where it is waited for, if anybody still does.
    this.#bytes.catch(() => undefined);
  }

  /** Tells its records in order as far as they are sound; changes nothing. */
  async scan(hear: (record: DiskRecord) => void): Promise<SegmentEnding> {
    const bytes = await (this.#bytes ?? readFile(this.path));
    this.#bytes = undefined;
    return { ...scanRecords(bytes, this.salt, hear), size: bytes.length };
  }

  damagedAt({ at, size }: SegmentEnding): HapaxError {
    return new HapaxError('HPX-S005', `${this.path} at byte ${String(at)} of ${String(size)}`);
  }
}

/** How the file of a segment ends, and how large it is. */
export type SegmentEnding = Ending & { readonly size: number };

/** About how many keys the segments have: their heads count those before them. */
export async function keysIn(segments: readonly Segment[]): Promise<number> {
  if (segments.length === 0) return 0;
  const [first, last] = [segments[0], segments[segments.length - 1]];
  const { size } = await stat(last.path);
  return Math.max(0, (await keysBefore(last)) - (await keysBefore(first))) + Math.ceil(size / sizeOfKey);
}

async function keysBefore(segment: Segment): Promise<number> {
  return (await headStartOf(segment))?.keys ?? 0;
}

/** Nothing = it is not on the disk as a whole. */
export async function headStartOf({ path }: Segment): Promise<ReturnType<typeof readHeadStart> | undefined> {
  const file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0).finally(() => file.close());
  return bytesRead < 64 ? undefined : readHeadStart(new Eye(buffer.subarray(headerSize)));
}

/** The numbers of the segments in a folder, rising. HPX-S005 if one is missing in between. */
export async function segmentNumbers(folder: string): Promise<number[]> {
  const numbers = (await readdir(folder))
    .map(numberOf)
    .filter((number) => number >= 0)
    .sort((a, b) => a - b);
  numbers.forEach((number, k) => {
    if (k > 0 && number !== numbers[k - 1] + 1)
      throw new HapaxError('HPX-S005', `${join(folder, nameOf(numbers[k - 1] + 1))} is missing`);
  });
  return numbers;
}
