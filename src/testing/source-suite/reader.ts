import assert from 'node:assert/strict';
import { payloadOf, type Batch } from '../../core/event.ts';
import type { Happening, Source } from '../../core/source.ts';

export interface Delivery {
  readonly partition: string;
  readonly position: number;
  readonly payload: Uint8Array;
}

/** When a wait is given up; it need not be waited for when the signal is aborted. */
export type Limit = (signal: AbortSignal) => Promise<void>;

export interface Limits {
  readonly quiet: Limit;
  readonly overdue: Limit;
}

const never = new AbortController().signal;

/** A worker that reads a source, and remembers what it was told. */
export class Reader {
  readonly source: Source;
  readonly batches: Batch[] = [];
  readonly deliveries: Delivery[] = [];
  readonly happenings: Happening[] = [];
  readonly #limits: Limits;

  constructor(source: Source, limits: Limits) {
    this.source = source;
    this.#limits = limits;
  }

  get texts(): string[] {
    return textsOf(this.deliveries);
  }

  get positions(): number[] {
    return this.deliveries.map(({ position }) => position);
  }

  of<T extends Happening['type']>(type: T): Extract<Happening, { type: T }>[] {
    return this.happenings.filter((one): one is Extract<Happening, { type: T }> => one.type === type);
  }

  get assigned(): string[] {
    return this.of('assigned').flatMap(({ partitions }) => partitions);
  }

  /** Reads until this holds; throws if the source ends, or it is too late. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      const happening = await this.#next(this.#limits.overdue);
      if (!happening) assert.fail(`it comes too late; there is ${this.#told()}`);
      if (happening.type === 'end' && !holds()) assert.fail(`it ends; there is ${this.#told()}`);
    }
  }

  /** Reads until so many deliveries are there, of this partition if it is named. */
  count(n: number, partition?: string): Promise<void> {
    return this.until(() => (partition === undefined ? this.deliveries : this.from(partition)).length >= n);
  }

  from(partition: string): Delivery[] {
    return this.deliveries.filter((one) => one.partition === partition);
  }

  /** Starts all partitions, from these positions. */
  async start(partitions: readonly string[], from: Readonly<Record<string, number>> = {}): Promise<this> {
    await this.until(() => partitions.every((name) => this.assigned.includes(name)));
    for (const name of partitions) this.source.start(name, from[name]);
    return this;
  }

  /** What was given so far is left out of account. */
  forget(): void {
    this.batches.length = this.deliveries.length = 0;
  }

  /** Reads what comes by itself. */
  async rest(): Promise<void> {
    for (;;) {
      const happening = await this.#next(this.#limits.quiet);
      if (!happening || happening.type === 'end') return;
    }
  }

  /** One wait that the signal ends; what comes all the same is kept. */
  async next(signal: AbortSignal): Promise<Happening | undefined> {
    const ended = onAbort(signal).then(() => this.#limits.quiet(never));
    const happening = await Promise.race([this.source.next(signal), ended.then(() => 'stuck' as const)]);
    assert.notEqual(happening, 'stuck', 'next does not end with its signal');
    if (happening === 'stuck' || !happening) return undefined;
    this.happenings.push(happening);
    if (happening.type === 'batches') {
      this.batches.push(...happening.batches);
      this.deliveries.push(...happening.batches.flatMap(deliveriesOf));
    }
    return happening;
  }

  async #next(limit: Limit): Promise<Happening | undefined> {
    const enough = new AbortController();
    const done = new AbortController();
    void limit(done.signal).then(() => {
      enough.abort();
    });
    try {
      return await this.next(enough.signal);
    } finally {
      done.abort();
    }
  }

  #told(): string {
    return JSON.stringify([this.happenings.map(({ type }) => type), this.texts.slice(0, 20)]);
  }
}

export function deliveriesOf(batch: Batch): Delivery[] {
  return Array.from({ length: batch.count }, (_, i) => ({
    partition: batch.partition,
    position: batch.positions[i],
    payload: payloadOf(batch, i),
  }));
}

export function textsOf(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ payload }) => Buffer.from(payload).toString());
}

function onAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}
