import { memoryStore } from '../../../stores/memory.ts';
import type { Chance } from '../../../core/chance.ts';
import { Network } from '../network.ts';
import type { Fault } from '../plan.ts';
import type { Outcome } from '../run.ts';
import type { Step } from '../step.ts';
import { Violation } from '../violation.ts';
import type { MakeStore } from '../window-server.ts';
import { Consumer } from './consumer.ts';
import type { LeasePlan } from './plan.ts';
import { LeaseWorld, type Message } from './world.ts';

const stepsMax = 2_000;
const productStore: MakeStore = (clock, windowMs) => memoryStore({ clock, windowMs });

/** Runs a plan with leases to its end, or to the first broken promise. */
export async function runLeases(
  plan: LeasePlan,
  chance: Chance,
  makeStore: MakeStore = productStore,
): Promise<Outcome> {
  const world = new LeaseWorld(plan, chance, makeStore);
  const people = new Consumers(world);
  const network = new Network(world);
  let violation: Violation | undefined;
  let steps = 0;
  try {
    await everythingThatFollows();
    for (; !isDone(world); steps++) {
      if (steps === stepsMax) throw new Violation('STUCK', `nothing is finished after ${stepsMax} steps`);
      const isStalled = (worker: string): boolean => people.named(worker)?.stalled ?? true;
      const possible = [
        ...network.calls(isStalled),
        ...network.late(),
        ...network.time(),
        ...network.mishaps(isStalled),
        ...people.steps(),
      ];
      if (possible.length === 0)
        throw new Violation('STUCK', 'nobody has anything to do, and not everything is done');
      possible[chance.choose(possible.map(({ weight }) => weight))].go();
      await everythingThatFollows();
      world.check();
    }
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  }
  return { violation, trace: world.trace, seen: world.seen, steps };
}

function everythingThatFollows(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isDone({ messages, wire }: LeaseWorld): boolean {
  return (
    messages.every(({ acknowledged }) => acknowledged) &&
    wire.late.length === 0 &&
    wire.calls.every(({ target }) => target === 'source')
  );
}

/** The consumer processes, and what may happen to them. */
class Consumers {
  readonly #all: Consumer[] = [];
  readonly #world: LeaseWorld;
  #born = 0;

  constructor(world: LeaseWorld) {
    this.#world = world;
    for (let n = 0; n < world.plan.consumers; n++) this.#start();
  }

  /** A call to the store bears the token of its attempt, which begins with the name. */
  named(worker: string): Consumer | undefined {
    return this.#all.find(({ name }) => worker.split('.')[0] === name);
  }

  steps(): Step[] {
    const world = this.#world;
    const steps: Step[] = [];
    const offer = (fault: Fault, go: () => void): void => {
      if (world.left(fault) <= 0) return;
      steps.push({
        weight: 2,
        go: () => {
          world.use(fault);
          go();
        },
      });
    };
    for (const consumer of this.#all) {
      if (consumer.stalled)
        steps.push({
          weight: 1,
          go: () => {
            consumer.stalled = false;
            world.say(`${consumer.name} goes on`);
          },
        });
      offer('kill', () => {
        this.#kill(consumer);
      });
      if (!consumer.stalled && consumer.atWork)
        offer('stall', () => {
          consumer.stalled = true;
          world.say(`${consumer.name} stalls`);
          this.#letLeasesEnd();
        });
    }
    for (const message of world.messages)
      if (message.holder !== undefined)
        offer('reread', () => {
          this.#giveAgain(message);
        });
    offer('window-end', () => {
      world.endWindow();
    });
    offer('clock-jump', () => {
      const by = (world.chance.pick(3) - 1) * 7_200_000;
      world.window.skewMs += by;
      world.say(`the store's clock jumps by ${by / 3_600_000} h`);
    });
    return steps;
  }

  #start(): void {
    this.#all.push(new Consumer(`c${this.#born++}`, this.#world));
  }

  /** Who stalls often does so for longer than a lease. */
  #letLeasesEnd(): void {
    if (this.#world.chance.pick(2) === 0) return;
    this.#world.wire.now += this.#world.plan.leaseMs + 1;
    this.#world.say('all leases end');
  }

  #giveAgain(message: Message): void {
    this.#world.say(`${message.name} is given again, ${message.holder ?? ''} may still have it`);
    message.holder = undefined;
  }

  /** What it had under way arrives now, late, or never. */
  #kill(consumer: Consumer): void {
    const world = this.#world;
    const { name } = consumer;
    world.say(`${name} is killed`);
    this.#all.splice(this.#all.indexOf(consumer), 1);
    for (const call of world.wire.calls.filter(({ worker }) => worker.split('.')[0] === name)) {
      world.wire.take(call);
      if (call.target === 'timer' || call.target === 'source') continue;
      const fate = world.chance.pick(3);
      if (fate === 0) {
        world.say(`its last request arrives: ${call.what}`);
        call.run();
      } else if (fate === 1 && call.target === 'store') {
        world.wire.late.push({ what: `${call.worker} ${call.what}`, run: call.run });
      }
    }
    for (const message of world.messages) if (message.holder === name) message.holder = undefined;
    this.#start();
  }
}
