/**
 * P4: `hapax dedup` from file to file against a readable script (two ways to write it; ratios are to the faster one),
 * and against reading and writing the bytes.
 * Options: --events=5000000 --rounds=3 --dir=FOLDER. Nothing is durable but by the file system's own will.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeEventFile } from './kit/event-file.ts';
import { machine } from './kit/machine.ts';
import { costOf, type Cost } from './kit/program.ts';
import { sameBytes } from './kit/same-bytes.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '3' },
    dir: { type: 'string', default: tmpdir() },
  },
  strict: false,
});
const events = Number(values.events);
const rounds = Number(values.rounds);
const shares = [0.006, 0.1, 0.5];

const root = new URL('../../', import.meta.url);
const programs: Record<string, (input: string, output: string) => string[]> = {
  'naive, for await': (input, output) => [path('bench/naive.mjs'), input, output],
  'naive, on line': (input, output) => [path('bench/naive-events.mjs'), input, output],
  'hapax dedup': (input, output) => [path('dist/cli/main.js'), 'dedup', input, '--output', output, '--quiet'],
  'copy of the bytes': (input, output) => [path('bench/copy.mjs'), input, output],
};
const naives = Object.keys(programs).filter((name) => name.startsWith('naive'));

const folder = await mkdtemp(join(String(values.dir), 'hapax-bench-'));
console.log(`${machine()}; ${events} lines a file, best of ${rounds}\n`);
console.log('| duplicates | program | wall s | events/s | CPU s | peak MiB | wall, × naive | CPU, × naive |');
console.log('|---|---|---|---|---|---|---|---|');
try {
  for (const share of shares) await compare(share);
} finally {
  await rm(folder, { recursive: true });
}

async function compare(share: number): Promise<void> {
  const input = join(folder, 'in.ndjson');
  const unique = await writeEventFile(input, events, share);
  const best = new Map<string, Cost>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, argsOf] of Object.entries(programs)) {
      const output = outputOf(name);
      await rm(output, { force: true });
      const cost = await costOf(argsOf(input, output));
      const earlier = best.get(name);
      if (!earlier || cost.seconds < earlier.seconds) best.set(name, cost);
    }
    for (const name of naives) await sameBytes(outputOf(name), outputOf('hapax dedup'));
  }
  const { size } = await stat(input);
  const naive = naives.map((name) => best.get(name)!).reduce((a, b) => (a.seconds < b.seconds ? a : b));
  for (const [name, { seconds, cpuSeconds, peakMiB }] of best) {
    const row = [
      `${(share * 100).toFixed(1)} % (${events - unique})`,
      name,
      seconds.toFixed(2),
      Math.round(events / seconds).toLocaleString('en-US'),
      cpuSeconds.toFixed(2),
      peakMiB.toFixed(0),
      (naive.seconds / seconds).toFixed(1),
      (naive.cpuSeconds / cpuSeconds).toFixed(1),
    ];
    console.log(`| ${row.join(' | ')} |`);
  }
  const [hapax, copy] = [best.get('hapax dedup')!, best.get('copy of the bytes')!];
  const distance = (hapax.seconds / copy.seconds).toFixed(1);
  console.log(
    `| | distance to the bytes: ${distance} × the copy of ${(size / 1e6).toFixed(0)} MB | | | | | | |`,
  );
}

function outputOf(name: string): string {
  return join(folder, name.replace(/\W+/g, '-'));
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, root));
}
