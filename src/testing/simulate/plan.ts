import type { Policies } from '../../core/policies.ts';
import { oneOf, type Chance } from '../../core/chance.ts';
import type { Entry } from './topic.ts';
import type { Target } from './wire.ts';

/** What can go wrong, and how often it may in one run. */
export const faultNames = [
  'kill',
  'stall',
  'rebalance',
  'hand-over',
  'reread',
  'rewind',
  'rewind-by-hand',
  'skip',
  'retention',
  'recreate',
  'unlist',
  'relist',
  'lost-reply',
  'refused-call',
  'late-copy',
  'late-trim',
  'reject',
  'unavailable',
  'false-alarm',
  'abort',
  'redrive',
  'window-end',
  'fail-over',
  'amnesia',
  'clock-jump',
] as const;
export type Fault = (typeof faultNames)[number];
export type Budget = Partial<Record<Fault, number>>;

/** Everything that is fixed before the first step of a run. */
export interface Plan {
  readonly committing: boolean;
  readonly workers: number;
  /** For each partition its log, in both lives of the topic; upper case = the key, ' = another body, ? = no id. */
  readonly logs: readonly string[];
  readonly secondLife: readonly string[];
  readonly bodies: boolean;
  /** Of the window store. */
  readonly shards: number;
  readonly policies: Partial<Policies>;
  readonly batchMax: number;
  readonly faults: Budget;
  /** So many in all in one run. */
  readonly faultsMax?: number;
  /** Something may go wrong when everything is done, and then the run goes on. */
  readonly faultsAfter?: boolean;
  /** A kill only where nothing is in hand. */
  readonly calm: boolean;
  /** What is slow to answer. */
  readonly slow?: Target | 'commits' | undefined;
  /** Time passes only when nothing else can happen. */
  readonly timeIsLast?: boolean;
  /** Owners at the start, by number; else they are given out by chance. */
  readonly owners?: readonly number[];
}

/** The deliveries of a log; `life` tells those without an id apart, which are different events wherever they stand. */
export function entriesOf(text: string, life: string): Entry[] {
  return [...text.matchAll(/([A-Z?])('*)/g)].map(([, key, body], i) => ({
    key: key === '?' ? `?${life}${i}` : key,
    body: body.length,
  }));
}

/** A plan by chance: few events, many copies, some faults. */
export function planBy(chance: Chance): Plan {
  const workers = oneOf(chance, [1, 2, 2, 2, 3]);
  const partitions = oneOf(chance, [1, 2, 2, 2, 3]);
  const faults = faultsBy(chance);
  const again = (faults.kill ?? 0) >= killsMany;
  const bodies = chance.pick(3) === 0;
  const letters = oneOf(chance, again ? ['X', 'XY'] : ['X', 'XY', 'XY', 'XYZ', 'XYZW']);
  const log = (): string =>
    Array.from({ length: 1 + chance.pick(4) }, () => {
      if (chance.pick(10) === 0) return '?';
      return letters[chance.pick(letters.length)] + (bodies && chance.pick(3) === 0 ? "'" : '');
    }).join('');
  const observe = chance.pick(40) === 0;
  return {
    committing: chance.pick(again ? 5 : 2) === 0,
    workers,
    logs: Array.from({ length: partitions }, log),
    secondLife: Array.from({ length: partitions }, log),
    bodies,
    shards: bodies ? 1 : oneOf(chance, [1, 1, 2]),
    policies: {
      conflict: oneOf(
        chance,
        again ? (['dead-letter', 'pass'] as const) : (['dead-letter', 'pass', 'drop'] as const),
      ),
      unidentified: oneOf(chance, ['dead-letter', 'pass'] as const),
      held: chance.pick(6) === 0 ? 'take-over' : 'wait',
      store: chance.pick(20) === 0 ? 'pass' : 'wait',
      heldMsMax: 5_000,
      observe,
    },
    batchMax: 1 + chance.pick(3),
    faults,
    slow: again
      ? oneOf(chance, ['commits', 'commits', 'sink'] as const)
      : oneOf(chance, [undefined, undefined, 'checkpoints', 'checkpoints', 'store', 'sink'] as const),
    calm: chance.pick(5) === 0,
  };
}

/** So many that a delivery is often killed twice: once at work, once settled and not checkpointed. */
const killsMany = 8;

/** Some of everything, or many kills: what was done twice already is only seen after the second. */
function faultsBy(chance: Chance): Budget {
  const faults: Budget = chance.pick(3) === 0 ? { kill: killsMany } : {};
  for (let n = chance.pick(7); n > 0; n--) {
    const fault = oneOf(chance, faultNames);
    faults[fault] = (faults[fault] ?? 0) + 1;
    if (fault === 'relist') faults.unlist = 1;
    if (fault === 'redrive') faults.reject = (faults.reject ?? 0) + 1;
  }
  return faults;
}
