import { slice, type Batch } from '../../core/event.ts';
import type { Identity } from '../../core/identity.ts';
import type { Happening, Source } from '../../core/source.ts';

/** Deliveries within which the time goes on by a tick at most. */
interface Piece {
  readonly batch: Batch;
  readonly time: number;
}

const stepsMax = 131_072;
const aheadMsMax = 3_600_000;

/**
 * Time as the events tell it: the latest of their own times so far (the wall clock's while they tell none). A file that
 * is read in a minute may hold a month; by this clock its window, and the age of its copies, are what they were.
 */
export class StreamClock {
  readonly #identity: Identity;
  readonly #wall: () => number;
  readonly #tickMs: number;
  readonly #partitions = new Map<string, number>();
  /** In the order of reading: from this position on the latest time was this. */
  #steps: { readonly partition: number; readonly position: number; readonly time: number }[] = [];
  #latest = -Infinity;
  #now = 0;

  /** `identity` reads the times; what lies more than 1 h beyond the wall clock is not believed. */
  constructor(identity: Identity, wall: () => number, tickMs: number) {
    this.#identity = identity;
    this.#wall = wall;
    this.#tickMs = tickMs;
  }

  now(): number {
    return this.#now;
  }

  /** The same deliveries in batches within which the time goes on by a tick at most; each sets the clock when it is given. */
  driving(source: Source): Source {
    let pieces: Piece[] = [];
    let next = 0;
    return {
      next: async (signal): Promise<Happening | undefined> => {
        while (next === pieces.length) {
          const happening = await source.next(signal);
          if (happening?.type !== 'batches') return happening;
          pieces = [];
          next = 0;
          for (const batch of happening.batches) pieces.push(...(await this.#cut(batch)));
        }
        const { batch, time } = pieces[next++];
        this.#now = Number.isFinite(time) ? time : this.#wall();
        return { type: 'batches', batches: [batch] };
      },
      start: (partition, position) => {
        source.start(partition, position);
      },
      pause: (partition) => {
        source.pause(partition);
      },
      resume: (partition) => {
        source.resume(partition);
      },
      close: () => source.close(),
    };
  }

  /** How much later than its own time a delivery came, in ms. */
  ageOf(partition: string, position: number, time: number): number {
    const ordinal = this.#partitions.get(partition) ?? 0;
    let [low, high] = [0, this.#steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const step = this.#steps[middle];
      if (step.partition < ordinal || (step.partition === ordinal && step.position <= position))
        low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : Math.max(0, this.#steps[low - 1].time - time);
  }

  async #cut(batch: Batch): Promise<Piece[]> {
    const { times = [] } = await this.#identity.identify(batch);
    const pieces: Piece[] = [];
    let from = 0;
    let began = this.#latest;
    for (let i = 0; i < batch.count; i++) {
      if (!this.#follow(batch, i, times[i])) continue;
      if (i > from && this.#latest > began + this.#tickMs) {
        pieces.push({ batch: slice(batch, from, i), time: began });
        from = i;
      }
      if (i === from || began === -Infinity) began = this.#latest;
    }
    return [...pieces, { batch: slice(batch, from, batch.count), time: began }];
  }

  /** Whether the time went on. */
  #follow({ partition, positions }: Batch, i: number, time: number): boolean {
    if (!(time > this.#latest && time <= this.#wall() + aheadMsMax)) return false;
    if (!this.#partitions.has(partition)) this.#partitions.set(partition, this.#partitions.size);
    this.#latest = time;
    this.#steps.push({ partition: this.#partitions.get(partition) ?? 0, position: positions[i], time });
    if (this.#steps.length > stepsMax) this.#steps = this.#steps.slice(-stepsMax / 2);
    return true;
  }
}
