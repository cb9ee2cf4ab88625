import { bytesOf, type Payload } from '../batches.ts';
import { assertHasMeans, type Means } from '../place-means.ts';
import type { SourceBench, SourceCheck, SourcePlace, SourceSupport } from './check.ts';
import { Reader, type Limit, type Limits } from './reader.ts';

/** What a check plays in: a place, and readers that are connected to it. */
export interface Scene {
  readonly place: SourcePlace;
  readonly partitions: readonly string[];
  readonly supports: SourceSupport;
  readonly quiet: () => Promise<void>;
  readonly connect: () => Promise<Reader>;
}

const means: Means<SourcePlace, SourceSupport> = {
  grows: ['append'],
  revokes: ['revoke', 'giveBack'],
  retains: ['retain'],
  retires: ['retire'],
};

const never = new AbortController().signal;

/** So many turns of the event loop. */
export function turns(count: number): Limit {
  return async (signal) => {
    for (let turn = 0; turn < count && !signal.aborted; turn++)
      await new Promise((resolve) => setImmediate(resolve));
  };
}

export function check(
  name: string,
  logs: readonly (readonly Payload[])[],
  run: (scene: Scene) => Promise<void>,
  needs?: keyof SourceSupport,
): SourceCheck {
  return {
    name,
    ...(needs && { needs }),
    run: async (bench: SourceBench) => {
      const place = await bench.open(logs.map((log) => log.map(bytesOf)));
      const quiet = bench.quiet ?? turns(50);
      const limits: Limits = { quiet, overdue: bench.overdue ?? (() => new Promise(() => undefined)) };
      try {
        assertHasMeans(place, needs, means);
        await run({
          place,
          partitions: place.partitions,
          supports: bench.supports,
          quiet: () => quiet(never),
          connect: async () => new Reader(await place.connect(), limits),
        });
      } finally {
        await place.close();
      }
    },
  };
}

/** `a0 … a9`, each long enough that they come in several batches where a batch is small. */
export function log(name: string, count = 10): string[] {
  return Array.from({ length: count }, (_, n) => `${name}${n} ${'.'.repeat(20)}`);
}
