import { Verdict } from '../../core/verdict.ts';
import type { Fault } from './plan.ts';
import type { Step } from './step.ts';
import { Violation } from './violation.ts';
import type { Call } from './wire.ts';
import type { World } from './world.ts';

/** Carries calls out, or lets something happen to them. */
export class Network {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Each call that can be carried out, with its mishaps; late copies; and time, which may pass. */
  steps(isStalled: (worker: string) => boolean): Step[] {
    const { wire } = this.#world;
    const ready = wire.calls.filter((call) => call.ready() && !isStalled(call.worker));
    const steps: Step[] = [];
    for (const call of ready) {
      steps.push({
        weight: call.target === this.#world.plan.slow ? 1 : 10,
        go: () => {
          this.#carryOut(call);
        },
      });
      if (call.target !== 'timer' && call.target !== 'source') steps.push(...this.#mishaps(call));
    }
    wire.late.forEach((late, k) => {
      const go = (): void => {
        wire.late.splice(k, 1);
        this.#world.say(`late: ${late.what}, nobody listens`);
        late.run();
      };
      steps.push({ weight: 2, go });
    });
    const timeMatters = wire.nextTimer() !== undefined && !(this.#world.plan.timeIsLast && steps.length > 0);
    if (timeMatters)
      steps.push({
        weight: 0.5,
        go: () => {
          this.passTime();
        },
      });
    return steps;
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
        go: () => {
          this.#world.use(fault);
          if (this.#world.plan.policies.store === 'pass') this.#world.books.allowed += 4;
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

const verdictWords = Object.keys(Verdict);

function inWords(answer: unknown): string {
  if (answer instanceof Uint8Array) return answer.some((x) => x !== 0) ? ` (${[...answer].join('')})` : '';
  if (typeof answer !== 'object' || answer === null) return '';
  if ('verdicts' in answer)
    return `: ${Array.from(answer.verdicts as Uint8Array, (v) => verdictWords[v]).join(', ')}`;
  if ('aborted' in answer) return ': aborted';
  if (Array.isArray(answer)) return answer.map(inWords).find((words) => words !== '') ?? '';
  const fenced = 'fenced' in answer && !(Array.isArray(answer.fenced) && answer.fenced.length === 0);
  return fenced ? ': fenced' : '';
}
