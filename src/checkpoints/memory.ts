import type { CheckpointList, CheckpointStore } from '../core/checkpoint.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { Table } from './kit/table.ts';

/** Checkpoints that live as long as the process: for sources that are read once, and the specification of the others. */
export function memoryCheckpoints({
  clock = systemClock,
}: { clock?: Pick<Clock, 'now'> } = {}): CheckpointStore & CheckpointList {
  const table = new Table(clock);
  return {
    take: async (takes) => table.take(takes),
    commit: async (commits) => table.commit(commits),
    list: async () => table.list(),
    close: async () => undefined,
  };
}
