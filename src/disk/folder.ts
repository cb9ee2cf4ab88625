import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const cannotSync = ['EACCES', 'EPERM', 'EISDIR', 'EINVAL', 'ENOSYS', 'ENOTSUP'];

/** The names in the folder are on the disk too; not every platform, file system and permission allows it. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path);
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    if (!cannotSync.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** A file that is there as a whole, and on the disk, or not at all. */
export async function writeWhole(path: string, text: string, mode = 0o600): Promise<void> {
  const partial = `${path}.partial`;
  const file = await open(partial, 'w', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  await syncFolder(dirname(path));
}
