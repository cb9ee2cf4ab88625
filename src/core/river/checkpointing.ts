import type { Partition } from './partition.ts';
import type { Ahead } from './progress.ts';
import type { River } from './river.ts';

/**
 * Commits how far the partitions have come, with a sink that does not do it itself: the contiguous prefix of what
 * has its outcome, one commit at a time, the latest for all partitions in it.
 */
export async function commitCheckpoints(river: River, partitions: Iterable<Partition>): Promise<void> {
  const moves: [Partition, Ahead][] = [];
  for (const partition of partitions) {
    const ahead = partition.over ? undefined : partition.progress.peek();
    if (ahead) moves.push([partition, ahead]);
  }
  if (moves.length === 0) return;
  const commits = moves.map(([{ name, session }, { checkpoint, totals }]) => ({
    partition: name,
    epoch: session.epoch,
    checkpoint,
    totals,
  }));
  const { fenced } = await river.patiently('checkpoints', () => river.checkpoints.commit(commits));
  for (const [partition, ahead] of moves) {
    if (fenced.includes(partition.name)) river.end(partition, 'fenced');
    else {
      partition.progress.advance(ahead);
      river.regulate(partition);
      river.trim(partition);
    }
  }
}
