/** One contender at some sizes, in a process of its own: measure.js ENTRANT FOLDER EVENTS,EVENTS… */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { entrants } from './contenders.ts';
import { drive, noCost, quantile } from './driver.ts';
import { Stream } from './stream.ts';

const batchesEach = 100;
const batchesAtSize = 200;
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
  readonly fill: { readonly seconds: number; readonly cpuSeconds: number };
  readonly overlapping: Rate;
  readonly oneByOne: Rate;
  /** bytes an id; `most` on the way here */
  readonly own: Space | undefined;
  readonly process: Space;
  readonly disk: Space;
}
export interface Space {
  readonly now: number;
  readonly most: number;
}

const [name, folder, sizes] = process.argv.slice(2);
const contender = await entrants[name].open(folder);
const stream = new Stream(name !== 'hapax');
const filling = noCost();
let before = 0;
const most = { own: 0, process: 0, disk: 0 };

const usageOf = async () => ({
  own: contender.bytes?.() ?? 0,
  process: process.memoryUsage.rss() - before,
  disk: await diskUsage(folder),
});

async function fillTo(ids: number): Promise<void> {
  while (stream.ids < ids) {
    await drive(contender, stream, { batches: batchesEach, inFlight: 4, cost: filling });
    if (stream.ids < idsMin) continue;
    const usage = await usageOf();
    for (const kind of ['own', 'process', 'disk'] as const)
      most[kind] = Math.max(most[kind], usage[kind] / stream.ids);
  }
}

async function rate(inFlight: number): Promise<{ rate: Rate; firsts: number; claims: number }> {
  const cost = noCost();
  await drive(contender, stream, { batches: batchesAtSize, inFlight, cost });
  const { claims, firsts, seconds, cpuSeconds, latencies } = cost;
  return {
    claims,
    firsts,
    rate: {
      claimsPerSecond: claims / seconds,
      cpuMicros: (cpuSeconds / claims) * 1e6,
      p99: quantile(latencies, 0.99),
    },
  };
}

async function atSize(size: number): Promise<Measured> {
  await fillTo(size);
  globalThis.gc?.();
  const usage = await usageOf();
  const { ids } = stream;
  const spaceOf = (kind: keyof typeof most): Space => ({ now: usage[kind] / ids, most: most[kind] });
  const space = {
    own: contender.bytes ? spaceOf('own') : undefined,
    process: spaceOf('process'),
    disk: spaceOf('disk'),
  };
  const fill = { seconds: filling.seconds, cpuSeconds: filling.cpuSeconds };
  const overlapping = await rate(4);
  const oneByOne = await rate(1);
  for (const { claims, firsts } of [overlapping, oneByOne]) {
    filling.claims += claims;
    filling.firsts += firsts;
  }
  return {
    ids: filling.firsts,
    duplicates: filling.claims - filling.firsts,
    fill,
    overlapping: overlapping.rate,
    oneByOne: oneByOne.rate,
    ...space,
  };
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

await drive(contender, stream, { batches: 20, inFlight: 4, cost: filling });
globalThis.gc?.();
before = process.memoryUsage.rss() - (contender.bytes?.() ?? 0);
const measured: Measured[] = [];
for (const size of sizes.split(',').map(Number)) measured.push(await atSize(size));
await contender.close();
process.send?.(measured);
