import { payloadOf } from '../../../src/core/event.ts';
import type { Happening } from '../../../src/core/source.ts';
import type { KnownFile } from '../../../src/sources/file/known-files.ts';
import { fileSource, type FileSource, type FileSourceOptions } from '../../../src/sources/file/source.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';

const { signal } = new AbortController();

/** A worker that follows files, and remembers how far it came where checkpoints and known files are kept. */
export class Follower {
  readonly clock = new ManualClock();
  readonly checkpoints = new Map<string, number>();
  readonly knownFiles = new Map<string, KnownFile>();
  readonly #options: FileSourceOptions;
  #source: FileSource;
  #coming: Promise<Happening | undefined> | undefined;
  #told: Happening[] = [];

  constructor(options: FileSourceOptions) {
    this.#options = options;
    this.#source = this.#open();
  }

  /** What came since it was asked last, as short texts, when everything is read that is there. */
  async news(): Promise<string[]> {
    const sleeping = this.#sleeping();
    for (;;) {
      this.#coming ??= this.#source.next(signal);
      const happening = await Promise.race([this.#coming, sleeping]);
      if (!happening) return this.#told.splice(0).flatMap(textsOf);
      this.#coming = undefined;
      this.#told.push(happening);
      if (happening.type === 'end') return this.#told.splice(0).flatMap(textsOf);
      this.#meet(happening);
    }
  }

  /** News after the next look. */
  async later(): Promise<string[]> {
    await this.clock.advance(1_000);
    return this.news();
  }

  async stop(): Promise<void> {
    await this.#source.close();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#coming = undefined;
    this.#source = this.#open();
  }

  #open(): FileSource {
    return fileSource({ follow: true, clock: this.clock, knownFiles: this.knownFiles, ...this.#options });
  }

  #meet(happening: Happening): void {
    if (happening.type === 'assigned')
      for (const name of happening.partitions) this.#source.start(name, this.checkpoints.get(name));
    if (happening.type === 'batches')
      for (const { partition, next } of happening.batches) this.checkpoints.set(partition, next);
    if (happening.type === 'revoked') happening.done();
  }

  async #sleeping(): Promise<undefined> {
    while (this.clock.sleepers === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** `a.ndjson 0 {"id":1}` for a delivery, else what is told. */
function textsOf(happening: Happening): string[] {
  switch (happening.type) {
    case 'batches':
      return happening.batches.flatMap((batch) =>
        Array.from(
          batch.positions,
          (at, i) => `${base(batch.partition)} ${at} ${Buffer.from(payloadOf(batch, i)).toString()}`,
        ),
      );
    case 'gap':
      return [`gap ${base(happening.partition)} ${happening.from} ${happening.to}`];
    case 'end':
      return ['end'];
    default:
      return [`${happening.type} ${happening.partitions.map(base).join(' ')}`];
  }
}

/** Without its folder, and without the time at which it was met. */
function base(partition: string): string {
  return partition.slice(partition.lastIndexOf('/') + 1).replace(/@.*Z$/, '@later');
}
