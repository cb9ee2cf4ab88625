import { Sdk } from './bugs.ts';
import { seeded, type Chance } from '../core/chance.ts';
import { copyKinds, historyMax, type CopyCause, type CopyKind, type Delivery } from './copies.ts';
import { shop, type Action } from './shop.ts';
import { Timeline } from './timeline.ts';

export interface TrafficOptions {
  readonly seed: number;
  /** Copies included. */
  readonly deliveries: number;
  /** The share of deliveries that are copies, 0 … 0.99. */
  readonly duplicates: number;
  /** The share of actions that a faulty SDK sends, 0 … 1. */
  readonly bugs: number;
  /** ms since 1970 */
  readonly startAt: number;
  /** Actions a second, on average. */
  readonly perSecond: number;
}

/**
 * Deliveries of a shop's events in the order of arrival, exactly as many as asked for, and the same for the same
 * options. What a copy needs hours for arrives after the last action.
 */
export function* traffic(options: TrafficOptions): Generator<Delivery> {
  const chance = seeded(options.seed);
  const sdk = new Sdk(chance, options.bugs);
  const copies = Math.min(options.deliveries - 1, Math.round(options.deliveries * options.duplicates));
  const actions = options.deliveries - copies;
  const faults = new Faults(copies / actions, chance);
  const coming = new Timeline<Delivery>();
  const history: Delivery[] = [];

  function* arrived(until: number): Generator<Delivery> {
    while (coming.size > 0 && coming.nextAt <= until) {
      const delivery = coming.take()!;
      if (history.push(delivery) > 2 * historyMax) history.splice(0, historyMax);
      yield delivery;
    }
  }
  const comeLater = (made: readonly Delivery[]): void => {
    for (const { body, ...copy } of made) {
      const isSentAgain = copy.cause === 'retry' || copy.cause === 'storm';
      coming.put(copy.at, { ...copy, body: isSentAgain ? sdk.writeAgain(body, copy.bug, copy.at) : body });
    }
  };

  let latest: Delivery | undefined;
  let left = copies;
  for (const action of shop({ chance, ...options })) {
    if (action.number === actions) break;
    yield* arrived(action.at);
    latest = first(action, sdk, chance);
    coming.put(latest.at, latest);
    const made = faults.happen(latest, history).slice(0, left);
    left -= made.length;
    comeLater(made);
  }
  if (latest) comeLater(faults.rest(latest, left, history));
  yield* arrived(Infinity);
}

function first(action: Action, sdk: Sdk, chance: Chance): Delivery {
  const at = action.at + 20 + chance.pick(180);
  return { action, ...sdk.write(action), cause: 'first', attempt: 0, at, firstAt: at };
}

/** Each kind of copy saves up its share with every action, until there is enough for its next occurrence. */
class Faults {
  readonly #perAction: number;
  readonly #chance: Chance;
  readonly #savings = new Map<CopyCause, { owed: number; size: number }>();

  constructor(perAction: number, chance: Chance) {
    this.#perAction = perAction;
    this.#chance = chance;
    for (const [cause, kind] of kindsOf()) this.#savings.set(cause, { owed: 0, size: this.#sizeOf(kind) });
  }

  happen(latest: Delivery, history: readonly Delivery[]): Delivery[] {
    const made: Delivery[] = [];
    for (const [cause, kind] of kindsOf()) {
      const saved = this.#savings.get(cause)!;
      saved.owed += kind.share * this.#perAction;
      while (saved.owed >= saved.size && (kind.strikes?.(latest) ?? true)) {
        const copies = kind.copies(latest, saved.size, history, this.#chance);
        if (copies.length === 0) break;
        made.push(...copies);
        saved.owed -= copies.length;
        saved.size = this.#sizeOf(kind);
      }
    }
    return made;
  }

  /** What has been saved up when the last action is over; whatever is missing from `count` then, its client retries. */
  rest(latest: Delivery, count: number, history: readonly Delivery[]): Delivery[] {
    const made: Delivery[] = [];
    for (const [cause, { copies }] of kindsOf()) {
      const size = Math.min(Math.round(this.#savings.get(cause)!.owed), count - made.length);
      if (size > 0) made.push(...copies(latest, size, history, this.#chance));
    }
    return [...made, ...copyKinds.retry.copies(latest, count - made.length, history, this.#chance)];
  }

  #sizeOf({ sizes: [least, most] }: CopyKind): number {
    return least + this.#chance.pick(most - least + 1);
  }
}

function kindsOf(): [CopyCause, CopyKind][] {
  return Object.entries(copyKinds) as [CopyCause, CopyKind][];
}
