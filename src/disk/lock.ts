import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, link, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { HapaxError } from '../core/errors.ts';

/** A folder that belongs to this process until it is released, or the process ends however it may. */
export interface FolderLock {
  release(): Promise<void>;
}

export const socketName = 'hapax.sock';
/** The shortest limit of the platforms that there are is 104 bytes. */
const pathSizeMax = 100;
const settleMs = 20;

/**
 * The lock is a socket that listens in the folder: the system closes it with the process, and others can ask its owner
 * something (`onConnection`). HPX-S004 if another process has it.
 */
export async function lockFolder(
  folder: string,
  onConnection: (socket: Socket) => void,
): Promise<FolderLock> {
  const directory = await open(folder);
  try {
    const base = shortPathOf(folder, directory);
    const own = join(base, `${socketName}.${randomUUID().slice(0, 8)}`);
    const close = await listen(own, onConnection);
    const path = join(base, socketName);
    try {
      await chmod(own, 0o600);
      await take(own, path, folder);
    } catch (error) {
      await close();
      throw error;
    } finally {
      await rm(own, { force: true });
    }
    const { ino } = await stat(path);
    return {
      async release() {
        if ((await inodeOf(path)) === ino) await rm(path, { force: true });
        await close();
        await directory.close();
      },
    };
  } catch (error) {
    await directory.close();
    throw error;
  }
}

/** Whoever gives the socket its name first has the lock; the name of a dead owner is taken away before. */
async function take(own: string, path: string, folder: string): Promise<void> {
  let wasStale = false;
  for (;;) {
    if (await named(own, path)) {
      if (!wasStale) return;
      // Somebody who saw the same dead owner may be about to take this one's name away instead.
      await setTimeout(settleMs);
      if ((await inodeOf(path)) === (await inodeOf(own))) return;
      continue;
    }
    const stale = await inodeOf(path);
    if (stale === undefined) continue;
    if (await isAlive(path)) throw new HapaxError('HPX-S004', folder);
    wasStale = true;
    await removeStale(path, stale);
  }
}

async function named(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string, stale: number): Promise<void> {
  const aside = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(path, aside);
  } catch {
    return; // Somebody else was faster.
  }
  if ((await inodeOf(aside)) !== stale) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function inodeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ ino }) => ino,
    () => undefined,
  );
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}

/** Returns how to end it, with all connections. */
function listen(path: string, onConnection: (socket: Socket) => void): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of sockets) socket.destroy();
    });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject).unref();
      resolve(close);
    });
  });
}

/** A path to a socket has a limit that folders do not have; through the open folder it is short. */
function shortPathOf(folder: string, directory: FileHandle): string {
  return Buffer.byteLength(join(folder, socketName)) + 40 > pathSizeMax
    ? `/proc/self/fd/${directory.fd}`
    : folder;
}

/** A connection to the process that has the folder; nothing = none has it. HPX-S010 if it cannot be reached. */
export async function connectToOwner(folder: string): Promise<Socket | undefined> {
  let directory: FileHandle | undefined;
  try {
    directory = await open(folder);
    const socket = connect(join(shortPathOf(folder, directory), socketName));
    await once(socket, 'connect');
    return socket.on('error', () => socket.destroy());
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ECONNREFUSED', 'ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw HapaxError.because('HPX-S010', folder, error);
  } finally {
    await directory?.close();
  }
}
