import type { Clock } from '../core/clock.ts';

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** Time that only passes when it is told to: sleepers wake in the order in which their time comes. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  readonly #sleepers: Sleeper[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** How many wait. */
  get sleepers(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = {
        due: this.#monotonic + Math.max(0, ms),
        wake: () => {
          this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      const before = this.#sleepers.findIndex(({ due }) => due > sleeper.due);
      this.#sleepers.splice(before < 0 ? this.#sleepers.length : before, 0, sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Time passes: whoever wakes sees his own moment, and may sleep again within this time. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await settled();
      const next = this.#sleepers.at(0);
      if (!next || next.due > end) break;
      this.#pass(next.due - this.#monotonic);
      next.wake();
    }
    this.#pass(end - this.#monotonic);
  }

  /** Time passes without waking anybody until the next `advance`: for code that does not sleep. */
  tick(ms: number): void {
    this.#pass(ms);
  }

  /** The wall clock is set, forwards or backwards; no time passes. */
  set(now: number): void {
    this.#now = now;
  }

  #pass(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }
}

/** When everything that can go on has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
