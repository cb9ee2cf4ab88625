import { open, type FileHandle } from 'node:fs/promises';
import type { Input } from './input.ts';
import { headOf, isHeadOf, isKnownUpTo, knownAs, type KnownFile, type KnownFiles } from './known-files.ts';
import { fileInput, streamInput, type Opening } from './open-input.ts';
import { seenOf, type Place } from './roster.ts';

const LF = 10;
const CR = 13;

export interface Watch {
  readonly knownFiles: KnownFiles;
  /** What is not known there cannot be trusted: `knownFiles` outlives the process, as checkpoints do. */
  readonly isKept: boolean;
  readonly follow: boolean;
}

/** The input of a place from where it stands; `replaced` if another file is there, or what was read of it is gone. */
export async function openPlace(
  place: Place,
  watch: Watch,
  opening: Omit<Opening, 'path'>,
): Promise<Input | 'replaced'> {
  const { path, from, stats } = place;
  if (!place.isFile) return streamInput(stats, { ...opening, path });
  const handle = await open(path);
  try {
    const { size } = (place.stats = await handle.stat());
    if ((watch.follow || watch.isKept || from > 0) && !(await isTheSame(place, handle, watch))) {
      await handle.close();
      return 'replaced';
    }
    place.seen = seenOf(place.stats);
    const input = await fileInput(handle, { from, size, bounded: watch.follow }, { ...opening, path });
    return { ...input, close: () => input.close().finally(() => handle.close()) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What it is known by is kept before anything of it is given. */
async function isTheSame(place: Place, handle: FileHandle, { knownFiles, isKept }: Watch): Promise<boolean> {
  const { partition, path, from, stats } = place;
  const head = await headOf(handle);
  const file = knownFiles.get(partition);
  // How large a compressed file is tells nothing of what is in it.
  const read = path.endsWith('.gz') ? Math.min(from, 1) : from;
  if (file && !isHeadOf(file, head)) return false;
  const isKnown = file ? isKnownUpTo(read, file) : !isKept;
  if (read > 0 && !(isKnown && stats.size >= read)) return false;
  if (read > 1 && !(await isLineEnd(handle, read))) return false;
  const now = knownAs(path, stats.ino, head);
  if (!file || !isEqual(file, now)) await knownFiles.set(partition, now);
  return true;
}

/** A line ends there, or its end has come since; else it was another line, or has grown: in doubt it is read again. */
async function isLineEnd(handle: FileHandle, at: number): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, at - 1);
  return buffer[0] === LF || bytesRead === 1 || buffer[1] === LF || buffer[1] === CR;
}

function isEqual(one: KnownFile, other: KnownFile): boolean {
  return one.path === other.path && one.inode === other.inode && one.headHash === other.headHash;
}
