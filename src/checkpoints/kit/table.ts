import type { Commit, Committed, Take, Taken } from '../../core/checkpoint.ts';
import type { Clock } from '../../core/clock.ts';
import { zeroTotals } from '../../core/totals.ts';

/** The rows of a checkpoint store that one process has to itself. */
export class Table {
  readonly #rows: Map<string, Taken>;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>, rows: readonly Taken[] = []) {
    this.#clock = clock;
    this.#rows = new Map(rows.map((row) => [row.partition, row]));
  }

  copy(): Table {
    return new Table(this.#clock, this.list());
  }

  take(takes: readonly Take[]): Taken[] {
    return takes.map(({ partition, above }) => {
      const row = this.#rows.get(partition) ?? this.#unwritten(partition);
      const taken = { ...row, epoch: Math.max(row.epoch, above) + 1 };
      this.#rows.set(partition, taken);
      return taken;
    });
  }

  commit(commits: readonly Commit[]): Committed {
    const isFenced = ({ partition, epoch }: Commit) => this.#rows.get(partition)?.epoch !== epoch;
    const fenced = commits.filter(isFenced).map(({ partition }) => partition);
    for (const commit of commits) {
      if (isFenced(commit)) continue;
      const { partition, epoch, checkpoint, totals, moved } = commit;
      this.#rows.set(partition, {
        partition,
        epoch,
        checkpoint,
        writer: moved ? undefined : epoch,
        totals,
      });
    }
    return { fenced };
  }

  list(): Taken[] {
    return [...this.#rows.values()];
  }

  #unwritten(partition: string): Taken {
    const epoch = Math.floor(this.#clock.now() * 1_000);
    return { partition, epoch, checkpoint: undefined, writer: undefined, totals: zeroTotals };
  }
}
