/**
 * The file store over two windows of a clock of its own: in the first one nothing is over, in the second one a segment
 * goes now and then: retention.js FOLDER IDS
 */
import { drive, noCost, quantile, type Cost } from './driver.ts';
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
const contender = await hapax(folder, { clock });
const stream = new Stream(false);
const without: number[] = [];
const dropping: number[] = [];

async function oneWindow(): Promise<Cost> {
  const cost = noCost();
  for (let batch = 0; batch < batchesPerWindow; batch++) {
    const before = contender.diskBytes();
    now += windowMs / batchesPerWindow;
    await drive(contender, stream, { batches: 1, inFlight: 1, cost });
    const wait = cost.latencies.at(-1)!;
    if (contender.diskBytes() < before) dropping.push(wait);
    else without.push(wait);
  }
  return cost;
}

function waitsOf(waits: readonly number[]): Waits {
  return {
    batches: waits.length,
    median: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    slowest: Math.max(...waits),
  };
}

const microsOf = ({ cpuSeconds, claims }: Cost) => (cpuSeconds / claims) * 1e6;
const first = await oneWindow();
const second = await oneWindow();
await contender.close();
process.send?.({
  without: waitsOf(without),
  dropping: waitsOf(dropping),
  cpuMicros: [microsOf(first), microsOf(second)],
} satisfies Retained);
