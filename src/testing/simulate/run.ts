import { Verdict } from '../../core/verdict.ts';
import { HapaxError } from '../../core/errors.ts';
import { tickMsMax } from '../../core/window.ts';
import type { Chance } from './chance.ts';
import type { Fault, Plan } from './plan.ts';
import { entriesOf } from './plan.ts';
import type { Log } from './topic.ts';
import { Violation } from './violation.ts';
import type { WindowServer } from './window-server.ts';
import type { Call } from './wire.ts';
import { Worker } from './worker.ts';
import { product, windowMs, World, type Parts } from './world.ts';

/** One thing that may happen next. */
interface Step {
  readonly weight: number;
  readonly go: () => unknown;
}

export interface Outcome {
  readonly violation: Violation | undefined;
  readonly trace: readonly string[];
  readonly seen: ReadonlyMap<string, number>;
  readonly steps: number;
}

const stepsMax = 2_000;

/** Runs a plan to its end, or to the first broken promise. */
export async function run(plan: Plan, chance: Chance, parts: Parts = product): Promise<Outcome> {
  const world = new World(plan, chance, parts);
  const simulation = new Simulation(world);
  let violation: Violation | undefined;
  let steps = 0;
  try {
    for (; steps < stepsMax && !simulation.done(); steps++) {
      await simulation.step();
      await idle();
      simulation.check();
    }
    if (steps === stepsMax) throw new Violation('STUCK', `nothing is finished after ${stepsMax} steps`);
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

/** Lets everything happen that follows from the last step. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class Simulation {
  readonly #world: World;
  readonly #workers: Worker[] = [];
  #born = 0;

  constructor(world: World) {
    this.#world = world;
    for (let n = 0; n < world.plan.workers; n++) this.#start();
    world.plan.owners?.forEach((owner, p) => {
      this.#assign(world.logs[p], this.#workers[owner]);
    });
  }

  /** Everything is read and acknowledged, and nobody has anything to do. */
  done(): boolean {
    const { logs, table, wire, plan } = this.#world;
    if (plan.faults.redrive && this.#world.left('redrive') > 0 && this.#world.books.dead.length > 0)
      return false;
    const reached = (name: string): number =>
      plan.faults.amnesia ? (table.reached.get(name) ?? 0) : table.checkpointOf(name);
    const finished = logs.every(
      (log) => (!log.listed && !log.retiring) || Math.max(reached(log.name), log.start) >= log.end,
    );
    const idle = wire.calls.every(
      (call) => call.target === 'timer' || (call.target === 'source' && !call.ready()),
    );
    return finished && idle && wire.late.length === 0;
  }

  check(): void {
    for (const { fault } of this.#workers) {
      if (fault instanceof Violation) throw fault;
      if (fault !== undefined)
        throw new Violation(
          'FAULT',
          fault instanceof HapaxError ? fault.message : String((fault as Error).stack),
        );
    }
  }

  async step(): Promise<void> {
    const steps = [...this.#calls(), ...this.#broker(), ...this.#faults()];
    if (steps.length === 0) return this.#passTime();
    const total = steps.reduce((sum, { weight }) => sum + weight, 0);
    let at = this.#world.chance.random() * total;
    const step = steps.find(({ weight }) => (at -= weight) < 0) ?? steps[0];
    await step.go();
  }

  /** Calls that can be carried out, each with what may happen to it; and time, which may pass. */
  #calls(): Step[] {
    const { wire } = this.#world;
    const steps: Step[] = [];
    for (const call of wire.calls) {
      const worker = this.#workers.find(({ name }) => name === call.worker);
      if (!worker || worker.stalled || !call.ready()) continue;
      steps.push({ weight: 10, go: () => this.#carryOut(call) });
      if (call.target !== 'timer' && call.target !== 'source') steps.push(...this.#mishaps(call));
    }
    wire.late.forEach((late, k) => {
      const go = (): unknown => {
        wire.late.splice(k, 1);
        this.#world.say(`late: ${late.what}, nobody listens`);
        return late.run();
      };
      steps.push({ weight: 2, go });
    });
    if (wire.nextTimer() !== undefined)
      steps.push({ weight: steps.length === 0 ? 1 : 0.5, go: () => this.#passTime() });
    return steps;
  }

  #passTime(): void {
    const { wire } = this.#world;
    const due = wire.nextTimer();
    if (due === undefined)
      throw new Violation('STUCK', 'nobody has anything to do, and not everything is done');
    wire.now = Math.max(wire.now, due);
  }

  #carryOut(call: Call): void {
    const { wire } = this.#world;
    wire.take(call);
    let result: unknown;
    try {
      result = call.run();
    } catch (error) {
      if (error instanceof Violation) throw error;
      call.reject(error);
      return;
    }
    this.#tell(call, result);
    call.resolve(result);
  }

  /** Reply lost; refused before anything happened; a second copy of the request still under way. */
  #mishaps(call: Call): Step[] {
    const { wire } = this.#world;
    const steps: Step[] = [];
    const on = (fault: Fault, go: () => void): void => {
      if (this.#world.left(fault) > 0) {
        steps.push({
          weight: 3,
          go: () => {
            this.#world.use(fault);
            if (this.#world.plan.policies.store === 'pass') this.#world.books.allowed += 4;
            go();
          },
        });
      }
    };
    on('refused-call', () => {
      wire.take(call);
      this.#world.say(`${call.worker} ${call.what}: refused, nothing happened`);
      call.reject(new Error('refused'));
    });
    if (call.target === 'sink' || call.target === 'dead-letters') return steps;
    on('lost-reply', () => {
      wire.take(call);
      call.run();
      this.#world.say(`${call.worker} ${call.what}: the reply is lost`);
      call.reject(new Error('time-out'));
    });
    if (call.target === 'store') {
      const fault: Fault = call.what.startsWith('trims') ? 'late-trim' : 'late-copy';
      on(fault, () => {
        this.#world.say(`${call.worker} ${call.what} (a second copy of the request is still under way)`);
        this.#carryOut(call);
        wire.late.push({ what: `${call.worker} ${call.what}`, run: call.run });
      });
    }
    return steps;
  }

  #tell(call: Call, result: unknown): void {
    const { say, trace } = {
      say: (line: string) => {
        this.#world.say(line);
      },
      trace: this.#world.trace,
    };
    void trace;
    if (call.target === 'source' || call.target === 'timer') return;
    if (!(result instanceof Promise)) {
      say(`${call.worker} ${call.what}${inWords(result)}`);
      return;
    }
    const at = this.#world.trace.push(`${call.worker} ${call.what}`) - 1;
    void result.then(
      (answer) => {
        this.#world.trace[at] += inWords(answer);
      },
      (error: unknown) => {
        this.#world.trace[at] += `: ${String(error)}`;
      },
    );
  }

  /** The broker gives out partitions, and what is no longer listed to be retired. */
  #broker(): Step[] {
    const steps: Step[] = [];
    for (const log of this.#world.logs) {
      if (!log.listed) {
        if (log.retiring && log.retirer === undefined && this.#world.parts.tellsRetired)
          steps.push({
            weight: 3,
            go: () => {
              this.#retire(log);
            },
          });
        continue;
      }
      if (log.owner !== undefined) continue;
      for (const worker of this.#workers) {
        if (!worker.stalled)
          steps.push({
            weight: 5,
            go: () => {
              this.#assign(log, worker);
            },
          });
      }
    }
    for (const worker of this.#workers) {
      if (worker.stalled)
        steps.push({
          weight: this.#world.faultsLeft ? 1 : 5,
          go: () => {
            this.#wake(worker);
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
    const worker = this.#workers[this.#world.chance.pick(this.#workers.length)];
    log.retirer = worker.name;
    worker.source.told.push({ type: 'retired', partitions: [log.name] });
    this.#world.say(`${worker.name} is told that ${log.name} is no longer listed`);
  }
  #wake(worker: Worker): void {
    worker.stalled = false;
    this.#world.say(`${worker.name} goes on`);
  }

  #faults(): Step[] {
    const world = this.#world;
    const steps: Step[] = [];
    const on = (fault: Fault, possible: boolean, go: () => void): void => {
      if (world.left(fault) > 0 && possible) {
        steps.push({
          weight: 2,
          go: () => {
            world.use(fault);
            go();
          },
        });
      }
    };
    for (const worker of this.#workers) {
      on('kill', !world.plan.calm || !worker.busy, () => {
        this.#kill(worker);
      });
      on('stall', !worker.stalled, () => {
        this.#stall(worker);
      });
      on('clock-jump', true, () => {
        const by = (world.chance.pick(3) - 1) * 7_200_000;
        for (const window of world.windows) window.skewMs += world.chance.pick(2) === 0 ? by : 0;
        worker.skewMs += by;
        world.say(`clocks jump by ${by / 3_600_000} h`);
      });
    }
    for (const log of world.logs) {
      const owner = this.#workers.find(({ name }) => name === log.owner);
      on('rebalance', owner !== undefined && log.listed, () => {
        this.#rebalance(log, owner as Worker);
      });
      on('hand-over', owner !== undefined && log.listed && !(owner as Worker).stalled, () => {
        this.#handOver(log, owner as Worker);
      });
      on('reread', owner !== undefined, () => {
        world.say(`${log.owner ?? ''}: connection lost, ${log.name} is given again`);
        (owner as Worker).source.rewindReading(
          log.name,
          Math.max(log.start, world.table.checkpointOf(log.name)),
        );
      });
      on('retention', log.start < log.end, () => {
        log.start++;
        world.books.unbooked = true;
        world.say(`retention removes ${log.name}:${log.start - 1}`);
      });
      on('relist', !log.listed && !log.retiring, () => {
        log.listed = true;
        log.owner = undefined;
        world.say(`${log.name} is listed again`);
      });
      const quiet = !this.#workers.some((worker) => worker.busy);
      on('unlist', log.listed && world.logs.length > 1 && (quiet || !world.plan.calm), () => {
        this.#unlist(log);
      });
      on('rewind', quiet && log.listed && world.table.checkpointOf(log.name) > 0, () => {
        this.#rewind(log);
      });
      on('rewind-by-hand', quiet && log.listed && world.table.checkpointOf(log.name) > 0, () => {
        this.#move(log, 0, 'rewinds');
      });
      on('skip', quiet && log.listed && world.table.checkpointOf(log.name) < log.end, () => {
        this.#move(log, world.table.checkpointOf(log.name) + 1, 'skips one of');
      });
      on(
        'recreate',
        quiet &&
          log.listed &&
          log.entries === world.logOf(log.name).entries &&
          world.plan.secondLife.length > 0,
        () => {
          this.#recreate(log);
        },
      );
      on('amnesia', world.table.rows.has(log.name), () => {
        world.table.forget(log.name);
        world.books.allowed++;
        world.books.unsure = true;
        world.say(`the checkpoint store forgets ${log.name}`);
      });
    }
    on('redrive', world.books.dead.length > 0, () => {
      this.#redrive();
    });
    on('window-end', true, () => {
      world.wire.now += windowMs + tickMsMax(windowMs);
      if (world.hasCopies) world.books.allowed++;
      world.say('a window passes');
    });
    for (const window of world.windows) {
      on('fail-over', window.canFailOver, () => {
        this.#failOver(window);
      });
      if (world.left('fail-over') > 0)
        steps.push({
          weight: 1,
          go: () => {
            window.catchUp();
          },
        });
    }
    return steps;
  }

  #start(): void {
    const worker = new Worker(`w${this.#born++}`, this.#world);
    this.#workers.push(worker);
  }

  #kill(worker: Worker): void {
    const world = this.#world;
    if (worker.busy) world.books.allowed++;
    world.say(`${worker.name} is killed`);
    this.#workers.splice(this.#workers.indexOf(worker), 1);
    for (const call of world.wire.cut(worker.name)) {
      if (call.target === 'timer' || call.target === 'source') continue;
      const fate = world.chance.pick(3);
      if (fate === 0) {
        world.say(`its last request arrives: ${call.what}`);
        call.run();
      } else if (fate === 1 && call.target === 'store')
        world.wire.late.push({ what: `${worker.name} ${call.what}`, run: call.run });
    }
    for (const log of world.logs) {
      if (log.owner === worker.name) log.owner = undefined;
      if (log.retirer === worker.name) log.retirer = undefined;
    }
    world.lossListeners.delete(worker.name);
    this.#start();
  }

  #stall(worker: Worker): void {
    worker.stalled = true;
    this.#world.say(`${worker.name} stalls`);
  }

  /** The partition goes to another worker at once; the old owner learns it later, or never. */
  #rebalance(log: Log, owner: Worker): void {
    const world = this.#world;
    if (owner.busy || !world.plan.calm) world.books.allowed++;
    world.say(`rebalance: ${log.name} is taken from ${owner.name}`);
    log.owner = undefined;
    owner.source.reading.delete(log.name);
    if (world.chance.pick(2) === 0)
      owner.source.told.push({ type: 'revoked', partitions: [log.name], drainMs: 0, done: () => undefined });
  }

  /** The old owner may finish what it has in hand. */
  #handOver(log: Log, owner: Worker): void {
    const world = this.#world;
    if (owner.busy || !world.plan.calm) world.books.allowed++;
    world.say(`${owner.name} is asked to hand ${log.name} over`);
    owner.source.reading.delete(log.name);
    const done = (): void => {
      if (log.owner === owner.name) log.owner = undefined;
    };
    owner.source.told.push({ type: 'revoked', partitions: [log.name], drainMs: 1_000, done });
  }

  #unlist(log: Log): void {
    const world = this.#world;
    world.books.unbooked = true;
    world.say(`${log.name} is no longer listed`);
    const owner = this.#workers.find(({ name }) => name === log.owner);
    if (owner?.busy === true || !world.plan.calm) world.books.allowed++;
    owner?.source.reading.delete(log.name);
    if (owner && world.chance.pick(2) === 0)
      owner.source.told.push({ type: 'revoked', partitions: [log.name], drainMs: 0, done: () => undefined });
    log.owner = undefined;
    log.listed = false;
    log.retiring = true;
    log.retirer = undefined;
  }

  /** An operator stops everybody, then moves the checkpoint with the tool: taken, entered, trimmed, moved. */
  #rewind(log: Log): void {
    const world = this.#world;
    this.#restartCalmly();
    world.say(`operator rewinds ${log.name} to 0 with the tool`);
    const taken = world.table.take({ partition: log.name, above: 0 });
    const { epoch, checkpoint = 0, writer } = taken;
    const session = { kind: 'partition', partition: log.name, epoch } as const;
    const settleBelow = world.plan.committing &&
      writer !== undefined && { settleBelow: { checkpoint, writer } };
    for (const window of world.windows) {
      void window.carryOut((store) => store.enter([{ session, ...settleBelow }]));
      void window.carryOut((store) => store.trim(session, checkpoint));
    }
    world.table.rows.set(log.name, { epoch, checkpoint: 0, writer: undefined, totals: taken.totals });
    world.table.reached.delete(log.name);
    world.books.unsure = true;
  }

  #move(log: Log, to: number, verb: string): void {
    const world = this.#world;
    this.#restartCalmly();
    const row = world.table.rows.get(log.name);
    if (row) world.table.rows.set(log.name, { ...row, checkpoint: to, writer: undefined });
    else
      world.table.rows.set(log.name, {
        ...world.table.take({ partition: log.name, above: 0 }),
        checkpoint: to,
        writer: undefined,
      });
    world.table.reached.set(log.name, to);
    world.books.unsure = true;
    if (world.plan.committing) world.books.allowed++;
    world.say(`operator ${verb} ${log.name}: checkpoint ${to}`);
  }

  #recreate(log: Log): void {
    const world = this.#world;
    this.#restartCalmly();
    const p = world.logs.indexOf(log);
    log.entries = entriesOf(world.plan.secondLife[p] ?? '', `${log.name} again:`);
    log.start = 0;
    world.table.reached.delete(log.name);
    const row = world.table.rows.get(log.name);
    if (row) world.table.rows.set(log.name, { ...row, checkpoint: 0, writer: undefined });
    world.books.unsure = true;
    if (world.plan.committing) world.books.allowed++;
    world.say(`${log.name} is deleted and created again`);
  }

  /** Nobody has anything in hand. */
  #restartCalmly(): void {
    for (const worker of [...this.#workers]) this.#kill(worker);
  }

  #redrive(): void {
    const world = this.#world;
    const { dead } = world.books;
    const letter = dead[world.chance.pick(dead.length)];
    const [, key, body] = /^([^']*)('*)$/.exec(letter.event) ?? [];
    const log = world.logs[world.chance.pick(world.logs.length)];
    if (key.startsWith('?')) return;
    log.entries = [...log.entries, { key, body: body.length, redriven: true }];
    world.say(`operator redrives ${letter.event} into ${log.name}`);
  }

  #failOver(window: WindowServer): void {
    const world = this.#world;
    window.failOver();
    world.books.allowed += 2;
    world.books.unsure = true;
    world.say('the store fails over to a replica that lags');
    for (const worker of this.#workers) for (const tell of world.lossListeners.get(worker.name) ?? []) tell();
  }
}

const verdictWords = Object.keys(Verdict);

function inWords(answer: unknown): string {
  if (answer instanceof Uint8Array) return answer.some((x) => x !== 0) ? ` (${[...answer].join('')})` : '';
  if (typeof answer !== 'object' || answer === null) return '';
  if ('verdicts' in answer)
    return `: ${Array.from(answer.verdicts as Uint8Array, (v) => verdictWords[v]).join(', ')}`;
  if ('fenced' in answer)
    return Array.isArray(answer.fenced) && answer.fenced.length === 0
      ? 'aborted' in answer
        ? ': aborted'
        : ''
      : ': fenced';
  if (Array.isArray(answer) && answer.some((x) => typeof x === 'object' && x !== null && 'fenced' in x))
    return ': fenced';
  return '';
}
