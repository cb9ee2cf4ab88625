import { join } from 'node:path';
import type { Contender } from './contender.ts';
import { Groups } from './groups.ts';
import type { Batch } from './stream.ts';

interface Database {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): {
    run(...values: unknown[]): { changes: number };
    get(...values: unknown[]): unknown;
    pluck(): { get(...values: unknown[]): unknown };
  };
  transaction<T extends unknown[]>(work: (...values: T) => void): { immediate(...values: T): void };
  close(): void;
}

export type BetterSqlite3 = new (path: string) => Database;

/** A row for each key, and one for each batch that says whether it is open. */
export function sqlite(Database: BetterSqlite3, folder: string, synchronous: 'FULL' | 'NORMAL'): Contender {
  const db = new Database(join(folder, 'marks.sqlite'));
  for (const setting of [
    'journal_mode = WAL',
    `synchronous = ${synchronous}`,
    `cache_size = ${process.env.SQ_CACHE ?? -1048576}`,
    `mmap_size = ${process.env.SQ_MMAP ?? 0}`,
    `wal_autocheckpoint = ${process.env.SQ_CKPT ?? 1000}`,
    'locking_mode = EXCLUSIVE',
    'temp_store = MEMORY',
  ])
    db.pragma(setting);
  db.exec(`
    CREATE TABLE marks (key BLOB PRIMARY KEY, batch INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE batches (number INTEGER PRIMARY KEY, accepted INTEGER NOT NULL, open INTEGER NOT NULL)`);
  const begin = db.prepare('INSERT INTO batches VALUES (?, ?, 1)');
  const insert = db.prepare('INSERT INTO marks VALUES (?, ?) ON CONFLICT DO NOTHING');
  const find = db.prepare('SELECT batch FROM marks WHERE key = ?').pluck();
  const settle = db.prepare('UPDATE batches SET open = 0 WHERE number = ?');
  const open = new Set<number>();
  const groups = new Groups((work) => {
    db.transaction(work).immediate();
  });

  const claim = ({ number, keys }: Batch): number => {
    let firsts = 0;
    begin.run(number, Date.now());
    open.add(number);
    for (const key of keys) {
      if (insert.run(key, number).changes === 1) firsts++;
      else if (open.has(find.get(key) as number)) throw new Error('held');
    }
    return firsts;
  };
  return {
    claim: (batch) => groups.do(() => claim(batch)),
    finish: ({ number }) =>
      groups.do(() => {
        settle.run(number);
        open.delete(number);
      }),
    close: async () => {
      db.close();
    },
  };
}
