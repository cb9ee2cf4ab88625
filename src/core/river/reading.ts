import type { Batch } from '../event.ts';
import type { Happening, Source } from '../source.ts';
import type { Partition } from './partition.ts';

/** Takes from the source what comes next, one happening at a time, until it is told to stop. */
export class Reading {
  readonly #source: Source;
  readonly #live: ReadonlyMap<string, Partition>;
  readonly #stop = new AbortController();
  #wait = new AbortController();
  /** Partitions that were started during the wait: what it brings of them may be of before. */
  readonly #begun = new Set<string>();

  constructor(source: Source, live: ReadonlyMap<string, Partition>) {
    this.#source = source;
    this.#live = live;
  }

  /** Aborted: nothing new is read. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  stop(): void {
    this.#stop.abort();
    this.#wait.abort();
  }

  pause(partition: string): void {
    this.#source.pause(partition);
  }

  start(partition: string, position: number | undefined): void {
    this.#begun.add(partition);
    this.#wait.abort();
    this.#source.start(partition, position);
  }

  /** Nothing if the wait was ended. */
  async next(): Promise<Happening | undefined> {
    if (this.#stop.signal.aborted) return undefined;
    this.#begun.clear();
    this.#wait = new AbortController();
    const happening = await this.#source.next(this.#wait.signal);
    if (happening?.type !== 'batches' || this.#begun.size === 0) return happening;
    return { type: 'batches', batches: this.#withoutBefore(happening.batches) };
  }

  /** What was on its way when its partition was started may stand elsewhere: it is read once more. */
  #withoutBefore(batches: readonly Batch[]): readonly Batch[] {
    const doubtful = batches.filter(({ partition }) => this.#begun.has(partition));
    for (const name of new Set(doubtful.map(({ partition }) => partition)))
      this.#source.start(name, this.#live.get(name)?.progress.checkpoint);
    return batches.filter((batch) => !doubtful.includes(batch));
  }
}
