import { randomBytes } from 'node:crypto';
import type { Commit, Taken } from '../../core/checkpoint.ts';
import { outcomeNames, verdictNames, zeroTotals, type Totals } from '../../core/totals.ts';

/** What the window's store says of itself, so that an older copy of it can be told. */
export interface StoreState {
  readonly id: string;
  /** Which run of the store it was. */
  readonly run: number;
  /** How far its log was in that run. */
  readonly position: number;
}

/** A commit, among those of all logs. */
export interface CommitNumber {
  readonly log: string;
  readonly number: number;
}

export interface PartitionRecord {
  readonly partition: string;
  readonly epoch: number;
  readonly checkpoint?: number;
  /** `null` = an operator moved the checkpoint. */
  readonly writer?: number | null;
  /** Without zeros. */
  readonly totals?: Partial<Totals>;
}

/** A file of an output; `until` = when the next one begins, ms since 1970. */
export interface OutputFile {
  /** Its path, as the folder of the log sees it. */
  readonly file: string;
  readonly until?: number;
}

export interface OutputRecord {
  readonly name: string;
  /** Bytes of the current file that are committed. */
  readonly length: number;
  readonly current: OutputFile | null;
  /** Earlier files of a series that are not removed yet. */
  readonly past: readonly OutputFile[];
}

/** Something that an operator confirmed. */
export interface Confirmation {
  readonly code: string;
  readonly detail: string;
  /** RFC 3339 */
  readonly time: string;
}

/** What one record of the log says; what it does not name stays. */
export interface Change {
  readonly partitions?: readonly PartitionRecord[];
  readonly outputs?: readonly (Pick<OutputRecord, 'name' | 'length'> & Partial<OutputRecord>)[];
  readonly state?: StoreState;
  /** The log's own name. */
  readonly log?: string;
  /** The number of the commit that this is. */
  readonly commit?: number;
  readonly confirmed?: readonly Confirmation[];
  /** Nothing is staged, and nothing will be until there is another record. */
  readonly closed?: boolean;
}

/** All that is committed. */
export class Ledger {
  readonly partitions = new Map<string, PartitionRecord>();
  readonly outputs = new Map<string, OutputRecord>();
  readonly confirmed: Confirmation[] = [];
  state: StoreState | undefined;
  lastCommit: CommitNumber = { log: randomBytes(8).toString('hex'), number: 0 };
  /** The outputs are as long as it says, and not longer. */
  isClosed = false;

  apply(change: Change): void {
    const { partitions = [], outputs = [], confirmed = [], closed = false } = change;
    const { state = this.state, log = this.lastCommit.log, commit = this.lastCommit.number } = change;
    for (const one of partitions)
      this.partitions.set(one.partition, { ...this.partitions.get(one.partition), ...one });
    for (const one of outputs)
      this.outputs.set(one.name, { current: null, past: [], ...this.outputs.get(one.name), ...one });
    this.confirmed.push(...confirmed);
    this.state = state;
    this.lastCommit = { log, number: commit };
    this.isClosed = closed;
  }

  whole(): Change {
    return {
      partitions: [...this.partitions.values()],
      outputs: [...this.outputs.values()],
      ...(this.state && { state: this.state }),
      log: this.lastCommit.log,
      commit: this.lastCommit.number,
      confirmed: this.confirmed,
    };
  }

  isFenced({ partition, epoch }: Commit): boolean {
    return this.partitions.get(partition)?.epoch !== epoch;
  }

  taken(partition: string, epoch: number): Taken {
    const { checkpoint, writer, totals } = this.partitions.get(partition) ?? {};
    return {
      partition,
      epoch,
      checkpoint,
      writer: writer ?? undefined,
      totals: { ...zeroTotals, ...totals },
    };
  }

  list(): Taken[] {
    return Array.from(this.partitions.values(), ({ partition, epoch }) => this.taken(partition, epoch));
  }
}

export function recordOf({ partition, epoch, checkpoint, totals, moved }: Commit): PartitionRecord {
  return { partition, epoch, checkpoint, writer: moved ? null : epoch, totals: withoutZeros(totals) };
}

function withoutZeros(totals: Totals): Partial<Totals> {
  const rest: Partial<Record<keyof Totals, number>> = {};
  for (const name of [...verdictNames, ...outcomeNames]) if (totals[name] !== 0) rest[name] = totals[name];
  return rest;
}
