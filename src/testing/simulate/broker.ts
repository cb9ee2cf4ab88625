import type { Crew } from './crew.ts';
import type { Step } from './step.ts';
import type { Log } from './topic.ts';
import type { Worker } from './worker.ts';
import type { World } from './world.ts';

/** Gives partitions out and takes them away. */
export class Broker {
  readonly #world: World;
  readonly #crew: Crew;

  constructor(world: World, crew: Crew) {
    this.#world = world;
    this.#crew = crew;
    world.plan.owners?.forEach((owner, p) => {
      this.#assign(world.logs[p], crew.workers[owner]);
    });
  }

  /** What has no owner gets one; what is no longer listed is to be retired; who stalls goes on. */
  steps(): Step[] {
    const steps: Step[] = [];
    for (const log of this.#world.logs) {
      if (log.listed && log.owner === undefined) {
        for (const worker of this.#crew.workers) {
          if (!worker.stalled)
            steps.push({
              weight: 5,
              go: () => {
                this.#assign(log, worker);
              },
            });
        }
      }
      const untold = log.retiring && log.retirer === undefined && this.#world.parts.tellsRetired;
      if (untold)
        steps.push({
          weight: 3,
          go: () => {
            this.#retire(log);
          },
        });
    }
    for (const worker of this.#crew.workers) {
      if (worker.stalled)
        steps.push({
          weight: this.#world.faultsLeft ? 1 : 5,
          go: () => {
            this.#crew.wake(worker);
          },
        });
    }
    return steps;
  }

  #assign(log: Log, worker: Worker): void {
    log.owner = worker.name;
    worker.source.told.push({ type: 'assigned', partitions: [log.name] });
    this.#world.say(`${log.name} is given to ${worker.name}`);
  }

  #retire(log: Log): void {
    const worker = this.#crew.workers[this.#world.chance.pick(this.#crew.workers.length)];
    log.retirer = worker.name;
    worker.source.told.push({ type: 'retired', partitions: [log.name] });
    this.#world.say(`${worker.name} is told that ${log.name} is no longer listed`);
  }

  /** The partition goes to another worker at once; the old owner learns it later, or never. */
  rebalance(log: Log, owner: Worker): void {
    const world = this.#world;
    world.cutOff();
    world.say(`rebalance: ${log.name} is taken from ${owner.name}`);
    log.owner = undefined;
    owner.source.reading.delete(log.name);
    if (world.chance.pick(2) === 0)
      owner.source.told.push({ type: 'revoked', partitions: [log.name], drainMs: 0, done: () => undefined });
  }

  /** The old owner may finish what it has in hand. */
  handOver(log: Log, owner: Worker): void {
    const world = this.#world;
    world.cutOff();
    world.say(`${owner.name} is asked to hand ${log.name} over`);
    owner.source.reading.delete(log.name);
    const done = (): void => {
      if (log.owner === owner.name) log.owner = undefined;
    };
    owner.source.told.push({ type: 'revoked', partitions: [log.name], drainMs: 1_000, done });
  }

  unlist(log: Log): void {
    const world = this.#world;
    world.books.unbooked = true;
    world.say(`${log.name} is no longer listed`);
    const owner = this.#crew.workers.find(({ name }) => name === log.owner);
    if (owner?.busy === true || !world.plan.calm) world.cutOff();
    owner?.source.reading.delete(log.name);
    if (owner && world.chance.pick(2) === 0)
      owner.source.told.push({ type: 'revoked', partitions: [log.name], drainMs: 0, done: () => undefined });
    log.owner = undefined;
    log.listed = false;
    log.retiring = true;
    log.retirer = undefined;
  }

  relist(log: Log): void {
    log.listed = true;
    log.owner = undefined;
    this.#world.say(`${log.name} is listed again`);
  }

  reread(log: Log, owner: Worker): void {
    this.#world.say(`${owner.name}: connection lost, ${log.name} is given again`);
    owner.source.rewindReading(log.name, Math.max(log.start, this.#world.table.checkpointOf(log.name)));
  }

  retain(log: Log): void {
    log.start++;
    this.#world.books.unbooked = true;
    this.#world.say(`retention removes ${log.name}:${log.start - 1}`);
  }
}
