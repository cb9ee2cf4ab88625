import type { Batch } from '../../core/event.ts';
import type { Identity } from '../../core/identity.ts';

const stepsMax = 131_072;
const aheadMsMax = 3_600_000;

/**
 * Time as the events tell it: the latest of their own times so far. A file that is read in a minute may hold a month;
 * by this clock its window and the age of its copies are what they were.
 */
export class StreamClock {
  #latest = -Infinity;
  readonly #wall: () => number;
  readonly #partitions = new Map<string, number>();
  /** In the order of reading: from this position on the clock showed this time. */
  #steps: { readonly partition: number; readonly position: number; readonly time: number }[] = [];

  /** What lies more than 1 h beyond the wall clock is not believed. */
  constructor(wall: () => number) {
    this.#wall = wall;
  }

  now(): number {
    return Number.isFinite(this.#latest) ? this.#latest : this.#wall();
  }

  /** The same identity, and the clock goes with what it reads. */
  following(identity: Identity): Identity {
    return {
      signature: identity.signature,
      identify: async (batch) => {
        const keys = await identity.identify(batch);
        if (keys.times) this.#follow(batch, keys.times);
        return keys;
      },
      fingerprintOf: (id, scope) => identity.fingerprintOf(id, scope),
    };
  }

  /** How long after its own time a delivery came, ms. */
  ageOf(partition: string, position: number, time: number): number {
    const ordinal = this.#partitions.get(partition) ?? 0;
    let [low, high] = [0, this.#steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const step = this.#steps[middle];
      if (step.partition < ordinal || (step.partition === ordinal && step.position <= position))
        low = middle + 1;
      else high = middle;
    }
    return Math.max(0, (this.#steps[low - 1]?.time ?? time) - time);
  }

  #follow({ partition, positions }: Batch, times: Float64Array): void {
    if (!this.#partitions.has(partition)) this.#partitions.set(partition, this.#partitions.size);
    const ordinal = this.#partitions.get(partition) ?? 0;
    const most = this.#wall() + aheadMsMax;
    for (let i = 0; i < times.length; i++) {
      if (!(times[i] > this.#latest && times[i] <= most)) continue;
      this.#latest = times[i];
      this.#steps.push({ partition: ordinal, position: positions[i], time: times[i] });
    }
    if (this.#steps.length > stepsMax) this.#steps = this.#steps.slice(-stepsMax / 2);
  }
}
