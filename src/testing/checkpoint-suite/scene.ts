import assert from 'node:assert/strict';
import type { CheckpointStore, Taken } from '../../core/checkpoint.ts';
import { zeroTotals, type Totals } from '../../core/totals.ts';
import { ManualClock } from '../manual-clock.ts';
import type { CheckpointBench, CheckpointCheck, CheckpointPlace, CheckpointSupport } from './check.ts';

/** What a check plays in: a place for checkpoints, its clock, and workers that are connected to it. */
export interface Scene {
  readonly place: CheckpointPlace;
  readonly clock: ManualClock;
  readonly worker: () => Promise<Worker>;
}

/** A worker's connection, for checks that speak of one partition at a time. */
export class Worker {
  readonly store: CheckpointStore;

  constructor(store: CheckpointStore) {
    this.store = store;
  }

  async take(partition = 'p', above = 0): Promise<Taken> {
    const taken = await this.store.take([{ partition, above }]);
    assert.deepEqual(
      taken.map((one) => one.partition),
      [partition],
      'take answers for the partition that was asked for',
    );
    return taken[0];
  }

  /** True = accepted, false = fenced. */
  async commit({ partition, epoch }: Pick<Taken, 'partition' | 'epoch'>, checkpoint: number, n = checkpoint) {
    const { fenced } = await this.store.commit([{ partition, epoch, checkpoint, totals: books(n) }]);
    return !fenced.includes(partition);
  }

  /** An operator's commit: as `commit`. */
  async move(
    { partition, epoch, totals }: Pick<Taken, 'partition' | 'epoch' | 'totals'>,
    checkpoint: number,
  ) {
    const { fenced } = await this.store.commit([{ partition, epoch, checkpoint, totals, moved: true }]);
    return !fenced.includes(partition);
  }
}

/** Books that tell how many deliveries were counted. */
export function books(n: number): Totals {
  return { ...zeroTotals, first: n, emitted: n };
}

export function check(
  name: string,
  run: (scene: Scene) => Promise<void>,
  needs?: keyof CheckpointSupport,
): CheckpointCheck {
  return {
    name,
    ...(needs && { needs }),
    run: async (bench: CheckpointBench) => {
      const clock = new ManualClock();
      const place = await bench.open(clock);
      try {
        await run({ place, clock, worker: async () => new Worker(await place.connect()) });
      } finally {
        await place.close();
      }
    },
  };
}
