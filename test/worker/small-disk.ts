import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why no disk can be mounted here; nothing = it can. */
export const noDisk =
  process.platform !== 'linux'
    ? 'a small disk is mounted on Linux only'
    : process.getuid?.() === 0
      ? false
      : 'to mount a small disk takes root';

/** A file system of its own, as small as it has to be. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async mount(t: TestContext, sizeKiB: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'hapax-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeKiB}k`, 'hapax', folder]);
    t.after(async () => {
      await run('umount', [folder]);
      await rm(folder, { recursive: true });
    });
    return new SmallDisk(folder);
  }

  async hasRoom(sizeKiB: number): Promise<void> {
    await run('mount', ['-o', `remount,size=${sizeKiB}k`, this.folder]);
  }

  async isReadOnly(isReadOnly: boolean): Promise<void> {
    await run('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, this.folder]);
  }
}
