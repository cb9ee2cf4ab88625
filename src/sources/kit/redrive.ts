import { bodyOf, redrivePartition as partition, type DeadLetter } from '../../core/dead-letter.ts';
import type { Batch } from '../../core/event.ts';
import type { Happening } from '../../core/source.ts';
import { Gate } from './gate.ts';
import type { Aside } from './joined.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface RedriveSource extends Aside {
  /** Sends them down the river once more; resolves when all of them have their outcome, or the source is closed. */
  redrive(letters: Letters): Promise<void>;
}
export type Letters = Iterable<DeadLetter> | AsyncIterable<DeadLetter>;

const groupMax = 1_000;
const groupSizeMax = 8_388_608;
const drainMs = 600_000;

/** Dead letters that an operator gives back, beside the source that they once came from. */
export function redriveSource(): RedriveSource {
  let happenings: Happening[] = [];
  /** Open = there are some. */
  const gate = new Gate();
  /** What is redriven now. */
  let batch: Batch | undefined;
  let letters: readonly DeadLetter[] = [];
  let done: () => void = () => undefined;
  let last: Promise<void> | undefined;
  let isClosed = false;

  const tell = (more: readonly Happening[]): void => {
    happenings.push(...more);
    gate.open();
  };

  const carry = (given: readonly DeadLetter[]): Promise<void> =>
    new Promise((resolve) => {
      letters = given;
      batch = undefined;
      done = resolve;
      tell([{ type: 'assigned', partitions: [partition] }]);
    });

  const carryAll = async (all: Letters): Promise<void> => {
    for await (const group of groupsOf(all)) {
      if (isClosed) return;
      await carry(group);
    }
  };

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
      batch ??= letterBatch(letters, position);
      happenings = [];
      tell([
        { type: 'batches', batches: batch.next > position ? [batch] : [] },
        { type: 'revoked', partitions: [partition], drainMs, done },
      ]);
    },
    pause: () => undefined,
    resume: () => undefined,
    close() {
      isClosed = true;
      done();
      return Promise.resolve();
    },
    redrive(given) {
      const turn = (last ?? Promise.resolve())
        .then(() => carryAll(given))
        .finally(() => {
          if (last !== over) return;
          last = undefined;
          // Whoever waits for more sees that it is idle.
          gate.open();
        });
      const over = turn.catch(() => undefined);
      last = over;
      return turn;
    },
  };
}

/** So many as may be in memory at once. */
export async function* groupsOf(letters: Letters): AsyncGenerator<DeadLetter[]> {
  let group: DeadLetter[] = [];
  let size = 0;
  for await (const letter of letters) {
    group.push(letter);
    size += (letter.body ?? letter.body_base64 ?? '').length;
    if (group.length < groupMax && size < groupSizeMax) continue;
    yield group;
    group = [];
    size = 0;
  }
  if (group.length > 0) yield group;
}

/** Deliveries again, numbered from `first` on. */
export function letterBatch(letters: readonly DeadLetter[], first: number): Batch {
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
