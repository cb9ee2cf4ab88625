import type { Chance } from '../../core/chance.ts';
import { Broker } from './broker.ts';
import { Crew } from './crew.ts';
import { faults } from './faults.ts';
import { Network } from './network.ts';
import { Operator } from './operator.ts';
import type { Plan } from './plan.ts';
import type { Step } from './step.ts';
import { Violation } from './violation.ts';
import { product, World, type Parts } from './world.ts';

export interface Outcome {
  readonly violation: Violation | undefined;
  /** The story in plain words. */
  readonly trace: readonly string[];
  /** How often each fault, each verdict and each notice came up. */
  readonly seen: ReadonlyMap<string, number>;
  readonly steps: number;
}

const stepsMax = 2_000;

/** Follows a run step by step. */
export interface Follower {
  /** Asked before each step: the run need not go on. */
  enough(world: World): boolean;
  /** Step number `k` of those that were possible was taken. */
  happened(step: Step, k: number): void;
}
const nobody: Follower = { enough: () => false, happened: () => undefined };

/** Runs a plan to its end, or to the first broken promise. */
export async function run(
  plan: Plan,
  chance: Chance,
  parts: Parts = product,
  follower: Follower = nobody,
): Promise<Outcome> {
  const world = new World(plan, chance, parts);
  const crew = new Crew(world);
  const broker = new Broker(world, crew);
  const operator = new Operator(world, crew);
  const network = new Network(world);
  let violation: Violation | undefined;
  let steps = 0;
  try {
    await everythingThatFollows();
    for (; ; steps++) {
      const done = isDone(world);
      if (done && !plan.faultsAfter) break;
      if (steps === stepsMax) throw new Violation('STUCK', `nothing is finished after ${stepsMax} steps`);
      if (follower.enough(world)) return { violation, trace: world.trace, seen: world.seen, steps };
      const possible = [
        ...(done ? [end] : usual(network, broker, crew, plan)),
        ...faults(world, crew, broker, operator),
      ];
      if (possible.length === 0) network.passTime();
      else {
        const k = chance.choose(possible.map(({ weight }) => weight));
        if (possible[k] === end) break;
        possible[k].go();
        follower.happened(possible[k], k);
      }
      await everythingThatFollows();
      crew.check();
      for (const window of world.windows) await window.check();
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

const end: Step = { weight: 1, go: () => undefined };

/** What may happen without a fault first, so that always taking the first step leads to an end; then mishaps. */
function usual(network: Network, broker: Broker, crew: Crew, plan: Plan): Step[] {
  const isStalled = (name: string): boolean => crew.named(name)?.stalled ?? true;
  const soon = [...network.calls(isStalled), ...network.late()];
  const time = plan.timeIsLast && soon.length > 0 ? [] : network.time();
  return [...soon, ...broker.steps(), ...time, ...network.mishaps(isStalled)];
}

function everythingThatFollows(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Everything is read and acknowledged, and nobody has anything to do. */
function isDone({ logs, table, wire, plan, left, books }: World): boolean {
  if (!plan.faultsAfter && left('redrive') > 0 && books.dead.length > 0) return false;
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
