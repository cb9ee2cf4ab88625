import type { Taken } from '../checkpoint.ts';
import type { PartitionSession } from '../session.ts';
import { chosen, countOf, type Audit, type Claims } from '../store.ts';
import type { Part } from './part.ts';
import { Progress } from './progress.ts';
import type { River } from './river.ts';

/** Before a partition is read it is taken (checkpoint store: a new epoch) and entered (window store). */
export async function takeAndEnter(
  names: readonly string[],
  {
    checkpoints,
    store,
    patiently,
    keySpace,
    committing,
    above = 0,
  }: Pick<River, 'checkpoints' | 'store' | 'patiently' | 'keySpace'> & {
    committing: boolean;
    above?: number;
  },
): Promise<Taken[]> {
  const entered: Taken[] = [];
  let takes = names.map((partition) => ({ partition, above }));
  while (takes.length > 0) {
    const asked = takes;
    const taken = await patiently('checkpoints', () => checkpoints.take(asked));
    const entries = taken.map((t) => ({
      session: sessionOf(t, keySpace),
      ...(committing && settleBelow(t)),
    }));
    const answers = await patiently('store', () => store.enter(entries));
    takes = [];
    taken.forEach((t, i) => {
      const answer = answers[i];
      if (answer) takes.push({ partition: t.partition, above: answer.fenced });
      else entered.push(t);
    });
  }
  return entered;
}

export function sessionOf({ partition, epoch }: Taken, keySpace: string): PartitionSession {
  return { kind: 'partition', keySpace, partition, epoch };
}
function settleBelow({ checkpoint, writer }: Taken) {
  return checkpoint !== undefined && writer !== undefined && { settleBelow: { checkpoint, writer } };
}

/** What was settled or released lately; said again when the store has lost marks. */
interface Finished {
  readonly done: 'settle' | 'release';
  readonly claims: Claims;
}
const finishedKeysMax = 100_000;

/** One worker's hold on one partition, from enter to its end. */
export class Partition {
  readonly name: string;
  readonly session: PartitionSession;
  readonly progress: Progress;
  /** What waits, in order. */
  readonly aside: Part[] = [];
  /** What is on its way. */
  readonly under = new Set<Part>();
  readonly finished: Finished[] = [];
  /** The session is over: nothing of it is claimed, written or committed any more. */
  over = false;
  /** It is not read on, what is in hand is finished. */
  isLeaving = false;
  paused = false;
  /** How many copies wait behind their part, which is done. */
  leftBehind = 0;
  /** How many claims were asked for. */
  calls = 0;
  #finishedKeys = 0;
  #last: Promise<void>;

  /** `before` is what the last session of this worker on the partition still has under way. */
  constructor(taken: Taken, keySpace: string, before: Promise<void> = Promise.resolve()) {
    this.#last = before;
    this.name = taken.partition;
    this.session = sessionOf(taken, keySpace);
    this.progress = new Progress(taken.checkpoint, taken.totals);
  }

  /** Resolves when all that has a place by now has called `next`. */
  get last(): Promise<void> {
    return this.#last;
  }

  /** A place in the order of the partition: `come` resolves when all earlier ones have called `next`. */
  turn(): { come: Promise<void>; next: () => void } {
    const come = this.#last;
    let next!: () => void;
    this.#last = new Promise((resolve) => (next = resolve));
    return { come, next };
  }

  remember(finished: Finished): void {
    this.finished.push(finished);
    this.#finishedKeys += countOf(finished.claims);
    while (this.#finishedKeys > finishedKeysMax && this.finished.length > 1) {
      const oldest = this.finished.shift();
      if (oldest) this.#finishedKeys -= countOf(oldest.claims);
    }
  }

  /** Every claim that this session believes it has, for the audit. */
  believed(): Audit {
    const claims = [...this.under].map((part) => chosen(part.claims(part.believed())));
    const fingerprints = new Uint32Array(claims.reduce((n, c) => n + c.fingerprints.length, 0));
    const positions = new Float64Array(fingerprints.length / 4);
    let at = 0;
    for (const claim of claims) {
      fingerprints.set(claim.fingerprints, 4 * at);
      positions.set(claim.positions, at);
      at += claim.positions.length;
    }
    return { session: this.session, fingerprints, positions, call: this.calls };
  }

  /** Deliveries that wait. */
  get waiting(): number {
    return this.aside.reduce((n, part) => n + part.count, this.leftBehind);
  }
}
