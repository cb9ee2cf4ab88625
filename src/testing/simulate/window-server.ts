import type { Clock } from '../../core/clock.ts';
import type { WindowStore } from '../../core/store.ts';
import { Owners } from './owners.ts';
import type { Wire } from './wire.ts';

export type MakeStore = (clock: Clock, windowMs: number) => WindowStore;

/**
 * The window store that all workers share. It can fail over to a replica that lags: what was carried out since
 * the replica caught up is undone, by carrying out everything before it anew on an empty store.
 */
export class WindowServer {
  store: WindowStore;
  /** Its clock may jump. */
  skewMs = 0;
  #history: { readonly at: number; readonly work: (store: WindowStore) => unknown }[] = [];
  #caughtUp: number | undefined;
  #owners = new Owners();
  readonly #wire: Wire;
  readonly #make: MakeStore;
  readonly #windowMs: number;
  #replayedAt: number | undefined;
  readonly #clock: Clock;

  constructor(wire: Wire, make: MakeStore, windowMs: number) {
    this.#wire = wire;
    this.#make = make;
    this.#windowMs = windowMs;
    const now = () => this.#replayedAt ?? this.#wire.now + this.skewMs;
    this.#clock = {
      now,
      monotonic: () => this.#replayedAt ?? this.#wire.now,
      sleep: () => Promise.resolve(),
    };
    this.store = this.#open();
  }

  carryOut<T>(work: (store: WindowStore) => Promise<T>): Promise<T> {
    this.#history.push({ at: this.#wire.now + this.skewMs, work });
    return work(this.store);
  }

  /** Nobody who lives has lost a claim. */
  check(): Promise<void> {
    return this.#owners.check(this.store);
  }

  get canFailOver(): boolean {
    return this.#caughtUp !== undefined && this.#caughtUp < this.#history.length;
  }
  catchUp(): void {
    this.#caughtUp = this.#history.length;
  }
  failOver(): void {
    this.#history = this.#history.slice(0, this.#caughtUp);
    this.#caughtUp = undefined;
    this.#replayedAt = this.#history[0]?.at;
    this.store = this.#open();
    for (const { at, work } of this.#history) {
      this.#replayedAt = at;
      void work(this.store);
    }
    this.#replayedAt = undefined;
  }

  #open(): WindowStore {
    this.#owners = new Owners();
    return this.#owners.watch(this.#make(this.#clock, this.#windowMs));
  }
}
