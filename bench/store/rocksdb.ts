import type { Contender } from './contender.ts';
import { numberBytes, OpenBatches, stateRow } from './rows.ts';

interface ReadBatch {
  get(key: Buffer): Promise<Buffer | null>;
  tryFlush(): void;
}
interface WriteBatch {
  tryPut(key: Buffer, value: Buffer): void;
  flush(): Promise<void>;
}
interface Database {
  ready(): Promise<void>;
  read(options: object): ReadBatch;
  write(options: object): WriteBatch;
  close(): Promise<void>;
}
export type RocksDB = new (path: string, options: object) => Database;

/** As classic-level, but its log cannot be synced: what it answers survives the process, not the machine. */
export async function rocksdb(RocksDB: RocksDB, path: string): Promise<Contender> {
  const db = new RocksDB(path, { writeBufferSize: 256 * 1_048_576 });
  await db.ready();
  const open = new OpenBatches();

  const valuesOf = (keys: readonly Buffer[]): Promise<(Buffer | null)[]> => {
    const read = db.read({ capacity: keys.length, autoDestroy: true });
    const values = keys.map((key) => read.get(key));
    read.tryFlush();
    return Promise.all(values);
  };
  return {
    claim: async ({ number, keys }) => {
      open.begin(number);
      const value = numberBytes(number);
      const found = await valuesOf(keys);
      const write = db.write({ capacity: keys.length + 1, autoDestroy: true });
      write.tryPut(value, stateRow('open'));
      let firsts = 0;
      keys.forEach((key, i) => {
        const known = found[i];
        if (known) return open.refuse(known.readUInt32LE(0));
        write.tryPut(key, value);
        firsts++;
      });
      await write.flush();
      return firsts;
    },
    settle: async ({ number }) => {
      const write = db.write({ capacity: 1, autoDestroy: true });
      write.tryPut(numberBytes(number), stateRow('settled'));
      await write.flush();
      open.settle(number);
    },
    close: () => db.close(),
  };
}
