import { systemClock, windowTime, type Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import type * as contract from '../core/store.ts';
import type { PartitionSession } from '../core/session.ts';
import { WindowState, type WindowOptions } from './kit/window-state.ts';

export interface MemoryStoreOptions extends WindowOptions {
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
}

/**
 * A window in the memory of this process: nothing survives it, nobody shares it. It is made to be fast and small;
 * `readableStore` (hapax/testing) says the same plainly.
 */
export function memoryStore(options: MemoryStoreOptions): contract.WindowStore {
  return new MemoryStore(options);
}

class MemoryStore implements contract.WindowStore {
  readonly supports = { durable: false, shared: false, leases: true, bodies: true };
  readonly windowMs: number;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #windowNow: () => number;
  readonly #state: WindowState;
  #isClosed = false;

  constructor({ clock = systemClock, ...options }: MemoryStoreOptions) {
    this.windowMs = options.windowMs;
    this.#clock = clock;
    this.#windowNow = windowTime(clock);
    this.#state = new WindowState(options, this.#windowNow());
  }

  async enter(entries: readonly contract.Enter[]): Promise<contract.Entered[]> {
    return this.#now().enter(entries);
  }
  async claim(claim: contract.Claim): Promise<contract.Claimed> {
    return this.#now().claim(claim);
  }
  async settle(claims: contract.Claims): Promise<Uint8Array> {
    return this.#now().settle(claims);
  }
  async release(claims: contract.Claims): Promise<Uint8Array> {
    return this.#now().release(claims);
  }
  async trim(session: PartitionSession, below: number): Promise<contract.Fenced | undefined> {
    return this.#now().trim(session, below);
  }
  async audit(session: PartitionSession, audit: contract.Audit): Promise<contract.Fenced | undefined> {
    return this.#now().audit(session, audit);
  }
  async forget(fingerprints: Uint32Array): Promise<('none' | 'forgotten' | 'refused')[]> {
    return this.#now().forget(fingerprints);
  }
  async look(fingerprints: Uint32Array): Promise<contract.Sight[]> {
    return this.#now().look(fingerprints);
  }
  stats(): contract.StoreStats {
    return this.#now().stats();
  }

  onLoss(): () => void {
    // This memory does not lose marks: it goes as a whole.
    return () => undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Every call begins with the time: leases and windows end by it. */
  #now(): WindowState {
    if (this.#isClosed) throw new HapaxError('HPX-S003', 'memory');
    this.#state.advance(this.#windowNow(), this.#clock.monotonic());
    return this.#state;
  }
}
