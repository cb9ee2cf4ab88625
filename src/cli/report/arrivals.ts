import type { Batch } from '../../core/event.ts';
import type { Identity } from '../../core/identity.ts';

/** From each of these positions on the latest time was this. */
interface Steps {
  readonly positions: number[];
  readonly times: number[];
}

/** Of all partitions; beyond, the oldest are forgotten. */
const stepsMax = 131_072;
const aheadMsMax = 3_600_000;

/**
 * When deliveries came, as the events tell it: the latest of their own times until then, in the order of reading. A file
 * that is read in a minute may hold a month; by this its copies are as old as they were.
 */
export class Arrivals {
  readonly #wall: () => number;
  /** By partition, the one that was read last at the end. */
  readonly #steps = new Map<string, Steps>();
  #count = 0;
  #latest = -Infinity;

  /** What lies more than 1 h beyond the wall clock is not believed. */
  constructor(wall: () => number) {
    this.#wall = wall;
  }

  /** ms since 1970; -Infinity = no event has told a time. */
  get latest(): number {
    return this.#latest;
  }

  /** What this identity is asked about has just come. */
  watching(identity: Identity): Identity {
    return {
      signature: identity.signature,
      keySpace: identity.keySpace,
      fingerprintOf: (id, scope) => identity.fingerprintOf(id, scope),
      identify: async (batch) => {
        const keys = await identity.identify(batch);
        keys.times?.forEach((time, i) => this.come(batch, i, time));
        return keys;
      },
    };
  }

  /** The next delivery came. Answers whether the latest time went on. */
  come({ partition, positions }: Batch, i: number, time: number): boolean {
    const goesOn = time > this.#latest && time <= this.#wall() + aheadMsMax;
    if (goesOn) this.#latest = time;
    if (goesOn || (i === 0 && this.#latest > -Infinity)) this.#note(partition, positions[i]);
    return goesOn;
  }

  /** How much later than its own time a delivery came, in ms; `undefined` = nobody knows (any more). */
  ageOf(partition: string, position: number, time: number): number | undefined {
    const steps = this.#steps.get(partition);
    const k = steps ? countUpTo(position, steps.positions) - 1 : -1;
    return k < 0 ? undefined : Math.max(0, steps!.times[k] - time);
  }

  #note(partition: string, position: number): void {
    const steps = this.#lately(partition);
    const last = steps.positions.at(-1) ?? -Infinity;
    // It is read once more, from further back.
    if (position < last) this.#forget(steps, steps.positions.length);
    steps.positions.push(position);
    steps.times.push(this.#latest);
    if (++this.#count > stepsMax) this.#forgetOldest();
  }

  #lately(partition: string): Steps {
    const steps = this.#steps.get(partition) ?? { positions: [], times: [] };
    this.#steps.delete(partition);
    this.#steps.set(partition, steps);
    return steps;
  }

  #forgetOldest(): void {
    for (const [partition, steps] of this.#steps) {
      if (this.#steps.size === 1) return this.#forget(steps, stepsMax / 2);
      this.#forget(steps, steps.positions.length);
      this.#steps.delete(partition);
      if (this.#count <= stepsMax / 2) return;
    }
  }

  #forget({ positions, times }: Steps, count: number): void {
    positions.splice(0, count);
    times.splice(0, count);
    this.#count -= count;
  }
}

/** How many of the sorted numbers are not greater. */
function countUpTo(most: number, sorted: readonly number[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
