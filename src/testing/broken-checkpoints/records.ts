import { zeroTotals } from '../../core/totals.ts';
import type { Commit, Committed, Take, Taken } from '../../core/checkpoint.ts';
import { broken, Table, type Row } from './table.ts';

export const records = [
  broken(
    'keeps no books',
    [
      'records: what was committed comes back with the books',
      'records: the last commit counts, and the same one may come twice',
      'records: each partition keeps its own writer, checkpoint and books',
      'fencing: after a take a commit of an older epoch is refused, and changes nothing',
    ],
    class extends Table {
      override write(commit: Commit): void {
        super.write({ ...commit, totals: zeroTotals });
      }
    },
  ),

  broken(
    'adds the books up',
    ['records: the last commit counts, and the same one may come twice'],
    class extends Table {
      override write(commit: Commit): void {
        const { first, emitted } = this.read(commit.partition).totals;
        const totals = { ...commit.totals };
        super.write({
          ...commit,
          totals: { ...totals, first: totals.first + first, emitted: totals.emitted + emitted },
        });
      }
    },
  ),

  broken(
    'refuses a commit that comes twice',
    ['records: the last commit counts, and the same one may come twice'],
    class extends Table {
      override isFenced(commit: Commit): boolean {
        const row = this.read(commit.partition);
        return (
          super.isFenced(commit) || (row.writer === commit.epoch && row.checkpoint === commit.checkpoint)
        );
      }
    },
  ),

  broken(
    'takes the checkpoint 0 for none',
    [
      'records: 0 is a checkpoint, and so is the greatest safe integer',
      'records: names are told apart letter by letter',
    ],
    class extends Table {
      override async takeOne(take: Take): Promise<Taken> {
        const taken = await super.takeOne(take);
        return taken.checkpoint === 0 ? { ...taken, checkpoint: undefined } : taken;
      }
    },
  ),

  broken(
    'keeps checkpoints in 32 bits',
    ['records: 0 is a checkpoint, and so is the greatest safe integer'],
    class extends Table {
      override write(commit: Commit): void {
        super.write({ ...commit, checkpoint: commit.checkpoint >>> 0 });
      }
    },
  ),

  broken(
    'tells the latest taker for the writer',
    [
      'records: the writer is the epoch that committed, however often it was taken since',
      'fencing: after a take a commit of an older epoch is refused, and changes nothing',
    ],
    class extends Table {
      override read(partition: string): Row {
        const row = super.read(partition);
        return row.writer === undefined ? row : { ...row, writer: row.epoch };
      }
    },
  ),

  broken(
    'takes the operator for the writer',
    ['records: a checkpoint that an operator moved has no writer, until the next commit'],
    class extends Table {
      override write(commit: Commit): void {
        super.write({ ...commit, moved: false });
      }
    },
  ),

  broken(
    'keeps the writer of before when an operator moves the checkpoint',
    ['records: a checkpoint that an operator moved has no writer, until the next commit'],
    class extends Table {
      override write(commit: Commit): void {
        const { writer } = this.read(commit.partition);
        super.write(commit);
        const row = this.read(commit.partition);
        this.rows.set(commit.partition, { ...row, writer: row.writer ?? writer });
      }
    },
  ),

  broken(
    'keeps one writer for all partitions',
    ['records: each partition keeps its own writer, checkpoint and books'],
    class extends Table {
      writer: number | undefined;
      override write(commit: Commit): void {
        super.write(commit);
        this.writer = commit.epoch;
      }
      override read(partition: string): Row {
        const row = super.read(partition);
        return row.writer === undefined ? row : { ...row, writer: this.writer };
      }
    },
  ),

  broken(
    'takes large and small letters for the same',
    ['records: names are told apart letter by letter'],
    class extends Table {
      override async takeOne({ partition, above }: Take): Promise<Taken> {
        const taken = await super.takeOne({ partition: partition.toLowerCase(), above });
        return { ...taken, partition };
      }
      override isFenced(commit: Commit): boolean {
        return super.isFenced({ ...commit, partition: commit.partition.toLowerCase() });
      }
      override write(commit: Commit): void {
        super.write({ ...commit, partition: commit.partition.toLowerCase() });
      }
    },
  ),

  broken(
    'keeps only the first of several commits',
    [
      'records: several commits in one call are all kept',
      'records: the fenced ones of a call are named, all others are kept',
    ],
    class extends Table {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        const { fenced } = await super.commit(commits.slice(0, 1));
        return { fenced };
      }
    },
  ),

  broken(
    'refuses a whole call for one that is fenced',
    ['records: the fenced ones of a call are named, all others are kept'],
    class extends Table {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        if (!commits.some((commit) => this.isFenced(commit))) return super.commit(commits);
        return { fenced: commits.map(({ partition }) => partition) };
      }
    },
  ),

  broken(
    'cannot be closed twice',
    ['records: closing twice is closing once, and what was committed stays'],
    class extends Table {
      closed = false;
      override async close(): Promise<void> {
        if (this.closed) throw new Error('closed already');
        this.closed = true;
      }
    },
  ),
];
