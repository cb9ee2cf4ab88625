import { createHash } from 'node:crypto';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, resolve } from 'node:path';

/** A file that grows beside the place that it will take. */
export interface PartialFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** Those of this process: one of an earlier process that had its number is told from them. */
const own = new Set<string>();

/**
 * Opened anew, never through a link or over another file. What processes of this machine that are no longer there have
 * left for the same place is removed before.
 */
export async function openPartial(target: string, mode: number | undefined): Promise<PartialFile> {
  await removeStale(target);
  const path = partialPath(target, process.pid);
  const handle = await open(path, 'wx', mode);
  own.add(path);
  return { path, handle };
}

/** It has its name by now, or is gone. */
export function forgetPartial({ path }: PartialFile): void {
  own.delete(path);
}

async function removeStale(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(/\.(\d+)@\w+\.partial$/.exec(name)?.[1]);
    const path = partialPath(target, pid);
    if (name === basename(path) && !own.has(path) && !isAlive(pid)) await rm(path).catch(() => undefined);
  }
}

/** Another machine's numbers say nothing here. */
function partialPath(target: string, pid: number): string {
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  return resolve(dirname(target), `${basename(target)}.${pid}@${machine}.partial`);
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
