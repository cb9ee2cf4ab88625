import type { Batch } from '../core/event.ts';
import type { Happening, Source } from '../core/source.ts';
import { Gate } from './kit/gate.ts';
import { unlessAborted } from './kit/unless-aborted.ts';

export interface IterableSourceOptions {
  /** Its only partition. */
  readonly partition?: string;
  /** Deliveries in a batch; a batch is also given when the next item lets us wait. */
  readonly batchMax?: number;
}

/**
 * A source over any iterable of payloads, for a program that has its events in hand. Positions are numbers in the
 * order of arrival, from where it is started: what was not finished when the program ended is not given again.
 */
export function iterableSource(
  payloads: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  { partition = 'events', batchMax = 1_000 }: IterableSourceOptions = {},
): Source {
  const iterator =
    Symbol.asyncIterator in payloads ? payloads[Symbol.asyncIterator]() : payloads[Symbol.iterator]();
  let told = false;
  /** Where it was started first. */
  let first: number | undefined;
  let position = 0;
  /** What would have to be given once more. */
  let gap: Happening | undefined;
  let ended = false;
  /** Asked for and not yet given: a batch was closed, or a wait ended, without it. */
  let coming: Promise<IteratorResult<string | Uint8Array>> | undefined;
  /** Open = started and not paused. */
  const gate = new Gate();

  const ask = () => (coming ??= Promise.resolve(iterator.next()));
  /** What is there already, from the one that has come. */
  const gather = async (item: IteratorResult<string | Uint8Array>): Promise<Uint8Array[]> => {
    const items: Uint8Array[] = [];
    let result: typeof item | undefined = item;
    while (result) {
      coming = undefined;
      ended = result.done === true;
      if (result.done) break;
      items.push(Buffer.from(result.value));
      result = items.length < batchMax ? await soon(ask()) : undefined;
    }
    return items;
  };

  return {
    next: async (signal): Promise<Happening | undefined> => {
      if (!told) {
        told = true;
        return { type: 'assigned', partitions: [partition] };
      }
      const item = ended ? undefined : await unlessAborted(gate.passed.then(ask), signal);
      if (gap) {
        const missing = gap;
        gap = undefined;
        return missing;
      }
      if (ended) return { type: 'end' };
      if (!item) return undefined;
      const items = await gather(item);
      if (items.length === 0) return { type: 'end' };
      const batch = batchOf(partition, items, position);
      position = batch.next;
      return { type: 'batches', batches: [batch] };
    },
    start: (_, from = first ?? 0) => {
      first ??= position = from;
      if (from < position) gap = { type: 'gap', partition, from, to: position, reason: 'given once only' };
      position = Math.max(position, from);
      gate.open();
    },
    pause: () => {
      gate.close();
    },
    resume: () => {
      gate.open();
    },
    close: async () => {
      const closed = Promise.resolve(iterator.return?.());
      // A generator that waits for its next item cannot be closed before it has it.
      if (coming) closed.catch(() => undefined);
      else await closed;
    },
  };
}

/** The value if it is there already, else nothing. */
function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
}

function batchOf(partition: string, items: readonly Uint8Array[], first: number): Batch {
  const starts = new Uint32Array(items.length);
  const ends = new Uint32Array(items.length);
  let at = 0;
  items.forEach((item, i) => {
    starts[i] = at;
    ends[i] = at += item.length;
  });
  const positions = Float64Array.from(items, (_, i) => first + i);
  return {
    partition,
    count: items.length,
    bytes: Buffer.concat(items),
    starts,
    ends,
    positions,
    next: first + items.length,
  };
}
