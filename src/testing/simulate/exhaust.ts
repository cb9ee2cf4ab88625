import { Histories } from './histories.ts';
import type { Plan } from './plan.ts';
import { run, type Follower, type Outcome } from './run.ts';
import { Script } from './script.ts';
import { product, type Parts, type World } from './world.ts';

/** How far a search goes. A departure is a step that is not the first of those that are possible: each fault is one. */
export interface Bounds {
  readonly departuresMax: number;
  /** Those after the first happen within so many steps of it. */
  readonly apartMax?: number;
  readonly runsMax?: number;
}

export interface Search {
  runs: number;
  /** Steps that were taken, those that repeat an earlier run too. */
  steps: number;
  /** Moments that differ in what somebody has seen. */
  states: number;
  departures: number;
  /** Runs that are left with so many departures. */
  open: number;
  /** Within its bounds, everything was tried. */
  complete: boolean;
  /** The shortest of those with the fewest departures. */
  failure: { readonly plan: Plan; readonly outcome: Outcome } | undefined;
}

/**
 * Every run of a plan within the bounds, those with fewer departures from the usual order first. There is no going
 * back in a run, so each begins anew and answers what the one before it answered, up to the choice that is changed.
 * A run ends where everybody has seen what they had seen in an earlier one.
 */
export async function exhaust(
  plan: Plan,
  bounds: Bounds,
  parts: Parts = product,
  onRun: (search: Search) => void = () => undefined,
): Promise<Search> {
  const search: Search = {
    runs: 0,
    steps: 0,
    states: 0,
    departures: 0,
    open: 0,
    complete: false,
    failure: undefined,
  };
  const met = new Set<number>();
  let level: number[][] = [[]];
  for (; level.length > 0 && search.departures <= bounds.departuresMax; search.departures++) {
    const next: number[][] = [];
    for (let script = level.pop(); script; script = level.pop()) {
      if (search.runs === bounds.runsMax) return search;
      const { outcome, chance } = await follow(plan, script, parts, met);
      search.runs++;
      search.steps += outcome.steps;
      search.states = met.size;
      if (isShorter(outcome, search.failure?.outcome)) search.failure = { plan, outcome };
      branch(chance, script.length, bounds.apartMax ?? Infinity, level, next);
      search.open = level.length;
      onRun(search);
    }
    if (search.failure) return search;
    level = next;
  }
  search.departures--;
  search.complete = true;
  return search;
}

function isShorter({ violation, trace }: Outcome, than: Outcome | undefined): boolean {
  return violation !== undefined && trace.length < (than?.trace.length ?? Infinity);
}

/** Runs a script, and on until somebody has been there. */
async function follow(
  plan: Plan,
  script: readonly number[],
  parts: Parts,
  met: Set<number>,
): Promise<{ outcome: Outcome; chance: Script }> {
  const chance = new Script(script);
  const histories = new Histories();
  let world: World | undefined;
  let chosenAt = 0;
  const follower: Follower = {
    enough: (of) => {
      world = of;
      chosenAt = chance.choices.length;
      if (chosenAt < script.length) return false;
      const key = histories.key(of.wire.now);
      if (met.has(key)) return true;
      met.add(key);
      return false;
    },
    happened: (step, k) => {
      const picks = chance.choices.slice(chosenAt + 1).map(({ answer }) => answer);
      histories.add(step, k, world!.wire.now, picks);
    },
  };
  const outcome = await run(plan, chance, parts, follower);
  return { outcome, chance };
}

/** Scripts that differ from a run in one choice behind its own script. */
function branch(
  { choices }: Script,
  from: number,
  apartMax: number,
  same: number[][],
  more: number[][],
): void {
  const answers = choices.map(({ answer }) => answer);
  let steps = 0;
  let first: number | undefined;
  choices.forEach(({ answer, of, isStep }, at) => {
    if (isStep) steps++;
    if (isStep && answer > 0) first ??= steps;
    if (at < from || (isStep && steps - (first ?? steps) > apartMax)) return;
    for (let k = 1; k < of; k++) (isStep ? more : same).push([...answers.slice(0, at), k]);
  });
}
