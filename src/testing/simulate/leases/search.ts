import { seeded } from '../../../core/chance.ts';
import type { Outcome } from '../run.ts';
import type { MakeStore } from '../window-server.ts';
import { leasePlanBy, type LeasePlan } from './plan.ts';
import { runLeases } from './run.ts';

export interface LeaseFailure {
  readonly seed: number;
  readonly plan: LeasePlan;
  readonly outcome: Outcome;
}

/** One seed, one run. */
export function runLeaseSeed(
  seed: number,
  makeStore?: MakeStore,
  change?: Partial<LeasePlan>,
): Promise<Outcome> {
  return runLeases({ ...leasePlanBy(seeded(seed)), ...change }, seeded(seed + 0x1ea5e), makeStore);
}

/** Of the seeds that break a promise, the one with the shortest story. */
export async function shortestLeaseFailure(
  seeds: Iterable<number>,
  makeStore?: MakeStore,
  change?: Partial<LeasePlan>,
  onRun: (outcome: Outcome) => void = () => undefined,
): Promise<LeaseFailure | undefined> {
  let shortest: LeaseFailure | undefined;
  for (const seed of seeds) {
    const outcome = await runLeaseSeed(seed, makeStore, change);
    onRun(outcome);
    if (outcome.violation && outcome.trace.length < (shortest?.outcome.trace.length ?? Infinity))
      shortest = { seed, plan: { ...leasePlanBy(seeded(seed)), ...change }, outcome };
  }
  return shortest;
}
