import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HapaxError } from '../../core/errors.ts';
import type { Outgoing, Written } from '../../core/sink.ts';
import { syncFolder } from '../../disk/folder.ts';
import { NdjsonWriter } from '../kit/ndjson-writer.ts';
import { descriptorOutput } from '../kit/output.ts';
import type { CrashAt } from './crash-points.ts';

const LF = 10;

/** A file whose end is staged: what stands beyond `committed` is dropped by `cut`, or becomes part of it by `keep`. */
export class StagedFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #crashAt: CrashAt;
  #writer!: NdjsonWriter;
  #committed: number;
  /** With what is staged. */
  #length: number;
  /** Where the next bytes go; beyond `#length` only within a write, or after one that failed. */
  #end: number;
  #isTorn = false;
  #isSpoilt = false;

  private constructor(path: string, file: FileHandle, committed: number, crashAt: CrashAt) {
    this.#path = path;
    this.#file = file;
    this.#crashAt = crashAt;
    this.#committed = this.#length = this.#end = committed;
  }

  /** What the file has beyond `committed` is dropped; nothing committed = it may be missing. */
  static async open(path: string, committed: number, crashAt: CrashAt): Promise<StagedFile> {
    const file = await openOrCreate(path, committed === 0);
    const staged = new StagedFile(path, file, committed, crashAt);
    try {
      if ((await file.stat()).size < committed)
        throw new HapaxError('HPX-O005', `${path}: it has less than ${committed} bytes`);
      await staged.#cutTo(committed);
      return staged;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get length(): number {
    return this.#length;
  }

  get hasStaged(): boolean {
    return this.#length > this.#committed;
  }

  /** What is staged may never get to the disk: the system tells of a failure once. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** All of it is staged, or nothing: HPX-O003. */
  async write(outgoing: Outgoing): Promise<Written> {
    return this.#orO003(async () => {
      if (this.#isTorn) await this.#cutTo(this.#length);
      try {
        const written = await this.#writer.write(outgoing);
        this.#length = this.#end;
        this.#crashAt('write.staged');
        return written;
      } catch (error) {
        this.#isTorn = true;
        await this.#cutTo(this.#length).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Brings to the disk what is staged. */
  async sync(): Promise<void> {
    await this.#orO003(async () => {
      if (this.#isTorn) await this.#cutTo(this.#length);
      await this.#file.datasync().catch((error: unknown) => {
        this.#isSpoilt = true;
        throw error;
      });
    });
  }

  keep(length: number): void {
    this.#committed = length;
  }

  async cut(): Promise<void> {
    if (!this.hasStaged && !this.#isTorn) return;
    await this.#orO003(() => this.#cutTo(this.#committed));
    this.#isSpoilt = false;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #cutTo(length: number): Promise<void> {
    await this.#file.truncate(length);
    this.#length = this.#end = length;
    const output = descriptorOutput(async (pieces) => {
      const written = await this.#file.writev(pieces, this.#end);
      this.#end += written.bytesWritten;
      return written;
    });
    this.#writer = new NdjsonWriter(output, await this.#hasOpenLineAt(length));
    this.#isTorn = false;
  }

  async #hasOpenLineAt(length: number): Promise<boolean> {
    const last = Buffer.alloc(1);
    if (length > 0) await this.#file.read(last, 0, 1, length - 1);
    return length > 0 && last[0] !== LF;
  }

  async #orO003<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw HapaxError.because('HPX-O003', this.#path, error);
    }
  }
}

async function openOrCreate(path: string, mayBeMissing: boolean): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (!mayBeMissing || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const file = await open(path, 'wx+');
  await syncFolder(dirname(path));
  return file;
}
