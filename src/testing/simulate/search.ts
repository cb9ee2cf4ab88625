import { seeded } from '../../core/chance.ts';
import { planBy, type Plan } from './plan.ts';
import { run, type Outcome } from './run.ts';
import { product, type Parts } from './world.ts';

export interface Failure {
  readonly seed: number;
  readonly plan: Plan;
  readonly outcome: Outcome;
}

/** One seed, one run. */
export function runSeed(
  seed: number,
  parts: Parts = product,
  planOf: (seed: number) => Plan = usualPlan,
): Promise<Outcome> {
  return run(planOf(seed), seeded(seed + 0x5eed), parts);
}

export function usualPlan(seed: number): Plan {
  return planBy(seeded(seed));
}

/** The first seed that breaks a promise. */
export async function firstFailure(
  seeds: Iterable<number>,
  parts: Parts = product,
  planOf: (seed: number) => Plan = usualPlan,
  onRun: (outcome: Outcome) => void = () => undefined,
): Promise<Failure | undefined> {
  for (const seed of seeds) {
    const outcome = await runSeed(seed, parts, planOf);
    onRun(outcome);
    if (outcome.violation) return { seed, plan: planOf(seed), outcome };
  }
  return undefined;
}

/** A run in plain words, step by step, and the promise that it broke. */
export function story({ plan, outcome }: Pick<Failure, 'plan' | 'outcome'>): string {
  const steps = outcome.trace.map((line, i) => `${i + 1} ${line}`);
  return [JSON.stringify(plan), ...steps, ...(outcome.violation ? [outcome.violation.message] : [])].join(
    '\n',
  );
}

const triesPerPlan = 40;

/** Looks for a smaller plan and a shorter way to the same broken promise. */
export async function shrink(failure: Failure, parts: Parts = product): Promise<Failure> {
  let best = failure;
  for (let smaller = true; smaller;) {
    smaller = false;
    for (const plan of simpler(best.plan)) {
      const found = await shortest(plan, best, parts);
      if (!found) continue;
      best = found;
      smaller = true;
      break;
    }
  }
  return best;
}

async function shortest(plan: Plan, than: Failure, parts: Parts): Promise<Failure | undefined> {
  let best: Failure | undefined;
  for (let seed = 0; seed < triesPerPlan; seed++) {
    const outcome = await run(plan, seeded(seed), parts);
    if (outcome.violation?.promise !== than.outcome.violation?.promise) continue;
    if (!best || outcome.trace.length < best.outcome.trace.length) best = { seed, plan, outcome };
  }
  return best;
}

function* simpler(plan: Plan): Iterable<Plan> {
  for (const [fault, n] of Object.entries(plan.faults))
    if (n > 0) yield { ...plan, faults: { ...plan.faults, [fault]: n - 1 } };
  for (const lives of ['logs', 'secondLife'] as const) {
    for (const [p, log] of plan[lives].entries()) {
      for (const [i] of Array.from(log).entries()) {
        if (log[i] === "'") continue;
        const after = /^'*/.exec(log.slice(i + 1))?.[0].length ?? 0;
        yield { ...plan, [lives]: plan[lives].with(p, log.slice(0, i) + log.slice(i + 1 + after)) };
      }
    }
  }
  if (plan.workers > 1) yield { ...plan, workers: plan.workers - 1 };
  if (plan.batchMax > 1) yield { ...plan, batchMax: 1 };
  if (plan.bodies && ![...plan.logs, ...plan.secondLife].join('').includes("'"))
    yield { ...plan, bodies: false };
}
