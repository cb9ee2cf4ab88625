import type { Committed, Taken } from '../../core/checkpoint.ts';
import type { CommittingSink, Sink } from '../../core/sink.ts';
import { batchOf, outgoing } from '../batches.ts';
import { books } from '../checkpoint-suite/scene.ts';
import { ManualClock } from '../manual-clock.ts';
import { assertHasMeans } from '../place-means.ts';
import type { CommittingCheck, CommittingPlace, CommittingSupport, Connection } from './check.ts';

/** What a check plays in: a place, and workers that are connected to it. */
export interface Scene {
  readonly worker: () => Promise<Worker>;
  /** What is there, `A1 A2 …`. */
  readonly read: () => Promise<string>;
  readonly readDeadLetters: () => Promise<string>;
}

const { signal } = new AbortController();

/** A worker that takes, stages and commits; it stages payloads as `stage('a', 'A1 A2')`. */
export class Worker {
  readonly sink: CommittingSink;
  readonly deadLetters: Sink | undefined;
  readonly #taken = new Map<string, Taken>();

  constructor({ sink, deadLetters }: Connection) {
    this.sink = sink;
    this.deadLetters = deadLetters;
  }

  async take(...partitions: readonly string[]): Promise<Taken> {
    const taken = await this.sink.take(partitions.map((partition) => ({ partition, above: 0 })));
    for (const one of taken) this.#taken.set(one.partition, one);
    return taken[0];
  }

  async stage(partition: string, payloads: string): Promise<void> {
    await this.sink.write(outgoing(batchOf(payloads.split(' '), { partition })), signal);
  }

  async bury(partition: string, payloads: string): Promise<void> {
    if (!this.deadLetters) throw new Error('supports.deadLetters needs connection.deadLetters');
    await this.deadLetters.write(outgoing(batchOf(payloads.split(' '), { partition })), signal);
  }

  /** With the epochs that it took itself. */
  commit(checkpoints: Readonly<Record<string, number>>): Promise<Committed> {
    return this.sink.commit(
      Object.entries(checkpoints).map(([partition, checkpoint]) => ({
        partition,
        epoch: this.#taken.get(partition)?.epoch ?? 0,
        checkpoint,
        totals: books(checkpoint),
      })),
    );
  }

  /** An operator's commit, with what is staged. */
  move(partition: string, checkpoint: number): Promise<Committed> {
    const { epoch = 0, totals = books(0) } = this.#taken.get(partition) ?? {};
    return this.sink.commit([{ partition, epoch, checkpoint, totals, moved: true }]);
  }

  abort(): Promise<void> {
    return this.sink.abort();
  }
}

export function check(
  name: string,
  run: (scene: Scene) => Promise<void>,
  needs?: keyof CommittingSupport,
): CommittingCheck {
  return {
    name,
    ...(needs && { needs }),
    run: async (bench) => {
      const place = await bench.open(new ManualClock());
      try {
        assertHasMeans<CommittingPlace, CommittingSupport>(place, needs, {
          deadLetters: ['readDeadLetters'],
        });
        await run(sceneOf(place));
      } finally {
        await place.close();
      }
    },
  };
}

function sceneOf(place: CommittingPlace): Scene {
  return {
    worker: async () => new Worker(await place.connect()),
    read: async () => words(await place.read()),
    readDeadLetters: async () => words((await place.readDeadLetters?.()) ?? []),
  };
}

function words(payloads: readonly Uint8Array[]): string {
  return payloads.map((payload) => Buffer.from(payload).toString()).join(' ');
}
