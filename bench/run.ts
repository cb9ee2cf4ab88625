/**
 * `hapax run` from file to file against a readable script and against `hapax dedup`, of events of about 300 B, a tenth of
 * them copies. `hapax run` has marks, output and position on the disk before it goes on, and a kill loses and repeats
 * nothing; `hapax dedup` brings its output to the disk before it names it; the script leaves that to the system.
 * Options: --events=1000000 --rounds=3 --dir=FOLDER
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeEventFile } from './kit/event-file.ts';
import { machine } from './kit/machine.ts';
import { costOf, type Cost } from './kit/program.ts';
import { sameBytes } from './kit/same-bytes.ts';
import { printTable } from './kit/table.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    dir: { type: 'string', default: tmpdir() },
  },
  strict: false,
});
const events = Number(values.events);
const rounds = Number(values.rounds);

const configuration = `
pipeline: bench
source: { file: { path: ../in.ndjson } }
identity: { id: /event_id, scope: [] }
window: 48h
store: { file: { path: state } }
sink: { file: { path: out.ndjson } }
dead_letter: { file: { path: dead.ndjson } }
`;

const hapax = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const naive = fileURLToPath(new URL('../../bench/naive.mjs', import.meta.url));
const programs: readonly { name: string; argsOf: (input: string, folder: string) => string[] }[] = [
  { name: 'naive script', argsOf: (input, folder) => [naive, input, join(folder, 'out.ndjson')] },
  {
    name: 'hapax dedup',
    argsOf: (input, folder) => [hapax, 'dedup', input, '--output', join(folder, 'out.ndjson'), '--quiet'],
  },
  { name: 'hapax run', argsOf: (_, folder) => [hapax, 'run', join(folder, 'hapax.yaml'), '--quiet'] },
];

const root = await mkdtemp(join(String(values.dir), 'hapax-bench-'));
console.log(`${machine()}; ${events} lines, best of ${rounds}; all outputs are the same\n`);
try {
  await compare();
} finally {
  await rm(root, { recursive: true });
}

async function compare(): Promise<void> {
  const input = join(root, 'in.ndjson');
  await writeEventFile(input, events, 0.1);
  const best: (Cost | undefined)[] = [];
  for (let round = 0; round < rounds; round++) {
    const folders: string[] = [];
    for (const [k, { argsOf }] of programs.entries()) {
      const folder = join(root, String(k));
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await writeFile(join(folder, 'hapax.yaml'), configuration);
      const cost = await costOf(argsOf(input, folder));
      if (cost.cpuSeconds < (best[k]?.cpuSeconds ?? Infinity)) best[k] = cost;
      folders.push(folder);
    }
    const [reference, ...others] = folders.map((folder) => join(folder, 'out.ndjson'));
    for (const other of others) await sameBytes(reference, other);
  }
  print(best as Cost[]);
}

function print(costs: readonly Cost[]): void {
  printTable(
    ['program', 'wall s', 'events/s', 'CPU s', 'peak MiB', 'wall, × naive', 'CPU, × naive'],
    costs.map(({ seconds, cpuSeconds, peakMiB }, k) => [
      programs[k].name,
      seconds.toFixed(2),
      Math.round(events / seconds).toLocaleString('en-US'),
      cpuSeconds.toFixed(2),
      peakMiB.toFixed(0),
      (costs[0].seconds / seconds).toFixed(1),
      (costs[0].cpuSeconds / cpuSeconds).toFixed(1),
    ]),
  );
}
