import type { Batch } from '../core/event.ts';
import { Change } from '../core/river/change.ts';
import type { Happening, Source } from '../core/source.ts';
import { batchOf, bytesOf, type Payload } from './batches.ts';

interface Log {
  readonly payloads: Uint8Array[];
  /** The first position that is kept. */
  first: number;
}

export interface TopicSourceOptions {
  /** Deliveries in a batch. */
  readonly batchMax?: number;
  /** It ends when everything is read; else it waits for more. */
  readonly ends?: boolean;
  /** Its partitions at first; usually all. */
  readonly assigned?: readonly string[];
}

/** Partitions in memory that can be read again from any position: the specification of sources that one can read. */
export class Topic {
  readonly logs = new Map<string, Log>();
  readonly change = new Change();

  constructor(logs: Readonly<Record<string, readonly Payload[]>>) {
    for (const [name, payloads] of Object.entries(logs))
      this.logs.set(name, { payloads: payloads.map(bytesOf), first: 0 });
  }

  append(partition: string, ...payloads: readonly Payload[]): void {
    this.logs.get(partition)?.payloads.push(...payloads.map(bytesOf));
    this.change.tell();
  }

  /** Only the last so many are kept. */
  retain(partition: string, count: number): void {
    const log = this.logs.get(partition);
    if (log) log.first = Math.max(log.first, log.payloads.length - count);
    this.change.tell();
  }
}

/** A worker's connection. */
export class TopicSource implements Source {
  readonly topic: Topic;
  readonly options: Required<TopicSourceOptions>;
  readonly told: Happening[] = [];
  readonly reading = new Map<string, number>();
  readonly paused = new Set<string>();

  constructor(topic: Topic, options: TopicSourceOptions = {}) {
    this.topic = topic;
    this.options = { batchMax: 3, ends: false, assigned: [...topic.logs.keys()], ...options };
    if (this.options.assigned.length > 0) this.tell({ type: 'assigned', partitions: this.options.assigned });
  }

  tell(...happenings: readonly Happening[]): void {
    this.told.push(...happenings);
    this.topic.change.tell();
  }

  /** Resolves when the worker has let them go. */
  revoke(partitions: readonly string[], drainMs = 1_000): Promise<void> {
    for (const partition of partitions) this.reading.delete(partition);
    return new Promise((done) => {
      this.tell({ type: 'revoked', partitions, drainMs, done });
    });
  }

  retire(partition: string): void {
    this.reading.delete(partition);
    this.tell({ type: 'retired', partitions: [partition] });
  }

  async next(signal: AbortSignal): Promise<Happening | undefined> {
    const { change } = this.topic;
    const aborted = (): void => {
      change.tell();
    };
    signal.addEventListener('abort', aborted, { once: true });
    let happening = this.take();
    await change.until(() => signal.aborted || (happening ??= this.take()) !== undefined);
    signal.removeEventListener('abort', aborted);
    return happening;
  }

  start(partition: string, position = 0): void {
    this.reading.set(partition, position);
    this.resume(partition);
  }

  pause(partition: string): void {
    this.paused.add(partition);
  }

  resume(partition: string): void {
    this.paused.delete(partition);
    this.topic.change.tell();
  }

  async close(): Promise<void> {
    this.reading.clear();
    return Promise.resolve();
  }

  /** What comes next, if it is there. */
  take(): Happening | undefined {
    const told = this.told.shift();
    if (told) return told;
    for (const [partition, from] of this.reading) {
      if (this.paused.has(partition)) continue;
      const happening = this.gap(partition, from) ?? this.read(partition, from);
      if (!happening) continue;
      this.inTurn(partition);
      return happening;
    }
    return this.isOver() ? { type: 'end' } : undefined;
  }

  gap(partition: string, from: number): Happening | undefined {
    const { first } = this.log(partition);
    if (from >= first) return undefined;
    this.reading.set(partition, first);
    return { type: 'gap', partition, from, to: first, reason: 'retention' };
  }

  read(partition: string, from: number): Happening | undefined {
    const payloads = this.log(partition).payloads.slice(from, from + this.options.batchMax);
    if (payloads.length === 0) return undefined;
    this.reading.set(partition, from + payloads.length);
    return { type: 'batches', batches: [this.batch(partition, payloads, from)] };
  }

  batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
    return batchOf(payloads, { partition, position });
  }

  log(partition: string): Log {
    return this.topic.logs.get(partition) ?? { payloads: [], first: 0 };
  }

  isOver(): boolean {
    const isRead = (name: string) => (this.reading.get(name) ?? 0) >= this.log(name).payloads.length;
    const { ends, assigned } = this.options;
    return ends && assigned.every((name) => this.reading.has(name) && isRead(name));
  }

  /** Whoever was read goes to the end of the queue. */
  inTurn(partition: string): void {
    const position = this.reading.get(partition);
    this.reading.delete(partition);
    if (position !== undefined) this.reading.set(partition, position);
  }
}
