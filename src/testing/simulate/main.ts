import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { exhaust, type Bounds } from './exhaust.ts';
import { runLeaseSeed, shortestLeaseFailure } from './leases/search.ts';
import { firstFailure, runSeed, shrink, story, usualPlan, type Failure } from './search.ts';
import { smallestWorlds } from './smallest-worlds.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    leases: { type: 'boolean', default: false },
    exhaustive: { type: 'boolean', default: false },
    departures: { type: 'string', default: '2' },
    apart: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`npm run simulate -- --seeds 10000         runs that many seeds
npm run simulate -- --seeds 1000 --from 5000
npm run simulate -- --seed 4711           replays one seed and tells its story
npm run simulate -- --leases --seeds 2000 consumers without positions; --leases --seed 47 replays one
npm run simulate -- --exhaustive          one event and one copy, all runs with two departures from the usual
                                          order, each fault being one; --departures 3: with three;
                                          --apart 2: those after the first at most two steps behind it
`);
} else if (values.exhaustive) {
  const departuresMax = numberIn('departures', values.departures);
  const apart = values.apart === undefined ? {} : { apartMax: numberIn('apart', values.apart) };
  await searchAll({ departuresMax, ...apart });
} else if (values.leases) {
  await searchLeases();
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

async function searchLeases(): Promise<void> {
  const { seed, seeds, from } = values;
  const first = numberIn('seed', seed ?? from);
  const count = seed === undefined ? numberIn('seeds', seeds) : 1;
  const failure = await shortestLeaseFailure(range(first, count));
  const told = failure?.seed ?? (count === 1 ? first : undefined);
  if (told !== undefined) for (const line of (await runLeaseSeed(told)).trace) print(line);
  print(failure?.outcome.violation?.message ?? `${count} runs: every promise was kept`);
  if (!failure) return;
  print(`again: npm run simulate -- --leases --seed ${failure.seed}`);
  process.exitCode = 1;
}

async function searchAll(bounds: Bounds): Promise<void> {
  for (const plan of smallestWorlds(bounds.departuresMax)) {
    const sink = plan.committing ? 'a committing sink' : 'a sink that does not commit';
    print(`partitions ${plan.logs.join(' and ')}, ${sink}`);
    const { failure, runs, states } = await exhaust(plan, bounds, undefined, (search) => {
      if (search.runs % 1_000 > 0) return;
      print(
        `${search.runs} runs, ${search.states} states, ${search.departures} departures, ${search.open} open`,
      );
    });
    print(`${runs} runs, ${states} states: ${failure ? 'a promise is broken' : 'every promise was kept'}`);
    if (!failure) continue;
    print(story(failure));
    process.exitCode = 1;
    return;
  }
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
