import type { Contender } from './contender.ts';
import { Groups } from './groups.ts';
import type { Batch } from './stream.ts';

interface Database {
  putSync(key: Buffer, value: Buffer, options?: { noOverwrite: boolean }): boolean;
  getBinaryFast(key: Buffer): Buffer | undefined;
  transactionSync(work: () => void): void;
  transaction(work: () => void): Promise<void>;
  readonly flushed: Promise<unknown>;
  close(): Promise<void>;
}

export interface Lmdb {
  open(options: object): Database & { openDB(options: object): Database };
}

/** As in sqlite.ts: an entry for each key, and one for each batch. */
export function lmdb({ open: openEnvironment }: Lmdb, path: string, noSync: boolean): Contender {
  const V = process.env.LM ?? 'sync';
  const root = openEnvironment({ path, noSync, noSubdir: false, ...(process.env.LM_OPT ? JSON.parse(process.env.LM_OPT) : {}) });
  const settings = { encoding: 'binary', keyEncoding: 'binary' };
  const marks = root.openDB({ name: 'marks', ...settings });
  const batches = root.openDB({ name: 'batches', ...settings });
  const open = new Set<number>();
  const groups = new Groups(V === 'sync' ? (work) => {
    root.transactionSync(work);
    return noSync || process.env.LM_NOFLUSH ? undefined : root.flushed;
  } : async (work) => { await root.transaction(work); if (!noSync) await root.flushed; });
  const word = (value: number): Buffer => {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };

  const claim = ({ number, keys }: Batch): number => {
    let firsts = 0;
    const value = word(number);
    batches.putSync(value, Buffer.from(`${Date.now()} open`));
    open.add(number);
    for (const key of keys) {
      if (marks.putSync(key, value, { noOverwrite: true })) firsts++;
      else if (open.has(marks.getBinaryFast(key)!.readUInt32LE(0))) throw new Error('held');
    }
    return firsts;
  };
  return {
    claim: (batch) => groups.do(() => claim(batch)),
    finish: ({ number }) =>
      groups.do(() => {
        batches.putSync(word(number), Buffer.from(`${Date.now()} settled`));
        open.delete(number);
      }),
    close: () => root.close(),
  };
}
