import type { Bug } from './bugs.ts';
import type { Chance } from '../core/chance.ts';
import type { Action } from './shop.ts';

/** Why a delivery is there: the customer's action, or what made a copy of it. */
export type Cause = 'first' | CopyCause;
export type CopyCause = 'retry' | 'second-path' | 'redelivery' | 'replay' | 'storm';

/** One delivery, and the truth about it. */
export interface Delivery {
  readonly action: Action;
  readonly body: string;
  readonly bug: Bug | undefined;
  readonly cause: Cause;
  /** Which attempt of its client it is; the first is 0. */
  readonly attempt: number;
  /** When it arrives, ms since 1970. */
  readonly at: number;
  /** When the action's first delivery arrived. */
  readonly firstAt: number;
}

export interface CopyKind {
  /** Of all copies; together 1. */
  readonly share: number;
  /** How many copies one occurrence makes, from the least to the most. */
  readonly sizes: readonly [number, number];
  /** Whom it can happen to; without it, all. */
  readonly strikes?: (latest: Delivery) => boolean;
  /** The copies of one occurrence, at most `size`. `history` = what was delivered before the latest, oldest first. */
  readonly copies: (
    latest: Delivery,
    size: number,
    history: readonly Delivery[],
    chance: Chance,
  ) => Delivery[];
}

/** How many deliveries are remembered for what happens to many at once. */
export const historyMax = 2_000;
const second = 1_000;
const hour = 3_600 * second;
const stormAttempts = 5;

export const copyKinds: Record<CopyCause, CopyKind> = {
  /** A mobile client loses its connection in mid-send, and sends again after a while that doubles. */
  retry: {
    share: 0.45,
    sizes: [1, 3],
    strikes: ({ action }) => action.isMobile,
    copies: (latest, size, _history, chance) => {
      let at = latest.at;
      return Array.from({ length: size }, (_, k) => {
        const waitMs = second * 2 ** Math.min(k, 6);
        at += waitMs + chance.pick(waitMs);
        return { ...latest, cause: 'retry', attempt: k + 1, at };
      });
    },
  },
  /** Page and server both report it. */
  'second-path': {
    share: 0.25,
    sizes: [1, 1],
    copies: (latest, _size, _history, chance) => [
      { ...latest, cause: 'second-path', at: latest.at + 1 + chance.pick(3 ** (1 + chance.pick(9))) },
    ],
  },
  /** A broker goes back to its last checkpoint, and delivers a block once more. */
  redelivery: {
    share: 0.15,
    sizes: [20, 200],
    copies: (latest, size, history, chance) =>
      onceMore(history.slice(-size), 'redelivery', latest.at + second + chance.pick(60 * second)),
  },
  /** An operator has a range delivered once more, hours or days later. */
  replay: {
    share: 0.1,
    sizes: [100, 1_000],
    copies: (latest, size, history, chance) => {
      const from = chance.pick(Math.max(1, history.length - size));
      return onceMore(history.slice(from, from + size), 'replay', latest.at + hour + chance.pick(40 * hour));
    },
  },
  /** A producer believes that its calls fail, and makes each of them several times. */
  storm: {
    share: 0.05,
    sizes: [50, 500],
    copies: (latest, size, history, chance) => {
      const calls = history
        .filter(({ action }) => action.producer === latest.action.producer)
        .slice(-Math.ceil(size / stormAttempts));
      return Array.from({ length: stormAttempts }, (_, k) =>
        calls.map((call): Delivery => ({
          ...call,
          cause: 'storm',
          attempt: k + 1,
          at: latest.at + (k + 1) * second + chance.pick(second),
        })),
      )
        .flat()
        .slice(0, size);
    },
  },
};

/** One after another as they came, a millisecond apart. */
function onceMore(deliveries: readonly Delivery[], cause: CopyCause, at: number): Delivery[] {
  return deliveries.map((it, k) => ({ ...it, cause, at: at + k }));
}
