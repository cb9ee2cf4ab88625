import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { headerSize, sealRecord } from '../../disk/record.ts';
import type { CrashAt } from './crash-points.ts';
import { Pen } from './pen.ts';

/** A file of the log that is being written. */
export interface LogFile {
  readonly salt: number;
  /** Where it begins in the log. */
  readonly from: number;
  /** How much of it is on the disk. */
  size: number;
  /** Opens it for writing, anew if it is not there. */
  open(): Promise<FileHandle>;
}

/** What goes to the disk in one write. */
class Chunk {
  readonly file: LogFile;
  readonly pen: Pen;
  /** Where each record begins, and its kind. */
  readonly records: { readonly from: number; readonly kind: number }[] = [];
  durable!: Promise<void>;
  resolve!: () => void;
  reject!: (error: unknown) => void;

  constructor(file: LogFile, pen: Pen) {
    this.file = file;
    this.pen = pen;
    this.renew();
  }

  /** A new promise, for whoever asks after a failure. */
  renew(): void {
    this.durable = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.durable.catch(() => undefined);
  }

  /** Ends where another write may begin: the last record is filled up with zeros, which its reader does not look at. */
  seal(): Buffer {
    this.pen.fill((writeAlignment - (this.pen.at % writeAlignment)) % writeAlignment);
    const { bytes, at } = this.pen;
    this.records.forEach(({ from, kind }, k) => {
      const end = this.records[k + 1]?.from ?? at;
      sealRecord(bytes, from, {
        kind,
        size: end - from - headerSize,
        offset: this.file.size,
        salt: this.file.salt,
      });
    });
    return bytes.subarray(0, at);
  }
}

/** Bytes: less than this of a sector would not show whether a write got as far as the next one. */
const writeAlignment = 64;
const penSize = 65_536;
const pensMax = 2;

/**
 * Appends records to the files of a log, with group commit: what is put in one turn of the event loop, or while a write
 * is on its way to the disk, goes with one write. After a failed write everything waits, in order, until it is tried again.
 */
export class LogWriter {
  readonly #chunks: Chunk[] = [];
  readonly #pens: Pen[] = [];
  /** The one that is on its way: nothing can be put into it any more. */
  #sealed: Chunk | undefined;
  readonly #crashAt: CrashAt;
  #file: LogFile;
  #durable: LogFile;
  #hasFailed = false;
  #handle: { readonly file: LogFile; readonly handle: FileHandle } | undefined;
  #running: Promise<void> | undefined;

  constructor(file: LogFile, crashAt: CrashAt = () => undefined) {
    this.#file = this.#durable = file;
    this.#crashAt = crashAt;
  }

  /** The file that was written last. */
  get durable(): LogFile {
    return this.#durable;
  }

  /** The last write did: nothing is on the disk of what was put since. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Bytes of the current file, with what is not on the disk yet. */
  get size(): number {
    return this.#chunks.reduce(
      (sum, { file, pen }) => sum + (file === this.#file ? pen.at : 0),
      this.#file.size,
    );
  }

  /** What is put from now on goes to the next file. */
  turnTo(file: LogFile): void {
    this.#file = file;
  }

  /** The record is on the disk when a `flush` from now on resolves. */
  put(kind: number, write: (pen: Pen) => void): void {
    const last = this.#chunks.at(-1);
    const chunk = last && last !== this.#sealed && last.file === this.#file ? last : this.#begin();
    const { pen } = chunk;
    chunk.records.push({ from: pen.at, kind });
    pen.reserve(headerSize);
    pen.at += headerSize;
    write(pen);
  }

  /** Resolves when everything that was put is on the disk; rejects if it cannot be written, then it may be tried again. */
  async flush(): Promise<void> {
    const last = this.#chunks.at(-1);
    if (!last) return;
    this.#running ??= this.#run();
    await last.durable;
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#handle?.handle.close();
    this.#handle = undefined;
  }

  #begin(): Chunk {
    const chunk = new Chunk(this.#file, this.#pens.pop() ?? new Pen(penSize));
    this.#chunks.push(chunk);
    return chunk;
  }

  async #run(): Promise<void> {
    try {
      while (this.#chunks.length > 0) {
        // Whoever was answered by the last write goes on first: what they put now goes with this one.
        await setImmediate();
        const [chunk] = this.#chunks;
        await this.#write(chunk);
        this.#chunks.shift();
        this.#durable = chunk.file;
        this.#hasFailed = false;
        chunk.resolve();
        this.#putBack(chunk.pen);
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#sealed = undefined;
      for (const chunk of this.#chunks) {
        chunk.reject(error);
        chunk.renew();
      }
    }
    this.#running = undefined;
  }

  /** A write that failed is done again from its start: what a failed sync left unwritten would not be tried by another. */
  async #write(chunk: Chunk): Promise<void> {
    const { file } = chunk;
    const handle = await this.#open(file);
    const bytes = chunk.seal();
    this.#sealed = chunk;
    this.#crashAt('log.before-write');
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, file.size + at);
      at += bytesWritten;
    }
    this.#crashAt('log.written');
    await handle.datasync();
    file.size += bytes.length;
    this.#crashAt('log.synced');
  }

  async #open(file: LogFile): Promise<FileHandle> {
    if (this.#handle?.file === file) return this.#handle.handle;
    const before = this.#handle;
    this.#handle = undefined;
    await before?.handle.close();
    this.#handle = { file, handle: await file.open() };
    return this.#handle.handle;
  }

  #putBack(pen: Pen): void {
    pen.at = 0;
    if (this.#pens.length < pensMax) this.#pens.push(pen);
  }
}
