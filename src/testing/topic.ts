import type { Batch } from '../core/event.ts';
import { Change } from '../core/river/change.ts';
import type { Happening, Source } from '../core/source.ts';
import { batchOf } from './batches.ts';

interface Log {
  readonly payloads: Uint8Array[];
  /** The first position that is kept. */
  first: number;
}

export interface TopicOptions {
  /** Deliveries in a batch. */
  readonly batchMax?: number;
  /** Its sources end when everything is read; else they wait for more. */
  readonly ends?: boolean;
}

/** Partitions in memory that can be read again from any position: the specification of sources that one can read. */
export class Topic {
  readonly logs = new Map<string, Log>();
  readonly change = new Change();
  readonly options: Required<TopicOptions>;

  constructor(
    logs: Readonly<Record<string, readonly Uint8Array[]>>,
    { batchMax = 3, ends = false }: TopicOptions = {},
  ) {
    this.options = { batchMax, ends };
    for (const [name, payloads] of Object.entries(logs))
      this.logs.set(name, { payloads: [...payloads], first: 0 });
  }

  append(partition: string, payloads: readonly Uint8Array[]): void {
    this.logs.get(partition)?.payloads.push(...payloads);
    this.change.tell();
  }

  /** Only the last so many are kept. */
  retain(partition: string, count: number): void {
    const log = this.logs.get(partition);
    if (log) log.first = Math.max(log.first, log.payloads.length - count);
    this.change.tell();
  }
}

/** A worker's connection, which has all partitions at first. */
export class TopicSource implements Source {
  readonly topic: Topic;
  readonly told: Happening[] = [];
  readonly reading = new Map<string, number>();
  readonly paused = new Set<string>();

  constructor(topic: Topic) {
    this.topic = topic;
    this.tell({ type: 'assigned', partitions: [...topic.logs.keys()] });
  }

  tell(happening: Happening): void {
    this.told.push(happening);
    this.topic.change.tell();
  }

  revoke(partition: string): void {
    this.reading.delete(partition);
    this.tell({ type: 'revoked', partitions: [partition], drainMs: 1_000, done: () => undefined });
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
    const payloads = this.log(partition).payloads.slice(from, from + this.topic.options.batchMax);
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
    return (
      this.topic.options.ends &&
      [...this.topic.logs.keys()].every((name) => this.reading.has(name) && isRead(name))
    );
  }

  /** Whoever was read goes to the end of the queue. */
  inTurn(partition: string): void {
    const position = this.reading.get(partition);
    this.reading.delete(partition);
    if (position !== undefined) this.reading.set(partition, position);
  }
}
