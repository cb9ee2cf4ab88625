import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Committed } from '../../../src/core/checkpoint.ts';
import {
  openCommittingFiles,
  type CommittingFiles,
  type CommittingFilesOptions,
} from '../../../src/sinks/committing-files.ts';
import { batchOf, framedBatchOf, outgoing } from '../../../src/testing/batches.ts';
import { books } from '../../../src/testing/checkpoint-suite/scene.ts';

const { signal } = new AbortController();

/** A folder with committing files in it, and a worker that has partition `p`. */
export class Desk {
  readonly folder: string;
  readonly #test: TestContext;
  readonly #options: Partial<CommittingFilesOptions>;
  #files!: CommittingFiles;
  #epoch = 0;

  private constructor(t: TestContext, folder: string, options: Partial<CommittingFilesOptions>) {
    this.#test = t;
    this.folder = folder;
    this.#options = options;
  }

  static async inNewFolder(t: TestContext, options: Partial<CommittingFilesOptions> = {}): Promise<Desk> {
    const folder = await mkdtemp(join(tmpdir(), 'hapax-desk-'));
    t.after(() => rm(folder, { recursive: true }));
    return new Desk(t, folder, options);
  }

  get files(): CommittingFiles {
    return this.#files;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  text(name = 'out'): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  async open(more: Partial<CommittingFilesOptions> = {}): Promise<CommittingFiles> {
    const options = { path: this.path('out'), ...this.#options, ...more };
    const files = (this.#files = await openCommittingFiles(options));
    this.#test.after(() => files.sink.close());
    return files;
  }

  /** Opens, takes the partition, and answers its checkpoint. */
  async start(more: Partial<CommittingFilesOptions> = {}): Promise<number | undefined> {
    await this.open(more);
    return this.take();
  }

  async take(): Promise<number | undefined> {
    const [{ epoch, checkpoint }] = await this.#files.sink.take([{ partition: 'p', above: 0 }]);
    this.#epoch = epoch;
    return checkpoint;
  }

  get epoch(): number {
    return this.#epoch;
  }

  async stage(...lines: readonly string[]): Promise<void> {
    await this.#files.sink.write(outgoing(framedBatchOf(lines.map((line) => `${line}\n`))), signal);
  }

  async bury(...payloads: readonly string[]): Promise<void> {
    await this.#files.deadLetters!.write(outgoing(batchOf(payloads)), signal);
  }

  commit(checkpoint: number): Promise<Committed> {
    const commit = { partition: 'p', epoch: this.#epoch, checkpoint, totals: books(checkpoint) };
    return this.#files.sink.commit([commit]);
  }

  abort(): Promise<void> {
    return this.#files.sink.abort();
  }

  close(): Promise<void> {
    return this.#files.sink.close();
  }

  /** The folder is as it was before this process closed the files. */
  async crash(): Promise<void> {
    const names = await readdir(this.folder);
    const contents = await Promise.all(names.map((name) => readFile(this.path(name))));
    await this.close();
    await Promise.all(names.map((name, i) => writeFile(this.path(name), contents[i])));
  }
}
