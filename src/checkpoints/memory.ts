import type { CheckpointList, CheckpointStore, Commit, Take, Taken } from '../core/checkpoint.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { zeroTotals, type Totals } from '../core/totals.ts';

interface Row {
  epoch: number;
  checkpoint: number | undefined;
  writer: number | undefined;
  totals: Totals;
}

/** Checkpoints that live as long as the process: for sources that are read once, and the specification of the others. */
export function memoryCheckpoints({
  clock = systemClock,
}: { clock?: Pick<Clock, 'now'> } = {}): CheckpointStore & CheckpointList {
  const rows = new Map<string, Row>();

  const take = ({ partition, above }: Take): Taken => {
    const row = rows.get(partition) ?? {
      epoch: clock.now() * 1_000,
      checkpoint: undefined,
      writer: undefined,
      totals: zeroTotals,
    };
    const { checkpoint, writer, totals } = row;
    row.epoch = Math.max(Math.floor(row.epoch), above) + 1;
    rows.set(partition, row);
    return { partition, epoch: row.epoch, checkpoint, writer, totals };
  };

  const isFenced = ({ partition, epoch }: Commit) => rows.get(partition)?.epoch !== epoch;

  return {
    take: async (takes) => takes.map(take),
    commit: async (commits) => {
      for (const commit of commits) {
        if (!isFenced(commit)) {
          const { partition, epoch, checkpoint, totals, moved } = commit;
          rows.set(partition, { epoch, checkpoint, writer: moved ? undefined : epoch, totals });
        }
      }
      return { fenced: commits.filter(isFenced).map(({ partition }) => partition) };
    },
    list: async () => Array.from(rows, ([partition, row]) => ({ partition, ...row })),
    close: async () => undefined,
  };
}
