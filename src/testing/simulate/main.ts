import { parseArgs } from 'node:util';
import { Verdict } from '../../core/verdict.ts';
import { faultNames } from './plan.ts';
import type { Outcome } from './run.ts';
import { firstFailure, runSeed, shrink, usualPlan } from './search.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
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
  const seed = Number(values.seed);
  const outcome = await runSeed(seed);
  process.stdout.write(`${JSON.stringify(usualPlan(seed))}\n${outcome.trace.join('\n')}\n`);
  process.stdout.write(outcome.violation ? `${outcome.violation.message}\n` : 'every promise was kept\n');
  if (outcome.violation) process.exitCode = 1;
} else {
  await search(Number(values.from), Number(values.seeds));
}

async function search(from: number, count: number): Promise<void> {
  const seen = new Map<string, number>();
  let runs = 0;
  let steps = 0;
  const add = (outcome: Outcome): void => {
    runs++;
    steps += outcome.steps;
    for (const [what, n] of outcome.seen) seen.set(what, (seen.get(what) ?? 0) + n);
    if (runs % 1_000 === 0) process.stdout.write(`${runs} runs, ${steps} steps\n`);
  };
  const failure = await firstFailure(range(from, count), undefined, undefined, add);
  if (failure) {
    process.stdout.write(
      `seed ${failure.seed}: ${failure.outcome.violation?.message ?? ''}; looking for a shorter way …\n`,
    );
    const { plan, outcome } = await shrink(failure);
    process.stdout.write(
      `${JSON.stringify(plan)}\n${outcome.trace.map((line, i) => `${i + 1} ${line}`).join('\n')}\n${outcome.violation?.message ?? ''}\n`,
    );
    process.stdout.write(`again: npm run simulate -- --seed ${failure.seed}\n`);
    process.exitCode = 1;
    return;
  }
  const wanted = [...faultNames, ...Object.values(Verdict).map((v) => `verdict ${v}`)];
  for (const what of wanted) process.stdout.write(`${what}: ${seen.get(what) ?? 0}\n`);
  const rare = wanted.filter((what) => (seen.get(what) ?? 0) < 100);
  process.stdout.write(`${runs} runs, ${steps} steps: every promise was kept\n`);
  if (rare.length > 0) {
    process.stdout.write(`but this proved too little: ${rare.join(', ')} came up fewer than 100 times\n`);
    process.exitCode = 1;
  }
}

function* range(from: number, count: number): Iterable<number> {
  for (let seed = from; seed < from + count; seed++) yield seed;
}
