import { join } from 'node:path';
import type { Contender } from './contender.ts';
import { Groups } from './groups.ts';
import { OpenBatches } from './rows.ts';

interface Statement {
  run(...values: unknown[]): { changes: number };
  pluck(): { get(...values: unknown[]): unknown };
}
interface Database {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): Statement;
  transaction(work: () => void): { immediate(): void };
  close(): void;
}
export type BetterSqlite3 = new (path: string) => Database;

const settings = [
  'journal_mode = WAL',
  'locking_mode = EXCLUSIVE',
  'cache_size = -1048576',
  'wal_autocheckpoint = 100000',
];
const tables = `
  CREATE TABLE marks (key BLOB PRIMARY KEY, batch INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE batches (number INTEGER PRIMARY KEY, acceptedAt INTEGER NOT NULL, isOpen INTEGER NOT NULL)`;

export function sqlite(Database: BetterSqlite3, folder: string, synchronous: 'FULL' | 'NORMAL'): Contender {
  const db = new Database(join(folder, 'marks.sqlite'));
  for (const setting of [...settings, `synchronous = ${synchronous}`]) db.pragma(setting);
  db.exec(tables);
  const begin = db.prepare('INSERT INTO batches VALUES (?, ?, 1)');
  const insert = db.prepare('INSERT INTO marks VALUES (?, ?) ON CONFLICT DO NOTHING');
  const find = db.prepare('SELECT batch FROM marks WHERE key = ?').pluck();
  const settle = db.prepare('UPDATE batches SET isOpen = 0 WHERE number = ?');
  const open = new OpenBatches();
  const groups = new Groups((work) => {
    db.transaction(work).immediate();
  });
  return {
    claim: ({ number, keys }) =>
      groups.do(() => {
        let firsts = 0;
        begin.run(number, Date.now());
        open.begin(number);
        for (const key of keys) {
          if (insert.run(key, number).changes === 1) firsts++;
          else open.refuse(find.get(key) as number);
        }
        return firsts;
      }),
    settle: ({ number }) =>
      groups.do(() => {
        settle.run(number);
        open.settle(number);
      }),
    close: async () => {
      db.close();
    },
  };
}
