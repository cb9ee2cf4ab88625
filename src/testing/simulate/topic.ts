import type { Batch } from '../../core/event.ts';

/** One delivery in a partition's log. `key` '?' = it has no id. */
export interface Entry {
  readonly key: string;
  readonly body: number;
  readonly redriven?: boolean;
}

/** The event that a delivery carries: what must not be lost. */
export function eventOf({ key, body }: Entry): string {
  return body === 0 ? key : `${key}${"'".repeat(body)}`;
}

/** A partition at the broker. */
export class Log {
  readonly name: string;
  entries: Entry[];
  /** What lies below was removed by retention. */
  start = 0;
  owner: string | undefined;
  listed = true;
  /** No longer listed, and not yet taken and entered to be retired. */
  retiring = false;
  /** Who was told to do that. */
  retirer: string | undefined;

  constructor(name: string, entries: Entry[]) {
    this.name = name;
    this.entries = entries;
  }
  get end(): number {
    return this.entries.length;
  }
}

const text = new TextEncoder();
const words = new TextDecoder();

export function batchOf(log: Log, from: number, to: number): Batch {
  const parts = log.entries
    .slice(from, to)
    .map(({ key, body, redriven }) => text.encode(JSON.stringify([key, body, redriven ?? false])));
  const starts = new Uint32Array(parts.length);
  const ends = new Uint32Array(parts.length);
  const bytes = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  parts.forEach((part, i) => {
    bytes.set(part, at);
    starts[i] = at;
    at += part.length;
    ends[i] = at;
  });
  return {
    partition: log.name,
    count: parts.length,
    bytes,
    starts,
    ends,
    positions: Float64Array.from(parts, (_, i) => from + i),
    next: to,
  };
}

export function entryOf(payload: Uint8Array): Entry {
  const [key, body, redriven] = JSON.parse(words.decode(payload)) as [string, number, boolean];
  return redriven ? { key, body, redriven } : { key, body };
}
