import type { CheckpointStore, Commit, Committed, Take, Taken } from '../../core/checkpoint.ts';
import { zeroTotals, type Totals } from '../../core/totals.ts';
import type { CheckpointBench } from '../checkpoint-suite/check.ts';
import type { ManualClock } from '../manual-clock.ts';

export interface Row {
  readonly epoch: number;
  readonly checkpoint: number | undefined;
  readonly writer: number | undefined;
  readonly totals: Totals;
}

/** A checkpoint store in rooms, so that one promise at a time can be broken. */
export class Table implements CheckpointStore {
  readonly rows = new Map<string, Row>();
  readonly clock: ManualClock;

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  async take(takes: readonly Take[]): Promise<Taken[]> {
    return Promise.all(takes.map((take) => this.takeOne(take)));
  }

  async commit(commits: readonly Commit[]): Promise<Committed> {
    const fenced = commits.filter((commit) => this.isFenced(commit));
    for (const commit of commits) if (!fenced.includes(commit)) this.write(commit);
    return { fenced: fenced.map(({ partition }) => partition) };
  }

  async close(): Promise<void> {
    return Promise.resolve();
  }

  async takeOne({ partition, above }: Take): Promise<Taken> {
    const row = this.read(partition);
    const epoch = Math.max(row.epoch, above) + 1;
    this.rows.set(partition, { ...row, epoch });
    return { partition, ...row, epoch };
  }

  read(partition: string): Row {
    return this.rows.get(partition) ?? this.unwritten();
  }

  unwritten(): Row {
    return {
      epoch: this.clock.now() * 1_000,
      checkpoint: undefined,
      writer: undefined,
      totals: zeroTotals,
    };
  }

  isFenced({ partition, epoch }: Commit): boolean {
    return this.rows.get(partition)?.epoch !== epoch;
  }

  write({ partition, epoch, checkpoint, totals, moved }: Commit): void {
    const writer = moved ? undefined : epoch;
    this.rows.set(partition, { epoch: this.read(partition).epoch, checkpoint, writer, totals });
  }
}

/** Checkpoints with one promise broken, in a way that somebody would build them. The suite must notice. */
export interface BrokenCheckpoints {
  readonly name: string;
  readonly bench: CheckpointBench;
  /** The checks that fail, as `theme: name`; all others pass. */
  readonly fails: readonly string[];
}

export function broken(
  name: string,
  fails: readonly string[],
  kind: new (clock: ManualClock) => Table,
): BrokenCheckpoints {
  return { name, fails, bench: benchOf((clock) => new kind(clock)) };
}

export function benchOf(open: (clock: ManualClock) => CheckpointStore): CheckpointBench {
  return {
    supports: { apart: true },
    open: (clock) => {
      const store = open(clock);
      return { connect: () => store, close: () => Promise.resolve() };
    },
  };
}
