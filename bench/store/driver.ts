import type { Contender } from './contender.ts';
import { batchSize, type Batch, type Stream } from './stream.ts';

/** What some batches took, all that the process did for them included. */
export interface Cost {
  claims: number;
  firsts: number;
  seconds: number;
  cpuSeconds: number;
  /** ms from the claim of a batch until it is settled, of each batch */
  latencies: number[];
}

export function noCost(): Cost {
  return { claims: 0, firsts: 0, seconds: 0, cpuSeconds: 0, latencies: [] };
}

/**
 * Claims and settles so many batches, which are made before the clock starts, and adds what it took. One begins when
 * all but `inFlight - 1` before it are done.
 */
export async function drive(
  contender: Contender,
  stream: Stream,
  { batches: count, inFlight, cost }: { batches: number; inFlight: number; cost: Cost },
): Promise<void> {
  const batches = Array.from({ length: count }, () => stream.next());
  const underWay: Promise<void>[] = [];
  const cpuBefore = process.cpuUsage();
  const from = performance.now();
  for (const batch of batches) {
    if (underWay.length === inFlight) await underWay.shift();
    underWay.push(carry(contender, batch, cost));
  }
  await Promise.all(underWay);
  cost.seconds += (performance.now() - from) / 1e3;
  const { user, system } = process.cpuUsage(cpuBefore);
  cost.cpuSeconds += (user + system) / 1e6;
  cost.claims += count * batchSize;
}

async function carry(contender: Contender, batch: Batch, cost: Cost): Promise<void> {
  const from = performance.now();
  const firsts = await contender.claim(batch);
  if (firsts !== batch.firsts.length)
    throw new Error(`batch ${batch.number}: ${firsts} are first, not ${batch.firsts.length}`);
  await contender.settle(batch);
  cost.latencies.push(performance.now() - from);
  cost.firsts += firsts;
}

/** 0 … 1 of these numbers are not greater. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
