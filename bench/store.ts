/**
 * P1, P2, P3, P8: the file store against embedded databases. Batches of 1,000 deliveries with hashed ids, a tenth of them
 * copies from anywhere before, are claimed and settled, four of them at once and one after another; everybody must find
 * the same firsts and duplicates. Databases do the same durable work in the cheapest way that they allow (store/rows.ts).
 * Options: --sizes=1M,10M --rivals=1M (the sizes up to that; 0 = none) --only=lmdb,… (these rivals)
 * --retention=5M --dir=FOLDER
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { resultOf } from './kit/child.ts';
import { machine } from './kit/machine.ts';
import { installRivals } from './kit/rivals.ts';
import { printTable } from './kit/table.ts';
import { entrants } from './store/entrants.ts';
import type { Measured, Space } from './store/measure.ts';
import type { Restarted } from './store/restart.ts';
import type { Retained, Waits } from './store/retention.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1M,10M' },
    rivals: { type: 'string', default: '1M' },
    only: { type: 'string', default: Object.keys(entrants).join() },
    retention: { type: 'string', default: '5M' },
    dir: { type: 'string', default: tmpdir() },
  },
  strict: false,
});
const idsIn = (text: string) => Number(text.replace('M', 'e6'));
const sizes = String(values.sizes).split(',').map(idsIn);
const rivalSizes = sizes.filter((size) => size <= idsIn(String(values.rivals)));
const only = String(values.only).split(',');

type Results = ReadonlyMap<string, readonly Measured[]>;

const root = await mkdtemp(join(String(values.dir), 'hapax-bench-'));
console.log(`${machine()}\n`);
try {
  if (rivalSizes.length > 0) installRivals();
  const { results, restarted } = await measureAll();
  assertSameCounts(results);
  for (const k of sizes.keys()) printRates(results, k);
  printSpace(results);
  printFlatness(results.get('hapax')!);
  printRestart(results.get('hapax')!.at(-1)!, restarted);
  const ids = idsIn(String(values.retention));
  if (ids > 0) printRetention(ids, await retained(ids));
} finally {
  await rm(root, { recursive: true });
}

async function measureAll(): Promise<{ results: Results; restarted: Restarted }> {
  const results = new Map<string, Measured[]>();
  let restarted: Restarted | undefined;
  for (const name of Object.keys(entrants)) {
    const asked = name === 'hapax' ? sizes : rivalSizes;
    if (asked.length === 0 || (name !== 'hapax' && !only.includes(name))) continue;
    const folder = await mkdtemp(join(root, `${name}-`));
    results.set(name, await child('measure', [name, folder, asked.join()]));
    if (name === 'hapax') restarted = await child('restart', [folder]);
    await rm(folder, { recursive: true });
  }
  return { results, restarted: restarted! };
}

async function retained(ids: number): Promise<Retained> {
  return child('retention', [await mkdtemp(join(root, 'retention-')), String(ids)]);
}

function child<T>(program: string, args: readonly string[]): Promise<T> {
  return resultOf(new URL(`./store/${program}.js`, import.meta.url), args);
}

function assertSameCounts(results: Results): void {
  const ours = results.get('hapax')!;
  for (const [name, measured] of results) {
    measured.forEach(({ ids, duplicates }, k) => {
      if (ids !== ours[k].ids || duplicates !== ours[k].duplicates)
        throw new Error(
          `${name} found ${ids} and ${duplicates}, Hapax ${ours[k].ids} and ${ours[k].duplicates}`,
        );
    });
  }
}

function printRates(results: Results, k: number): void {
  const here = [...results].flatMap(([name, measured]) => (measured[k] ? [{ name, ...measured[k] }] : []));
  const durable = here.filter(({ name }) => name !== 'hapax' && entrants[name].isDurable);
  const [{ ids, duplicates }] = here;
  console.log(
    `${mega(sizes[k])} ids in it; all found the same ${ids} firsts and ${duplicates} duplicates.\n`,
  );
  const bestRate = Math.max(...durable.map(({ overlapping }) => overlapping.claimsPerSecond));
  const bestAlone = Math.max(...durable.map(({ oneByOne }) => oneByOne.claimsPerSecond));
  const leastCpu = Math.min(...durable.map(({ overlapping }) => overlapping.cpuMicros));
  printTable(
    [
      'store',
      'durable',
      'four at once, claims/s',
      '× best durable rival',
      'CPU µs a claim',
      'CPU, × best',
      'p99 of a batch, ms',
      'one by one, claims/s',
      '× best',
      'p99, ms',
    ],
    here.map(({ name, overlapping, oneByOne }) => [
      entrants[name].title,
      entrants[name].isDurable ? 'yes' : 'not by a power cut',
      whole(overlapping.claimsPerSecond),
      ratio(overlapping.claimsPerSecond / bestRate),
      overlapping.cpuMicros.toFixed(2),
      ratio(leastCpu / overlapping.cpuMicros),
      overlapping.p99.toFixed(1),
      whole(oneByOne.claimsPerSecond),
      ratio(oneByOne.claimsPerSecond / bestAlone),
      oneByOne.p99.toFixed(1),
    ]),
  );
}

function printSpace(results: Results): void {
  const bytes = ({ now, most }: Space) =>
    Number.isNaN(now) ? '–' : `${now.toFixed(1)} (${most.toFixed(1)})`;
  console.log('Bytes an id at that size, and the most on the way there.\n');
  printTable(
    ['store', 'ids', 'memory, own count', 'memory, of the process', 'disk'],
    [...results].flatMap(([name, measured]) =>
      measured.map(({ own, process, disk }, k) => [
        entrants[name].title,
        mega(sizes[k]),
        bytes(own),
        bytes(process),
        bytes(disk),
      ]),
    ),
  );
}

function printFlatness(measured: readonly Measured[]): void {
  const cpu = measured.map(({ overlapping }) => overlapping.cpuMicros);
  const rates = measured.map(({ overlapping }) => overlapping.claimsPerSecond);
  const spread = (numbers: readonly number[]) => ratio(Math.max(...numbers) / Math.min(...numbers));
  console.log(`Between these sizes: rate ${spread(rates)} apart, CPU for a claim ${spread(cpu)}.\n`);
}

function printRestart({ fill }: Measured, { seconds, cpuSeconds, marks }: Restarted): void {
  const share = marks / fill.ids;
  const [again, cpuAgain] = [share * fill.seconds, share * fill.cpuSeconds];
  console.log(
    `Restart with ${mega(marks)} marks: ${seconds.toFixed(1)} s (CPU ${cpuSeconds.toFixed(1)} s); claiming them again: ` +
      `${again.toFixed(1)} s (CPU ${cpuAgain.toFixed(1)} s): ${ratio(again / seconds)} faster (CPU ${ratio(cpuAgain / cpuSeconds)}).\n`,
  );
}

function printRetention(ids: number, { without, dropping, cpuMicros: [before, after] }: Retained): void {
  console.log(`Two windows of ${mega(ids)} deliveries one batch at a time; ms of a batch.\n`);
  const row = (title: string, { batches, median, p99, slowest }: Waits) => [
    title,
    String(batches),
    median.toFixed(2),
    p99.toFixed(2),
    slowest.toFixed(1),
  ];
  printTable(
    ['batches', 'count', 'median', 'p99', 'slowest'],
    [row('no segment goes', without), row('a segment goes', dropping)],
  );
  console.log(
    `Slowest: ${ratio(dropping.slowest / without.slowest)}. CPU for a claim: ${before.toFixed(2)} µs in the first ` +
      `window, ${after.toFixed(2)} µs in the second (${ratio(after / before)}).`,
  );
}

function mega(n: number): string {
  return `${Number((n / 1e6).toFixed(1))} M`;
}
function whole(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}
function ratio(n: number): string {
  return Number.isFinite(n) ? `${n.toFixed(1)} ×` : '–';
}
