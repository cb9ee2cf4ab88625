import { oneOf, type Chance } from '../../../core/chance.ts';
import type { Budget, Fault } from '../plan.ts';
import type { Target } from '../wire.ts';

/** Everything that is fixed before the first step of a run with leases. */
export interface LeasePlan {
  readonly consumers: number;
  /** The queue: a letter is a message with that key. */
  readonly messages: string;
  readonly leaseMs: number;
  readonly faults: Budget;
  /** What is slow to answer. */
  readonly slow?: Target | undefined;
}

export const leaseFaults: readonly Fault[] = [
  'kill',
  'stall',
  'reread',
  'lost-reply',
  'refused-call',
  'late-copy',
  'reject',
  'window-end',
  'clock-jump',
];

export function leasePlanBy(chance: Chance): LeasePlan {
  const letters = oneOf(chance, ['X', 'XY', 'XYZ']);
  const faults: Budget = {};
  for (let n = chance.pick(7); n > 0; n--) {
    const fault = oneOf(chance, leaseFaults);
    faults[fault] = (faults[fault] ?? 0) + 1;
  }
  return {
    consumers: 1 + chance.pick(3),
    messages: Array.from({ length: 1 + chance.pick(4) }, () => letters[chance.pick(letters.length)]).join(''),
    leaseMs: oneOf(chance, [1_000, 30_000]),
    faults,
    slow: oneOf(chance, [undefined, 'store', 'sink'] as const),
  };
}
