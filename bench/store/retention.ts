/**
 * The file store over two windows of a clock of its own: in the first one nothing is over, in the second one a segment
 * goes now and then: retention.js FOLDER IDS
 */
import { drive, quantile } from './driver.ts';
import { hapax } from './hapax.ts';
import { batchSize, Stream } from './stream.ts';

/** ms of a batch */
export interface Waits {
  readonly batches: number;
  readonly median: number;
  readonly p99: number;
  readonly slowest: number;
}
export interface Retained {
  readonly without: Waits;
  /** Of the batches with which a segment went. */
  readonly dropping: Waits;
  /** µs for a claim, while nothing is over and while all the time something is */
  readonly cpuMicros: readonly [number, number];
}

const [folder, ids] = process.argv.slice(2);
const windowMs = 48 * 3_600_000;
const batchesPerWindow = Math.ceil(Number(ids) / batchSize);
let now = Date.now();
const clock = { now: () => now, monotonic: () => now };
const contender = await hapax(folder, { windowMs, clock });
const stream = new Stream({ withKeys: false, reach: Number(ids) / 2 });
const without: number[] = [];
const dropping: number[] = [];

/** µs for a claim */
async function oneWindow(): Promise<number> {
  let cpu = 0;
  for (let batch = 0; batch < batchesPerWindow; batch++) {
    const diskBefore = contender.diskBytes();
    now += windowMs / batchesPerWindow;
    const { cpuSeconds, waits } = await drive(contender, stream, { batches: 1, inFlight: 1 });
    cpu += cpuSeconds;
    (contender.diskBytes() < diskBefore ? dropping : without).push(...waits);
  }
  return (cpu / batchesPerWindow / batchSize) * 1e6;
}

function waitsOf(waits: readonly number[]): Waits {
  return {
    batches: waits.length,
    median: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    slowest: Math.max(...waits),
  };
}

const cpuMicros = [await oneWindow(), await oneWindow()] as const;
await contender.close();
process.send?.({
  without: waitsOf(without),
  dropping: waitsOf(dropping),
  cpuMicros,
} satisfies Retained);
