import { Manner, type Outgoing, type Rejection, type Written } from '../../core/sink.ts';
import type { Arrival } from '../sink-suite/check.ts';
import { broken, ShelfSink } from './shelf.ts';

const isNamed = 'answers: what is rejected is named by its place among the picks, with a reason';
const isWrittenBehind = 'answers: what is rejected does not arrive, what stands behind it does';
const several = 'answers: several are rejected in one call, each by itself';
const namesTheRest =
  'answers: while the place fails, what it did not take is named, and what stands behind it';
const allAtLast = 'answers: a place that failed and is mended has everything at last, in order';
const before = 'answers: what stands before a failure and is not named has arrived';

export const answers = [
  broken(
    'counts in the batch',
    [isNamed, several],
    class extends ShelfSink {
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const { rejected = [], ...rest } = await super.write(outgoing, signal);
        return {
          ...rest,
          rejected: rejected.map(({ at, reason }) => ({ at: outgoing.indices[at], reason })),
        };
      }
    },
  ),

  broken(
    'rejects without a reason',
    [isNamed],
    class extends ShelfSink {
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const { rejected = [], ...rest } = await super.write(outgoing, signal);
        return { ...rest, rejected: rejected.map(({ at }) => ({ at, reason: '' })) };
      }
    },
  ),

  broken(
    'writes what it rejects',
    [isWrittenBehind, several],
    class extends ShelfSink {
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const { refused } = this.shelf;
        const rejected = [...outgoing.indices.keys()].filter((at) =>
          refused.has(Buffer.from(this.arrival(outgoing, at).payload).toString()),
        );
        const all = [...refused];
        refused.clear();
        const written = await super.write(outgoing, signal);
        for (const payload of all) refused.add(payload);
        return { ...written, rejected: rejected.map((at) => ({ at, reason: 'refused' })) };
      }
    },
  ),

  broken(
    'rejects all that stands behind',
    [isNamed, isWrittenBehind, several],
    class extends ShelfSink {
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const length = this.shelf.arrivals.length;
        const { rejected = [], ...rest } = await super.write(outgoing, signal);
        if (rejected.length === 0) return rest;
        const first = rejected[0].at;
        this.shelf.arrivals.length = length + first;
        const at = [...outgoing.indices.keys()].slice(first);
        return { ...rest, rejected: at.map((k) => ({ at: k, reason: 'refused' })) };
      }
    },
  ),

  broken(
    'names one rejection of a call',
    [several],
    class extends ShelfSink {
      override async write(outgoing: Outgoing, signal: AbortSignal): Promise<Written> {
        const { rejected = [], ...rest } = await super.write(outgoing, signal);
        return { ...rest, rejected: rejected.slice(0, 1) };
      }
    },
  ),

  broken(
    'keeps a failure to itself',
    [namesTheRest, allAtLast],
    class extends ShelfSink {
      override fails(_outgoing: Outgoing, _from: number, rejected: readonly Rejection[]): Written {
        return { rejected };
      }
    },
  ),

  broken(
    'names only what failed and goes on behind it',
    [namesTheRest, allAtLast],
    class extends ShelfSink {
      override fails(outgoing: Outgoing, from: number, rejected: readonly Rejection[]): Written {
        for (let at = from + 1; at < outgoing.indices.length; at++) this.lay(this.arrival(outgoing, at));
        return { rejected, unavailable: { at: [from], reason: 'busy' } };
      }
    },
  ),

  broken(
    'names all and goes on behind what failed',
    [allAtLast],
    class extends ShelfSink {
      override fails(outgoing: Outgoing, from: number, rejected: readonly Rejection[]): Written {
        for (let at = from + 1; at < outgoing.indices.length; at++) this.lay(this.arrival(outgoing, at));
        return super.fails(outgoing, from, rejected);
      }
    },
  ),

  broken(
    'takes a whole call back where one fails and does not say so',
    [allAtLast, before],
    class extends ShelfSink {
      override fails(outgoing: Outgoing, from: number, rejected: readonly Rejection[]): Written {
        this.shelf.arrivals.length -= from;
        return super.fails(outgoing, from, rejected);
      }
    },
  ),

  broken(
    'knows two manners',
    ['manners: each delivery says how it came'],
    class extends ShelfSink {
      override lay(arrival: Arrival): void {
        const isResumed = arrival.manner === Manner.resumed;
        super.lay({ ...arrival, manner: isResumed ? Manner.resumed : Manner.ordinary });
      }
    },
  ),

  broken(
    'looks for the manner by the place in the batch',
    ['manners: manners belong to the picks, not to the batch'],
    class extends ShelfSink {
      override arrival(outgoing: Outgoing, at: number): Arrival {
        const manner = outgoing.manners?.[outgoing.indices[at]] ?? Manner.ordinary;
        return { ...super.arrival(outgoing, at), manner: manner as Manner };
      }
    },
  ),

  broken(
    'takes silence for unchecked',
    ['manners: nothing said is ordinary'],
    class extends ShelfSink {
      override arrival(outgoing: Outgoing, at: number): Arrival {
        const arrival = super.arrival(outgoing, at);
        return outgoing.manners ? arrival : { ...arrival, manner: Manner.unchecked };
      }
    },
  ),
];
