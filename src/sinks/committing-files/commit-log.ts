import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HapaxError } from '../../core/errors.ts';
import { syncFolder } from '../../disk/folder.ts';
import { headerSize, scanRecords, sealRecord } from '../../disk/record.ts';
import type { CrashAt } from './crash-points.ts';
import { Ledger, type Change } from './ledger.ts';
import { Turns } from './turns.ts';

/** The first sector: format, its version and the salt of the records. */
const headSize = 512;
const head = /^hapax commits 1 ([0-9a-f]{8}) *\n$/;
const recordKind = 1;
/** So that of each record at least so much is in one sector: a sector that never got to the disk is told by its zeros. */
const alignment = 64;
const smallMax = 1_048_576;
/** It is written anew when it has grown to so many times its size. */
const growthMax = 4;

/** What a log says, as far as it is sound; `damage` says where and why it is not. */
export interface Reading {
  readonly ledger: Ledger;
  readonly damage?: string;
}

/** `undefined` = there is none. A write that a crash cut off counts as not made. */
export async function readCommitLog(path: string): Promise<Reading | undefined> {
  const ledger = new Ledger();
  const bytes = await readFile(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw HapaxError.because('HPX-O001', path, error);
  });
  if (!bytes) return undefined;
  const salt = bytes.length < headSize ? undefined : head.exec(bytes.toString('latin1', 0, headSize))?.[1];
  if (salt === undefined) return { ledger, damage: 'it does not begin like a commit log of this version' };
  const { type, at } = scanRecords(bytes.subarray(headSize), parseInt(salt, 16), ({ payload }) => {
    ledger.apply(JSON.parse(Buffer.from(payload).toString()) as Change);
  });
  // The first record was on the disk before the log got its name.
  if (type === 'damaged' || at === 0) return { ledger, damage: `at byte ${headSize + at}` };
  return { ledger };
}

/**
 * The file of all commits: a head, a record of everything, and one record for each change since. A change is made when
 * its record is on the disk. One that failed is taken out again before anything else is written.
 */
export class CommitLog {
  readonly path: string;
  readonly ledger: Ledger;
  readonly #crashAt: CrashAt;
  readonly #turns = new Turns();
  #file: FileHandle | undefined;
  #salt = 0;
  /** Up to here all is on the disk. */
  #size = 0;
  /** Beyond it something may stand that failed. */
  #hasRemains = false;
  #nameIsUnsynced = false;
  #compactAt = 0;

  constructor(path: string, ledger: Ledger, crashAt: CrashAt) {
    this.path = path;
    this.ledger = ledger;
    this.#crashAt = crashAt;
  }

  /** Writes the ledger as the log: from then on it can be appended to. */
  start(): Promise<void> {
    return this.#turn(async () => {
      if (!this.#file) await this.#compact();
      await this.#clean();
    });
  }

  /** Resolves when the change is on the disk; HPX-O003 if it cannot be brought there, then it may be tried again. */
  append(change: Change, step: 'take' | 'commit' | 'series' | 'close'): Promise<void> {
    return this.#turn(async () => {
      await this.#clean();
      const record = recordOf(change, this.#salt, this.#size);
      this.#hasRemains = true;
      await writeAll(this.#file!, record, this.#size);
      this.#crashAt(`${step}.record-written`);
      await this.#file!.datasync();
      this.#hasRemains = false;
      this.#size += record.length;
      this.ledger.apply(change);
      this.#crashAt(`${step}.record-synced`);
      if (this.#size > this.#compactAt) await this.#compact().catch(() => this.#postpone());
    });
  }

  /** Nothing of a change that failed is left. */
  clean(): Promise<void> {
    return this.#turn(() => this.#clean());
  }

  close(): Promise<void> {
    return this.#turns.next(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  #turn(work: () => Promise<void>): Promise<void> {
    return this.#turns.next(work).catch((error: unknown) => {
      throw HapaxError.because('HPX-O003', this.path, error);
    });
  }

  async #clean(): Promise<void> {
    if (this.#hasRemains) {
      await this.#file!.truncate(this.#size);
      await this.#file!.sync();
      this.#hasRemains = false;
    }
    if (this.#nameIsUnsynced) {
      await syncFolder(dirname(this.path));
      this.#nameIsUnsynced = false;
    }
  }

  async #compact(): Promise<void> {
    const salt = randomBytes(4).readUInt32LE();
    const bytes = Buffer.concat([headOf(salt), recordOf(this.ledger.whole(), salt, headSize)]);
    const before = this.#file;
    this.#file = await this.#replace(bytes);
    this.#nameIsUnsynced = true;
    this.#salt = salt;
    this.#size = bytes.length;
    this.#compactAt = Math.max(smallMax, growthMax * bytes.length);
    this.#crashAt('compaction.renamed');
    await before?.close();
  }

  /** A new file of this content takes the name when it is on the disk. */
  async #replace(bytes: Buffer): Promise<FileHandle> {
    const path = `${this.path}.new`;
    await rm(path, { force: true });
    const file = await open(path, 'wx+');
    try {
      await writeAll(file, bytes, 0);
      await file.sync();
      this.#crashAt('compaction.written');
      await rename(path, this.path);
      return file;
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
  }

  #postpone(): void {
    this.#compactAt = 2 * this.#size;
  }
}

function headOf(salt: number): Buffer {
  const line = `hapax commits 1 ${salt.toString(16).padStart(8, '0')}`;
  return Buffer.from(`${line.padEnd(headSize - 1)}\n`);
}

/** JSON, filled up with blanks. */
function recordOf(change: Change, salt: number, at: number): Buffer {
  const json = JSON.stringify(change);
  const blocks = Math.ceil((headerSize + Buffer.byteLength(json)) / alignment);
  const record = Buffer.alloc(alignment * blocks, ' ');
  record.write(json, headerSize);
  sealRecord(record, 0, { kind: recordKind, size: record.length - headerSize, offset: at - headSize, salt });
  return record;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;)
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
}
