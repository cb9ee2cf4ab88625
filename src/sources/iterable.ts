import type { Batch } from '../core/event.ts';
import type { Happening, Source } from '../core/source.ts';

export interface IterableSourceOptions {
  /** Its only partition. */
  readonly partition?: string;
  /** Deliveries in a batch; a batch is also given when the next item lets us wait. */
  readonly batchMax?: number;
}

/**
 * A source over any iterable of payloads, for a program that has its events in hand. Positions are numbers in the
 * order of arrival: what was not finished when the program ended is not given again.
 */
export function iterableSource(
  payloads: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  { partition = 'events', batchMax = 1_000 }: IterableSourceOptions = {},
): Source {
  const iterator =
    Symbol.asyncIterator in payloads ? payloads[Symbol.asyncIterator]() : payloads[Symbol.iterator]();
  let told = false;
  let position = 0;
  let ended = false;
  /** Asked for and not yet given: a batch was closed, or a wait ended, without it. */
  let coming: Promise<IteratorResult<string | Uint8Array>> | undefined;
  /** Open = started and not paused. */
  let gate = closedGate();

  const ask = () => (coming ??= Promise.resolve(iterator.next()));
  /** What is there already, from the first that has come. */
  const gather = async (first: IteratorResult<string | Uint8Array>): Promise<Uint8Array[]> => {
    const items: Uint8Array[] = [];
    let result: typeof first | undefined = first;
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
      if (ended) return { type: 'end' };
      const first = await unlessAborted(gate.passed.then(ask), signal);
      if (!first) return undefined;
      const items = await gather(first);
      if (items.length === 0) return { type: 'end' };
      const batch = batchOf(partition, items, position);
      position = batch.next;
      return { type: 'batches', batches: [batch] };
    },
    start: () => {
      gate.open();
    },
    pause: () => {
      gate = closedGate();
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

function closedGate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

/** The value if it is there already, else nothing. */
function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      resolve(undefined);
    };
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
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
