import type { Sight, WindowStore } from '../../core/store.ts';
import { ManualClock } from '../manual-clock.ts';
import { Caller, fingerprintsOf, PartitionCaller } from './caller.ts';
import type { Check, StoreFactory } from './check.ts';

export const windowMs = 3_600_000;

/** What a check plays in: a store, its clock, and callers that speak in names of keys and verdicts. */
export interface Scene {
  readonly store: WindowStore;
  readonly clock: ManualClock;
  /** A worker's hold on a partition. It has not entered. */
  readonly partition: (name: string, epoch: number, keySpace?: string) => PartitionCaller;
  readonly lease: (token: string, leaseMs?: number) => Caller;
  readonly look: (key: string) => Promise<Sight>;
  readonly forget: (key: string) => Promise<string>;
}

export async function openScene(factory: StoreFactory, settings = { windowMs }): Promise<Scene> {
  const clock = new ManualClock();
  const store = await factory({ ...settings, clock });
  return {
    store,
    clock,
    partition: (partition, epoch, keySpace = 'suite') =>
      new PartitionCaller(store, { kind: 'partition', keySpace, partition, epoch }),
    lease: (token, leaseMs = 30_000) => new Caller(store, { kind: 'lease', token, leaseMs }),
    look: async (key) => (await store.look(fingerprintsOf([key])))[0],
    forget: async (key) => (await store.forget(fingerprintsOf([key])))[0],
  };
}

export function check(name: string, run: (scene: Scene) => Promise<void>, needs?: Check['needs']): Check {
  return {
    name,
    ...(needs && { needs }),
    run: async (factory) => {
      const scene = await openScene(factory);
      try {
        await run(scene);
      } finally {
        await scene.store.close();
      }
    },
  };
}
