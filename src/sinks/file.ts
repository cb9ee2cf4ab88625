import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HapaxError } from '../core/errors.ts';
import { descriptorOutput, gzipOutput } from './kit/output.ts';
import { wholeSink, type WholeSink } from './kit/whole-sink.ts';

export interface FileSinkOptions {
  /** Compressed if it ends in `.gz`. */
  readonly path: string;
}

/**
 * Lines into a file. It grows under another name beside its place and takes its own when it is finished and on the
 * disk; devices and pipes are written directly. HPX-O001 if it cannot be opened.
 */
export async function fileSink({ path }: FileSinkOptions): Promise<WholeSink> {
  try {
    return await openSink(path);
  } catch (error) {
    throw HapaxError.because('HPX-O001', path, error);
  }
}

async function openSink(path: string): Promise<WholeSink> {
  const target = await realpath(path).catch(() => path);
  const found = await stat(target).catch(() => undefined);
  const direct = found !== undefined && !found.isFile();
  const partial = direct ? target : `${target}.${process.pid}.partial`;
  const file = await open(partial, 'w', found?.mode);
  const disk = direct ? undefined : new DiskSync(file);
  const plain = descriptorOutput(async (pieces) => {
    const written = await file.writev(pieces);
    disk?.written(written.bytesWritten);
    return written;
  });
  return wholeSink(
    path,
    path.endsWith('.gz') ? gzipOutput(plain) : plain,
    async () => {
      await disk?.finish();
      await file.close();
      if (direct) return;
      await rename(partial, target);
      await syncFolder(dirname(target));
    },
    async () => {
      await disk?.rest();
      await file.close();
      if (!direct) await rm(partial, { force: true });
    },
  );
}

const syncSize = 64 * 1_048_576;

/** Brings what is written to the disk while more is written, so that little is left to wait for at the end. */
class DiskSync {
  readonly #file: FileHandle;
  #unsynced = 0;
  #running: Promise<void> | undefined;
  #failure: unknown;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  written(size: number): void {
    this.#unsynced += size;
    if (this.#unsynced < syncSize || this.#running) return;
    this.#unsynced = 0;
    this.#running = this.#file
      .datasync()
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Nothing is under way any more. */
  async rest(): Promise<void> {
    await this.#running;
  }

  /** A failure is told once by the system, so it is kept for here. */
  async finish(): Promise<void> {
    await this.rest();
    if (this.#failure !== undefined) throw this.#failure;
    await this.#file.sync();
  }
}

const cannotSync = ['EACCES', 'EPERM', 'EISDIR', 'EINVAL', 'ENOSYS', 'ENOTSUP'];

/** The new name is on the disk too; not every platform, file system and permission allows it for folders. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path);
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    if (!cannotSync.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
