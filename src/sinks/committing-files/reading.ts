import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Taken } from '../../core/checkpoint.ts';
import { HapaxError } from '../../core/errors.ts';
import type { CommittingFilesOptions } from '../committing-files.ts';
import { readCommitLog } from './commit-log.ts';
import { sizeOf } from './places.ts';
import { seriesOf } from './series.ts';

/** A file of an output, as far as it is committed. */
export interface CommittedFile {
  readonly output: 'sink' | 'duplicates' | 'deadLetters';
  readonly path: string;
  /** bytes */
  readonly length: number;
}

export interface Committed {
  readonly checkpoints: readonly Taken[];
  /** Of each output the oldest first. */
  readonly files: readonly CommittedFile[];
}

/**
 * What is committed, read beside whoever may be writing: nothing is changed. HPX-O006 if the log is damaged.
 */
export async function readCommitted({
  path,
  duplicates,
  deadLetters,
}: Pick<CommittingFilesOptions, 'path' | 'duplicates' | 'deadLetters'>): Promise<Committed> {
  const log = `${await realPath(path)}.commits`;
  const reading = await readCommitLog(log);
  if (!reading) return { checkpoints: [], files: [] };
  if (reading.damage !== undefined) throw new HapaxError('HPX-O006', `${log}: ${reading.damage}`);
  const { ledger } = reading;
  const folder = dirname(log);
  const wanted = [
    { output: 'sink' as const, path },
    ...(duplicates ? [{ output: 'duplicates' as const, ...duplicates }] : []),
    ...(deadLetters ? [{ output: 'deadLetters' as const, ...deadLetters }] : []),
  ];
  const files: CommittedFile[] = [];
  for (const { output, path: place, ...kept } of wanted) {
    const { keepMs } = kept as { keepMs?: number };
    const { name } = seriesOf(relative(folder, await realPath(place)), keepMs);
    const { length = 0, current = null, past = [] } = ledger.outputs.get(name) ?? {};
    for (const { file } of past) {
      const size = await sizeOf(join(folder, file));
      if (size !== undefined) files.push({ output, path: join(folder, file), length: size });
    }
    if (current) files.push({ output, path: join(folder, current.file), length });
  }
  return { checkpoints: ledger.list(), files };
}

/** Through links, of a file that may be missing. */
async function realPath(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const whole = resolve(path);
    return join(await realpath(dirname(whole)).catch(() => dirname(whole)), basename(whole));
  });
}
