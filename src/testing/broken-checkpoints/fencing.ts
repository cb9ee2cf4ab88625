import type { Commit, Committed, Take, Taken } from '../../core/checkpoint.ts';
import { broken, Table } from './table.ts';

export const fencing = [
  broken(
    'refuses only what is older',
    ['fencing: a commit of a newer epoch that nobody took is refused too'],
    class extends Table {
      override isFenced({ partition, epoch }: Commit): boolean {
        const row = this.rows.get(partition);
        return row === undefined || epoch < row.epoch;
      }
    },
  ),

  broken(
    'accepts what has no record',
    ['fencing: what nobody has taken cannot be committed'],
    class extends Table {
      override isFenced(commit: Commit): boolean {
        return this.rows.has(commit.partition) && super.isFenced(commit);
      }
    },
  ),

  broken(
    'says fenced and writes all the same',
    [
      'fencing: after a take a commit of an older epoch is refused, and changes nothing',
      'fencing: what nobody has taken cannot be committed',
      'records: the fenced ones of a call are named, all others are kept',
    ],
    class extends Table {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        const { fenced } = await super.commit(commits);
        for (const commit of commits) if (fenced.includes(commit.partition)) this.write(commit);
        return { fenced };
      }
    },
  ),

  broken(
    'raises the epoch with each commit that it refuses',
    [
      'fencing: a commit of a newer epoch that nobody took is refused too',
      'fencing: a fenced commit does not end the session that fenced it',
      'taking: of those who take at once each has an epoch of its own, and only one may commit',
    ],
    class extends Table {
      override isFenced(commit: Commit): boolean {
        const isFenced = super.isFenced(commit);
        const row = this.read(commit.partition);
        if (isFenced && this.rows.has(commit.partition))
          this.rows.set(commit.partition, { ...row, epoch: row.epoch + 1 });
        return isFenced;
      }
    },
  ),

  broken(
    'has one epoch for all partitions',
    [
      'fencing: a take of one partition fences no other',
      'records: each partition keeps its own writer, checkpoint and books',
      'records: the fenced ones of a call are named, all others are kept',
    ],
    class extends Table {
      override async takeOne(take: Take): Promise<Taken> {
        const taken = await super.takeOne(take);
        for (const [name, row] of this.rows)
          this.rows.set(name, { ...row, epoch: Math.max(row.epoch, taken.epoch) });
        return taken;
      }
    },
  ),
];
