import { HapaxError } from '../../core/errors.ts';
import { Violation } from './violation.ts';
import { Worker } from './worker.ts';
import type { World } from './world.ts';

/** The worker processes: started, killed, stalled. */
export class Crew {
  readonly workers: Worker[] = [];
  readonly #world: World;
  #born = 0;

  constructor(world: World) {
    this.#world = world;
    for (let n = 0; n < world.plan.workers; n++) this.#start();
  }

  named(name: string | undefined): Worker | undefined {
    return this.workers.find((worker) => worker.name === name);
  }
  /** Nobody has anything in hand. */
  get quiet(): boolean {
    return !this.workers.some((worker) => worker.busy);
  }

  #start(): void {
    this.workers.push(new Worker(`w${this.#born++}`, this.#world));
  }

  /** What it had under way arrives now, late, or never. */
  kill(worker: Worker): void {
    const world = this.#world;
    if (worker.busy) world.cutOff();
    world.say(`${worker.name} is killed`);
    this.workers.splice(this.workers.indexOf(worker), 1);
    for (const call of world.wire.cut(worker.name)) {
      if (call.target === 'timer' || call.target === 'source') continue;
      const fate = world.chance.pick(3);
      if (fate === 0) {
        world.say(`its last request arrives: ${call.what}`);
        call.run();
      } else if (fate === 1 && call.target === 'store') {
        world.wire.late.push({ what: `${worker.name} ${call.what}`, run: call.run });
      }
    }
    for (const log of world.logs) {
      if (log.owner === worker.name) log.owner = undefined;
      if (log.retirer === worker.name) log.retirer = undefined;
    }
    world.lossListeners.delete(worker.name);
    this.#start();
  }

  /** A stop in which nobody has anything in hand. */
  restartCalmly(): void {
    for (const worker of [...this.workers]) this.kill(worker);
  }

  stall(worker: Worker): void {
    worker.stalled = true;
    this.#world.say(`${worker.name} stalls`);
  }
  wake(worker: Worker): void {
    worker.stalled = false;
    this.#world.say(`${worker.name} goes on`);
  }

  /** An engine that gave up has broken a promise, too. */
  check(): void {
    for (const { fault } of this.workers) {
      if (fault instanceof Violation) throw fault;
      if (fault instanceof HapaxError) throw new Violation('FAULT', fault.message);
      if (fault !== undefined)
        throw new Violation('FAULT', fault instanceof Error ? (fault.stack ?? fault.message) : 'unknown');
    }
  }
}
