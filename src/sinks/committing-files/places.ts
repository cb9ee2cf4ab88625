import { constants, type BigIntStats } from 'node:fs';
import { access, lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { HapaxError } from '../../core/errors.ts';

/** A file that may be there or not. */
export interface Place {
  /** Absolute, without links. */
  readonly path: string;
  readonly size: number | undefined;
  readonly inode: string | undefined;
}

/** HPX-O007 for what is no regular file or cannot be cut, HPX-O001 where nothing can be written. */
export async function placeOf(path: string): Promise<Place> {
  if (path.endsWith('.gz')) throw new HapaxError('HPX-O007', `${path}: it would be compressed`);
  try {
    const found = await look(path);
    if (found && !found.isFile()) throw new HapaxError('HPX-O007', `${path}: ${kindOf(found)}`);
    if (!found && (await lstat(path).catch(() => undefined)))
      throw new HapaxError('HPX-O007', `${path}: it is a link to nothing`);
    const real = found
      ? await realpath(path)
      : join(await realpath(dirname(resolve(path))), basename(resolve(path)));
    await access(dirname(real), constants.W_OK);
    if (found) await access(real, constants.R_OK | constants.W_OK);
    return {
      path: real,
      size: found && Number(found.size),
      inode: found && `${found.dev}:${found.ino}`,
    };
  } catch (error) {
    throw HapaxError.because('HPX-O001', path, error);
  }
}

/** `undefined` = it is missing. */
export async function sizeOf(path: string): Promise<number | undefined> {
  const found = await look(path);
  return found && Number(found.size);
}

/** HPX-O007 where two of them are the same file. */
export function refuseSame(places: readonly Place[]): void {
  places.forEach(({ path, inode }, i) => {
    const other = places.slice(0, i).find((one) => one.path === path || (inode && one.inode === inode));
    if (other) throw new HapaxError('HPX-O007', `${other.path} and ${path} are the same file`);
  });
}

async function look(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}

function kindOf(found: BigIntStats): string {
  return found.isDirectory() ? 'it is a directory' : 'it is a device, a pipe or a socket';
}
