import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { allWritten, type Outgoing, type Written } from '../../core/sink.ts';
import type { CrashAt } from './crash-points.ts';
import type { Change, OutputFile, OutputRecord } from './ledger.ts';
import { sizeOf } from './places.ts';
import type { Series } from './series.ts';
import { foreign, type Confirm } from './sound-record.ts';
import { StagedFile } from './staged-file.ts';
import { Turns } from './turns.ts';

export interface OutputSurroundings {
  /** Where the log is: paths count from there. */
  readonly folder: string;
  /** ms since 1970 */
  readonly now: () => number;
  /** Resolves when the log says it. */
  readonly announce: (change: Change) => Promise<void>;
  readonly confirm: Confirm;
  readonly crashAt: CrashAt;
}

/**
 * One output of the transaction. A series turns to its next file between two transactions; the log names a file before it
 * is created, so that whatever else has this name belongs to somebody else.
 */
export class StagedOutput {
  readonly #series: Series;
  readonly #around: OutputSurroundings;
  readonly #turns = new Turns();
  #record: OutputRecord;
  #file: StagedFile | undefined;

  constructor(series: Series, record: OutputRecord, around: OutputSurroundings) {
    this.#series = series;
    this.#record = record;
    this.#around = around;
  }

  /** After a crash: what is not committed goes, what should be there and is empty is created. */
  start(): Promise<void> {
    return this.#turns.next(async () => {
      if (!this.#file && this.#record.current) this.#file = await this.#open(this.#record.current);
    });
  }

  write(outgoing: Outgoing): Promise<Written> {
    return this.#turns.next(async () => {
      if (outgoing.indices.length === 0) return allWritten;
      const file = await this.#turnOver();
      return file.write(outgoing);
    });
  }

  get isSpoilt(): boolean {
    return this.#file?.isSpoilt ?? false;
  }

  /** Brings what is staged to the disk; answers what the commit has to say of it. */
  sync(): Promise<Pick<OutputRecord, 'name' | 'length'> | undefined> {
    return this.#turns.next(async () => {
      if (!this.#file?.hasStaged) return undefined;
      await this.#file.sync();
      return { name: this.#series.name, length: this.#file.length };
    });
  }

  /** Up to here it is committed. */
  keep(length: number): void {
    this.#file?.keep(length);
    this.#record = { ...this.#record, length };
  }

  cut(): Promise<void> {
    return this.#turns.next(async () => this.#file?.cut());
  }

  /** Removes the files that are old enough. What fails is tried again after the next commit. */
  async tidy(): Promise<void> {
    const now = this.#around.now();
    const isOld = (file: OutputFile | null): boolean => file !== null && this.#series.isOld(file, now);
    if (![this.#record.current, ...this.#record.past].some(isOld)) return;
    await this.#turns
      .next(async () => {
        if (isOld(this.#record.current) && !this.#file?.hasStaged) await this.#turnTo(null, 0);
        for (const file of this.#record.past.filter(isOld)) await this.#remove(file);
      })
      .catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#turns.next(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  /** The file for what is written now. */
  async #turnOver(): Promise<StagedFile> {
    const now = this.#around.now();
    const { current } = this.#record;
    if (current && (now < (current.until ?? Infinity) || this.#file?.hasStaged))
      return (this.#file ??= await this.#open(current));
    const next = this.#series.fileAt(now);
    const path = this.#pathOf(next);
    await this.#turnTo(next, foreign(path, await sizeOf(path), this.#around.confirm));
    return (this.#file = await this.#open(next));
  }

  async #turnTo(next: OutputFile | null, length: number): Promise<void> {
    const { current, past } = this.#record;
    const record = {
      name: this.#series.name,
      length,
      current: next,
      past: current ? [...past, current] : past,
    };
    await this.#around.announce({ outputs: [record] });
    this.#record = record;
    const before = this.#file;
    this.#file = undefined;
    await before?.close();
  }

  async #open(current: OutputFile): Promise<StagedFile> {
    const file = await StagedFile.open(this.#pathOf(current), this.#record.length, this.#around.crashAt);
    if (current.until !== undefined) this.#around.crashAt('series.file-created');
    return file;
  }

  async #remove(file: OutputFile): Promise<void> {
    await rm(this.#pathOf(file), { force: true });
    this.#around.crashAt('series.file-removed');
    this.#record = { ...this.#record, past: this.#record.past.filter((other) => other !== file) };
  }

  #pathOf({ file }: OutputFile): string {
    return join(this.#around.folder, file);
  }
}
