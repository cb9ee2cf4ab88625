import type { Chance } from './chance.ts';
import { Broker } from './broker.ts';
import { Crew } from './crew.ts';
import { faults } from './faults.ts';
import { Network } from './network.ts';
import { Operator } from './operator.ts';
import type { Plan } from './plan.ts';
import { Violation } from './violation.ts';
import { product, World, type Parts } from './world.ts';

export interface Outcome {
  readonly violation: Violation | undefined;
  /** The story in plain words. */
  readonly trace: readonly string[];
  /** How often each fault and each verdict came up. */
  readonly seen: ReadonlyMap<string, number>;
  readonly steps: number;
}

const stepsMax = 2_000;

/** Runs a plan to its end, or to the first broken promise, or until `enough` says so before a step. */
export async function run(
  plan: Plan,
  chance: Chance,
  parts: Parts = product,
  enough: (world: World, crew: Crew) => Promise<boolean> = () => Promise.resolve(false),
): Promise<Outcome> {
  const world = new World(plan, chance, parts);
  const crew = new Crew(world);
  const broker = new Broker(world, crew);
  const operator = new Operator(world, crew);
  const network = new Network(world);
  let violation: Violation | undefined;
  let steps = 0;
  try {
    for (; !isDone(world); steps++) {
      if (steps === stepsMax) throw new Violation('STUCK', `nothing is finished after ${stepsMax} steps`);
      if (await enough(world, crew)) return { violation, trace: world.trace, seen: world.seen, steps };
      const possible = [
        ...network.steps((name) => crew.named(name)?.stalled ?? true),
        ...broker.steps(),
        ...faults(world, crew, broker, operator),
      ];
      if (possible.length === 0) network.passTime();
      else possible[chance.choose(possible.map(({ weight }) => weight))].go();
      await everythingThatFollows();
      crew.check();
    }
    world.books.close(
      [...world.table.rows.values()].map(({ totals }) => totals),
      plan.policies.observe ?? false,
    );
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  }
  return { violation, trace: world.trace, seen: world.seen, steps };
}

function everythingThatFollows(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Everything is read and acknowledged, and nobody has anything to do. */
function isDone({ logs, table, wire, plan, left, books }: World): boolean {
  if (left('redrive') > 0 && books.dead.length > 0) return false;
  const reached = (name: string): number =>
    plan.faults.amnesia ? (table.reached.get(name) ?? 0) : table.checkpointOf(name);
  const finished = logs.every((log) =>
    log.listed ? Math.max(reached(log.name), log.start) >= log.end : !log.retiring,
  );
  const idle = wire.calls.every(
    (call) => call.target === 'timer' || (call.target === 'source' && !call.ready()),
  );
  return finished && idle && wire.late.length === 0;
}
