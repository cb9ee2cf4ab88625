import { rival, versionOf } from '../kit/rivals.ts';
import { classicLevel, type Level } from './classic-level.ts';
import type { Contender } from './contender.ts';
import { hapax } from './hapax.ts';
import { lmdb, type Lmdb } from './lmdb.ts';
import { rocksdb, type RocksDB } from './rocksdb.ts';
import { sqlite, type BetterSqlite3 } from './sqlite.ts';

export interface Entrant {
  readonly title: string;
  /** An answer survives a power cut. */
  readonly isDurable: boolean;
  open(folder: string): Promise<Contender> | Contender;
}

/** Each with the settings that were fastest of those that were tried. */
export const entrants: Readonly<Record<string, Entrant>> = {
  hapax: { title: 'Hapax, file store', isDurable: true, open: hapax },
  'sqlite-full': {
    title: `better-sqlite3 ${versionOf('better-sqlite3')}, WAL, FULL, checkpoint each 400 MB`,
    isDurable: true,
    open: (folder) => sqlite(rival('better-sqlite3') as BetterSqlite3, folder, 'FULL'),
  },
  lmdb: {
    title: `lmdb ${versionOf('lmdb')}, a sync each commit`,
    isDurable: true,
    open: (folder) => lmdb(rival('lmdb') as Lmdb, folder, { noSync: false }),
  },
  level: {
    title: `classic-level ${versionOf('classic-level')}, sync, 64 MiB of memory`,
    isDurable: true,
    open: (folder) => classicLevel(rival('classic-level') as Level, folder),
  },
  'sqlite-normal': {
    title: 'better-sqlite3, NORMAL',
    isDurable: false,
    open: (folder) => sqlite(rival('better-sqlite3') as BetterSqlite3, folder, 'NORMAL'),
  },
  'lmdb-unsynced': {
    title: 'lmdb, noSync',
    isDurable: false,
    open: (folder) => lmdb(rival('lmdb') as Lmdb, folder, { noSync: true }),
  },
  rocksdb: {
    title: `rocksdb-native ${versionOf('rocksdb-native')}, 256 MiB of memory`,
    isDurable: false,
    open: (folder) => rocksdb(rival('rocksdb-native') as RocksDB, folder),
  },
};
