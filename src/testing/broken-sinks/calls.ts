import { allWritten, type Outgoing, type Written } from '../../core/sink.ts';
import type { Arrival } from '../sink-suite/check.ts';
import { broken, ShelfSink } from './shelf.ts';

const large = 'payloads: a large payload arrives whole';
const inOneCall = 'order: the picks of a call arrive in their order, large or small';
const oneAfterAnother = 'order: one call after another arrives in their order, large or small';
const overlap = 'order: calls of several partitions may overlap, and each partition keeps its order';
const atWork =
  'durability: a call that comes while another one is at work is answered when it is done itself';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Order, durability and closing. */
export const calls = [
  broken(
    'writes what is small first',
    [inOneCall, oneAfterAnother, large],
    class extends ShelfSink {
      override write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const { starts, ends } = outgoing.batch;
        const isLarge = (i: number): number => (ends[i] - starts[i] > 10_000 ? 1 : 0);
        const indices = outgoing.indices.toSorted((i, j) => isLarge(i) - isLarge(j));
        return super.write({ ...outgoing, indices }, signal);
      }
    },
  ),

  broken(
    'writes what is large by the way',
    [inOneCall, oneAfterAnother, large, 'payloads: many deliveries in one call arrive'],
    class extends ShelfSink {
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        if (outgoing.batch.bytes.length < 10_000) return super.write(outgoing, signal);
        setImmediate(() => void super.write(outgoing, signal));
        return allWritten;
      }
    },
  ),

  broken(
    'has one place for what is at work',
    [overlap, atWork],
    class extends ShelfSink {
      under: Outgoing | undefined;
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        this.under = outgoing;
        await turn();
        return super.write(this.under, signal);
      }
    },
  ),

  broken(
    'keeps a single delivery back for the next call',
    [
      'answers: what is rejected does not arrive, what stands behind it does',
      'answers: a place that failed and is mended has everything at last, in order',
      'durability: what was written is there when write resolves, before the sink is closed',
      atWork,
    ],
    class extends ShelfSink {
      kept: Outgoing | undefined;
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const { kept } = this;
        this.kept = outgoing.indices.length === 1 ? outgoing : undefined;
        if (kept) await super.write(kept, signal);
        return this.kept ? allWritten : super.write(outgoing, signal);
      }
    },
  ),

  broken(
    'answers at once while another call is at work',
    [atWork, overlap],
    class extends ShelfSink {
      last: Promise<unknown> | undefined;
      override write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const before = this.last;
        const done = (before ?? turn()).then(() => super.write(outgoing, signal));
        const ended = done.finally(() => {
          if (this.last === ended) this.last = undefined;
        });
        this.last = ended;
        return before ? Promise.resolve(allWritten) : ended;
      }
    },
  ),

  broken(
    'takes everything with it when it is closed',
    ['durability: closing takes nothing away'],
    class extends ShelfSink {
      override async close(): Promise<void> {
        this.shelf.arrivals.length = 0;
      }
    },
  ),

  broken(
    'cannot be closed twice',
    ['closing: closing twice is closing once'],
    class extends ShelfSink {
      closed = false;
      override async close(): Promise<void> {
        if (this.closed) throw new Error('closed already');
        this.closed = true;
      }
    },
  ),

  broken(
    'cannot be closed before it was written to',
    ['closing: what was never written to can be closed'],
    class extends ShelfSink {
      latest: Arrival | undefined;
      override lay(arrival: Arrival): void {
        this.latest = arrival;
        super.lay(arrival);
      }
      override async close(): Promise<void> {
        if (!this.latest) throw new Error('not open');
      }
    },
  ),
];
