import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HapaxError } from '../core/errors.ts';
import { syncFolder } from '../disk/folder.ts';
import { forgetPartial, openPartial } from './file/partial-file.ts';
import { descriptorOutput, gatheringOutput, gzipOutput, type Output } from './kit/output.ts';
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
  return found && !found.isFile() ? openDirect(path) : openReplacing(path, target, found?.mode);
}

async function openDirect(path: string): Promise<WholeSink> {
  const file = await open(path, 'w');
  const close = () => file.close();
  return wholeSink(
    path,
    encoded(
      path,
      descriptorOutput((pieces) => file.writev(pieces)),
    ),
    close,
    close,
  );
}

async function openReplacing(path: string, target: string, mode: number | undefined): Promise<WholeSink> {
  const partial = await openPartial(target, mode);
  const { handle } = partial;
  const disk = new DiskSync(handle);
  const plain = gatheringOutput(
    descriptorOutput(async (pieces) => {
      const written = await handle.writev(pieces);
      disk.written(written.bytesWritten);
      return written;
    }),
  );
  return wholeSink(
    path,
    encoded(path, plain),
    async () => {
      await disk.finish();
      await handle.close();
      await rename(partial.path, target);
      forgetPartial(partial);
      await syncFolder(dirname(target));
    },
    async () => {
      await disk.rest();
      await handle.close();
      await rm(partial.path, { force: true });
      forgetPartial(partial);
    },
  );
}

function encoded(path: string, output: Output): Output {
  return path.endsWith('.gz') ? gzipOutput(output) : output;
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
