import { Change } from '../../src/core/river/change.ts';
import type { Happening, Source } from '../../src/core/source.ts';
import { batchOf } from './identity/batch.ts';

/** What a delivery looks like in these tests: `event('a')` is found under `/id`. */
export function event(id: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ id, ...more });
}

/** Partitions whose deliveries can be read again from any position, by any number of workers. */
export class Topic {
  readonly logs: Map<string, string[]>;
  readonly change = new Change();

  constructor(logs: Readonly<Record<string, readonly string[]>>) {
    this.logs = new Map(Object.entries(logs).map(([name, log]) => [name, [...log]]));
  }

  append(partition: string, ...payloads: readonly string[]): void {
    this.logs.get(partition)?.push(...payloads);
    this.change.tell();
  }

  /** A worker's connection; `assigned` are its partitions from the beginning. */
  source(options: TopicSourceOptions = {}): TopicSource {
    return new TopicSource(this, {
      batchMax: 1_000,
      ends: false,
      assigned: [...this.logs.keys()],
      ...options,
    });
  }
}

export interface TopicSourceOptions {
  readonly batchMax?: number;
  /** Ends when everything has been read; else it waits for more. */
  readonly ends?: boolean;
  readonly assigned?: readonly string[];
}

export class TopicSource implements Source {
  /** Each call of `start`. */
  readonly starts: { readonly partition: string; readonly position: number | undefined }[] = [];
  readonly paused = new Set<string>();
  readonly #told: Happening[] = [];
  readonly #reading = new Map<string, number>();
  readonly #topic: Topic;
  readonly #options: Required<TopicSourceOptions>;

  constructor(topic: Topic, options: Required<TopicSourceOptions>) {
    this.#topic = topic;
    this.#options = options;
    if (options.assigned.length > 0) this.tell({ type: 'assigned', partitions: options.assigned });
  }

  tell(...happenings: readonly Happening[]): void {
    this.#told.push(...happenings);
    this.#topic.change.tell();
  }

  /** Resolves when the worker has let them go. */
  revoke(partitions: readonly string[], drainMs = 1_000): Promise<void> {
    return new Promise((done) => {
      this.tell({ type: 'revoked', partitions, drainMs, done });
    });
  }

  /** Deliveries are given again from here, as after a reconnect. */
  rewind(partition: string, position: number): void {
    this.#reading.set(partition, position);
    this.#topic.change.tell();
  }

  async next(signal: AbortSignal): Promise<Happening | undefined> {
    const { change } = this.#topic;
    const aborted = (): void => {
      change.tell();
    };
    signal.addEventListener('abort', aborted, { once: true });
    await change.until(
      () => signal.aborted || this.#told.length > 0 || this.#readable() !== undefined || this.#isOver(),
    );
    signal.removeEventListener('abort', aborted);
    return signal.aborted ? undefined : this.#give();
  }

  start(partition: string, position: number | undefined): void {
    this.starts.push({ partition, position });
    this.paused.delete(partition);
    this.rewind(partition, position ?? 0);
  }
  pause(partition: string): void {
    this.paused.add(partition);
  }
  resume(partition: string): void {
    this.paused.delete(partition);
    this.#topic.change.tell();
  }
  close(): Promise<void> {
    return Promise.resolve();
  }

  #readable(): string | undefined {
    return [...this.#reading.keys()].find((name) => !this.paused.has(name) && this.#left(name) > 0);
  }
  #left(name: string): number {
    return (this.#topic.logs.get(name)?.length ?? 0) - (this.#reading.get(name) ?? 0);
  }
  #isOver(): boolean {
    const { ends, assigned } = this.#options;
    return ends && assigned.every((name) => this.#reading.has(name) && this.#left(name) <= 0);
  }

  #give(): Happening {
    const told = this.#told.shift();
    if (told) {
      if (told.type === 'revoked') for (const name of told.partitions) this.#reading.delete(name);
      return told;
    }
    const name = this.#readable();
    if (name === undefined) return { type: 'end' };
    const from = this.#reading.get(name) ?? 0;
    const payloads = this.#topic.logs.get(name)?.slice(from, from + this.#options.batchMax) ?? [];
    this.#reading.set(name, from + payloads.length);
    return { type: 'batches', batches: [batchOf(payloads, name, from)] };
  }
}
