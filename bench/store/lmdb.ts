import type { Contender } from './contender.ts';
import { Groups } from './groups.ts';
import { numberBytes, OpenBatches, stateRow } from './rows.ts';

interface Database {
  putSync(key: Buffer, value: Buffer, options?: { noOverwrite: boolean }): boolean;
  getBinaryFast(key: Buffer): Buffer | undefined;
}
interface Environment {
  openDB(options: object): Database;
  transactionSync(work: () => void): void;
  close(): Promise<void>;
}
export interface Lmdb {
  open(options: object): Environment;
}

/** Each commit is synced by itself, unless none is. */
export function lmdb(library: Lmdb, path: string, { noSync }: { noSync: boolean }): Contender {
  const environment = library.open({ path, noSync, overlappingSync: false, noSubdir: false });
  const encoding = { encoding: 'binary', keyEncoding: 'binary' };
  const marks = environment.openDB({ name: 'marks', ...encoding });
  const batches = environment.openDB({ name: 'batches', ...encoding });
  const open = new OpenBatches();
  const groups = new Groups((work) => {
    environment.transactionSync(work);
  });
  return {
    claim: ({ number, keys }) =>
      groups.do(() => {
        let firsts = 0;
        const value = numberBytes(number);
        batches.putSync(value, stateRow('open'));
        open.begin(number);
        for (const key of keys) {
          if (marks.putSync(key, value, { noOverwrite: true })) firsts++;
          else open.refuse(marks.getBinaryFast(key)!.readUInt32LE(0));
        }
        return firsts;
      }),
    settle: ({ number }) =>
      groups.do(() => {
        batches.putSync(numberBytes(number), stateRow('settled'));
        open.settle(number);
      }),
    close: () => environment.close(),
  };
}
