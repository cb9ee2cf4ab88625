import type { Take, Taken } from '../../core/checkpoint.ts';
import { broken, Table, type Row } from './table.ts';

export const taking = [
  broken(
    'starts epochs at 1',
    [
      'taking: the epoch is a safe integer, and starts at the clock',
      'taking: where the records are lost no epoch comes again',
    ],
    class extends Table {
      override unwritten(): Row {
        return { ...super.unwritten(), epoch: 0 };
      }
    },
  ),

  broken(
    'starts epochs at the clock in milliseconds',
    [
      'taking: the epoch is a safe integer, and starts at the clock',
      'taking: where the records are lost no epoch comes again',
    ],
    class extends Table {
      override unwritten(): Row {
        return { ...super.unwritten(), epoch: this.clock.now() };
      }
    },
  ),

  broken(
    'begins at 0 where nothing was committed',
    [
      'taking: where nothing was committed there is no checkpoint, no writer, and the books are empty',
      'fencing: what nobody has taken cannot be committed',
      'records: each partition keeps its own writer, checkpoint and books',
      'records: the fenced ones of a call are named, all others are kept',
    ],
    class extends Table {
      override unwritten(): Row {
        return { ...super.unwritten(), checkpoint: 0 };
      }
    },
  ),

  broken(
    'gives the epoch again that committed nothing',
    [
      'taking: every take raises the epoch, whether something was committed or not',
      'taking: of those who take at once each has an epoch of its own, and only one may commit',
      'taking: where the records are lost no epoch comes again',
      'fencing: a take of one partition fences no other',
      'records: the fenced ones of a call are named, all others are kept',
    ],
    class extends Table {
      override async takeOne(take: Take): Promise<Taken> {
        const row = this.rows.get(take.partition);
        const isUnused = row !== undefined && row.writer !== row.epoch && take.above < row.epoch;
        return isUnused ? { partition: take.partition, ...row } : super.takeOne(take);
      }
    },
  ),

  broken(
    'does not listen to what the window store told',
    ['taking: the epoch is above what the window store told'],
    class extends Table {
      override takeOne({ partition }: Take): Promise<Taken> {
        return super.takeOne({ partition, above: 0 });
      }
    },
  ),

  broken(
    'takes over what the window store told, also where it lowers the epoch',
    ['taking: the epoch is above what the window store told'],
    class extends Table {
      override async takeOne({ partition, above }: Take): Promise<Taken> {
        const row = this.read(partition);
        const epoch = (above > 0 ? above : row.epoch) + 1;
        this.rows.set(partition, { ...row, epoch });
        return { partition, ...row, epoch };
      }
    },
  ),

  broken(
    'reads, waits, and then raises the epoch',
    ['taking: of those who take at once each has an epoch of its own, and only one may commit'],
    class extends Table {
      override async takeOne({ partition, above }: Take): Promise<Taken> {
        const row = this.read(partition);
        await Promise.resolve();
        const epoch = Math.max(row.epoch, above) + 1;
        this.rows.set(partition, { ...row, epoch });
        return { partition, ...row, epoch };
      }
    },
  ),

  broken(
    'answers for the first of several only',
    ['taking: several are taken in one call; nothing is asked for, nothing is answered'],
    class extends Table {
      override take(takes: readonly Take[]): Promise<Taken[]> {
        return super.take(takes.slice(0, 1));
      }
    },
  ),
];
