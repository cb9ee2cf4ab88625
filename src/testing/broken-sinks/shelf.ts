import { payloadOf } from '../../core/event.ts';
import {
  allWritten,
  Manner,
  type Outgoing,
  type Rejection,
  type Sink,
  type Written,
} from '../../core/sink.ts';
import type { Arrival, SinkBench } from '../sink-suite/check.ts';

/** Where arrivals are laid down, one after another. */
export class Shelf {
  readonly arrivals: Arrival[] = [];
  readonly refused = new Set<string>();
  failing: string | undefined;
}

/** A sink in rooms, so that one promise at a time can be broken. */
export class ShelfSink implements Sink {
  readonly shelf: Shelf;

  constructor(shelf: Shelf) {
    this.shelf = shelf;
  }

  async write(outgoing: Outgoing, _signal: AbortSignal): Promise<Written> {
    const rejected: Rejection[] = [];
    for (let at = 0; at < outgoing.indices.length; at++) {
      const arrival = this.arrival(outgoing, at);
      const text = Buffer.from(arrival.payload).toString();
      if (text === this.shelf.failing) return this.fails(outgoing, at, rejected);
      if (this.shelf.refused.has(text)) rejected.push({ at, reason: 'refused' });
      else this.lay(arrival);
    }
    return rejected.length > 0 ? { rejected } : allWritten;
  }

  async close(): Promise<void> {
    return Promise.resolve();
  }

  arrival({ batch, indices, manners }: Outgoing, at: number): Arrival {
    return {
      payload: payloadOf(batch, indices[at]).slice(),
      manner: (manners?.[at] ?? Manner.ordinary) as Manner,
    };
  }

  lay(arrival: Arrival): void {
    this.shelf.arrivals.push(arrival);
  }

  fails({ indices }: Outgoing, from: number, rejected: readonly Rejection[]): Written {
    const at = [...indices.keys()].slice(from);
    return { rejected, unavailable: { at, reason: 'busy' } };
  }
}

/** A sink with one promise broken, in a way that somebody would build it. The suite must notice. */
export interface BrokenSink {
  readonly name: string;
  readonly bench: SinkBench;
  /** The checks that fail, as `theme: name`; all others pass. */
  readonly fails: readonly string[];
}

export function broken(
  name: string,
  fails: readonly string[],
  kind: new (shelf: Shelf) => ShelfSink,
): BrokenSink {
  return { name, fails, bench: benchOf(kind) };
}

export function benchOf(kind: new (shelf: Shelf) => ShelfSink): SinkBench {
  return {
    supports: { binary: true, durable: true, refuses: true, fails: true, manners: true },
    open: () => {
      const shelf = new Shelf();
      return {
        sink: new kind(shelf),
        read: () => shelf.arrivals,
        refuse: (payload) => shelf.refused.add(payload),
        fail: (payload) => (shelf.failing = payload),
        mend: () => (shelf.failing = undefined),
        close: () => Promise.resolve(),
      };
    },
  };
}
