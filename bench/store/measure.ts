/** One contender at some sizes, in a process of its own: measure.js ENTRANT FOLDER EVENTS,EVENTS… */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { entrants } from './entrants.ts';
import { drive, quantile, type Cost } from './driver.ts';
import { Stream } from './stream.ts';

/** So that the compiler and the heap are where they stay. */
const batchesBefore = 200;
const batchesEach = 100;
const batchesAtSize = 300;
/** With fewer ids what is there anyway would count. */
const idsMin = 500_000;

export interface Rate {
  readonly claimsPerSecond: number;
  /** µs for a claim, its settle included */
  readonly cpuMicros: number;
  /** ms of a batch */
  readonly p99: number;
}

export interface Measured {
  readonly ids: number;
  readonly duplicates: number;
  /** of nearly all claims up to that size, four batches at once */
  readonly fill: { readonly ids: number; readonly seconds: number; readonly cpuSeconds: number };
  readonly overlapping: Rate;
  readonly oneByOne: Rate;
  /** bytes an id; `most` on the way here */
  readonly own: Space;
  readonly process: Space;
  readonly disk: Space;
}
export interface Space {
  readonly now: number;
  readonly most: number;
}

const [name, folder, sizes] = process.argv.slice(2);
const contender = await entrants[name].open(folder);
const stream = new Stream({ withKeys: name !== 'hapax' });
let claims = 0;
const fill = { ids: 0, seconds: 0, cpuSeconds: 0 };
const most = { own: 0, process: 0, disk: 0 };

async function run(batches: number, inFlight: number): Promise<Cost> {
  const cost = await drive(contender, stream, { batches, inFlight });
  claims += cost.claims;
  return cost;
}

async function fillTo(ids: number): Promise<void> {
  while (stream.ids < ids) {
    const before = stream.ids;
    const { seconds, cpuSeconds } = await run(batchesEach, 4);
    fill.ids += stream.ids - before;
    fill.seconds += seconds;
    fill.cpuSeconds += cpuSeconds;
    if (stream.ids >= idsMin) noteMost(await usage());
  }
}

async function rate(inFlight: number): Promise<Rate> {
  const { claims, seconds, cpuSeconds, waits } = await run(batchesAtSize, inFlight);
  return {
    claimsPerSecond: claims / seconds,
    cpuMicros: (cpuSeconds / claims) * 1e6,
    p99: quantile(waits, 0.99),
  };
}

async function atSize(size: number): Promise<Measured> {
  await fillTo(size);
  globalThis.gc?.();
  const now = await usage();
  const spaceOf = (kind: keyof typeof most) => ({ now: now[kind] / stream.ids, most: most[kind] });
  const space = { own: spaceOf('own'), process: spaceOf('process'), disk: spaceOf('disk') };
  const filled = { ...fill };
  const overlapping = await rate(4);
  const oneByOne = await rate(1);
  return { ids: stream.ids, duplicates: claims - stream.ids, fill: filled, overlapping, oneByOne, ...space };
}

async function usage(): Promise<typeof most> {
  return {
    own: contender.bytes?.() ?? NaN,
    process: process.memoryUsage.rss() - emptyProcess,
    disk: await diskUsage(folder),
  };
}

function noteMost(usage: typeof most): void {
  for (const kind of ['own', 'process', 'disk'] as const)
    most[kind] = Math.max(most[kind], usage[kind] / stream.ids);
}

async function diskUsage(path: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(path)) {
    // A file may go meanwhile.
    const found = await stat(join(path, name)).catch(() => undefined);
    if (found?.isFile()) bytes += 512 * found.blocks;
  }
  return bytes;
}

await run(batchesBefore, 4);
globalThis.gc?.();
const emptyProcess = process.memoryUsage.rss() - (contender.bytes?.() ?? 0);
const measured: Measured[] = [];
for (const size of sizes.split(',').map(Number)) measured.push(await atSize(size));
await contender.close();
process.send?.(measured);
