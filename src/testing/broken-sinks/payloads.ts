import type { Outgoing, Written } from '../../core/sink.ts';
import type { Arrival } from '../sink-suite/check.ts';
import { broken, ShelfSink } from './shelf.ts';

const text = (payload: Uint8Array): string => Buffer.from(payload).toString();

export const payloads = [
  broken(
    'writes JSON anew',
    ['payloads: each payload arrives byte for byte'],
    class extends ShelfSink {
      override lay(arrival: Arrival): void {
        try {
          const payload = Buffer.from(JSON.stringify(JSON.parse(text(arrival.payload))));
          super.lay({ ...arrival, payload });
        } catch {
          super.lay(arrival);
        }
      }
    },
  ),

  broken(
    'takes all bytes for text',
    [
      'payloads: what is no text arrives as it came, or is rejected',
      'payloads: empty payloads, line breaks and any bytes arrive',
    ],
    class extends ShelfSink {
      override lay(arrival: Arrival): void {
        super.lay({ ...arrival, payload: Buffer.from(text(arrival.payload)) });
      }
    },
  ),

  broken(
    'writes from the first to the last that is picked',
    [
      'payloads: only what is picked arrives',
      'payloads: of framed text the payloads arrive as well',
      'answers: what is rejected is named by its place among the picks, with a reason',
      'answers: several are rejected in one call, each by itself',
      'answers: while the place fails, what it did not take is named, and what stands behind it',
      'answers: a place that failed and is mended has everything at last, in order',
      'manners: manners belong to the picks, not to the batch',
    ],
    class extends ShelfSink {
      override write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const [first = 0] = outgoing.indices;
        const last = outgoing.indices.at(-1) ?? -1;
        const indices = Uint32Array.from({ length: last - first + 1 }, (_, k) => first + k);
        return super.write({ ...outgoing, indices }, signal);
      }
    },
  ),

  broken(
    'cannot write nothing',
    ['payloads: nothing picked is nothing written'],
    class extends ShelfSink {
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        if (outgoing.indices.length === 0) throw new Error('nothing to write');
        return super.write(outgoing, signal);
      }
    },
  ),

  broken(
    'writes frames where there are some',
    [
      'payloads: of framed text the payloads arrive as well',
      'payloads: framed and other deliveries may come by turns',
    ],
    class extends ShelfSink {
      override arrival(outgoing: Outgoing, at: number): Arrival {
        const { batch, indices } = outgoing;
        const { frames } = batch;
        if (!frames) return super.arrival(outgoing, at);
        return { payload: batch.bytes.slice(frames[indices[at]], frames[indices[at] + 1]) };
      }
    },
  ),

  broken(
    'keeps the kind of its first call',
    ['payloads: framed and other deliveries may come by turns'],
    class extends ShelfSink {
      framed: boolean | undefined;
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        this.framed ??= outgoing.batch.frames !== undefined;
        if (this.framed !== (outgoing.batch.frames !== undefined)) throw new Error('another kind');
        return super.write(outgoing, signal);
      }
    },
  ),

  broken(
    'cuts what is large',
    ['payloads: a large payload arrives whole'],
    class extends ShelfSink {
      override lay(arrival: Arrival): void {
        super.lay({ ...arrival, payload: arrival.payload.subarray(0, 1_048_576) });
      }
    },
  ),

  broken(
    'takes a thousand of a call at most',
    ['payloads: many deliveries in one call arrive'],
    class extends ShelfSink {
      override write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        return super.write({ ...outgoing, indices: outgoing.indices.subarray(0, 1_000) }, signal);
      }
    },
  ),

  broken(
    'keeps equal payloads once',
    [
      'payloads: the same payload twice is two deliveries',
      'payloads: empty payloads, line breaks and any bytes arrive',
    ],
    class extends ShelfSink {
      readonly seen = new Set<string>();
      override lay(arrival: Arrival): void {
        if (!this.seen.has(text(arrival.payload))) super.lay(arrival);
        this.seen.add(text(arrival.payload));
      }
    },
  ),

  broken(
    'writes by lines',
    ['payloads: empty payloads, line breaks and any bytes arrive'],
    class extends ShelfSink {
      override lay(arrival: Arrival): void {
        const latin = Buffer.from(arrival.payload).toString('latin1');
        for (const line of latin.split('\n')) super.lay({ ...arrival, payload: Buffer.from(line, 'latin1') });
      }
    },
  ),

  broken(
    'makes lines where the bytes stand',
    ['payloads: the batch is left as it is', 'payloads: empty payloads, line breaks and any bytes arrive'],
    class extends ShelfSink {
      override arrival(outgoing: Outgoing, at: number): Arrival {
        const { bytes, starts, ends } = outgoing.batch;
        const i = outgoing.indices[at];
        for (let k = starts[i]; k < ends[i]; k++) if (bytes[k] === 10) bytes[k] = 32;
        return super.arrival(outgoing, at);
      }
    },
  ),
];
