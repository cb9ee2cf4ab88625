import { slice, type Batch } from '../../core/event.ts';
import type { Identity } from '../../core/identity.ts';
import type { Source } from '../../core/source.ts';
import { Arrivals } from '../report/arrivals.ts';
import { withNext } from '../../sources/kit/with-next.ts';

/** Deliveries within which the time goes on by a tick at most. */
interface Piece {
  readonly batch: Batch;
  readonly time: number;
}

/**
 * Time as the events tell it: the latest of their own times so far (the wall clock's while they tell none). A file that
 * is read in a minute may hold a month; by this clock its window is what it was.
 */
export class StreamClock {
  readonly arrivals: Arrivals;
  readonly #identity: Identity;
  readonly #wall: () => number;
  readonly #tickMs: number;
  #now = 0;

  /** `identity` reads the times. */
  constructor(identity: Identity, wall: () => number, tickMs: number) {
    this.arrivals = new Arrivals(wall);
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
    return withNext(source, async (signal) => {
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
    });
  }

  async #cut(batch: Batch): Promise<Piece[]> {
    const { times = [] } = await this.#identity.identify(batch);
    const pieces: Piece[] = [];
    let from = 0;
    let began = this.arrivals.latest;
    for (let i = 0; i < batch.count; i++) {
      if (!this.arrivals.come(batch, i, times[i])) continue;
      if (i > from && this.arrivals.latest > began + this.#tickMs) {
        pieces.push({ batch: slice(batch, from, i), time: began });
        from = i;
      }
      if (i === from || began === -Infinity) began = this.arrivals.latest;
    }
    return [...pieces, { batch: slice(batch, from, batch.count), time: began }];
  }
}
