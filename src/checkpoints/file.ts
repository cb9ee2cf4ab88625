import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { CheckpointList, CheckpointStore, Taken } from '../core/checkpoint.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import { zeroTotals } from '../core/totals.ts';
import { writeWhole } from '../disk/folder.ts';
import { Table } from './kit/table.ts';

export interface FileCheckpointsOptions {
  readonly path: string;
  readonly clock?: Pick<Clock, 'now'>;
  /** Begins without checkpoints where the file is damaged (else HPX-S005): everything is read once more. */
  readonly keepSound?: boolean;
}

/**
 * Checkpoints in a file of lines, which is written anew as a whole for each change. For one process at a time: that is for
 * the lock of the state directory to see to. HPX-S005 if the file is damaged; HPX-S002 while the disk is full, HPX-S008
 * if it cannot be used.
 */
export async function fileCheckpoints(
  options: FileCheckpointsOptions,
): Promise<CheckpointStore & CheckpointList> {
  const { path, clock = systemClock, keepSound = false } = options;
  const rows = await readCheckpoints(path).catch((error: unknown) => {
    if (keepSound && error instanceof HapaxError && error.code === 'HPX-S005') return [];
    throw error;
  });
  let table = new Table(clock, rows);
  let last: Promise<unknown> = Promise.resolve();

  /** One after another; what is not on the disk did not happen. */
  const change = <T>(work: (table: Table) => T): Promise<T> => {
    const done = last.then(async () => {
      const next = table.copy();
      const answer = work(next);
      await write(path, next.list());
      table = next;
      return answer;
    });
    last = done.catch(() => undefined);
    return done;
  };
  return {
    take: (takes) => change((next) => next.take(takes)),
    commit: (commits) => change((next) => next.commit(commits)),
    list: async () => table.list(),
    close: async () => {
      await last;
    },
  };
}

/** As they are, whoever has them. */
export async function readCheckpoints(path: string): Promise<Taken[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw HapaxError.because('HPX-S008', path, error);
  });
  if (text === undefined) return [];
  const [head, ...lines] = text.split('\n');
  if (head !== headOf(lines.join('\n'))) throw new HapaxError('HPX-S005', `${path} is not as it was written`);
  return lines.slice(0, -1).map(rowOf);
}

async function write(path: string, rows: readonly Taken[]): Promise<void> {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeWhole(path, `${headOf(lines)}\n${lines}`).catch((error: unknown) => {
    const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
    throw HapaxError.because(isFull ? 'HPX-S002' : 'HPX-S008', path, error);
  });
}

/** The format, its version and the checksum of what follows. */
function headOf(lines: string): string {
  return `hapax checkpoints 1 ${crc32(lines).toString(16).padStart(8, '0')}`;
}

/** What a line leaves out is not there. */
function rowOf(line: string): Taken {
  const { partition, epoch, checkpoint, writer, totals } = JSON.parse(line) as Taken;
  return { partition, epoch, checkpoint, writer, totals: { ...zeroTotals, ...totals } };
}
