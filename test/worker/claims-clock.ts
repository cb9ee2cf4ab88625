import { systemClock, type Clock } from '../../src/core/clock.ts';
import type { Notice } from '../../src/core/notice.ts';
import type { WindowStore } from '../../src/core/store.ts';
import { instead } from '../core/workshop.ts';

const startOfTime = Date.UTC(2026, 10, 30, 14);

/** Time that goes with the work, over restarts too: what it shows is how much of the input was claimed. */
export class ClaimsClock implements Clock {
  readonly #msPerByte: number;
  /** How far each partition is. */
  readonly #reached = new Map<string, number>();
  #time = startOfTime;

  constructor(msPerByte: number) {
    this.#msPerByte = msPerByte;
  }

  now(): number {
    return this.#time;
  }
  monotonic(): number {
    return this.#time;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  hear(notice: Notice): void {
    if (notice.type === 'taken') this.#reached.set(notice.partition, notice.checkpoint ?? 0);
  }

  /** The same store, whose claims the clock sees. */
  seeing(store: WindowStore): WindowStore {
    return instead(store, {
      claim: (claim) => {
        const { session, positions } = claim;
        if (session.kind === 'partition') this.#reached.set(session.partition, positions[0]);
        const size = [...this.#reached.values()].reduce((sum, one) => sum + one, 0);
        this.#time = Math.max(this.#time, startOfTime + this.#msPerByte * size);
        return store.claim(claim);
      },
    });
  }
}
