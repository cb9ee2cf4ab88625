import { wordOf } from '../verdict-words.ts';
import type { Fault, Plan } from './plan.ts';
import type { Step } from './step.ts';
import { Violation } from './violation.ts';
import type { Call, Wire } from './wire.ts';

/** What the network is part of. */
interface Surroundings {
  readonly wire: Wire;
  readonly trace: string[];
  readonly plan: Partial<Pick<Plan, 'slow' | 'policies'>>;
  readonly books: { allowed: number };
  say(line: string): void;
  left(fault: Fault): number;
  use(fault: Fault): void;
}

/** Carries calls out, or lets something happen to them. */
export class Network {
  readonly #world: Surroundings;

  constructor(world: Surroundings) {
    this.#world = world;
  }

  /** Each call that can be carried out, the oldest first. */
  calls(isStalled: (worker: string) => boolean): Step[] {
    return this.#ready(isStalled).map((call) => ({
      weight: this.#isSlow(call) ? 1 : 10,
      go: () => {
        this.#carryOut(call);
      },
      event: eventOf(call, ''),
    }));
  }

  #isSlow({ target, what }: Call): boolean {
    const { slow } = this.#world.plan;
    return slow === target || (slow === 'commits' && what.startsWith(slow));
  }

  late(): Step[] {
    const { late } = this.#world.wire;
    return late.map((copy, k) => ({
      weight: 2,
      go: () => {
        late.splice(k, 1);
        this.#world.say(`late: ${copy.what}, nobody listens`);
        copy.run();
      },
    }));
  }

  time(): Step[] {
    if (this.#world.wire.nextTimer() === undefined) return [];
    const go = (): void => {
      this.passTime();
    };
    return [{ weight: 0.5, go }];
  }

  mishaps(isStalled: (worker: string) => boolean): Step[] {
    return this.#ready(isStalled)
      .filter(({ target }) => target !== 'timer' && target !== 'source')
      .flatMap((call) => this.#mishaps(call));
  }

  #ready(isStalled: (worker: string) => boolean): Call[] {
    return this.#world.wire.calls.filter((call) => call.ready() && !isStalled(call.worker));
  }

  passTime(): void {
    const { wire } = this.#world;
    const due = wire.nextTimer();
    if (due === undefined)
      throw new Violation('STUCK', 'nobody has anything to do, and not everything is done');
    wire.now = Math.max(wire.now, due);
  }

  #carryOut(call: Call): void {
    this.#world.wire.take(call);
    const result = call.run();
    this.#tell(call, result);
    call.resolve(result);
  }

  /** Refused before anything happened; reply lost; a second copy of the request still under way. */
  #mishaps(call: Call): Step[] {
    const { wire } = this.#world;
    const steps: Step[] = [];
    const on = (fault: Fault, go: () => void): void => {
      if (this.#world.left(fault) <= 0) return;
      steps.push({
        weight: 3,
        event: eventOf(call, fault),
        go: () => {
          this.#world.use(fault);
          if (this.#world.plan.policies?.store === 'pass') this.#world.books.allowed += 4;
          go();
        },
      });
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
    if (call.target !== 'store') return steps;
    on(call.what.startsWith('trims') ? 'late-trim' : 'late-copy', () => {
      this.#world.say(`${call.worker} ${call.what} (a second copy of the request is still under way)`);
      this.#carryOut(call);
      wire.late.push({ what: `${call.worker} ${call.what}`, run: call.run });
    });
    return steps;
  }

  /** Into the story, with the answer once it is there. */
  #tell(call: Call, result: unknown): void {
    if (call.target === 'source' || call.target === 'timer') return;
    const { trace } = this.#world;
    const at = trace.push(`${call.worker} ${call.what}`) - 1;
    void Promise.resolve(result).then((answer) => {
      trace[at] += inWords(answer);
    });
  }
}

function eventOf({ worker, target, what }: Call, mishap: string): NonNullable<Step['event']> {
  const alone = target === 'timer' || target === 'source' || mishap === 'refused-call';
  return { parties: alone ? [worker] : [worker, target], what: `${worker} ${what} ${mishap}` };
}

function inWords(answer: unknown): string {
  if (answer instanceof Uint8Array) return answer.some((x) => x !== 0) ? ` (${[...answer].join('')})` : '';
  if (typeof answer !== 'object' || answer === null) return '';
  if ('verdicts' in answer) return `: ${Array.from(answer.verdicts as Uint8Array, wordOf).join(', ')}`;
  if ('aborted' in answer) return ': aborted';
  if (Array.isArray(answer)) return answer.map(inWords).find((words) => words !== '') ?? '';
  const fenced = 'fenced' in answer && !(Array.isArray(answer.fenced) && answer.fenced.length === 0);
  return fenced ? ': fenced' : '';
}
