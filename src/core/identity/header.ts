import type { Batch } from '../event.ts';

/** The last header of that name, in any case. */
export function headerOf(batch: Batch, i: number, name: string): Uint8Array | undefined {
  const wanted = name.toLowerCase();
  return batch.headersOf?.(i)?.findLast(([found]) => found.toLowerCase() === wanted)?.[1];
}
