import assert from 'node:assert/strict';
import { lineIdentity } from '../../src/core/identity/transport-identity.ts';
import { createPipeline } from '../../src/core/pipeline.ts';
import type { CommittingSink } from '../../src/core/sink.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import type { SourceCheck } from '../../src/testing/source-suite/check.ts';
import { check, log, type Scene } from '../../src/testing/source-suite/scene.ts';

const events = log('a', 50);
const identity = lineIdentity({ secret: new Uint8Array(32).fill(7), pipeline: 'restarts' });
/** The life goes on to the end. */
const never = Infinity;

/** What outlives the workers. */
class World {
  readonly clock = new ManualClock();
  readonly table = new CommittingTable({ clock: this.clock });
  readonly store = memoryStore({ windowMs: 3_600_000, clock: this.clock });

  get isComplete(): boolean {
    return this.table.rows.length >= events.length;
  }

  get emitted(): string[] {
    return this.table.rows.map(({ payload }) => Buffer.from(payload).toString());
  }
}

export const restarts: readonly SourceCheck[] = [
  check(
    'stopped and started again in mid-stream, each event is emitted once',
    [events],
    async (scene) => {
      const world = new World();
      await stopAfter(1, world, scene);
      await stopAfter(2, world, scene);
      await stopAfter(never, world, scene);
      assert.deepEqual(world.emitted, events);
    },
    'replays',
  ),

  check(
    'killed before or after a commit, each event is emitted once',
    [events],
    async (scene) => {
      for (const when of ['before', 'after'] as const)
        for (const commits of [1, 2, 4]) {
          const world = new World();
          await killAt(when, commits, world, scene);
          await killAt(when, commits, world, scene);
          await stopAfter(never, world, scene);
          assert.deepEqual(world.emitted, events, `${when} ${commits}`);
        }
    },
    'replays',
  ),
];

/** A worker's life that ends by itself, or is stopped when it has committed so often, or when everything is there. */
async function stopAfter(commits: number, world: World, scene: Scene): Promise<void> {
  const stop = new AbortController();
  let left = commits;
  const { pipeline, close } = await workerOf(world, scene, async (commit) => {
    const answer = await commit();
    if (--left === 0 || world.isComplete) stop.abort();
    return answer;
  });
  await pipeline.run(stop.signal);
  await close();
}

/** A worker's life that ends with a commit whose answer never comes, unless the source ends before. */
async function killAt(when: 'before' | 'after', commits: number, world: World, scene: Scene): Promise<void> {
  const stop = new AbortController();
  let kill: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (kill = resolve));
  let left = commits;
  const { pipeline } = await workerOf(world, scene, async (commit) => {
    if (--left > 0) {
      const answer = await commit();
      if (world.isComplete) stop.abort();
      return answer;
    }
    if (when === 'after') await commit();
    kill();
    return new Promise(() => undefined);
  });
  await Promise.race([killed, pipeline.run(stop.signal)]);
}

type Commit = CommittingSink['commit'];

async function workerOf(
  { table, store, clock }: World,
  scene: Scene,
  around: (commit: () => ReturnType<Commit>) => ReturnType<Commit>,
) {
  const { source } = await scene.connect();
  const { sink } = table.connect();
  const committing: CommittingSink = { ...sink, commit: (commits) => around(() => sink.commit(commits)) };
  const pipeline = createPipeline({
    source,
    identity,
    store,
    sink: committing,
    clock,
    random: () => 0.5,
  });
  return { pipeline, close: () => source.close() };
}
