import type { Contender } from './contender.ts';
import { batchSize, type Batch, type Stream } from './stream.ts';

/** What some batches took, all that the process did for them included. */
export interface Cost {
  readonly claims: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** ms from the claim of a batch until it is settled, of each batch */
  readonly waits: readonly number[];
}

/**
 * Claims and settles so many batches, which are made before the clock starts. One begins when all but `inFlight - 1`
 * before it are done.
 */
export async function drive(
  contender: Contender,
  stream: Stream,
  { batches: count, inFlight }: { batches: number; inFlight: number },
): Promise<Cost> {
  const batches = Array.from({ length: count }, () => stream.next());
  const waits: number[] = [];
  const carry = async (batch: Batch): Promise<void> => {
    const from = performance.now();
    const firsts = await contender.claim(batch);
    if (firsts !== batch.firsts.length)
      throw new Error(`batch ${batch.number}: ${firsts} are first, not ${batch.firsts.length}`);
    await contender.settle(batch);
    waits.push(performance.now() - from);
  };
  const underWay: Promise<void>[] = [];
  const cpuBefore = process.cpuUsage();
  const from = performance.now();
  for (const batch of batches) {
    if (underWay.length === inFlight) await underWay.shift();
    underWay.push(carry(batch));
  }
  await Promise.all(underWay);
  const seconds = (performance.now() - from) / 1e3;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { claims: count * batchSize, seconds, cpuSeconds: (user + system) / 1e6, waits };
}

/** 0 … 1 of these numbers are not greater. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
