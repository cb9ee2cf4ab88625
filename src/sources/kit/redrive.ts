import { bodyOf, type DeadLetter } from '../../core/dead-letter.ts';
import type { Batch } from '../../core/event.ts';
import type { Happening } from '../../core/source.ts';
import { Gate } from './gate.ts';
import type { Aside } from './joined.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface RedriveSource extends Aside {
  /** Sends them down the river once more; resolves when all of them have their outcome, or the worker stops. */
  redrive(letters: readonly DeadLetter[]): Promise<void>;
}

/** Its only partition: what is redriven has no position of its own at the source, so it is numbered. */
const partition = 'redrive';
const batchMax = 1_000;
const drainMs = 600_000;

/** Dead letters that an operator gives back, beside the source that they once came from. */
export function redriveSource(): RedriveSource {
  let happenings: Happening[] = [];
  /** Open = there are some. */
  const gate = new Gate();
  /** What is redriven now. */
  let batches: readonly Batch[] | undefined;
  let letters: readonly DeadLetter[] = [];
  let done: () => void = () => undefined;
  let last: Promise<void> | undefined;

  const tell = (more: readonly Happening[]): void => {
    happenings.push(...more);
    gate.open();
  };

  const carry = (given: readonly DeadLetter[]): Promise<void> =>
    new Promise((resolve) => {
      letters = given;
      batches = undefined;
      done = resolve;
      tell([{ type: 'assigned', partitions: [partition] }]);
    });

  return {
    get isIdle() {
      return last === undefined;
    },
    has: (name) => name === partition,
    async next(signal) {
      if (happenings.length === 0) await unlessAborted(gate.passed, signal);
      const happening = happenings.shift();
      if (happenings.length === 0) gate.close();
      return happening;
    },
    start(_, position = 0) {
      batches ??= batchesOf(letters, position);
      happenings = [];
      tell([
        { type: 'batches', batches: batches.filter(({ next }) => next > position) },
        { type: 'revoked', partitions: [partition], drainMs, done },
      ]);
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => Promise.resolve(),
    redrive(given) {
      const turn = (last ?? Promise.resolve()).then(() => carry(given));
      last = turn;
      return turn.finally(() => {
        if (last !== turn) return;
        last = undefined;
        // Whoever waits for more sees that it is idle.
        gate.open();
      });
    },
  };
}

function batchesOf(letters: readonly DeadLetter[], first: number): Batch[] {
  const batches: Batch[] = [];
  for (let from = 0; from < letters.length; from += batchMax)
    batches.push(batchOf(letters.slice(from, from + batchMax), first + from));
  return batches;
}

function batchOf(letters: readonly DeadLetter[], first: number): Batch {
  const bodies = letters.map(bodyOf);
  const ends = new Uint32Array(bodies.length);
  let size = 0;
  bodies.forEach((body, i) => (ends[i] = size += body.length));
  return {
    partition,
    count: bodies.length,
    bytes: Buffer.concat(bodies),
    starts: Uint32Array.from(bodies, (body, i) => ends[i] - body.length),
    ends,
    positions: Float64Array.from(bodies, (_, i) => first + i),
    next: first + bodies.length,
    attempts: Uint8Array.from(letters, ({ attempt }) => Math.min(attempt, 255)),
    headersOf: (i) => letters[i].headers.map(([name, value]) => [name, Buffer.from(value)] as const),
  };
}
