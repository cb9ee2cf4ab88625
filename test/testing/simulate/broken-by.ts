import { brokenStores } from '../../../src/testing/broken-stores.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import type { MakeStore } from '../../../src/testing/simulate/window-server.ts';
import type { Clock } from '../../../src/core/clock.ts';

/** Broken stores want a clock that can be moved; this one goes with the world's. */
class Shown extends ManualClock {
  readonly #clock: Clock;
  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }
  override now(): number {
    return this.#clock.now();
  }
  override monotonic(): number {
    return this.#clock.monotonic();
  }
}

/** A broken store of the conformance suite, by its name. */
export function brokenBy(name: string): MakeStore {
  const broken = brokenStores.find((it) => it.name === name);
  if (!broken) throw new Error(`no broken store ${name}`);
  return (clock, windowMs) => {
    const store = broken.make({ windowMs, clock: new Shown(clock) });
    if (store instanceof Promise) throw new Error(`${name} is not there at once`);
    return store;
  };
}
