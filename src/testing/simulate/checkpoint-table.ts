import type { Commit, Take, Taken } from '../../core/checkpoint.ts';
import { zeroTotals, type Totals } from '../../core/totals.ts';

export interface Row {
  epoch: number;
  checkpoint: number | undefined;
  /** `undefined` = an operator's hand. */
  writer: number | undefined;
  totals: Totals;
}

/** The checkpoint store, which belongs to the broker and knows who owns what. */
export class CheckpointTable {
  readonly rows = new Map<string, Row>();
  /** The furthest checkpoint that was ever accepted, for telling the end of a run. */
  readonly reached = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  take({ partition, above }: Take): Taken {
    const { checkpoint, writer, totals, epoch } = this.rows.get(partition) ?? this.unwritten();
    const next = Math.max(epoch, above) + 1;
    this.rows.set(partition, { epoch: next, checkpoint, writer, totals });
    return { partition, epoch: next, checkpoint, writer, totals };
  }

  /** `isOwner` = the broker still gives the partition to that worker; it is the epoch that counts. */
  accepts({ partition, epoch }: Commit, _isOwner: boolean): boolean {
    return this.rows.get(partition)?.epoch === epoch;
  }

  write({ partition, epoch, checkpoint, totals, moved }: Commit): void {
    const row = this.rows.get(partition) ?? this.unwritten();
    this.rows.set(partition, { epoch: row.epoch, checkpoint, writer: moved ? undefined : epoch, totals });
    this.reached.set(partition, checkpoint);
  }

  forget(partition: string): void {
    this.rows.delete(partition);
  }

  checkpointOf(partition: string): number {
    return this.rows.get(partition)?.checkpoint ?? 0;
  }

  /** A number never comes again: a record that starts anew starts at the time. */
  protected unwritten(): Row {
    return { epoch: this.#now() * 1_000, checkpoint: undefined, writer: undefined, totals: zeroTotals };
  }
}
