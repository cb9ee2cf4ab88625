import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { firstFailure, runSeed, shrink, story, usualPlan, type Failure } from './search.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`npm run simulate -- --seeds 10000         runs that many seeds
npm run simulate -- --seeds 1000 --from 5000
npm run simulate -- --seed 4711           replays one seed and tells its story
`);
} else if (values.seed !== undefined) {
  const seed = numberIn('seed', values.seed);
  const outcome = await runSeed(seed);
  print(story({ plan: usualPlan(seed), outcome }));
  if (outcome.violation) process.exitCode = 1;
  else print('every promise was kept');
} else {
  await search(numberIn('from', values.from), numberIn('seeds', values.seeds));
}

async function search(from: number, count: number): Promise<void> {
  const coverage = new Coverage();
  const failure = await firstFailure(range(from, count), undefined, undefined, (outcome) => {
    coverage.add(outcome);
    if (coverage.runs % 1_000 === 0) print(`${coverage.runs} runs, ${coverage.steps} steps`);
  });
  if (failure) return tell(failure);
  for (const line of coverage.counts) print(line);
  print(`${coverage.runs} runs, ${coverage.steps} steps: every promise was kept`);
  if (coverage.rare.length > 0) print(`too seldom to prove anything: ${coverage.rare.join(', ')}`);
}

async function tell(failure: Failure): Promise<void> {
  print(`seed ${failure.seed}: ${failure.outcome.violation?.message ?? ''}; looking for a shorter way …`);
  print(story(await shrink(failure)));
  print(`again: npm run simulate -- --seed ${failure.seed}`);
  process.exitCode = 1;
}

function numberIn(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  process.stderr.write(`--${option} needs a whole number, and not ${JSON.stringify(text)}\n`);
  process.exit(2);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function* range(from: number, count: number): Iterable<number> {
  for (let seed = from; seed < from + count; seed++) yield seed;
}
