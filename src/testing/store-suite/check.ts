import type { StoreSupport, WindowStore } from '../../core/store.ts';
import type { ManualClock } from '../manual-clock.ts';

/** An empty store of its own for each call, whose time is the clock's. */
export type StoreFactory = (options: StoreOptions) => WindowStore | Promise<WindowStore>;

export interface StoreOptions {
  readonly windowMs: number;
  readonly clock: ManualClock;
}

/** One promise of the store. `run` throws where it is broken. */
export interface Check {
  readonly name: string;
  /** It is skipped for stores that do not support this. */
  readonly needs?: keyof StoreSupport;
  readonly run: (factory: StoreFactory) => Promise<void>;
}
